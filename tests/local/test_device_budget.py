"""Event, window and user level: 24 events of 0.1 cost 0.1, 0.5 in windows of five, and 2.4 in all."""

import json
from fractions import Fraction

import pytest

from privet.errors import BudgetExceeded, InvalidParameter
from privet.local import DeviceBudget, KaryResponse
from privet.noise import BitSource

EMOJI = KaryResponse(categories=["none", "smile", "heart"], epsilon=1)


def budget(source: BitSource, **words: object) -> DeviceBudget:
    limits = {"events": 3, "none": "none", "lifetime": 30} | words
    return DeviceBudget(EMOJI, entropy=source, **limits)  # type: ignore[arg-type]


def test_event_and_window_and_user_level(source: BitSource) -> None:
    protocol = KaryResponse(categories=2, epsilon="0.1")
    device = DeviceBudget(protocol, events=1, none=0, lifetime="2.4", window=(5, "0.5"), entropy=source)
    for _ in range(24):
        device.add(1)
        device.close()
    levels = device.levels
    wanted = [Fraction(1, 10), Fraction(1, 10), Fraction(1, 2), Fraction(24, 10)]
    assert [float(level or 0) for level in levels] == pytest.approx([float(each) for each in wanted], rel=1e-9)
    assert float(device.spent) == pytest.approx(2.4, rel=1e-9)
    assert device.spent <= Fraction("2.4")
    with pytest.raises(BudgetExceeded, match="lifetime"):
        device.add(1)


@pytest.mark.parametrize("happened", [0, 1, 3])
def test_as_many_reports_leave_whatever_happens(happened: int, source: BitSource) -> None:
    device = budget(source)
    for _ in range(happened):
        device.add("heart")
    sent = device.close()
    assert [len(report) for report in sent] == [EMOJI.payload_bytes] * 3
    assert float(device.spent) == pytest.approx(3, rel=1e-9)


def test_event_m_plus_one_is_refused_and_the_next_period_begins_anew(source: BitSource) -> None:
    device = budget(source)
    for _ in range(3):
        device.add("smile")
    with pytest.raises(BudgetExceeded, match="only 3 events"):
        device.add("heart")
    device.close()
    device.add("heart")


def test_missing_events_are_reported_as_none(source: BitSource) -> None:
    """500 empty periods of 3: the reports are those of "none"; the control is another value."""
    device = budget(source, lifetime=1500)
    sent = [report for _ in range(500) for report in device.close()]
    shares = EMOJI.estimate(sent).interval(0.999999)
    assert shares[0][0] <= 1 <= shares[1][0]
    assert shares[1][1] < 0.5


def test_a_window_is_kept_by_resting(source: BitSource) -> None:
    device = budget(source, window=(3, 6))
    device.close()
    device.close()
    with pytest.raises(BudgetExceeded, match="3 periods in a row"):
        device.close()
    device.rest()
    device.close()


def test_a_period_with_events_cannot_be_left_out(source: BitSource) -> None:
    device = budget(source)
    device.add("smile")
    with pytest.raises(InvalidParameter, match="silence"):
        device.rest()


def test_a_device_that_was_switched_off_goes_on_where_it_was(source: BitSource) -> None:
    device = budget(source, window=(3, 6), lifetime=9)
    device.add("smile")
    device.close()
    device.add("heart")
    again = DeviceBudget.from_json(device.to_json(), entropy=source)
    assert again.to_json() == device.to_json()
    assert (again.spent, again.levels) == (device.spent, device.levels)
    assert len(again.close()) == 3
    with pytest.raises(BudgetExceeded, match="in a row"):
        again.add("heart")
    changes: tuple[dict[str, object], ...] = (
        {"spent": "-1"},
        {"reports": ["07"]},
        {"lifetime": "x"},
        {"window": 3},
        {"config": {}},
    )
    for change in changes:
        with pytest.raises(InvalidParameter, match="JSON of a device"):
            DeviceBudget.from_json(json.dumps({**json.loads(device.to_json()), **change}))


def test_refuses_limits_that_allow_nothing(source: BitSource) -> None:
    with pytest.raises(InvalidParameter, match="one period costs"):
        budget(source, lifetime=2)
    with pytest.raises(InvalidParameter, match="categor"):
        budget(source, none="nothing")
    with pytest.raises(InvalidParameter, match="window"):
        budget(source, window=7)
