"""PrivacyLoss: the receipt that every part of Privet passes around."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np

from privet.errors import InvalidParameter
from privet.loss import loss_json
from privet.loss.curve import ROUNDING, Array, LossCurve
from privet.loss.curves.allocated import AllocatedCurve
from privet.loss.curves.combined import ParallelCurve, ReversedCurve, WorstOfCurve
from privet.loss.curves.replaced_sample import ReplacedSampleCurve
from privet.loss.curves.sampled import SampledCurve
from privet.loss.curves.shuffled import shuffled_curve
from privet.loss.exact import Exact, exact, exact_within, float_at_most, meant_by, total_of, whole
from privet.loss.guarantee import Guarantee
from privet.loss.neighbors import EITHER, Neighbors
from privet.loss.pricing import figures
from privet.loss.pricing.below import epsilon_below
from privet.loss.pricing.composition import OUTWARD
from privet.loss.pricing.growing import Parts
from privet.loss.pricing.solving import solved

LARGE = 700.0  # exponents up to here are floats
NEARLY = Fraction(1001, 1000)  # a delta that misses a promise by less is looked at from the other side
SMALLEST = 2.0**-60  # of what is positive but for rounding
NEAR_ONE = 1.0 + 2.0**-23  # Rényi orders below are read here: divergences grow with the order
BETWEEN = 1e-3  # the part of epsilon by which values between computed ones of a slow curve may be too high


class Known(NamedTuple):
    """What is asked of a loss again and again, and known of a sum if it is known of both losses."""

    times: dict[LossCurve, int]  # how often each curve was paid for; not to be changed
    neighbors: frozenset[Neighbors]
    symmetric: bool
    plain: bool  # whether every curve is read as it is: neither fused with its kind nor known by Rényi divergences

    @classmethod
    def of(cls, parts: Iterable[tuple[LossCurve, int]]) -> "Known":
        """Look at every part."""
        times = dict(parts)
        fused = {getattr(type(curve).fused, "__func__", None) for curve in times}
        return cls(
            times,
            reduce(frozenset.intersection, (curve.neighbors for curve in times), EITHER),
            all(curve.symmetric for curve in times),
            fused <= {getattr(LossCurve.fused, "__func__", None)} and not any(curve.known_by_renyi for curve in times),
        )

    def joined(self, other: "Known") -> "Known":
        """What is known of a sum of losses that share no curve."""
        return Known(
            {**self.times, **other.times},
            self.neighbors & other.neighbors,
            self.symmetric and other.symmetric,
            self.plain and other.plain,
        )


@dataclass(frozen=True)
class PrivacyLoss:
    """Which curves were paid for, and how many times. Immutable, hashable, adds like money.

    Args:
        parts: (curve, times) pairs; none is the loss of a computation that never saw the data.

    Privacy: every figure is an upper bound of the true loss, rounded outward, for whichever neighbor relation
        every part holds for (`neighbors`). Adding is valid when all parameters are fixed before the first part
        runs; what is chosen after seeing answers goes through a `Ledger`.
    Proof: independent losses add; see `composition`.

    Example:
        >>> from privet.loss import GaussianCurve, LaplaceCurve
        >>> loss = PrivacyLoss.of(GaussianCurve(0.1)) * 100 + PrivacyLoss.of(LaplaceCurve(0.1))
        >>> round(loss.epsilon(delta=1e-6), 4)
        4.9125
    """

    parts: frozenset[tuple[LossCurve, int]] = frozenset()

    @classmethod
    def of(cls, curve: LossCurve, times: int = 1) -> "PrivacyLoss":
        """The loss of running one mechanism `times` times."""
        runs = whole(times, "times", low=0)
        return cls(frozenset({(curve, runs)} if runs else ()))

    # --- arithmetic -------------------------------------------------------------------------------------------

    def __add__(self, other: "PrivacyLoss") -> "PrivacyLoss":
        """Both computations on the same data; refused if no neighbor relation holds for both."""
        mine, theirs = self._known.times, other._known.times
        if mine.keys() & theirs.keys():
            more = {curve: mine.get(curve, 0) + times for curve, times in theirs.items()}
            combined = PrivacyLoss(frozenset({**mine, **more}.items()))
        else:
            combined = self._joined(other)
        if not combined.neighbors:
            raise InvalidParameter(
                f"losses must share a neighbor relation to be added, got {_names(self)} and {_names(other)}"
            )
        return combined

    def _joined(self, other: "PrivacyLoss") -> "PrivacyLoss":
        """The sum with a loss that shares no curve; what is known of both is not looked up again as a loss grows."""
        combined = PrivacyLoss(self.parts | other.parts)
        mine, theirs = self._known, other._known  # noqa: SLF001 - of the same class
        combined.__dict__["_known"] = known = mine.joined(theirs)
        if "_directions" in self.__dict__ and known.plain and mine.symmetric == theirs.symmetric:
            pairs = zip(self._directions, other._directions, strict=True)  # noqa: SLF001 - of the same class
            combined.__dict__["_directions"] = tuple(one.joined(more) for one, more in pairs)
        return combined

    def __mul__(self, times: int) -> "PrivacyLoss":
        """The same computation `times` times on the same data."""
        whole(times, "times", low=0)
        return PrivacyLoss(frozenset((curve, n * times) for curve, n in self.parts if times))

    __rmul__ = __mul__

    def __or__(self, other: "PrivacyLoss") -> "PrivacyLoss":
        """Computations on disjoint parts of the data: the worst of them; under REPLACE the two worst together.

        A replaced unit can leave one part and join another, so `under(Neighbors.REPLACE)` adds two parts.
        """
        blocks = [*_blocks(self), *_blocks(other)]
        return PrivacyLoss.of(ParallelCurve(tuple(sorted(blocks, key=PrivacyLoss.to_json))))

    def sampled(
        self,
        rate: Exact,
        *,
        neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
        replaced: "PrivacyLoss | None" = None,
    ) -> "PrivacyLoss":
        """The loss when each unit takes part independently with probability `rate` (Poisson sampling).

        Args:
            rate: in [0, 1].
            neighbors: what the result holds for. This loss is always that of a unit which comes or goes: for a replaced
                unit too, because it is in the sample or not.
            replaced: under REPLACE, the loss of a unit in the sample that is replaced, if it is less than that of one
                which goes and another which comes, `group(2)`.
        """
        share = exact_within(rate, "rate", low=0, high=1)
        relation = Neighbors.of(neighbors)
        if Neighbors.ADD_REMOVE not in self.neighbors:
            raise InvalidParameter(
                f"Poisson sampling needs a loss under ADD_REMOVE, got one under {_names(self)}: "
                "for a sample of fixed size use drawn"
            )
        if relation is Neighbors.ADD_REMOVE:
            if replaced is not None:
                raise InvalidParameter('replaced is for neighbors="replace": leave it out, or ask for that relation')
            if share == 1 or not self.parts:
                return self
            return PrivacyLoss.of(SampledCurve(self, share)) if share else PrivacyLoss()
        if replaced is not None and Neighbors.REPLACE not in replaced.neighbors:
            raise InvalidParameter(f"replaced must be a loss under REPLACE, got one under {_names(replaced)}")
        return _sample_of(self, self.group(2) if replaced is None else replaced, share)

    def drawn(self, size: int, population: int) -> "PrivacyLoss":
        """The loss, under REPLACE, when a sample of `size` of the `population` units is drawn without replacement.

        Proof: a sample without the unit becomes one with it by exchanging it for one of those in the sample. So the
            laws with it and without it are mixtures of neighbors under REPLACE, as are those with one and with another
            in its place (Balle, Barthe and Gaboardi 2018, Theorem 9). The population must be public.
        """
        whole(population, "population", low=1)
        if whole(size, "size", low=0) > population:
            raise InvalidParameter(f"size must be at most the population of {population}, got {size}")
        if Neighbors.REPLACE not in self.neighbors:
            raise InvalidParameter(f"a sample of fixed size needs a loss under REPLACE, got one under {_names(self)}")
        either = self if self.symmetric else PrivacyLoss.of(WorstOfCurve((self, self.reversed())))
        return _sample_of(either, either, Fraction(size, population))

    def allocated(self, steps: int) -> "PrivacyLoss":
        """The loss of `steps` runs, in exactly one of which each unit takes part: one epoch, balls and bins.

        Args:
            steps: how many runs there are. For several epochs, drawn anew each time, multiply the result.

        Privacy: which run it is must be drawn uniformly for each unit by itself, and stay hidden. Cutting a shuffled
            list into batches does something else. For units that come or go.
        Proof: docs/proofs/allocation.md; each run may depend on what earlier ones gave.
        """
        whole(steps, "steps", low=1)
        if Neighbors.ADD_REMOVE not in self.neighbors:
            raise InvalidParameter(
                f"random allocation needs a loss under ADD_REMOVE, got one under {_names(self)}: "
                "for a sample of fixed size use drawn"
            )
        return self if steps == 1 or not self.parts else PrivacyLoss.of(AllocatedCurve(self, steps))

    def shuffled(self, reports: int) -> "PrivacyLoss":
        """The central loss of a local randomizer whose `reports` outputs are shuffled; needs a pure local loss."""
        return PrivacyLoss.of(shuffled_curve(self, reports))

    def group(self, size: int) -> "PrivacyLoss":
        """The loss for neighbors that are `size` units apart; delta grows as well as epsilon."""
        whole(size, "size", low=0)
        return sum_of(PrivacyLoss.of(curve.grouped(size), n) for curve, n in self.parts if size)

    def preprocessed(self, stability: int) -> "PrivacyLoss":
        """The loss when the data first pass a map that moves neighbors at most `stability` units apart."""
        return self.group(stability)

    def reversed(self) -> "PrivacyLoss":
        """The same loss with joining and leaving exchanged."""
        return PrivacyLoss(frozenset((c if c.symmetric else ReversedCurve(c), n) for c, n in self.parts))

    def under(self, neighbors: Neighbors) -> "PrivacyLoss":
        """The same computation under one neighbor relation; refused if a part does not hold there."""
        moved = [
            (
                curve.replacing() if isinstance(curve, ParallelCurve) and neighbors is Neighbors.REPLACE else curve,
                n,
            )
            for curve, n in self.parts
        ]
        for curve, _ in moved:
            if neighbors not in curve.neighbors:
                raise InvalidParameter(f"{type(curve).__name__} holds only for {_names(curve)}, not {neighbors.name}")
        return sum_of(PrivacyLoss.of(curve, n) for curve, n in moved)

    # --- what it is -------------------------------------------------------------------------------------------

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """The neighbor relations that every part holds for."""
        return self._known.neighbors

    @property
    def symmetric(self) -> bool:
        """True if joining and leaving have the same loss."""
        return self._known.symmetric

    @property
    def largest_loss(self) -> Fraction | float:
        """The largest loss that is not infinite, exact where the parts are."""
        return figures.largest_loss(self._directions[0])

    def unbounded(self, *, adding: bool = False) -> Fraction:
        """The probability of infinite loss in one direction: exact where the parts are, else from above."""
        return figures.ends_of(self._directions[-1 if adding else 0]).infinite if self.parts else Fraction(0)

    @cached_property
    def _known(self) -> "Known":
        return Known.of(self.parts)

    @cached_property
    def _directions(self) -> tuple[Parts, ...]:
        """The parts, fused where a closed form exists, once for each direction that differs."""
        kinds: dict[type[LossCurve], list[tuple[LossCurve, int]]] = {}
        for curve, times in self.parts:
            kinds.setdefault(type(curve), []).append((curve, times))
        fused: list[tuple[LossCurve, int]] = []
        for kind, members in kinds.items():
            one = kind.fused(members) if len(members) > 1 or members[0][1] > 1 else None
            fused.extend(members if one is None else [(one, 1)])
        removing = figures.directed(fused, adding=False)
        return (removing,) if self.symmetric else (removing, figures.directed(fused, adding=True))

    # --- figures ----------------------------------------------------------------------------------------------

    def delta(self, epsilon: Exact) -> float:
        """The smallest delta such that (epsilon, delta)-DP holds, from above."""
        level = _level(epsilon, "epsilon")
        if level < math.inf and self.largest_loss <= exact(epsilon, "epsilon"):
            level = math.inf  # the float below what was typed may lie before the end of the curve
        found = max(figures.delta(parts, level) for parts in self._directions) if self.parts else 0.0
        return min(found, float(self._conversion(np.array([level]))[0])) if self._has_bounds else found

    def epsilon(self, delta: Exact) -> float:
        """The smallest epsilon such that (epsilon, delta)-DP holds, from above; inf if there is none.

        Like every float of Privet it stands for its shortest decimal, which is not below the truth either.
        """
        level = _level(delta, "delta")
        typed = None if isinstance(delta, float) else exact(delta, "delta")
        found = max(figures.epsilon(parts, level, typed) for parts in self._directions) if self.parts else 0.0
        return min(found, solved(self._conversion, level) * (1 + OUTWARD)) if self._has_bounds else found

    def lower_bound(self, delta: Exact) -> float:
        """An epsilon that the composition of these very curves certainly costs; 0 where a curve is only a bound.

        Curves whose values are computed one by one are read between them here, a thousandth of epsilon too high at
        most (`LossCurve.slow`), which is taken off.
        """
        level = _level(delta, "delta")
        if self._has_bounds:
            return 0.0
        found = max((epsilon_below(parts, level) for parts in self._directions), default=0.0)
        return found * (1 - BETWEEN) if any(curve.slow for curve, _ in self.parts) else found

    def max_divergence(self, delta: Exact = 0) -> float:
        """The delta-approximate max divergence: the worst log((P(S) - delta)/Q(S)), which is epsilon(delta)."""
        return self.epsilon(delta)

    def profile(self, epsilon: Array, *, adding: bool = False) -> Array:
        """Delta at each epsilon >= 0, in one direction."""
        if not self.parts:
            return np.zeros_like(epsilon)
        return figures.profile(self._directions[-1 if adding else 0], epsilon)

    def renyi_pair(self, order: float) -> tuple[float, float]:
        """Rényi divergence of an order in (1, inf), when a unit leaves and when it joins."""
        found = [(times, curve.renyi(order)) for curve, times in self.parts]
        return total_of((n, pair[0]) for n, pair in found), total_of((n, pair[1]) for n, pair in found)

    def renyi(self, order: float) -> float:
        """Rényi divergence of an order in [1, inf]: at 1 the mean loss, at inf the largest."""
        if not order >= 1:
            raise InvalidParameter(f"order must be in [1, inf], got {order}")
        if math.isinf(order):
            return self.epsilon(0)
        return max(self.renyi_pair(max(order, NEAR_ONE)))

    def zcdp(self) -> float:
        """The rho of zero-concentrated DP; inf if there is none."""
        return total_of((times, curve.zcdp()) for curve, times in self.parts)

    def advantage(self) -> float:
        """The best attacker's true positive rate minus false positive rate: delta(0)."""
        return self.delta(0)

    def tradeoff(self, false_positive: float) -> float:
        """The smallest false negative rate of any test with this false positive rate, from below.

        Proof: every (epsilon, delta) on the curve gives two lines under the trade-off function (Wasserman and
            Zhou 2010; Dong, Roth and Su 2022, Proposition 2.5); their upper envelope is the function itself.
        """
        if not 0 <= false_positive <= 1:
            raise InvalidParameter(f"false_positive must be in [0, 1], got {false_positive}")
        top = min(self.epsilon(1e-12), 700.0)
        epsilon = np.linspace(0.0, top, 257)
        best = 0.0
        for _ in range(4):
            delta = self.profile(epsilon)
            delta = delta if self.symmetric else np.maximum(delta, self.profile(epsilon, adding=True))
            kept = 1.0 - delta - false_positive
            lines = np.maximum(kept - np.expm1(epsilon) * false_positive, np.exp(-epsilon) * kept)
            peak = int(np.argmax(lines))
            best = max(best, float(lines[peak]))
            epsilon = np.linspace(epsilon[max(peak - 1, 0)], epsilon[min(peak + 1, 256)], 257)
        return best * (1 - 2.0**-40)

    def posterior(self, prior: float, *, failure: float = 0.0) -> tuple[float, float]:
        """The range of an opponent's belief in a fact about one unit, after seeing everything.

        Args:
            prior: the belief before, in [0, 1], independent of the other units.
            failure: probability that an end may be passed, each end by itself; 0 gives ends that never are.

        Proof: odds after = odds before times e^loss (Bayes). P[loss > e'] <= delta(e)/(1 - e^(e - e')).
        """
        if not 0 <= prior <= 1:
            raise InvalidParameter(f"prior must be in [0, 1], got {prior}")
        level = self.epsilon(0)
        for share in (0.5, 0.1, 0.01) if failure else ():
            level = min(level, self.epsilon(failure * share) - math.log1p(-share))
        if math.isinf(level):
            return 0.0, 1.0
        least = prior / (prior + (1 - prior) * math.exp(level)) if level < LARGE else 0.0
        most = prior / (prior + (1 - prior) * math.exp(-level))
        return least * (1 - ROUNDING), min(1.0, most * (1 + ROUNDING))

    def losses_at(self, uniforms: Sequence[float] | Array) -> Array:
        """The privacy loss at these quantiles: feed uniform random numbers to see the loss as a random variable."""
        points = np.asarray(uniforms, dtype=np.float64)
        if not np.all((points >= 0) & (points <= 1)):
            raise InvalidParameter("uniforms must be in [0, 1]")
        return figures.quantiles(self._directions[0], points) if self.parts else np.zeros_like(points)

    def meets(self, promise: Guarantee) -> bool:
        """True if this loss certainly keeps the promise; exact where the parts are.

        What `epsilon` says of a delta is kept, too: near the edge each of the two figures may be the tighter one.
        """
        return self.excess(promise) <= 0

    def excess(self, promise: Guarantee) -> float:
        """Return how far this loss misses the promise: the logarithm of delta over the promised one.

        Where the promise is certainly kept it is not positive, otherwise it is; infinite where there is no such ratio.
        """
        if self.largest_loss <= promise.epsilon:
            met = max(self.unbounded(adding=adding) for adding in (False, True)) <= promise.delta
            return -math.inf if met else math.inf
        if len(self.parts) == 1:
            ((curve, times),) = self.parts
            if times == 1 and curve.keeps(promise):
                return -math.inf
        found = self.delta(promise.epsilon)
        if not 0 < found < math.inf or not promise.delta:
            return -math.inf if found <= promise.delta else math.inf
        ratio = math.log(found / float(promise.delta))
        if found <= promise.delta:
            return min(ratio, 0.0)
        if found <= promise.delta * NEARLY:
            least = self.epsilon(promise.delta)
            if least < math.inf and meant_by(least) <= promise.epsilon:
                return 0.0
        return max(ratio, SMALLEST)

    # --- facts ------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The facts, so that a stored loss can be priced again by better mathematics."""
        return loss_json.to_json(self)

    @classmethod
    def from_json(cls, text: str, *, curves: Iterable[type[LossCurve]] = ()) -> "PrivacyLoss":
        """The loss written by `to_json`; name the classes of curves that Privet does not know."""
        return loss_json.from_json(text, curves)

    def __getstate__(self) -> dict[str, object]:
        """The parts alone: what was read of them holds hashes, which differ from process to process."""
        return {"parts": self.parts}

    def __repr__(self) -> str:
        return f"PrivacyLoss({loss_json.described(self)})"

    # --- bounds that are known only through Rényi divergence ----------------------------------------------------

    @property
    def _has_bounds(self) -> bool:
        if self._known.plain or sum(times for _, times in self.parts) == 1:
            return False
        return any(curve.known_by_renyi for curve, _ in self.parts)

    @cached_property
    def _divergences(self) -> tuple[Array, Array]:
        return figures.divergences(self.renyi)

    def _conversion(self, epsilon: Array) -> Array:
        """Rényi divergences add, so a loss made of such bounds may be priced best by their sum."""
        return figures.best_conversion(*self._divergences, epsilon)


def sum_of(losses: Iterable[PrivacyLoss]) -> PrivacyLoss:
    """All these computations on the same data."""
    return reduce(PrivacyLoss.__add__, losses, PrivacyLoss())


def _sample_of(inner: PrivacyLoss, replaced: PrivacyLoss, rate: Fraction) -> PrivacyLoss:
    """The loss under REPLACE of what runs on a sample that holds a unit with probability `rate`."""
    if not rate or not inner.parts:
        return PrivacyLoss()
    return PrivacyLoss.of(ReplacedSampleCurve(inner, replaced, rate))


def _blocks(loss: PrivacyLoss) -> tuple[PrivacyLoss, ...]:
    """The parts of the data of a loss that is already parallel."""
    if len(loss.parts) == 1:
        ((curve, times),) = loss.parts
        if isinstance(curve, ParallelCurve) and times == 1:
            return curve.alternatives
    return (loss,)


def _level(value: Exact, name: str) -> float:
    """A level as a float, rounded down, because less epsilon or delta is harder to meet; inf is a legal epsilon."""
    if isinstance(value, float) and value >= 0:
        return float(value) + 0.0  # the float of its shortest decimal; zero without a sign
    return float_at_most(exact_within(value, name, low=0))


def _names(holder: PrivacyLoss | LossCurve) -> str:
    return " or ".join(sorted(relation.name for relation in holder.neighbors)) or "no relation"
