"""RandomRuns: how often something is run, by a law that everybody knows, whose outcome nobody learns."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.loss import BestOfCurve, BestOfPoissonCurve, PrivacyLoss
from privet.loss.exact import Exact, exact_within, readable, shown
from privet.noise import Law, PoissonLaw, TruncatedNegativeBinomialLaw

SHAPES = {"geometric": 1, "logarithmic": 0}
KINDS = ("geometric", "logarithmic", "poisson")
MOST = 10_000
BITS = 48  # of the probability to stop: exact coins, and its mean is as asked to many digits


@dataclass(frozen=True, init=False, repr=False)
class RandomRuns:
    """A law of the number of runs.

    Args:
        mean: how many runs are expected; at least 1 (above 0 for "poisson") and at most 10,000.
        kind: "geometric": one run or more, and always the same chance of a further one. "logarithmic": mostly few, now
            and then very many; cheaper. "poisson": nearly always about the mean, dearer, and sometimes no run at all.

    Privacy: see `BestOfCurve` and `BestOfPoissonCurve`, which hold the very parameters that are drawn with.

    Example:
        >>> from privet.loss import LaplaceCurve
        >>> one = PrivacyLoss.of(LaplaceCurve(1))
        >>> [round(RandomRuns(20, kind).best_of(one).epsilon(delta=0), 2) for kind in ("logarithmic", "geometric")]
        [1.96, 2.71]
    """

    kind: str
    mean: Fraction
    stop: Fraction | None = field(repr=False)

    def __init__(self, mean: Exact, kind: str = "geometric") -> None:
        if kind not in KINDS:
            raise InvalidParameter(f'kind must be "geometric", "logarithmic" or "poisson", got {shown(kind)}')
        found = exact_within(mean, "mean", low=0, high=MOST)
        if not found or (kind != "poisson" and found < 1):
            least = "above 0" if kind == "poisson" else "at least 1"
            raise InvalidParameter(f"mean must be {least} for {kind} runs, got {shown(mean)}")
        stop = {"geometric": 1 / found, "logarithmic": logarithmic_stop(float(found)), "poisson": None}[kind]
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "mean", found)
        object.__setattr__(self, "stop", stop)

    @property
    def law(self) -> Law:
        """What the number of runs is drawn from."""
        if self.stop is None:
            return PoissonLaw(self.mean)
        return TruncatedNegativeBinomialLaw(self.stop, shape=SHAPES[self.kind])

    def best_of(self, one: PrivacyLoss) -> PrivacyLoss:
        """What the best of so many runs reveals, from what one of them reveals together with its score."""
        if self.stop is None:
            return PrivacyLoss.of(BestOfPoissonCurve(one, self.mean))
        return PrivacyLoss.of(BestOfCurve(one, self.stop, SHAPES[self.kind]))

    def __repr__(self) -> str:
        return f"RandomRuns({readable(self.mean)}, {self.kind!r})"


def logarithmic_stop(mean: float) -> Fraction:
    """The probability to stop at which the logarithmic law has this mean, nearly: (1/s - 1) / log(1/s).

    Example:
        >>> logarithmic_stop(1.0), round(float(logarithmic_stop(20.0)), 4)
        (Fraction(1, 1), 0.011)
    """
    if mean <= 1:
        return Fraction(1)
    low, high = -math.log(mean) * 3 - 3, 0.0  # logarithms of what is too small and of what is too large
    for _ in range(100):
        middle = (low + high) / 2
        reached = math.expm1(-middle) / -middle if middle else 1.0
        low, high = (middle, high) if reached > mean else (low, middle)
    return Fraction(min(max(round(math.exp(high) * (1 << BITS)), 1), 1 << BITS), 1 << BITS)
