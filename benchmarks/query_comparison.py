"""Comparison: Privet beside plain DuckDB, OpenDP and Tumult Analytics on the same file, in one run."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from peers import peer_python
from query_asked import Task
from query_data import table_file, truth_file
from query_measured import Measured, ratio_text, size_text, time_text
from query_memory import watch
from query_sheet import NOTHING, Kept, Sheet
from query_truth import KINDS
from rich.console import Console

OPENDP = "opendp-polars", ["opendp[polars]==0.16.0"]
TUMULT = "tumult", ["tmlt.analytics==0.21.0"]  # brings Spark 3.5, which needs Java 8, 11 or 17
SCRIPT = str(Path(__file__).with_name("query_peers.py"))
FLAT = 400_000  # rows of the table on which errors are noise alone

OPENDP_ASKED = (
    "OpenDP releases a count and a sum, whose quotient is the average, and keeps four rows of each user by chance."
)
TUMULT_ASKED = (
    "Tumult answers one aggregate at a time, and keeps four rows of each user by chance: its time is that of the "
    "faster of COUNT and SUM, without the start of Spark. Its AVG runs in Python, and is asked on the smaller table."
)
ERROR = (
    "Root mean squared error over all cities and answers, against what four rows of each user, chosen by chance, give "
    "on average; ± is the standard error of this figure. No larger: than the best peer's, as far as three standard "
    "errors of the difference can tell."
)
NOISE_ALONE = (
    "With four rows of each user nothing is dropped, and the error is noise alone: the textbook's Laplace noise is "
    "5.66 rows for a COUNT and 1.13 million for a SUM. In the other table peers also err by the rows that they draw; "
    "Privet weighs rows down instead."
)


@dataclass(frozen=True)
class Plan:
    """What is compared.

    Args:
        rows: of the table.
        flat: rows of the table with exactly four rows of each user.
        folder: where tables are.
        peers: which of "opendp" and "tumult" take part.
        answers: by whom, how many answers of each kind on the flat table the error is measured with.
    """

    rows: int
    flat: int
    folder: Path
    peers: tuple[str, ...]
    answers: Mapping[str, Mapping[str, int]]


ANSWERS = {
    "privet": {"count": 100, "sum": 100, "avg": 100},
    "opendp": {"count": 15, "sum": 15, "avg": 15},
    "tumult": {"count": 3, "sum": 3, "avg": 2},
}
SKEWED = {"privet": 5, "opendp": 1}  # answers of each kind on the large table


def compare(plan: Plan, kept: Kept, console: Console) -> None:
    """Measure and keep two sheets."""
    file = table_file(plan.rows, folder=plan.folder)
    flat = table_file(plan.flat, flat=True, folder=plan.folder)
    privet, plain = _ours(file, flat, console)
    peers = dict.fromkeys(("opendp", "tumult"), Measured.failed("left out"))
    noises = dict(peers)
    kept.put("comparison", times_sheet(plan, privet, plain, peers))
    if "opendp" in plan.peers:
        timed = {"joint": 3}
        skewed = dict.fromkeys(KINDS, SKEWED["opendp"])
        peers["opendp"] = _peer("opendp", OPENDP, (file, plan.rows), timed, skewed, console)
        planning = _guarded(lambda: _run([*_python(OPENDP, console), SCRIPT, "planning"], "OpenDP: planning", console))
        peers["opendp"] = peers["opendp"].joined(replace(planning, peak=None))
        noises["opendp"] = _peer("opendp", OPENDP, (flat, plan.flat), {}, plan.answers["opendp"], console)
    if "tumult" in plan.peers:
        peers["tumult"] = _peer("tumult", TUMULT, (file, plan.rows), {"count": 2, "sum": 1}, {}, console)
        kept.put("comparison", times_sheet(plan, privet, plain, peers))
        noises["tumult"] = _peer("tumult", TUMULT, (flat, plan.flat), {}, plan.answers["tumult"], console)
    noise = _asked(
        Task("privet", "duckdb", str(flat), errors=plan.answers["privet"], truth=str(truth_file(flat))),
        "Privet: errors",
        console,
    )
    kept.put("comparison", times_sheet(plan, privet, plain, peers))
    kept.put("errors", errors_sheet(plan, {"flat": (noise, noises), "skewed": (privet, peers)}))


def times_sheet(plan: Plan, privet: Measured, plain: Measured, peers: Mapping[str, Measured]) -> Sheet:
    """Times and memory, with what was wanted."""
    opendp, tumult = peers["opendp"], peers["tumult"]
    ours = privet.seconds()
    limit = plain.seconds()
    theirs = opendp.seconds()
    alone = _fastest(tumult)
    planning, searching = privet.seconds("planning"), opendp.seconds("planning")
    beside = (
        f"plain DuckDB {time_text(limit)}",
        f"OpenDP {time_text(theirs)}, {size_text(opendp.peak)}",
        f"Tumult, one of the three: {time_text(alone)}, {size_text(tumult.peak)}",
        f"plain DuckDB {size_text(plain.peak)}",
        f"OpenDP {time_text(searching)}",
    )
    ratios = (
        f"{ratio_text(ours, limit)} its time",
        f"{ratio_text(theirs, ours)} faster",
        f"{ratio_text(alone, ours)} faster",
        ratio_text(privet.peak, plain.peak),
        f"{ratio_text(searching, planning)} faster",
    )
    wanted = ("at most 10x", "6x faster", "40x faster", "under 1.5 GB", "under 50 ms")
    met = (
        _at_most(ours, limit, 10),
        _at_most(ours, theirs, 1 / 6),
        _at_most(ours, alone, 1 / 40),
        _at_most(privet.peak, 1.5e9),
        _at_most(planning, 0.05),
    )
    what = (*["COUNT, SUM and AVG by city"] * 3, "peak memory", "planning one statement")
    mine = (*[time_text(ours)] * 3, size_text(privet.peak), time_text(planning))
    remarks = (
        OPENDP_ASKED,
        TUMULT_ASKED,
        *_problems({"Privet": privet, "plain DuckDB": plain, "OpenDP": opendp, "Tumult": tumult}),
    )
    title = f"{plan.rows:,} rows of {plan.rows // 10:,} users, from Parquet, two threads"
    columns = ("what", "Privet", "beside it", "ratio", "wanted", "met")
    return Sheet(title, columns, tuple(zip(what, mine, beside, ratios, wanted, met, strict=True)), remarks)


def errors_sheet(plan: Plan, found: Mapping[str, tuple[Measured, Mapping[str, Measured]]]) -> Sheet:
    """Root mean squared errors over the cities, each aggregate asked alone."""
    rows = []
    for table, (privet, peers) in found.items():
        size = plan.flat if table == "flat" else plan.rows
        where = f"{size:,} rows, {'four of each user' if table == 'flat' else 'as above'}"
        for kind in KINDS:
            mine = privet.error(kind)
            theirs = {name: peer.error(kind) for name, peer in peers.items()}
            known = [error for error in theirs.values() if error is not None]
            best = min(known, key=lambda error: error.rmse, default=None)
            met = NOTHING if mine is None or best is None else "yes" if mine.no_larger_than(best) else "NO"
            cells = [NOTHING if error is None else str(error) for error in (mine, *theirs.values())]
            rows.append((f"{kind.upper()}, {where}", *cells, met))
    numbers = "; ".join(f"{name} {', '.join(map(str, each.values()))}" for name, each in plan.answers.items())
    larger = ", ".join(f"{name} {number}" for name, number in SKEWED.items())
    remarks = (
        ERROR,
        NOISE_ALONE,
        f"Answers of each kind: {numbers}; in the larger table {larger}.",
        *_problems({name: peer for _, peers in found.values() for name, peer in peers.items()}),
    )
    columns = ("what", "Privet", "OpenDP", "Tumult", "no larger")
    return Sheet("Errors at ε = 1, each asked alone", columns, tuple(rows), remarks)


def _ours(file: Path, flat: Path, console: Console) -> tuple[Measured, Measured]:
    """Privet between two runs of plain DuckDB, so that both see the same machine."""
    truth = truth_file(file)
    truth_file(flat)
    task = Task("plain", "duckdb", str(file), repeats=9)
    plain = _asked(task, "plain DuckDB", console)
    whole = Task("privet", "duckdb", str(file), repeats=9, planning=True)
    privet = _asked(whole, "Privet", console)
    again = _asked(task, "plain DuckDB again", console)
    both = [each for each in (plain.seconds(), again.seconds()) if each is not None]
    if both and "joint" in plain.found:
        plain = replace(plain, found={"joint": {**plain.found["joint"], "seconds": min(both)}})
    errors = replace(whole, repeats=1, planning=False, errors=dict.fromkeys(KINDS, SKEWED["privet"]), truth=str(truth))
    skewed = _asked(errors, "Privet: errors", console)
    return privet.joined(replace(skewed, peak=None, found={kind: skewed.found.get(kind, {}) for kind in KINDS})), plain


def _asked(task: Task, title: str, console: Console) -> Measured:
    return _run(task.command(), title, console)


def _peer(  # noqa: PLR0913, PLR0917 - called here alone
    name: str,
    environment: tuple[str, list[str]],
    table: tuple[Path, int],
    timed: Mapping[str, int],
    errors: Mapping[str, int],
    console: Console,
) -> Measured:
    file, rows = table
    task = {"file": str(file), "rows": rows, "truth": str(truth_file(file)), "timed": timed, "errors": errors}
    return _guarded(
        lambda: _run(
            [*_python(environment, console), SCRIPT, name, json.dumps(task)], f"{name}: {rows:,} rows", console
        )
    )


def _python(environment: tuple[str, list[str]], console: Console) -> list[str]:
    return [peer_python(*environment, console), "-W", "ignore"]


def _run(command: list[str], title: str, console: Console) -> Measured:
    with console.status(f"measuring {title}"):
        measured = Measured.of(watch(command, environment={"POLARS_MAX_THREADS": "2"}))
    told = [f"{kind} {time_text(measured.seconds(kind))}" for kind in measured.found if measured.seconds(kind)]
    told += [f"{kind} off by {measured.error(kind)}" for kind in measured.found if measured.error(kind)]
    console.log(f"{title}: {', '.join([*told, size_text(measured.peak)])} {measured.problem or ''}")
    return measured


def _guarded(work: Callable[[], Measured]) -> Measured:
    """A peer that cannot be installed is a result without figures."""
    try:
        return work()
    except SystemExit as problem:
        return Measured.failed(str(problem).splitlines()[-1])


def _fastest(tumult: Measured) -> float | None:
    return min((each for kind in ("count", "sum") if (each := tumult.seconds(kind)) is not None), default=None)


def _at_most(number: float | None, other: float | None, times: float = 1) -> str:
    """Whether a number is within so many times the other, if both are known."""
    if number is None or other is None:
        return NOTHING
    return "yes" if number <= times * other else "NO"


def _problems(measured: Mapping[str, Measured]) -> list[str]:
    return [f"{name}: {each.problem}." for name, each in measured.items() if each.problem]
