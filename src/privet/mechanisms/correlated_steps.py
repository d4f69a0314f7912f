"""CorrelatedSteps: noisy sums over units that take turns, with noise of which later steps take back a part."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.mechanisms.correlated_noise import BITS, CorrelatedNoise
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.noisy_steps import Steps
from privet.noise import BitSource, UniformLaw

Out = TypeVar("Out")
Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class InTurns(Generic[Out]):
    """What is trained, and what a training in turns must remember; all of it stays where the rows are.

    Args:
        trained: sums and moves.
        step: how many steps were made.
        turns: for each entry, in which step of a round it takes part; None before the first.
        recent: the last exact sums.
        earlier: what was read off the last releases.
    """

    trained: Steps[Out]
    step: int = 0
    turns: NDArray[np.int64] | None = None
    recent: deque[NDArray[np.int64]] = field(default_factory=deque)
    earlier: deque[Floats] = field(default_factory=deque)


@dataclass(frozen=True, init=False, repr=False)
class CorrelatedSteps(Mechanism[InTurns[Out], Out]):
    """So many sums in a row, over units each of which takes part once a round, in a step of its own draw.

    Args:
        correlation: of the noise: how many steps there are in all, how many a round has (its separation), and how often
            an entry takes part at most (its participations), once for each round that is begun.
        noise: of each release; its `l2_sensitivity` is the most that one entry adds to a sum.
        rows: how many entries a unit may have, which take turns independently.
        replaced: whether neighbors have a unit replaced.
        start: the round that is made first.
        end: the round before which it ends; None for the last.

    Privacy: all rounds are one Gaussian release of μ = `moves` · sensitivity / noise. Rounds that were made cost what
        they can have moved so far, which is all that the rounds up to there can; the others cost the rest.
    Proof: docs/proofs/correlated-noise.md. An entry's turn is its own draw, so it does not depend on who else is there,
        and comes once in `separation` steps. Sums are cut to what int64 can mix, number by number, which brings no two
        closer neighbors apart. A unit of r entries moves everything at most r times as far (triangle inequality).
        A round's μ² is what the bound of docs/proofs grows by in it, so drawn rounds, in their order, add up to the
        bound of all that was released.
    Not covered: time, which tells about how many take part; memory of the process, which holds the last sums.

    Example:
        >>> steps = CorrelatedSteps(CorrelatedNoise(400, 64, 4, 100), Gaussian(1, 3))
        >>> round(steps.loss.epsilon(1e-6), 2), round(steps.of(0, 1).loss.zcdp(), 3)
        (5.05, 0.133)
    """

    correlation: CorrelatedNoise
    noise: Gaussian
    rows: int
    replaced: bool
    start: int
    end: int | None

    def __init__(  # noqa: PLR0913 - each by name
        self,
        correlation: CorrelatedNoise,
        noise: Gaussian,
        *,
        rows: int = 1,
        replaced: bool = False,
        start: int = 0,
        end: int | None = None,
    ) -> None:
        rounds = -(-correlation.steps // correlation.separation)
        if rounds > correlation.participations:
            raise InvalidParameter(f"participations must be at least {rounds}, once a round, for so many steps")
        self._keep(correlation=correlation, noise=noise, rows=whole(rows, "rows"), replaced=bool(replaced))
        self._keep(start=whole(start, "start", low=0, high=rounds - 1))
        self._keep(end=whole(rounds if end is None else end, "end", low=start + 1, high=rounds))

    @classmethod
    def planned(
        cls, correlation: CorrelatedNoise, length: Exact, mu: float, *, rows: int = 1, replaced: bool = False
    ) -> "CorrelatedSteps[Out]":
        """The steps of this μ in all, for entries that add no more than this length."""
        moves = rows * (2 if replaced else 1)
        scale = Fraction(length) * moves * correlation.sensitivity / Fraction(mu) * (1 + Fraction(1, 10**9))
        return cls(correlation, Gaussian(length, scale), rows=rows, replaced=replaced)

    @property
    def steps(self) -> int:
        """How many these rounds have."""
        return self._ends(self.last) - self._ends(self.start)

    @property
    def last(self) -> int:
        """The round before which it ends, as a number."""
        return int(self.end or 0)

    @property
    def moves(self) -> int:
        """How many times as far as one entry that comes or goes a unit moves everything."""
        return self.rows * (2 if self.replaced else 1)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Of these rounds."""
        return sum((PrivacyLoss.of(self._curve(each)) for each in range(self.start, self.last)), PrivacyLoss())

    def of(self, start: int, end: int) -> "CorrelatedSteps[Out]":
        """Some of the rounds."""
        return CorrelatedSteps(
            self.correlation, self.noise, rows=self.rows, replaced=self.replaced, start=start, end=end
        )

    @property
    def by_round(self) -> Iterator["CorrelatedSteps[Out]"]:
        """Each round by itself."""
        return (self.of(each, each + 1) for each in range(self.start, self.last))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared by what one entry adds to a sum."""
        return self.noise.covers(sensitivity)

    def check(self, value: InTurns[Out]) -> None:
        """Refuse what cannot be trained, and rounds that are not the next ones."""
        if not isinstance(value, InTurns):
            raise InvalidParameter(f"the value must be InTurns, got {type(value).__name__}")
        if value.step != self._ends(self.start):
            raise InvalidParameter(
                f"rounds are made in order: step {value.step} is not where round {self.start} begins"
            )

    def sample(self, value: InTurns[Out], source: BitSource) -> Out:
        """Make all steps of these rounds, and return what is released in the end."""
        trained, correlation = value.trained, self.correlation
        if value.turns is None:
            value.turns = UniformLaw(correlation.separation).many(source, len(trained.units)).astype(np.int64)
            value.recent, value.earlier = deque(maxlen=correlation.bands), deque(maxlen=correlation.bands)
        noise = Gaussian(self.noise.l2_sensitivity * (1 << BITS), self.noise.scale * (1 << BITS))
        for step in range(value.step, self._ends(self.last)):
            chosen = np.flatnonzero(value.turns == step % correlation.separation)
            value.step = step + 1  # whatever comes of it, it is not made again
            exact = np.asarray(trained.summed(chosen)).astype(np.int64)
            value.recent.append(np.clip(exact, -correlation.largest, correlation.largest))
            mixed = np.asarray(noise.sample(correlation.mix(value.recent), source))
            value.earlier.append(correlation.read(mixed / 2.0**BITS, value.earlier))
            trained.move(value.earlier[-1])
        return trained.released()

    def _ends(self, rounds: int) -> int:
        """After how many steps so many rounds end."""
        return min(rounds * self.correlation.separation, self.correlation.steps)

    def _curve(self, number: int) -> GaussianCurve:
        before, after = (self.correlation.reached(self._ends(each)) for each in (number, number + 1))
        unit = Fraction(self.moves) * self.noise.l2_sensitivity / self.noise.scale
        return GaussianCurve(root_above((after - before) * unit**2))
