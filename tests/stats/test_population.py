"""Intervals of arrays for the population: they hold its number as often as they say, over many samples of it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import privet
from privet.core import Release
from privet.errors import InvalidParameter
from tests.support.adult import population
from tests.support.statistics import FALSE_ALARM

SAMPLE = 1_000  # units
AGES: dict[str, Any] = {"bounds": (17, 90)}
FIXED: dict[str, Any] = {"neighbors": "replace", "missing": "none"}
P = population
Asked = Callable[[dict[str, Any]], Release[Any]]
KINDS: dict[str, tuple[Asked, Callable[[], float], float]] = {  # of a sample, of all, the most that may be covered
    "count": (lambda s: privet.count(s["rich"], epsilon=1), lambda: SAMPLE * P()["rich"].mean(), 1.0),
    "count of so many": (
        lambda s: privet.count(s["rich"], epsilon=1, **FIXED),
        lambda: SAMPLE * P()["rich"].mean(),
        0.97,
    ),
    "proportion": (lambda s: privet.proportion(s["rich"], epsilon=1), lambda: float(P()["rich"].mean()), 0.97),
    "proportion of so many": (
        lambda s: privet.proportion(s["rich"], epsilon="0.05", **FIXED),  # as much noise as sampling
        lambda: float(P()["rich"].mean()),
        0.97,
    ),
    "mean": (lambda s: privet.mean(s["age"], epsilon=1, **AGES), lambda: float(P()["age"].mean()), 1.0),
    "mean of moments": (
        lambda s: privet.moments(s["age"], epsilon=1, **AGES).mean,
        lambda: float(P()["age"].mean()),
        0.97,
    ),
    "total": (
        lambda s: privet.total(s["gain"], bounds=(0, 99_999), epsilon=1),
        lambda: SAMPLE * P()["gain"].mean(),
        1.0,
    ),
    "variance": (lambda s: privet.variance(s["age"], epsilon=1, **AGES), lambda: float(P()["age"].var()), 1.0),
    "a cell": (
        lambda s: privet.histogram(s["age"], edges=[17, 30, 50, 91], epsilon=1)[0],
        lambda: SAMPLE * (P()["age"] < 30).mean(),
        1.0,
    ),
}
NARROW = ("proportion", "mean of moments", "count of so many")


def covered(kind: str, runs: int, *, population: bool = True) -> float:
    """The share of so many samples whose interval holds the population's number."""
    asked, truth, _ = KINDS[kind]
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(runs):
        drawn = rng.integers(0, len(P()["age"]), SAMPLE)
        low, high = asked({name: values[drawn] for name, values in P().items()}).interval(0.95, population=population)
        held += int(low <= truth() <= high)
    return held / runs


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("runs", [60, pytest.param(1_000, marks=pytest.mark.soak)])
def test_it_holds_the_number_of_the_population(kind: str, runs: int) -> None:
    share = covered(kind, runs)
    print(f"{kind}: {100 * share:.1f} %")  # noqa: T201 - the table of figures, with -s
    assert binom.ppf(FALSE_ALARM, runs, 0.945) / runs <= share
    assert share <= max(KINDS[kind][2], binom.isf(FALSE_ALARM, runs, 0.965) / runs)


@pytest.mark.parametrize("kind", NARROW)
def test_control_the_interval_for_the_data_is_not_one_for_the_population(kind: str) -> None:
    assert covered(kind, 60, population=False) < 0.6  # n = 60, of which half would be many


def test_rows_of_one_unit_are_taken_as_alike() -> None:
    """Four rows a unit: twice as wide as if each row were a unit, whoever says so."""
    ages, owners = np.full(4_000, 40), np.repeat(np.arange(1_000), 4)
    for asked in (
        lambda **words: privet.count(ages, epsilon=1000, **words),
        lambda **words: privet.proportion(ages > 30, epsilon=1000, **words),
        lambda **words: privet.variance(ages, epsilon=1000, **AGES, **words),
        lambda **words: privet.histogram(ages, edges=[0, 100], epsilon=1000, **words)[0],
        lambda **words: privet.total(ages, epsilon=1000, **AGES, **words, **FIXED),
    ):
        one, four = (float(asked(**words).sampling[0]) for words in ({}, {"rows_per_unit": 4}))
        assert four / one == pytest.approx(2, rel=0.01)
    kept = privet.count(ages, epsilon=1000, unit_ids=owners, rows_per_unit=4).sampling[0]
    assert kept == pytest.approx(2 * 4_000**0.5, rel=0.01)


def test_samples_of_whole_units_are_covered() -> None:
    """n = 100 samples of 250 units with nine equal rows; the control takes rows for units."""
    rng = np.random.default_rng(5)
    held = {1: 0, 9: 0}
    for _ in range(100):
        ill = np.repeat(rng.random(250) < 0.3, 9)
        for rows in held:
            low, high = privet.proportion(ill, epsilon=20, rows_per_unit=rows, **FIXED).interval(population=True)
            held[rows] += int(low <= 0.3 <= high)
    least = binom.ppf(FALSE_ALARM, 100, 0.945)
    assert held[9] >= least
    assert held[1] < least


def test_few_rows_tell_nothing_sure() -> None:
    for ill in ([], [True], [False] * 3):
        low, high = privet.proportion(np.array(ill, dtype=bool), epsilon="0.1").interval(population=True)
        assert high - low >= 1
    none = privet.count(np.array([], dtype=float), epsilon=100)
    assert none.margin(population=True) > 3  # the rule of three


def test_what_is_not_known_is_refused_with_what_to_do() -> None:
    ages, days = np.full(100, 40.0), np.arange(100)
    window: dict[str, Any] = {"unit_ids": days, "times": days, "window": 1, "rows_per_time": 1}
    found = {
        "quantiles for two": privet.median(ages, epsilon=1, **AGES),
        "rows_per_unit in the place of window": privet.mean(ages, epsilon=1, **AGES, **window),
        "both signs": privet.total(ages, bounds=(-1, 1), epsilon=1),
        "ask for the variance": privet.stddev(ages, epsilon=1, **AGES),
        "is not computed": privet.correlation((ages, ages), bounds=((0, 50), (0, 50)), epsilon=1),
        "before `map`": privet.release(3.0, sensitivity=1, epsilon=1),
    }
    for words, release in found.items():
        with pytest.raises(InvalidParameter, match=words):
            release.interval(population=True)
    with pytest.raises(InvalidParameter, match="population must be True or False, got 'yes'"):
        privet.count(ages, epsilon=1).margin(population="yes")  # type: ignore[call-overload]


def test_it_survives_storing_and_arithmetic() -> None:
    ages = np.full(100, 40.0)
    answer = privet.total(ages, epsilon=1, **AGES)
    again = Release.from_json(answer.to_json())
    assert again == answer
    assert again.interval(population=True) == answer.interval(population=True)
    assert (answer / 2 + 3).margin(population=True) == pytest.approx(answer.margin(population=True) / 2)
    old = privet.release(3.0, sensitivity=1, epsilon=1).to_json()
    assert "sampling" not in old
    assert "population" not in repr(answer)
    with pytest.raises(InvalidParameter, match="a deviation for each number"):
        Release.from_json(answer.to_json().replace('"sampling": [', '"sampling": [1.0, '))
    cells = privet.histogram(ages, edges=[0, 20, 50], epsilon=1)
    each, together = (cells.margin(population=True, simultaneous=all_) for all_ in (False, True))
    assert each.shape == (2,)
    assert each[0] < each[1]
    assert (each < together).all()
    assert cells[1].margin(population=True) == each[1]
