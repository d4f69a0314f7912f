"""SparseVector: which of many answers lie above a threshold, at the price of the few that do."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import UP, refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import DiscreteLaplaceCurve, PrivacyLoss
from privet.loss.exact import Exact, exact, whole
from privet.mechanisms.additive import BINARY, FINER, Numbers, positive
from privet.mechanisms.discrete_laplace import DiscreteLaplaceError
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.selection import score_row
from privet.noise import BitSource, DiscreteLaplaceLaw, Lattice

Flags = tuple[bool, ...]


@dataclass(frozen=True)
class Crossings:
    """What sparse vector tells.

    Args:
        flags: for each question answered, in order, whether it lay above the threshold; ends at the last one allowed.
        values: of the questions above, in order, if values were paid for: each with fresh noise.

    Example:
        >>> told = Crossings(flags=(False, False, True), values=(103.5,))
        >>> told.above
        (2,)
    """

    flags: Flags
    values: tuple[float, ...] = ()

    @property
    def above(self) -> tuple[int, ...]:
        """The numbers of the questions above, counted from 0."""
        return tuple(place for place, flag in enumerate(self.flags) if flag)


@dataclass(frozen=True, init=False, repr=False)
class SparseVector(Mechanism[Numbers, Crossings]):
    """Says of each answer in turn whether it lies above a public threshold; stops after `count` that do.

    Args:
        sensitivity: > 0; the most that any one answer moves between neighbors, all of them at once if need be.
        epsilon: > 0; the price of the flags, however many questions are asked.
        threshold: public, in the unit of the answers.
        count: how many answers may be found above; the run ends with the last.
        value_epsilon: > 0; the price of noisy values of those answers too, beside epsilon; none by default.
        one_direction: True if no two answers move in opposite directions between any neighbors, such as counts under
            "one unit more or less"; a statement like the sensitivity. Then the answers need half the noise.
        threshold_share: the share of epsilon that pays for the threshold's noise; by default the best.

    Privacy: epsilon-DP for the flags, and better: Laplace's curve; with values, `count` Laplace releases of
        value_epsilon / count each on top.
    Proof: docs/proofs/sparse-vector.md. The threshold's noise, of scale sensitivity / (share epsilon), is drawn once,
        never shown; each answer has fresh noise of scale 2 count sensitivity / ((1 - share) epsilon). Together they are
        least at shares of 1 : (2 count)^(2/3) (Lyu, Su and Li 2017, Algorithm 7; Dwork and Roth 2014, Algorithm 2).
    Not covered: the noisy answer that crossed the threshold; questions after the stop, which are not answered.

    Example:
        >>> vector = SparseVector(sensitivity=1, epsilon=1, threshold=100)
        >>> round(float(vector.threshold_scale), 3), round(float(vector.query_scale), 3)
        (2.587, 3.26)
        >>> half = SparseVector(sensitivity=1, epsilon=1, threshold=100, threshold_share="1/2")  # the textbook's
        >>> half.threshold_scale, half.query_scale
        (Fraction(2, 1), Fraction(4, 1))
        >>> SparseVector(1, 1, 100, count=3, value_epsilon="0.3").loss.epsilon(delta=0)
        1.3
    """

    finer: ClassVar[int] = FINER  # bits by which a step is smaller than the sensitivity and the noise

    sensitivity: Fraction
    epsilon: Fraction
    threshold: Fraction
    count: int
    value_epsilon: Fraction | None
    one_direction: bool | None
    threshold_share: Fraction | None

    def __init__(  # noqa: PLR0913 - public parameters, each by name
        self,
        sensitivity: Exact,
        epsilon: Exact,
        threshold: Exact,
        *,
        count: int = 1,
        value_epsilon: Exact | None = None,
        one_direction: bool = False,
        threshold_share: Exact | None = None,
    ) -> None:
        self._keep(sensitivity=positive(sensitivity, "sensitivity"), epsilon=positive(epsilon, "epsilon"))
        self._keep(threshold=exact(threshold, "threshold"), count=whole(count, "count"))
        self._keep(value_epsilon=None if value_epsilon is None else positive(value_epsilon, "value_epsilon"))
        self._keep(one_direction=_declared(one_direction), threshold_share=_share(threshold_share))
        _ = self._threshold_law, self._query_law  # what cannot be drawn is refused now

    @classmethod
    def calibrated(  # noqa: PLR0913 - public parameters, each by name
        cls,
        *,
        epsilon: Exact,
        sensitivity: Sensitivity,
        threshold: Exact,
        count: int = 1,
        values: Exact = 0,
        one_direction: bool = False,
    ) -> "SparseVector":
        """Return the mechanism that costs epsilon in all, a share `values` of it, from 0 to below 1, for values."""
        refuse_undeclared(sensitivity)
        total, share = positive(epsilon, "epsilon"), exact(values, "values")
        if not 0 <= share < 1:
            raise InvalidParameter(f"values must be a share of epsilon, at least 0 and below 1, got {values}")
        return cls(
            sensitivity.linf,
            total * (1 - share),
            threshold,
            count=count,
            value_epsilon=total * share or None,
            one_direction=one_direction,
        )

    @cached_property
    def _pressure(self) -> int:
        """How many moves of one answer the flags above can show: each against the threshold's move, or alone."""
        return (1 if self.one_direction else 2) * self.count

    @cached_property
    def _paid(self) -> tuple[Fraction, Fraction]:
        """What of epsilon pays for the threshold's noise, and what for the answers'.

        Proof: with a and b = epsilon - a the variance of their difference is 2/a^2 + 2 pressure^2/b^2 squared moves,
            least where b/a is pressure^(2/3). A ratio rounded to 16 binary places is as valid.
        """
        share = self.threshold_share
        if share is None:
            share = 1 / (1 + Fraction(_cube_root(self._pressure**2 << 48), 1 << 16))
        return share * self.epsilon, (1 - share) * self.epsilon

    @property
    def threshold_scale(self) -> Fraction:
        """The scale of the threshold's noise."""
        return self.sensitivity / self._paid[0]

    @property
    def query_scale(self) -> Fraction:
        """The scale of each answer's noise: its share pays for `count` of them, which may move both ways."""
        return self._pressure * self.sensitivity / self._paid[1]

    @cached_property
    def lattice(self) -> Lattice:
        """The multiples of a power of two to which answers and threshold are rounded."""
        return Lattice.finer_than(min(self.sensitivity, self.threshold_scale, self.query_scale), bits=self.finer)

    @cached_property
    def _moved(self) -> int:
        """How many steps an answer moves, after rounding; the noise is made for that."""
        return self.lattice.widened(self.sensitivity * BINARY)

    @cached_property
    def _threshold_law(self) -> DiscreteLaplaceLaw:
        return DiscreteLaplaceLaw(self._moved / self._paid[0])

    @cached_property
    def _query_law(self) -> DiscreteLaplaceLaw:
        return DiscreteLaplaceLaw(self._pressure * self._moved / self._paid[1])

    @cached_property
    def value_mechanism(self) -> Laplace | None:
        """What releases the value of one answer above, if values were paid for."""
        if self.value_epsilon is None:
            return None
        return Laplace(self.sensitivity, self.count * self.sensitivity / self.value_epsilon)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Laplace's curve for the flags, in steps, and for each of the values that may be told."""
        flags = PrivacyLoss.of(DiscreteLaplaceCurve(self._moved / self.epsilon, self._moved))
        return flags if self.value_mechanism is None else flags + self.value_mechanism.loss * self.count

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in the largest move of one answer, however many move."""
        return sensitivity.linf <= self.sensitivity

    def check(self, value: Numbers) -> None:
        """Refuse what is not a row of finite numbers, at least one."""
        score_row(value)

    def sample(self, value: Numbers, source: BitSource) -> Crossings:
        """The flags up to the last allowed crossing, and the values if paid for."""
        return self.many(value, source, 1)[0]

    def many(self, answers: Numbers, source: BitSource, count: int) -> list[Crossings]:
        """What `count` independent runs tell: for tests, and to try answers of your own invention."""
        row = score_row(answers)
        noise = self._query_law.many(source, count * len(row)).reshape(count, len(row))
        noisy = self.lattice.add(self.lattice.to_steps(row), noise)
        bars = [self.noisy_threshold(source) for _ in range(count)]
        return [self._told(row, np.flatnonzero(line >= bar), source) for line, bar in zip(noisy, bars, strict=True)]

    def _told(self, row: NDArray[Any], above: NDArray[np.intp], source: BitSource) -> Crossings:
        """What is told of one run, in which these answers were above; the rest of the run is as if never asked."""
        asked = int(above[self.count - 1]) + 1 if len(above) >= self.count else len(row)
        above = above[: self.count]
        values: tuple[float, ...] = ()
        if self.value_mechanism is not None and len(above):
            values = tuple(np.asarray(self.value_mechanism.sample(row[above].tolist(), source)).tolist())
        flags = np.zeros(asked, dtype=np.bool_)
        flags[above] = True
        return Crossings(tuple(flags.tolist()), values)

    def noisy_threshold(self, source: BitSource) -> int:
        """The threshold plus noise, in steps: drawn once for a run, and never released."""
        return self.lattice.to_step(self.threshold) + self._threshold_law.one(source)

    def crosses(self, answer: float | Fraction, bar: int, source: BitSource) -> bool:
        """Whether an answer plus fresh noise reaches the noisy threshold."""
        return self.lattice.to_step(answer) + self._query_law.one(source) >= bar

    def asking(self, choose: Callable[[Flags], Any]) -> "Asking":
        """The same run with questions chosen as it goes, from the flags so far; its secret answers questions.

        Args:
            choose: takes the flags so far and returns the next question, or None to end. It must not see the data.
        """
        return Asking(self, choose)

    def margin(self, confidence: float = 0.95, *, questions: int) -> float:
        """How far an answer may lie on the wrong side of the threshold, for all `questions` at once.

        Proof: a flag is wrong by at most the threshold's noise plus the answer's, and a step for the rounding of
            both; the tail is shared evenly between the threshold and all answers together (union bound).
        """
        refuse_certainty(confidence, "confidence")
        tail = 1 - confidence
        number = whole(questions, "questions")
        bar = DiscreteLaplaceError(float(self._threshold_law.scale) * UP).distance(tail / 2)
        answer = DiscreteLaplaceError(float(self._query_law.scale) * UP).distance(tail / 2 / number)
        return (bar + answer + 1) * float(self.lattice.step) * UP


@dataclass(frozen=True, repr=False)
class Asking(Mechanism[Callable[[Any], float], Crossings]):
    """A sparse vector whose questions are chosen from the flags so far; the secret is a function that answers them.

    Args:
        vector: the thresholds and the price.
        choose: takes the flags so far and returns the next question, or None to end. It must not see the data.

    Privacy: the vector's. Only the secret touches data, and only through its answers; which question comes next, and
        when there is none, is decided from flags alone.
    Proof: docs/proofs/sparse-vector.md: the answers may depend on the flags before them.

    Example:
        >>> vector = SparseVector(sensitivity=1, epsilon=1, threshold=100)
        >>> halving = vector.asking(lambda flags: None if len(flags) == 20 else 2 ** len(flags))
        >>> halving.loss == vector.loss
        True
    """

    vector: SparseVector
    choose: Callable[[Flags], Any]

    def __repr__(self) -> str:
        name = getattr(self.choose, "__name__", type(self.choose).__name__)
        return f"Asking({self.vector!r}, {name})"

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The vector's."""
        return self.vector.loss

    def covers(self, sensitivity: Sensitivity) -> bool:
        """What the vector covers: the most that the answer to any question moves."""
        return self.vector.covers(sensitivity)

    def check(self, value: Callable[[Any], float]) -> None:
        """Refuse what cannot answer."""
        if not callable(value):
            raise InvalidParameter(
                f"the secret must be a function that answers one question, got {type(value).__name__}: "
                "for a row of answers use the SparseVector itself"
            )

    def sample(self, value: Callable[[Any], float], source: BitSource) -> Crossings:
        """Ask until the last allowed crossing, or until there is no question."""
        bar = self.vector.noisy_threshold(source)
        flags = list[bool]()
        values: list[float] = []
        while sum(flags) < self.vector.count and (question := self.choose(tuple(flags))) is not None:
            answer = score_row([value(question)]).tolist()[0]
            flags.append(self.vector.crosses(answer, bar, source))
            if flags[-1] and self.vector.value_mechanism is not None:
                values.append(float(np.asarray(self.vector.value_mechanism.sample(answer, source))))
        return Crossings(tuple(flags), tuple(values))


def _declared(one_direction: object) -> bool | None:
    """A declaration, kept only where it is made; nothing but True makes it."""
    if not isinstance(one_direction, bool | np.bool_):
        raise InvalidParameter(f"one_direction must be True or False, got {type(one_direction).__name__}")
    return True if one_direction else None


def _share(share: Exact | None) -> Fraction | None:
    """A share of epsilon that leaves something for both, or None."""
    kept = None if share is None else exact(share, "threshold_share")
    if kept is not None and not 0 < kept < 1:
        raise InvalidParameter(f"threshold_share must be a share of epsilon, above 0 and below 1, got {share}")
    return kept


def _cube_root(number: int) -> int:
    """The largest whole number whose cube is not above this one, by Newton's steps from above."""
    root = 1 << -(-number.bit_length() // 3)
    while (better := (2 * root + number // root**2) // 3) < root:
        root = better
    return root
