"""What every mechanism must do. A test file lists EXAMPLES and subclasses `MechanismContract`; pytest does the rest.

The heart is the *law*: for an input, the exact probability of each outcome, worked out in the test file by other means
than the mechanism's code (a closed form, a sum over all possibilities). Continuous answers are sorted into outcomes by
`outcome`. From the laws of two neighboring inputs follow the true loss, and what the sampler must do.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from privet.audit import lower_epsilon
from privet.core import Ledger, Mechanism, Release, Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Neighbors, PrivacyLoss
from privet.noise import BitSource
from tests.support.statistics import FALSE_ALARM, assert_does_not_follow, assert_follows

Law = Mapping[int, float]
LEVELS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0, 1.5)  # of the claimed ε: where curves are compared
TRIALS = 20_000  # of the audit in every run; `make soak` takes half a million


@dataclass(frozen=True)
class Example:
    """One mechanism with two neighboring inputs as far apart as it covers.

    Args:
        mechanism: what is tested.
        pair: two neighboring inputs.
        law: the exact probability of every outcome for an input; what it leaves of 1 is one more outcome.
        outcome: turns one answer into an outcome; the identity by default, for answers that are whole numbers.
        sensitivity: how far the pair is apart; the mechanism must cover it.
        wrong_law: a law that is about 30 % off, as the control that the sampler's test must reject.
        draw: draws many answers for one input at once, as outcomes, where that is faster than one by one.
        tightness: the exact δ at ε = half the claim is at least this share of the claimed δ.
        too_far: a sensitivity the mechanism must refuse, if there is one.
        trials: how many runs the sampler's test and the audit take; fewer where one run is slow.
    """

    mechanism: Mechanism[Any, Any]
    pair: tuple[Any, Any]
    law: Callable[[Any], Law]
    sensitivity: Sensitivity
    wrong_law: Callable[[Any], Law]
    outcome: Callable[[Any], int] = int
    draw: Callable[[Any, BitSource, int], Sequence[int]] | None = None
    tightness: float = 0.0
    too_far: Sensitivity | None = None
    trials: int = TRIALS

    def draws(self, value: Any, source: BitSource, count: int) -> Sequence[int]:  # noqa: ANN401 - any input
        """Outcomes of independent runs."""
        if self.draw is not None:
            return self.draw(value, source, count)
        return [self.outcome(self.mechanism.sample(value, source)) for _ in range(count)]


class MechanismContract:
    """Subclass as TestContract in a mechanism's test file and set EXAMPLES."""

    EXAMPLES: ClassVar[Sequence[Example]]
    REFUSED: ClassVar[Sequence[Any]] = ()  # inputs that must be refused before any charge

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One test for each example, and for each refused input."""
        if "example" in metafunc.fixturenames:
            metafunc.parametrize("example", self.EXAMPLES, ids=lambda example: repr(example.mechanism)[:60])
        if "refused" in metafunc.fixturenames:
            metafunc.parametrize("refused", self.REFUSED, ids=lambda value: repr(value)[:30].replace("\n", " "))

    def test_the_law_is_a_law(self, example: Example) -> None:
        for value in example.pair:
            law = example.law(value)
            assert all(mass >= 0 for mass in law.values())
            assert 1 - 1e-6 < math.fsum(law.values()) < 1 + 1e-12

    def test_the_curve_is_never_below_the_law(self, example: Example) -> None:
        """Both directions, at many ε, against the sum over all outcomes."""
        loss = example.mechanism.loss
        one, other = (example.law(value) for value in example.pair)
        for epsilon in levels_of(loss):
            truth = max(hockey_stick(one, other, epsilon), hockey_stick(other, one, epsilon))
            assert loss.delta(epsilon) >= truth - 1e-12, f"δ({epsilon}) is claimed below {truth}"

    def test_the_curve_is_tight(self, example: Example) -> None:
        loss = example.mechanism.loss
        epsilon = levels_of(loss)[3]
        one, other = (example.law(value) for value in example.pair)
        truth = max(hockey_stick(one, other, epsilon), hockey_stick(other, one, epsilon))
        assert truth >= example.tightness * loss.delta(epsilon)

    @pytest.mark.whole
    def test_the_sampler_follows_the_law_and_no_audit_exceeds_the_claim(
        self, example: Example, source: BitSource
    ) -> None:
        """One sample serves both: to draw it is what takes the time."""
        halves = drawn_halves(example, source, example.trials)
        for place, value in enumerate(example.pair):
            draws = halves[0][place] + halves[1][place]
            assert_follows(draws, example.law(value))
            assert_does_not_follow(draws, example.wrong_law(value))
        assert audited_from(example, halves) <= claimed_epsilon(example.mechanism.loss)

    @pytest.mark.soak
    def test_a_long_audit_never_exceeds_the_claim(self, example: Example, source: BitSource) -> None:
        assert audited_epsilon(example, source, 500_000) <= claimed_epsilon(example.mechanism.loss)

    def test_loss_and_release_survive_json(self, example: Example) -> None:
        mechanism = example.mechanism
        unit = unit_of(example)
        assert PrivacyLoss.from_json(mechanism.loss.to_json()) == mechanism.loss
        ledger = Ledger(Guarantee(1000, "0.5"), unit=unit)
        secret = Sensitive(example.pair[0], example.sensitivity, unit)
        release = ledger.release(secret, mechanism, purpose="contract", delta="0.1")
        kinds = [type(release.value)] if not isinstance(release.value, int | float | np.ndarray) else []
        text = release.to_json()
        assert Release.from_json(text, kinds=kinds).to_json() == text
        assert json.loads(text)["purpose"] == "contract"

    @pytest.mark.parametrize("relation", list(Neighbors), ids=lambda relation: relation.name)
    def test_it_is_charged_under_each_relation_it_holds_for(self, example: Example, relation: Neighbors) -> None:
        mechanism = example.mechanism
        unit = Unit("person", relation)
        ledger = Ledger(Guarantee(1000, "0.5"), unit=unit)
        secret = Sensitive(example.pair[0], example.sensitivity, unit)
        if relation in mechanism.loss.neighbors:
            release = ledger.release(secret, mechanism, purpose="relation", delta="0.1")
            assert release.loss == mechanism.loss.under(relation)
            assert len(ledger.entries) == 1
        else:
            with pytest.raises(InvalidParameter, match="holds only for"):
                ledger.release(secret, mechanism, purpose="relation", delta="0.1")
            assert not ledger.entries

    def test_it_covers_its_pair_and_refuses_more(self, example: Example) -> None:
        assert example.mechanism.covers(example.sensitivity)
        if example.too_far is not None:
            assert not example.mechanism.covers(example.too_far)
            unit = unit_of(example)
            ledger = Ledger(Guarantee(1000), unit=unit)
            with pytest.raises(InvalidParameter, match="does not cover"):
                ledger.release(Sensitive(example.pair[0], example.too_far, unit), example.mechanism, purpose="too far")
            assert not ledger.entries

    def test_bad_input_is_refused_before_the_charge(self, refused: Any) -> None:  # noqa: ANN401 - anything
        example = self.EXAMPLES[0]
        unit = unit_of(example)
        ledger = Ledger(Guarantee(1000, "0.5"), unit=unit)
        with pytest.raises(InvalidParameter) as caught:
            ledger.release(Sensitive(refused, example.sensitivity, unit), example.mechanism, purpose="bad", delta="0.1")
        assert not ledger.entries
        assert len(str(caught.value)) > 30, "the error says what to do"

    def test_its_repr_is_short_and_says_its_name(self, example: Example) -> None:
        assert repr(example.mechanism).startswith(type(example.mechanism).__name__)
        assert len(repr(example.mechanism)) < 200


@dataclass(frozen=True)
class Cells:
    """Sorts continuous answers into cells of one width, with one cell for each far end.

    Args:
        width: of a cell, in the answer's unit.
        low: number of the first cell.
        high: number after the last cell.
    """

    width: float
    low: int
    high: int

    def law(self, cdf: Callable[[Any], Any]) -> dict[int, float]:
        """The exact probability of every cell, from the distribution function of the answer."""
        edges = np.asarray(cdf(np.arange(self.low, self.high + 1) * self.width))
        masses: dict[int, float] = dict(enumerate(np.diff(edges).tolist(), start=self.low))
        masses[self.low - 1] = float(edges[0])
        masses[self.high] = float(1 - edges[-1])
        return masses

    def of(self, answers: Any) -> list[int]:  # noqa: ANN401 - a number or an array
        """The cell of each answer."""
        cells = np.floor(np.atleast_1d(np.asarray(answers, dtype=np.float64)) / self.width)
        return np.clip(cells, self.low - 1, self.high).astype(int).tolist()  # type: ignore[no-any-return]


def unit_of(example: Example) -> Unit:
    """A unit whose neighbors the example's loss holds for."""
    return Unit("person", min(example.mechanism.loss.neighbors, key=lambda relation: relation.name))


def hockey_stick(first: Law, second: Law, epsilon: float) -> float:
    """Sum of (P - e^ε Q)+ over all named outcomes."""
    grown = math.exp(epsilon)
    return math.fsum(max(0.0, mass - grown * second.get(outcome, 0.0)) for outcome, mass in first.items())


def levels_of(loss: PrivacyLoss) -> list[float]:
    """Some ε around what the loss claims."""
    top = claimed_epsilon(loss)
    return [share * top for share in LEVELS]


def claimed_epsilon(loss: PrivacyLoss, delta: float = 1e-5) -> float:
    """The pure ε, or the ε at a small δ where there is none."""
    pure = loss.epsilon(0)
    return pure if math.isfinite(pure) else loss.epsilon(delta)


def drawn_halves(example: Example, source: BitSource, trials: int) -> list[list[Counter[int]]]:
    """Two samples of both inputs, each of half the trials."""
    return [[Counter(example.draws(value, source, trials // 2)) for value in example.pair] for _ in range(2)]


def audited_epsilon(example: Example, source: BitSource, trials: int) -> float:
    """A lower bound of ε from so many runs, see `audited_from`."""
    return audited_from(example, drawn_halves(example, source, trials))


def audited_from(example: Example, counts: list[list[Counter[int]]]) -> float:
    """A lower bound of ε at confidence 1 - 1e-6 from the best event, chosen on one half and tested on the other.

    Events are the sets of outcomes whose estimated ratio exceeds a cut. Four bounds (two directions, two sides) share
    the false-alarm rate. For a loss that is not pure the bound is of the ε at its δ.
    """
    delta = 0.0 if math.isfinite(example.mechanism.loss.epsilon(0)) else 1e-5
    half = counts[0][0].total()
    best = 0.0
    for one, other in ((0, 1), (1, 0)):
        seen, against = counts[0][one], counts[0][other]
        ranked = sorted(seen, key=lambda outcome: (against[outcome] + 1) / (seen[outcome] + 1))
        sums = np.cumsum([[seen[outcome], against[outcome]] for outcome in ranked], axis=0)
        scores = [lower_epsilon(int(p), int(q), half, delta, 1e-2) for p, q in sums.tolist()]
        event = ranked[: int(np.argmax(scores)) + 1]
        inside = [sum(counts[1][side][outcome] for outcome in event) for side in (one, other)]
        best = max(best, lower_epsilon(inside[0], inside[1], half, delta, FALSE_ALARM / 4))
    return best
