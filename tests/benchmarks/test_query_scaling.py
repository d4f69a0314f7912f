"""What is measured on which engine, and what becomes of an engine that cannot be."""

import json
from pathlib import Path

import pytest
import query_scaling
from query_memory import Watched
from query_scaling import Scaling, scale
from query_sheet import Kept, Sheet
from rich.console import Console

QUIET = Console(quiet=True)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What would be measured: plain takes a second, Privet six."""
    tasks: list[dict[str, object]] = []

    def watch(command: list[str], **_: object) -> Watched:
        task = json.loads(command[-1])
        tasks.append(task)
        seconds = 1.0 if task["who"] == "plain" else 6.0
        return Watched((json.dumps({"kind": "joint", "seconds": seconds}),), 10**9, None)

    monkeypatch.setattr(query_scaling, "watch", watch)
    monkeypatch.setattr(query_scaling, "missing", lambda _: None)
    return tasks


def scaled(tmp_path: Path, *engines: str, sizes: tuple[int, ...] = (1000,), largest: bool = False) -> Sheet:
    kept = Kept(tmp_path / "kept.json")
    scale(Scaling(engines, sizes, largest, tmp_path), kept, QUIET)
    return kept.sheets()["scaling"]


def test_every_size_and_number_of_threads(tmp_path: Path, asked: list[dict[str, object]]) -> None:
    sheet = scaled(tmp_path, "duckdb", sizes=(1000, 2000))
    assert [row[:6] for row in sheet.rows] == [
        ("DuckDB", size, threads, "1 s", "6 s", "6.0x") for size in ("1,000", "2,000") for threads in ("1", "2")
    ]
    assert [(task["who"], task["threads"]) for task in asked] == [
        ("plain", 1),
        ("privet", 1),
        ("plain", 2),
        ("privet", 2),
    ] * 2


@pytest.mark.usefixtures("asked")
def test_what_takes_long_is_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(query_scaling.FEASIBLE, "spark", 1500)
    sheet = scaled(tmp_path, "spark", sizes=(1000, 2000))
    assert {row[1] for row in sheet.rows} == {"1,000"}
    assert any("Spark with 2,000 rows was left out" in remark for remark in sheet.remarks)
    assert {row[1] for row in scaled(tmp_path, "spark", sizes=(1000, 2000), largest=True).rows} == {"1,000", "2,000"}


@pytest.mark.usefixtures("asked")
def test_an_engine_that_fails_takes_nothing_else_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_server() -> None:
        raise RuntimeError("no PostgreSQL here\nand more")

    monkeypatch.setattr(query_scaling, "postgres", no_server)
    sheet = scaled(tmp_path, "postgres", "duckdb")
    assert {row[0] for row in sheet.rows} == {"DuckDB"}
    assert "PostgreSQL: no PostgreSQL here." in sheet.remarks


def test_an_engine_that_is_not_installed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(query_scaling.NEEDS, "spark", ("no_such_module",))
    sheet = scaled(tmp_path, "spark")
    assert sheet.rows == ()
    assert any("no_such_module is not installed" in remark for remark in sheet.remarks)


@pytest.mark.usefixtures("asked")
def test_a_measurement_that_fails_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_scaling, "watch", lambda *_, **__: Watched((), 5, "out of memory"))
    sheet = scaled(tmp_path, "duckdb")
    assert sheet.rows[0][3:6] == ("–", "–", "–")
    assert "DuckDB, 1,000 rows, 1 threads, privet: out of memory." in sheet.remarks
