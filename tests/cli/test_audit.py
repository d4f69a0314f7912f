"""`privet audit`, as a developer or a check types it."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from privet.audit import Finding
from privet.cli import app
from privet.cli.python_values import value_of
from privet.errors import InvalidParameter

MODULE = """
from privet.mechanisms import DiscreteLaplace
half, right = DiscreteLaplace(1, "0.5"), DiscreteLaplace(1, 1)

def noisy(data, source, count):
    return half.sample([data] * count, source)

def summed(rows, source, count):
    return half.sample([int(max(0, min(rows[0], 1)))] * count, source)

def failing(data):
    raise ValueError("no rows")

def ending(data):
    raise SystemExit(0)

def pair():
    return 0, 1
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "mechanisms_to_audit.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "quits.py").write_text("raise SystemExit(0)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "mechanisms_to_audit.py"


def privet(*words: str) -> Any:  # noqa: ANN401 - what the runner gives
    return CliRunner().invoke(app, ["audit", *words], catch_exceptions=False)


def test_a_violation_ends_with_1_and_stops_early(place: str) -> None:
    done = privet(f"{place}:noisy", "--pair", "0, 1", "--claim", "epsilon=1", "--json", "--quiet")
    assert done.exit_code == 1, done.output
    found = Finding.from_json(done.stdout)
    assert found.violated
    assert found.trials < 100_000
    assert json.loads(done.stdout)["verdict"] == found.verdict


def test_no_violation_ends_with_0(place: str) -> None:
    done = privet(f"{place}:right", "--pair", f"{place}:pair", "--trials", "3000")
    assert done.exit_code == 0, done.output
    assert "no violation found" in done.stdout


def test_the_pair_is_looked_for_and_the_finding_drawn(place: str) -> None:
    words = ("--bounds", "0, 1", "--rows", "1", "--claim", "epsilon=1", "--delta", "1e-3", "--trials", "2000")
    done = privet(f"{place}:summed", *words, "--chart", "found.svg")
    assert done.exit_code == 1, done.output
    assert "the most promising of" in done.stdout
    assert "at δ=0.001" in done.stdout
    assert Path("found.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("{}:noisy",), "--pair"),
        (("{}:noisy", "--pair", "0"), "two neighboring inputs"),
        (("{}:noisy", "--pair", "open('x')"), "is no value"),
        (("{}:noisy", "--pair", "0, 1", "--claim", "eps"), "a claim is written"),
        (("{}:noisy", "--pair", "0, 1", "--delta", "0.1"), "--delta is of a claim"),
        (("{}:none", "--pair", "0, 1"), "nothing called none"),
        (("absent:none", "--pair", "0, 1"), "ModuleNotFoundError"),
        (("quits.py:none", "--pair", "0, 1"), "quits.py cannot be imported (SystemExit: 0)"),
        (("noisy", "--pair", "0, 1"), "module:name"),
        (("{}:failing", "--pair", "0, 1"), "every run failed with ValueError(no rows)"),
        (("{}:ending", "--pair", "0, 1"), "every run failed with Exit(0)"),
        (("{}:noisy", "--pair", "0, 1", "--delta", "0.1"), '--claim "epsilon=1" --delta 1e-6'),
        (("{}:noisy", "--bounds", "0"), "two numbers"),
        (("{}:DiscreteLaplace", "--pair", "0, 1"), "is a class"),
    ],
)
def test_what_cannot_be_audited_ends_with_2(place: str, words: tuple[str, ...], said: str) -> None:
    done = privet(*(word.format(place) for word in words))
    assert done.exit_code == 2, done.output
    assert said in done.stderr
    assert done.stdout == ""


def test_values_are_read_and_never_run() -> None:
    one, other = value_of("[0, inf], {'a': (-nan, -inf, None, b'x')}")
    assert one == [0, math.inf]
    assert math.isnan(other["a"][0])
    for text in ("print(1)", "a", "[" * 5000, "1 +", "2 ** 9 ** 9", "(lambda: 1)()", "f'{1}'"):
        with pytest.raises(InvalidParameter, match="is no value"):
            value_of(text)
