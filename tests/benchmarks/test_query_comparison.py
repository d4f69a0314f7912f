"""Which figures become which rows, also where peers failed."""

import json
from pathlib import Path

from query_comparison import Plan, errors_sheet, times_sheet
from query_measured import Measured
from query_memory import Watched

PLAN = Plan(10_000_000, 400_000, Path(), ("opendp", "tumult"), {"privet": {"count": 100}, "opendp": {"count": 10}})
NOBODY = {"opendp": Measured.failed("no wheel"), "tumult": Measured.failed("no Java")}


def measured(peak: int, **seconds: float) -> Measured:
    lines = tuple(json.dumps({"kind": kind, "seconds": each}) for kind, each in seconds.items())
    return Measured.of(Watched(lines, peak, None))


def erring(**errors: tuple[float, float]) -> Measured:
    lines = tuple(
        json.dumps({"kind": kind, "error": {"rmse": rmse, "give_or_take": off, "answers": 1}})
        for kind, (rmse, off) in errors.items()
    )
    return Measured.of(Watched(lines, 1, None))


def test_what_was_wanted_is_met() -> None:
    privet = measured(900_000_000, joint=0.6, planning=0.01)
    plain = measured(200_000_000, joint=0.1)
    peers = {"opendp": measured(1, joint=6.4, planning=2.0), "tumult": measured(1, count=49.0, sum=37.0)}
    sheet = times_sheet(PLAN, privet, plain, peers)
    assert [row[-1] for row in sheet.rows] == ["yes"] * 5
    assert [row[3] for row in sheet.rows] == ["6.0x its time", "10.7x faster", "61.7x faster", "4.5x", "200.0x faster"]
    assert "10,000,000 rows of 1,000,000 users" in sheet.title


def test_what_was_wanted_is_not_met() -> None:
    privet = measured(1_600_000_000, joint=1.2, planning=0.06)
    plain = measured(1, joint=0.1)
    peers = {"opendp": measured(1, joint=6.4, planning=2.0), "tumult": measured(1, count=40.0)}
    assert [row[-1] for row in times_sheet(PLAN, privet, plain, peers).rows] == ["NO"] * 5


def test_a_peer_that_failed_takes_nothing_else_with_it() -> None:
    sheet = times_sheet(PLAN, measured(900_000_000, joint=0.6, planning=0.01), measured(1, joint=0.1), NOBODY)
    assert [row[-1] for row in sheet.rows] == ["yes", "–", "–", "yes", "yes"]
    assert {"OpenDP: no wheel.", "Tumult: no Java."} <= set(sheet.remarks)
    nothing = Measured.failed("broken")
    assert [row[-1] for row in times_sheet(PLAN, nothing, nothing, NOBODY).rows] == ["–"] * 5


def test_errors_are_compared_with_the_best_peer() -> None:
    ours = erring(count=(5.7, 0.1), sum=(1.1e6, 1e4), avg=(178.0, 5.0))
    peers = {
        "opendp": erring(count=(5.6, 0.2), sum=(1.2e6, 1e4), avg=(497.0, 40.0)),
        "tumult": erring(count=(9.0, 0.2), sum=(0.9e6, 1e4)),
    }
    sheet = errors_sheet(PLAN, {"flat": (ours, peers), "skewed": (ours, NOBODY)})
    assert [row[-1] for row in sheet.rows] == ["yes", "NO", "yes", "–", "–", "–"]
    assert sheet.rows[2][1:4] == ("178 ± 5", "497 ± 40", "–")
