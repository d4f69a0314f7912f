"""CorrelatedSteps: the contract on a line, whose turn it is, what rounds cost, and sums too large to be mixed."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, PrivacyLoss
from privet.mechanisms import CorrelatedNoise, CorrelatedSteps, Gaussian
from privet.mechanisms.correlated_steps import InTurns
from privet.noise import BitSource
from tests.contracts.mechanism import Cells, Example, Law, MechanismContract

CELLS = Cells(0.5, -24, 32)
ONE = 1000  # whole steps in a length of 1
TWO_ROUNDS = CorrelatedNoise(2, 2, participations=2, separation=1)


class Line:
    """Whole numbers that are added up in every step; the place is the sum of all that is read."""

    def __init__(self, units: Sequence[int]) -> None:
        self.units = units
        self.place = 0.0
        self.seen: list[list[int]] = []

    def summed(self, chosen: NDArray[np.intp]) -> NDArray[np.int64]:
        self.seen.append(chosen.tolist())
        return np.array([sum(self.units[each] for each in chosen)], dtype=np.int64)

    def move(self, released: NDArray[np.float64]) -> None:
        self.place += float(released[0])

    def released(self) -> float:
        return self.place / ONE


class Anew(InTurns[float]):
    """Begins anew whenever it is drawn of, for tests that look at the price alone."""

    def __setattr__(self, name: str, value: object) -> None:
        if name != "step" or "step" not in vars(self):
            super().__setattr__(name, value)


def line(*units: int) -> InTurns[float]:
    return InTurns(Line(units))


def steps(scale: float = 1.5, **more: Any) -> CorrelatedSteps[float]:  # noqa: ANN401 - parameters
    return CorrelatedSteps(TWO_ROUNDS, Gaussian(ONE, round(scale * ONE)), **more)


def law(mechanism: CorrelatedSteps[float], wider: float = 1.0) -> Any:  # noqa: ANN401 - a function
    """Every number takes part in each of two rounds; the noise of the total is that of the matrix."""
    deviation = math.sqrt(TWO_ROUNDS.variances()[-1]) / float(TWO_ROUNDS.sensitivity)
    scale = wider * deviation * float(mechanism.noise.scale) / ONE

    def of(value: InTurns[float]) -> Law:
        return CELLS.law(lambda edge: norm.cdf(edge, 2 * sum(value.trained.units) / ONE, scale))  # type: ignore[call-overload] # numbers

    return of


def example(mechanism: CorrelatedSteps[float], pair: tuple[InTurns[float], InTurns[float]], tight: float) -> Example:
    def draw(value: InTurns[float], source: BitSource, count: int) -> Sequence[int]:
        return CELLS.of([mechanism.sample(line(*value.trained.units), source) for _ in range(count)])  # type: ignore[misc] # numbers

    return Example(
        mechanism,
        pair=pair,
        law=law(mechanism),
        sensitivity=Sensitivity(ONE),
        wrong_law=law(mechanism, 1.3),
        draw=draw,
        outcome=lambda answer: CELLS.of(answer)[0],
        tightness=tight,
        too_far=Sensitivity(ONE + 1),
        trials=1500,
    )


class TestContract(MechanismContract):
    """One unit comes or goes; one is replaced."""

    EXAMPLES: ClassVar[Sequence[Example]] = (
        example(steps(), (Anew(Line([ONE])), Anew(Line([]))), 0.3),
        example(steps(3, replaced=True), (Anew(Line([ONE])), Anew(Line([-ONE]))), 0.3),
    )
    REFUSED: ClassVar[Sequence[Any]] = (3.0, Line([1]), InTurns(Line([1]), step=1))


def test_everybody_has_one_turn_a_round_drawn_by_themselves(source: BitSource) -> None:
    """6,000 turns of 20: each turn has 300, within five and a half deviations; a round repeats the one before."""
    made = CorrelatedSteps[float](CorrelatedNoise(40, 8, participations=2, separation=20), Gaussian(1, 5))
    value = line(*[0] * 6000)
    made.sample(value, source)
    seen = value.trained.seen  # type: ignore[attr-defined] # a Line
    assert seen[:20] == seen[20:]
    assert sorted(each for turn in seen[:20] for each in turn) == list(range(6000))
    assert max(abs(len(each) - 300) for each in seen[:20]) < 5.5 * math.sqrt(300 * 0.95)


def moved(noise: CorrelatedNoise, rounds: int, turn: int, signs: Sequence[int]) -> float:
    """The square of how far an entry with this turn moves the releases of the first rounds."""
    last = min(rounds * noise.separation, noise.steps)
    dense = np.zeros((last, last))
    for back, each in enumerate(noise.coefficients[:last]):
        dense += np.diag([float(each)] * (last - back), -back)
    own = np.zeros(last)
    own[turn :: noise.separation] = signs[: len(own[turn :: noise.separation])]
    return float(((dense @ own) ** 2).sum())


@pytest.mark.parametrize("bands", [1, 4, 11])
def test_rounds_cost_what_they_can_have_moved_and_add_up_to_everything(bands: int) -> None:
    """Every turn with every sign, of three rounds and a half; the worst is attained after each round."""
    noise = CorrelatedNoise(11, bands, participations=4, separation=3)
    made = CorrelatedSteps[float](noise, Gaussian(1, 1))
    for rounds in range(1, 5):
        worst = max(moved(noise, rounds, turn, signs) for turn in range(3) for signs in product((1, -1), repeat=4))
        part = made.of(0, rounds)
        assert 2 * part.loss.zcdp() == pytest.approx(worst, rel=1e-9)
        assert 2 * part.loss.zcdp() >= worst * (1 - 1e-12)
        assert part.steps == min(3 * rounds, 11)
    parts = sum((each.loss for each in made.by_round), PrivacyLoss())
    assert parts == made.loss
    assert made.loss.zcdp() == pytest.approx(PrivacyLoss.of(GaussianCurve(noise.sensitivity)).zcdp(), rel=1e-9)


def test_rounds_are_made_in_order_and_go_on_where_the_last_one_ended(source: BitSource) -> None:
    """Three rounds by themselves are one training: what is read in the end has the noise of the whole."""
    noise = CorrelatedNoise(12, 4, participations=3, separation=4)
    made = CorrelatedSteps[float](noise, Gaussian(ONE, ONE))
    totals = []
    for _ in range(200):
        value = line(ONE)
        for part in made.by_round:
            part.check(value)
            totals.append(part.sample(value, source)) if part.start == 2 else part.sample(value, source)
        with pytest.raises(InvalidParameter, match="in order"):
            made.of(1, 2).check(value)
    deviation = math.sqrt(noise.variances()[-1]) / float(noise.sensitivity)
    spread = float(np.mean((np.array(totals) - 3) ** 2)) / deviation**2
    assert 1 - 5.5 * math.sqrt(2 / 200) < spread < 1 + 7 * math.sqrt(2 / 200)
    assert 1.5 * deviation < math.sqrt(12)  # the control: independent noise would be wider


def test_sums_that_are_too_large_are_cut_and_do_not_wrap(source: BitSource) -> None:
    noise = CorrelatedNoise(3, 3, participations=3, separation=1)
    for sign in (1, -1):
        value = line(sign * (1 << 62))
        total = CorrelatedSteps[float](noise, Gaussian(1, 1)).sample(value, source) * ONE
        assert total == pytest.approx(sign * 3 * noise.largest, rel=1e-3)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="at least 4, once a round"):
        CorrelatedSteps(CorrelatedNoise(11, 2, participations=3, separation=3), Gaussian(1, 1))
    for start, end in ((2, 2), (0, 3), (-1, 1)):
        with pytest.raises(InvalidParameter, match="must be a whole number"):
            CorrelatedSteps(TWO_ROUNDS, Gaussian(1, 1), start=start, end=end)


def test_the_planned_noise_is_that_of_the_budget() -> None:
    for rows, replaced in ((1, False), (3, False), (1, True)):
        made = CorrelatedSteps[float].planned(TWO_ROUNDS, 7, 0.5, rows=rows, replaced=replaced)
        assert math.sqrt(2 * made.loss.zcdp()) == pytest.approx(0.5, rel=1e-8)
        assert made.loss.zcdp() <= 0.125
        assert made.noise.l2_sensitivity == 7
        assert made.moves * TWO_ROUNDS.sensitivity * 7 / made.noise.scale <= Fraction(1, 2)
