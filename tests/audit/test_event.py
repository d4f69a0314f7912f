"""Which event is chosen, and how it is said."""

import math

import numpy as np
import pytest

from privet.audit.event import Aim, Event, best_events, stretch
from privet.audit.outcomes import Outcomes, Reader
from privet.audit.views import View, lowest_bit, views
from privet.audit.zoo.draws import Draws
from privet.noise import BitSource

AIM = Aim(0.0, 50_000, 1e-6)


def chosen(one: object, other: object, aim: Aim = AIM) -> tuple[Event, Event]:
    reader = Reader()
    seen: tuple[Outcomes, Outcomes] = reader.read(one), reader.read(other)
    first, second = best_events(*seen, views(*seen, reader.names), aim)
    return first[0], second[0]


def test_a_threshold_is_found(source: BitSource) -> None:
    noise = Draws(source).geometric(1.0, 2, 8000)
    first, second = chosen(noise[0], noise[1] + 1)
    assert first.words() == "the answer is at most 0"
    assert second.words() == "the answer is above 0"
    assert first.promise == pytest.approx(0.95, abs=0.08)
    assert set(first.lengths[1:]) == set(first.others)


def test_a_set_of_many_cells_is_found(source: BitSource) -> None:
    """Even numbers are likelier under the first input, and no threshold sees it."""
    whole = Draws(source).whole(20, 2, 8000)
    odd = Draws(source).coin(0.8, 8000)
    first, _ = chosen(whole[0] // 2 * 2 + ~odd, whole[1])
    assert {int(value) % 2 for value in first.values()} == {0}
    assert len(first.values()) >= 8
    assert first.words().endswith("more cases")


def test_a_kind_is_found() -> None:
    first, second = chosen([1.0, None] * 500, [1.0, 1.0] * 500)
    assert first.words() == "the answer is None"
    assert "number" in second.words()


def test_an_outcome_in_one_kind_is_found(source: BitSource) -> None:
    """A number means something only where the first is missing."""
    draws = Draws(source)
    there, value = draws.coin(0.5, 2, 6000), np.round(draws.laplace(1.0, 2, 6000), 3)
    value[0] += np.where(there[0], 0, 3)
    rows = [np.stack([np.where(each, 1.0, np.nan), number], axis=1) for each, number in zip(there, value, strict=True)]
    first, _ = chosen(rows[0], rows[1])
    assert first.promise > 1
    reader = Reader()
    seen = reader.read(rows[0]), reader.read(rows[1])
    assert "the answer is 2 numbers: (none, ·) and number 2 of it" in [each.name for each in views(*seen, reader.names)]


def test_bits_are_found(source: BitSource) -> None:
    noise = Draws(source).laplace(1.0, 2, 4000)
    _, second = chosen(1 + noise[0], noise[1])
    assert "multiple of 2^-" in second.words()


def test_a_pattern_of_several_numbers_is_found_by_the_classifier(source: BitSource) -> None:
    """No number tells by itself: only that the first two differ in their order, and many others hide it."""
    noise = Draws(source).laplace(1.0, 2, 3000, 6)
    noise[0, :, :2].sort(axis=1)
    first, _ = chosen(noise[0], noise[1])
    assert first.view.name == "the score of a classifier"
    assert first.promise > 0.4


def test_zeros_differ_by_their_sign() -> None:
    first, _ = chosen(np.array([0.0, -0.0] * 300), np.zeros(600))
    assert first.words() == "the whole answer is -0"


def test_lowest_bits_are_those_of_fractions() -> None:
    values = [0.1, 2.0**-1074, -3.0, 1e300, math.nan, math.inf]
    expected = [math.log2((abs(value) and 1 / abs(value).as_integer_ratio()[1]) or 1) for value in values[:2]]
    found = lowest_bit(np.array(values))
    assert found[:2].tolist() == expected
    assert found[2] == 0
    assert np.isnan(found[4:]).all()
    whole = int(1e300)
    assert found[3] == (whole & -whole).bit_length() - 1


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-math.inf, 2.0, "below 2"),
        (2.0, math.inf, "at least 2"),
        (1.0, 2.0, "at least 1 and below 2"),
        (-math.inf, math.inf, "any number"),
        (0.0, 5e-324, "0"),
        (5e-324, math.inf, "above 0"),
        (math.nextafter(1.0, 2), math.nextafter(2.0, 3), "above 1 and at most 2"),
    ],
)
def test_stretches_in_words(low: float, high: float, words: str) -> None:
    assert stretch(low, high) == words


def test_counts_and_chosen_cells_agree() -> None:
    view = View("x", lambda runs: runs.columns[:, 0])
    event = Event(view, np.array([0.0, 1.0]), np.array([1, 3]), 2, (1,), 0.5)
    runs = Reader().read(np.array([-1.0, 0.0, 0.5, 1.0, np.nan]))
    assert event.counts(runs).tolist() == [1, 2, 1, 1]
    assert int(event.counts(runs)[event.chosen].sum()) == 3
    assert event.words() == "x is at least 0 and below 1 or not there"
    assert event.cut(1).words() == "x is at least 0 and below 1"
