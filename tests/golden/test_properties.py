"""Mission rows R026 to R031: what follows from the definition, through mechanisms, partitions and ledgers."""

import math
from typing import Any

import pytest

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.core.partition import Partition
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import Guarantee, Neighbors
from privet.mechanisms import Gaussian, Laplace
from privet.mechanisms.additive import Numbers
from tests.golden.printed import agrees

PERSON = Unit("person")


def secret(value: float, sensitivity: Sensitivity = Sensitivity(1)) -> Sensitive[Numbers]:  # noqa: B008 - frozen
    return Sensitive(value, sensitivity, PERSON)


def test_r026_post_processing_sees_the_output_only() -> None:
    seen: list[tuple[Any, ...]] = []

    def doubled(*arguments: Any) -> float:  # noqa: ANN401 - whatever it is given
        seen.append(arguments)
        return 2 * float(arguments[0])

    noisy = Laplace(l1_sensitivity=1, scale=2)
    ledger = Ledger(Guarantee(1), unit=PERSON)
    release = ledger.release(secret(1_000_000), noisy.then(doubled), purpose="doubled")
    ((output,),) = seen
    assert release.value == 2 * output
    assert output != 1_000_000
    assert release.loss == noisy.loss


def test_r027_a_stable_map_before_the_mechanism_multiplies_epsilon() -> None:
    def tripled(number: float) -> Numbers:
        return 3 * number

    prepared = Laplace(l1_sensitivity=1, scale=2).after(tripled, stability=3)
    assert prepared.loss.epsilon(0) == 1.5
    assert agrees(math.exp(prepared.loss.epsilon(0)), "4.481689")


def test_r027_with_a_delta_the_delta_grows_too() -> None:
    gaussian = Gaussian.calibrated(epsilon="0.5", delta=1e-6, sensitivity=Sensitivity(1))
    assert gaussian.loss.preprocessed(3).delta("1.5") > 1e-6


def test_r028_groups_of_three() -> None:
    loss = Laplace(l1_sensitivity=1, scale=2).loss.group(3)
    assert loss.epsilon(0) == 1.5
    assert agrees(math.exp(loss.epsilon(0)), "4.481689")
    assert loss.epsilon(0) == (Laplace(l1_sensitivity=3, scale=2).loss).epsilon(0)  # not the same as three releases


def test_r029_eleven_bins_of_a_partition() -> None:
    decades = Partition({f"{10 * n} to {10 * n + 9}": range(10 * n, 10 * n + 10) for n in range(11)})
    bin_loss = Laplace.calibrated(epsilon=1, sensitivity=Sensitivity(1)).loss
    histogram = decades.loss({name: bin_loss for name, _ in decades.blocks})
    assert histogram.under(Neighbors.ADD_REMOVE).epsilon(0) == 1
    assert histogram.under(Neighbors.REPLACE).epsilon(0) == 2  # a person may move from one bin to another


def test_r030_overlaps_and_random_labels_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="overlap"):
        Partition({"young": range(30), "old": range(29, 100)})
    tosses = iter(range(100))
    with pytest.raises(InvalidParameter, match="random"):
        Partition({"odd": [1], "even": [0]}).split(["ann", "bob"], label=lambda _: next(tosses) % 2)


def test_r031_three_answers_add_up_and_the_fourth_is_refused() -> None:
    ledger = Ledger(Guarantee("1.5", "3e-6"), unit=PERSON)
    answer = Gaussian.calibrated(epsilon="0.5", delta="1e-6", sensitivity=Sensitivity(1))
    for hour in range(3):
        ledger.release(secret(10), answer, purpose=f"hour {hour}")
    assert (float(ledger.spent.epsilon), float(ledger.spent.delta)) == (1.5, 3e-6)
    assert ledger.remaining.epsilon == ledger.remaining.delta == 0
    with pytest.raises(BudgetExceeded):
        ledger.release(secret(10), answer, purpose="one more")
    assert len(ledger.entries) == 3


def test_r031_a_pair_of_releases_costs_two_epsilon_not_three() -> None:
    loss = Laplace(l1_sensitivity=1, scale=1).loss
    assert (loss + loss).epsilon(0) == 2
