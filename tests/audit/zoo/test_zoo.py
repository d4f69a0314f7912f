"""Every broken mechanism is flagged, no right one is, and their true ε is what is written beside them."""

import math
import statistics

import numpy as np
import pytest
from scipy.stats import binom

from privet.audit import zoo
from privet.audit.zoo.specimen import Specimen
from privet.loss import Guarantee
from privet.noise import BitSource

NAMES = list(zoo.SPECIMENS)
ROWS = 24  # broken mechanisms that are described in the literature and in reports on libraries


@pytest.mark.parametrize("name", zoo.BROKEN)
def test_what_is_broken_is_flagged(name: str, source: BitSource) -> None:
    """Within the runs that the specimen names, at alpha = 1e-6, and never above the truth."""
    specimen = zoo.SPECIMENS[name]
    found = specimen.audit(stop_early=True, source=source)
    assert found.violated, str(found)
    assert found.trials <= specimen.trials
    if isinstance(specimen.claim, Guarantee):
        assert found.epsilon <= specimen.epsilon


@pytest.mark.parametrize("name", zoo.CONTROLS)
def test_what_is_right_is_not_flagged(name: str, source: BitSource) -> None:
    found = zoo.SPECIMENS[name].audit(source=source)
    assert not found.violated, str(found)
    assert found.epsilon <= zoo.SPECIMENS[name].epsilon


@pytest.mark.soak
@pytest.mark.parametrize("name", zoo.CONTROLS)
def test_what_is_right_is_not_flagged_by_many_runs(name: str, source: BitSource) -> None:
    assert not zoo.SPECIMENS[name].audit(source=source, trials=1_000_000).violated


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "trials"), [(name, trials) for name, each in zoo.SPECIMENS.items() for trials in each.bounds]
)
def test_published_bounds_are_reached(name: str, trials: int, source: BitSource) -> None:
    """The median of five audits is within 10 % of what the published event shows in expectation, from as many runs
    that test; a fifth as many choose the event, which the published bounds were given. Variant 3 of sparse vector is
    the one exception: at 100,000 runs its event is seen 40 times, and which cut is chosen decides (0.7 to 1.2 of it).
    """
    found = [zoo.SPECIMENS[name].audit(source=source, trials=trials * 6 // 5).epsilon for _ in range(5)]
    least = 0.65 if (name, trials) == ("svt3", 100_000) else 0.9
    assert statistics.median(found) >= least * zoo.SPECIMENS[name].bounds[trials], found


@pytest.mark.soak
def test_the_control_is_flagged_at_most_4_times_in_300(source: BitSource) -> None:
    """At alpha = 1e-3, n = 10,000: more has probability 1.5e-5 even if all of alpha were used up."""
    assert binom.sf(4, 300, 1e-3) < 2e-5
    found = [zoo.SPECIMENS["laplace"].audit(source=source, trials=10_000, alpha=1e-3) for _ in range(300)]
    assert sum(each.violated for each in found) <= 4
    assert statistics.median(each.epsilon for each in found) > 0.85  # they look closely: the true ε is 1


def test_there_are_enough_of_them() -> None:
    assert len(zoo.BROKEN) >= ROWS
    assert len(zoo.CONTROLS) >= 10
    assert set(zoo.BROKEN) | set(zoo.CONTROLS) == set(NAMES)


@pytest.mark.parametrize("specimen", zoo.SPECIMENS.values(), ids=NAMES)
def test_specimens_say_what_they_are(specimen: Specimen) -> None:
    assert specimen.name
    assert specimen.epsilon > 0
    assert specimen.broken == (specimen.wrong != "")
    assert all(bound < specimen.epsilon for bound in specimen.bounds.values())


def law(run: object, data: object, source: BitSource, count: int = 200_000) -> dict[bytes, float]:
    """How often each outcome is seen."""
    rows = np.asarray(run(data, source, count))  # type: ignore[operator]
    found, often = np.unique(rows.reshape(count, -1), axis=0, return_counts=True)
    return {row.tobytes(): number / count for row, number in zip(found, often.tolist(), strict=True)}


def test_svt4_loses_what_is_proved(source: BitSource) -> None:
    """ε (1 + 6c)/4 with c = 1 is 1.75 (Lyu, Su and Li 2017); F^5 T has a ratio near it, n = 200,000."""
    specimen = zoo.SPECIMENS["svt4"]
    one, other = (law(specimen.run, data, source) for data in specimen.pair)
    worst = np.array([0, 0, 0, 0, 0, 1], dtype=np.int8).tobytes()
    assert 1.2 < abs(math.log(one[worst] / other[worst])) < 1.9


def test_svt5_can_tell_two_inputs_apart_for_sure(source: BitSource) -> None:
    """(F, T) needs a threshold in (0, 1]: probability (1 - e^(-1/2))/2 = 0.197, and never under the neighbor."""
    specimen = zoo.SPECIMENS["svt5"]
    one, other = (law(specimen.run, data, source) for data in specimen.pair)
    event = np.array([0, 1], dtype=np.int8).tobytes()
    assert one[event] == pytest.approx((1 - math.exp(-0.5)) / 2, abs=0.005)
    assert event not in other
