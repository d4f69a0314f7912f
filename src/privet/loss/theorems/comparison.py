"""compare_composition: every theorem's answer to one question, best first."""

from collections.abc import Callable
from dataclasses import dataclass

from privet.loss.exact import Exact
from privet.loss.theorems.composition import (
    advanced_composition,
    basic_composition,
    improved_composition,
    optimal_composition,
    renyi_composition,
    renyi_composition_standard,
    zcdp_composition,
    zcdp_composition_standard,
)


@dataclass(frozen=True)
class CompositionBound:
    """One theorem's promise.

    Args:
        theorem: its name and source.
        epsilon: the total ε it promises; infinite where it promises nothing.
    """

    theorem: str
    epsilon: float


@dataclass(frozen=True)
class Comparison:
    """Every theorem's promise, best first; `exact` is the value no theorem can beat.

    Iterate over it, index it, or print it for a table.
    """

    title: str
    bounds: tuple[CompositionBound, ...]
    exact: CompositionBound

    @property
    def best(self) -> CompositionBound:
        """Return the smallest promise, the exact one included."""
        return self.bounds[0]

    def __str__(self) -> str:
        """Return a table: theorem, ε, and how many times the exact value it is."""
        width = max(len(bound.theorem) for bound in self.bounds)
        lines = [self.title, f"{'theorem':<{width}}  {'total ε':>10}  {'/ exact':>8}"]
        lines += [
            f"{bound.theorem:<{width}}  {bound.epsilon:>10.6g}  {self._excess(bound):>8}"
            for bound in self.bounds
        ]
        return "\n".join(lines)

    def _excess(self, bound: CompositionBound) -> str:
        return f"{bound.epsilon / self.exact.epsilon:.3f}" if self.exact.epsilon > 0 else "-"


EXACT = "exact (Kairouz-Oh-Viswanath)"
THEOREMS: tuple[tuple[str, Callable[..., float]], ...] = (
    (EXACT, optimal_composition),
    ("Rényi, tight conversion", renyi_composition),
    ("zCDP, tight conversions", zcdp_composition),
    ("Rényi, standard conversion", renyi_composition_standard),
    ("advanced (Kairouz-Oh-Viswanath)", improved_composition),
    ("zCDP, standard conversions", zcdp_composition_standard),
    ("advanced (Dwork-Roth)", advanced_composition),
    ("basic", basic_composition),
)


def compare_composition(epsilon: Exact, *, times: int, delta: Exact, delta_each: Exact = 0) -> Comparison:
    """Return what each theorem promises for `times` releases that are (epsilon, delta_each)-DP, best first.

    Args:
        epsilon: the promise of one release.
        times: how many releases, each chosen after seeing the earlier answers.
        delta: the failure probability allowed in total.
        delta_each: that of one release.

    Example:
        >>> print(compare_composition(0.1, times=100, delta=1e-5))
        100 releases of (ε=0.1, δ=0) at total δ=1e-05
        theorem                             total ε   / exact
        exact (Kairouz-Oh-Viswanath)        4.30679     1.000
        Rényi, tight conversion             4.61523     1.072
        zCDP, tight conversions             4.72613     1.097
        Rényi, standard conversion          5.15821     1.198
        advanced (Kairouz-Oh-Viswanath)     5.29811     1.230
        zCDP, standard conversions          5.29853     1.230
        advanced (Dwork-Roth)               5.85024     1.358
        basic                                    10     2.322
    """
    found = [
        CompositionBound(name, theorem(epsilon, times=times, delta=delta, delta_each=delta_each))
        for name, theorem in THEOREMS
    ]
    return Comparison(
        title=f"{times} releases of (ε={epsilon}, δ={delta_each}) at total δ={delta}",
        bounds=tuple(sorted(found, key=lambda bound: bound.epsilon)),
        exact=found[0],
    )
