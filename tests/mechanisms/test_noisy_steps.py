"""NoisySteps: the contract on a line, what a step is given, and units of several rows."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, norm

from privet import Guarantee, Ledger, Sensitive, Unit
from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, PrivacyLoss
from privet.mechanisms import Gaussian
from privet.mechanisms.noisy_steps import NoisySteps, rate_above, rate_near
from privet.noise import BitSource
from tests.contracts.mechanism import Cells, Example, Law, MechanismContract
from tests.support.statistics import FALSE_ALARM

CELLS = Cells(0.5, -24, 32)


class Line:
    """Numbers that are added up in every step; the place is the sum of all answers."""

    def __init__(self, units: Sequence[float]) -> None:
        self.units = units
        self.place = 0.0
        self.seen: list[list[int]] = []

    def summed(self, chosen: NDArray[np.intp]) -> NDArray[np.float64]:
        self.seen.append(chosen.tolist())
        return np.array([sum(self.units[each] for each in chosen)], dtype=float)

    def move(self, released: NDArray[np.float64]) -> None:
        self.place += float(released[0])

    def released(self) -> float:
        return self.place


def draw(mechanism: NoisySteps[float]) -> Any:  # noqa: ANN401 - a function
    def many(value: Line, source: BitSource, count: int) -> Sequence[int]:
        return CELLS.of([mechanism.sample(Line(value.units), source) for _ in range(count)])

    return many


def law(mechanism: NoisySteps[float], wider: float = 1.0) -> Any:  # noqa: ANN401 - a function
    """Each number takes part a binomial number of times; the noise adds up."""

    def of(value: Line) -> Law:
        times = range(mechanism.steps + 1)
        means, chances = [0.0], [1.0]
        for unit in value.units:
            means = [mean + n * unit for mean in means for n in times]
            chances = [
                chance * float(binom.pmf(n, mechanism.steps, float(mechanism.rate)))
                for chance in chances
                for n in times
            ]
        deviation = wider * float(mechanism.noise.scale) * math.sqrt(mechanism.steps)
        found = CELLS.law(
            lambda edge: sum(c * norm.cdf(edge, m, deviation) for m, c in zip(means, chances, strict=True))
        )
        return {cell: max(mass, 0.0) for cell, mass in found.items()}  # differences of rounded sums

    return of


def example(mechanism: NoisySteps[float], pair: tuple[Line, Line], tightness: float) -> Example:
    return Example(
        mechanism,
        pair=pair,
        law=law(mechanism),
        sensitivity=Sensitivity(1),
        wrong_law=law(mechanism, 1.3),
        draw=draw(mechanism),
        outcome=lambda answer: CELLS.of(answer)[0],
        tightness=tightness,
        too_far=Sensitivity("1.01"),
        trials=1500,
    )


class TestContract(MechanismContract):
    """One unit comes or goes; two rows of one unit; one is replaced."""

    EXAMPLES: ClassVar[Sequence[Example]] = (
        example(NoisySteps(3, Fraction(1, 4), Gaussian(1, 1)), (Line([1.0]), Line([])), 0.6),
        example(NoisySteps(2, Fraction(1, 4), Gaussian(1, 1), rows=2), (Line([0.5, 0.5]), Line([])), 0.001),
        example(NoisySteps(2, Fraction(1, 2), Gaussian(1, 1), replaced=True), (Line([1.0]), Line([-1.0])), 0.9),
    )
    REFUSED: ClassVar[Sequence[Any]] = (3.0, [1.0])


def test_everybody_takes_part_in_a_step_with_the_rate_and_by_a_coin_of_their_own(source: BitSource) -> None:
    """20,000 coins of 1/8: counts and pairs are within five and a half deviations, of which one in a million is not."""
    value = Line([0.0] * 100)
    NoisySteps[float](200, Fraction(1, 8), Gaussian(1, 1)).sample(value, source)
    taken = np.zeros((200, 100))
    for step, chosen in enumerate(value.seen):
        assert chosen == sorted(set(chosen))
        taken[step, chosen] = 1
    far = -float(norm.ppf(FALSE_ALARM / 8)) + 0.1
    assert abs(taken.sum() - 2500) < far * math.sqrt(20_000 * 7 / 64)
    beside = (taken[:, 1:] * taken[:, :-1]).sum(), (taken[1:] * taken[:-1]).sum()
    for pairs in beside:
        assert abs(pairs - 19_800 / 64) < far * math.sqrt(19_800 / 64 * (1 + 2 / 8)) + 5
    assert not abs(taken.sum() - 20_000 * 0.1) < far * math.sqrt(20_000 * 0.09)  # the control


def test_a_step_without_anybody_has_its_noise(source: BitSource) -> None:
    value = Line([])
    assert NoisySteps[float](3, rate_near(1e-9), Gaussian(1, 1)).sample(value, source) != 0
    assert value.seen == [[], [], []]


def test_prices_are_those_of_the_theorem() -> None:
    one = PrivacyLoss.of(GaussianCurve(1))
    assert NoisySteps(7, Fraction(1, 8), Gaussian(2, 2)).loss == one.sampled(Fraction(1, 8)) * 7
    assert NoisySteps(7, 1, Gaussian(2, 2)).loss == one * 7
    assert NoisySteps(7, 1, Gaussian(2, 2), replaced=True).loss.zcdp() == pytest.approx(14)
    several = NoisySteps[float](7, Fraction(1, 8), Gaussian(2, 2), rows=3)
    assert several.unit_rate == rate_above(1 - Fraction(7, 8) ** 3)
    assert several.loss == one.sampled(several.unit_rate) * 7
    assert several.of(2).loss == one.sampled(several.unit_rate) * 2
    assert NoisySteps(1, 1, Gaussian(1, 1), rows=3).unit_rate == 1


def test_rates_are_tossed_as_they_are_paid_for() -> None:
    for wrong in (0, Fraction(1, 3), 2, -1):
        with pytest.raises(InvalidParameter, match="rate"):
            NoisySteps(1, wrong, Gaussian(1, 1))
    assert rate_near(1 / 3).denominator <= 1 << 52
    assert abs(float(rate_near(1 / 3)) - 1 / 3) < 1e-15
    assert rate_above(Fraction(1, 3)) > Fraction(1, 3)


def test_a_plan_is_drawn_in_parts() -> None:
    plan = NoisySteps[float](10, Fraction(1, 4), Gaussian(1, 1))
    ledger = Ledger(Guarantee(20, "1e-5"), unit=Unit("person"))
    paid = ledger.reserve([plan], purpose="training", delta="1e-5")
    secret = Sensitive(Line([1.0]), Sensitivity(1), Unit("person"))
    for _ in range(2):
        paid.release(secret, plan.of(5), purpose="training")
    assert not paid.left.parts
