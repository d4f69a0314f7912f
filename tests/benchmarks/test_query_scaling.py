"""What is measured on which engine, and what becomes of an engine that cannot be."""

import json
from pathlib import Path

import pytest
import query_scaling
from query_measured import Measured
from query_memory import Watched
from query_scaling import Cell, Scaling, growth_of, scale
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


def scaled(tmp_path: Path, *engines: str, sizes: tuple[int, ...] = (1000,), largest: bool = False) -> dict[str, Sheet]:
    kept = Kept(tmp_path / "kept.json")
    scale(Scaling(engines, sizes, largest, tmp_path), kept, QUIET)
    return kept.sheets()


def test_every_size_and_number_of_threads(tmp_path: Path, asked: list[dict[str, object]]) -> None:
    sheet = scaled(tmp_path, "duckdb", sizes=(1000, 2000))["scaling-duckdb"]
    assert [row[:5] for row in sheet.rows] == [
        (size, threads, "1 s", "6 s", "6.0x") for size in ("1,000", "2,000") for threads in ("1", "2")
    ]
    each = [("plain", 1), ("privet", 1), ("plain", 2), ("privet", 2)]
    assert [(task["who"], task["threads"]) for task in asked] == each * 2
    assert "With 1 thread the ratio does not grow with the rows." in sheet.remarks


@pytest.mark.usefixtures("asked")
def test_what_takes_long_is_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(query_scaling.FEASIBLE, "spark", 1500)
    sheet = scaled(tmp_path, "spark", sizes=(1000, 2000))["scaling-spark"]
    assert {row[0] for row in sheet.rows} == {"1,000"}
    assert any("2,000 rows were left out" in remark for remark in sheet.remarks)
    largest = scaled(tmp_path, "spark", sizes=(1000, 2000), largest=True)["scaling-spark"]
    assert {row[0] for row in largest.rows} == {"1,000", "2,000"}


@pytest.mark.usefixtures("asked")
def test_an_engine_that_fails_takes_nothing_else_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_server() -> None:
        raise RuntimeError("no PostgreSQL here\nand more")

    monkeypatch.setattr(query_scaling, "postgres", no_server)
    sheets = scaled(tmp_path, "postgres", "duckdb")
    assert len(sheets["scaling-duckdb"].rows) == 2
    assert "It failed: no PostgreSQL here." in sheets["scaling-postgres"].remarks


def test_an_engine_that_is_not_installed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(query_scaling.NEEDS, "spark", ("no_such_module",))
    assert query_scaling.missing("spark") == "no_such_module is not installed"
    assert scaled(tmp_path, "spark") == {}


@pytest.mark.usefixtures("asked")
def test_a_measurement_that_fails_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_scaling, "watch", lambda *_, **__: Watched((), 5, "out of memory"))
    sheet = scaled(tmp_path, "duckdb")["scaling-duckdb"]
    assert sheet.rows[0][2:5] == ("–", "–", "–")
    assert "1,000 rows, 1 thread, Privet: out of memory." in sheet.remarks


@pytest.mark.parametrize(
    ("ratios", "how"),
    [([10.0, 6.0, 6.5], "does not grow"), ([10.0, 6.0, 12.0], "GROWS"), ([6.0, 6.5], "does not grow")],
)
def test_growth_is_told(ratios: list[float], how: str) -> None:
    def took(seconds: float) -> Measured:
        return Measured.of(Watched((json.dumps({"kind": "joint", "seconds": seconds}),), 1, None))

    cells = [Cell("duckdb", 10**size, 2, took(1.0), took(ratio)) for size, ratio in enumerate(ratios)]
    assert growth_of(cells) == [f"With 2 threads the ratio {how} with the rows."]
    assert growth_of(cells[:1]) == []
