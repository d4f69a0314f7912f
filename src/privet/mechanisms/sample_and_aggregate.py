"""SampleAndAggregate: release what any function says, by asking it about many small blocks of the data."""

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity, Uncertainty
from privet.core.uncertainty import UP
from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, readable, refuse_single, whole
from privet.mechanisms.additive import FINER
from privet.mechanisms.bernstein_function import interval
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.least_noise import laplace_or_gaussian, loss_of_cells
from privet.mechanisms.quietly import quietly
from privet.noise import BitSource, Lattice, UniformLaw

SHARES = 32  # bits to which a block's place between the bounds is kept
MOST_BLOCKS = 1 << 20  # so that sums of shares are exact as floats


@dataclass(frozen=True, eq=False, repr=False)
class GroupedRows:
    """Rows of which a unit may own several: all rows of one unit go to the same block.

    Args:
        rows: a numpy array, one entry a row on the first axis.
        unit_ids: whose row it is, one for each row; rows without an id (NaN or None) count as one unit together.

    Example:
        >>> import numpy as np
        >>> GroupedRows(np.array([1.0, 2.0, 3.0]), ["ada", "ada", "bob"])
        GroupedRows(hidden)
    """

    rows: NDArray[Any]
    unit_ids: Sequence[object] | NDArray[Any]

    def __post_init__(self) -> None:
        flat = not isinstance(self.unit_ids, np.ndarray) or self.unit_ids.ndim == 1
        if not flat or len(refuse_other_than_rows(self.rows)) != len(self.unit_ids):
            raise InvalidParameter("unit_ids must hold one id for each row")

    def __repr__(self) -> str:
        return "GroupedRows(hidden)"


Rows: TypeAlias = NDArray[Any] | GroupedRows


@dataclass(frozen=True, init=False, repr=False)
class SampleAndAggregate(Mechanism[Rows, "float | NDArray[np.float64]"]):
    """Deals units to blocks at random, runs a function on each block, and releases the noisy mean of its answers.

    Args:
        function: what to ask of a block's rows (a numpy array, perhaps empty): a number, or an array of numbers. It
            must answer from these rows alone: no memory of other blocks, no files, no clock.
        blocks: how many. The noise falls as 1/blocks, and the blocks grow smaller.
        bounds: public lowest and highest answer; one pair, or one pair for each number of the answer. Answers are
            clipped to them. Not a number, the wrong shape, or an error count as the middle.
        epsilon: > 0 if delta is 0.
        delta: above 0 allows Gaussian noise, which is taken where its expected error is smaller.

    Privacy: (epsilon, delta)-DP under either neighbor relation, whatever the function computes. A unit is one row, or
        all rows of one id in `GroupedRows`.
    Proof: give each unit its block by an independent fair draw. For neighbors use the same draws for the units they
        share, and for a replaced unit too. Then the rows of one block differ, whichever relation holds, so one block's
        answer moves, each number by at most the width of its bounds. In shares of these widths the sum moves by at
        most 1 in each of d numbers, exactly (they are whole steps of 2^-32): Laplace noise for an L1 move of d, or
        Gaussian noise for a Euclidean move of sqrt(d). Averaging over the draws keeps the curve, since δ(ε) is
        convex in the pair of laws. (Nissim, Raskhodnikova and Smith 2007; random blocks as in Smith 2011.)
    Not covered: time, and a function that talks to the world or stops the process. The answer estimates the mean of
        the function over random blocks, which differs from the function of all the data.

    Example:
        >>> median = SampleAndAggregate(np.median, blocks=100, bounds=(0, 1), epsilon=1)
        >>> median.scale, median.loss.epsilon(delta=0)
        (Fraction(1, 100), 1.0)
    """

    function: Callable[[NDArray[Any]], Any]
    blocks: int
    bounds: tuple[tuple[Fraction, Fraction], ...]
    noise: Laplace | Gaussian
    scalar: bool = field(repr=False)

    def __init__(
        self,
        function: Callable[[NDArray[Any]], Any],
        *,
        blocks: int,
        bounds: Iterable[Any],
        epsilon: Exact,
        delta: Exact = 0,
    ) -> None:
        if not callable(function):
            raise InvalidParameter(f"function must be a function of a block's rows, got {type(function).__name__}")
        if whole(blocks, "blocks") > MOST_BLOCKS:
            raise InvalidParameter(f"blocks must be at most 2^20, got {blocks}: each is one call of the function")
        refuse_single(bounds, "bounds must be a pair (low, high), or one for each number")
        ends = list(bounds)
        scalar = all(np.ndim(end) == 0 for end in ends)
        pairs = answer_bounds([ends] if scalar else ends)
        moved = Sensitivity(1, cells=len(pairs))
        noise = laplace_or_gaussian(epsilon=epsilon, delta=delta, sensitivity=moved)
        self._keep(function=function, blocks=int(blocks), bounds=pairs, scalar=scalar)
        self._keep(noise=noise, promise=noise.promise)

    # --- what it costs ----------------------------------------------------------------------------------------

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of the noise on the sums of shares, none of which moves by more than 1."""
        return loss_of_cells(self.noise, len(self.bounds))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """True for `Sensitivity(1)`: one unit is one row, or one id; it is a count of units, not of their values."""
        return sensitivity.l1 <= 1

    @property
    def scale(self) -> Fraction:
        """The scale of the noise on the released mean, of its widest number."""
        return self.noise.scale * max(high - low for low, high in self.bounds) / self.blocks

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """How far the answer may lie from the mean of the clipped block answers, for the number of widest bounds."""
        width = max(high - low for low, high in self.bounds)
        each = self.noise.uncertainty
        roundings = (self.noise.lattice.step / self.blocks + Fraction(1, 1 << SHARES)) * width
        step = roundings + max(lattice.step for lattice in self._lattices)
        return replace(each, scale=each.scale * float(width / self.blocks) * UP, step=float(step) * UP)

    # --- the mechanism ----------------------------------------------------------------------------------------

    def check(self, value: Rows) -> None:
        """Refuse what has no rows on its first axis. How many there are, and what they hold, is not looked at."""
        if not isinstance(value, GroupedRows):
            refuse_other_than_rows(value)

    def sample(self, value: Rows, source: BitSource) -> "float | NDArray[np.float64]":
        """The noisy mean of the block answers."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # a warning on the screen would be a release
            shares = [self._shares(block) for block in self._dealt(value, source)]
        sums = [math.ldexp(sum(column), -SHARES) for column in zip(*shares, strict=True)]  # exact: at most 2^52 steps
        noisy = np.atleast_1d(self.noise.sample(sums[0] if self.scalar else np.array(sums), source))
        answer = [self._unscaled(index, Fraction(share)) for index, share in enumerate(noisy.tolist())]
        return answer[0] if self.scalar else np.array(answer)

    def _dealt(self, value: Rows, source: BitSource) -> Iterable[NDArray[Any]]:
        """The rows of each block, in the order they came."""
        rows = value.rows if isinstance(value, GroupedRows) else value
        rows = rows.astype(np.object_) if rows.dtype.kind in "SU" else rows  # the longest text sets the type of all
        units = owners_of(value.unit_ids) if isinstance(value, GroupedRows) else np.arange(len(rows))
        count = int(units.max()) + 1 if len(units) else 0
        place = UniformLaw(self.blocks).many(source, count)[units]
        order = np.argsort(place, kind="stable")
        ends = np.searchsorted(place[order], np.arange(self.blocks + 1))
        return (rows[order[start:end]] for start, end in pairwise(ends))

    def _shares(self, block: NDArray[Any]) -> list[int]:
        """Where the block's answer lies between the bounds, in whole steps of 2^-32; the middle if there is none."""
        nothing = np.full(self._shape, math.nan)
        found = quietly(lambda: np.asarray(self.function(block), dtype=np.float64), nothing)
        answer = (found if found.shape == self._shape else nothing).ravel().tolist()
        return [share_of(number, low, high) for number, (low, high) in zip(answer, self.bounds, strict=True)]

    @property
    def _shape(self) -> tuple[int, ...]:
        return () if self.scalar else (len(self.bounds),)

    @cached_property
    def _lattices(self) -> tuple[Lattice, ...]:
        """Where the released numbers lie: much finer than the noise of each."""
        return tuple(
            Lattice.finer_than(self.noise.scale * (high - low) / self.blocks, bits=FINER) for low, high in self.bounds
        )

    def _unscaled(self, index: int, share: Fraction) -> float:
        """A noisy sum of shares as a mean in the answer's unit, on the public lattice."""
        low, high = self.bounds[index]
        lattice = self._lattices[index]
        return lattice.to_float(lattice.to_step(low + (high - low) * share / self.blocks))

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        ranges = [f"({readable(low)}, {readable(high)})" for low, high in self.bounds]
        shown = ", ".join(ranges[:3]) + (f", … {len(ranges) - 3} more" if len(ranges) > 3 else "")  # noqa: PLR2004
        return f"SampleAndAggregate({name}, blocks={self.blocks}, bounds={shown}, noise={self.noise!r})"


def share_of(number: float, low: Fraction, high: Fraction) -> int:
    """How far along the bounds a number lies, clipped, in whole steps of 2^-32; half-way where it is not a number.

    Example:
        >>> [share_of(x, Fraction(0), Fraction(2)) * 2**-32 for x in (-1.0, 0.5, math.inf, math.nan)]
        [0.0, 0.25, 1.0, 0.5]
    """
    if math.isnan(number):
        return 1 << (SHARES - 1)
    if not low < number < high:  # a Fraction compares with a float exactly
        return 0 if number <= low else 1 << SHARES
    return round((Fraction(number) - low) / (high - low) * (1 << SHARES))


def answer_bounds(pairs: list[Any]) -> tuple[tuple[Fraction, Fraction], ...]:
    """One pair of exact bounds for each number of an answer."""
    if not pairs or any(np.size(pair) != 2 for pair in pairs):  # noqa: PLR2004 - a pair
        raise InvalidParameter("bounds must be a pair (lowest, highest), or one pair for each number of an answer")
    return tuple(interval(low, high) for low, high in pairs)


def refuse_other_than_rows(value: object) -> NDArray[Any]:
    """Return the value if it is an array with rows on its first axis; the error says nothing about them.

    A list is refused because numpy would choose the type of all rows from each of them: one unit could then change what
    the function sees in every block.
    """
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        raise InvalidParameter(
            f"the value must be a numpy array of rows, or GroupedRows, got {type(value).__name__}: convert it with "
            "np.asarray(rows, dtype=…), the type being public"
        )
    return value


def owners_of(unit_ids: Iterable[object]) -> NDArray[np.intp]:
    """The number of each row's unit: 0, 1, 2, … in the order they appear.

    Example:
        >>> owners_of(["ada", "bob", "ada", None, math.nan])
        array([0, 1, 0, 2, 2])
    """
    numbers: dict[object, int] = {}
    plain: Iterable[object] = unit_ids.tolist() if isinstance(unit_ids, np.ndarray) else unit_ids
    return np.array([numbers.setdefault(known(owner), len(numbers)) for owner in plain], dtype=np.intp)


def known(owner: object) -> object:
    """Return an id that can be looked up; None for what is not equal to itself, such as NaN, or cannot be hashed."""
    try:
        return owner if owner == owner and hash(owner) is not None else None  # noqa: PLR0124 - NaN is not itself
    except Exception:  # noqa: BLE001 - a signalling NaN, for one: one id must not stop the others
        return None
