"""Falsification on DuckDB: whatever rows a visitor brings, nothing that is seen tells that they are there.

A short run takes a share of all pairs of plays and visitors; soak takes them all.
"""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.query.falsification.matches import MATCHES, REFUSED, lines
from tests.query.falsification.random_plays import RandomPlays

pytestmark = pytest.mark.whole

SHARES = {"frames": 24, "database": 24, "files": 16, "one file": 12, "csv": 72, "polars": 12, "pandas": 12, "heavy": 1}
OTHERS = 4  # unless another number is given: one of so many pairs


@pytest.mark.parametrize("share", ["some", pytest.param("all", marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", MATCHES)
def test_a_visitor_changes_nothing_that_is_seen(name: str, share: str, tmp_path: Path) -> None:
    turns = SHARES.get(name, OTHERS) if share == "some" else 1
    found = MATCHES[name].found(tmp_path, turns=turns)
    assert not found.apart, "\n".join(lines(found))
    assert bool(found.refused) == (name in REFUSED), "opened, or refused, for a reason that no row gives"
    assert found.answered >= found.tried / 2


@pytest.mark.parametrize("name", ["frames", "one file", "csv", "polars"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 25))])
def test_a_visitor_changes_nothing_of_what_is_asked_by_chance(name: str, seed: int, tmp_path: Path) -> None:
    plays = RandomPlays(random.Random(f"{name} {seed}"))  # noqa: S311 - statements, not noise
    asked = {f"statement {number}": plays.statement() for number in range(25 if seed else 3)}
    found = replace(MATCHES[name], plays=asked).found(tmp_path, turns=1 if seed else 6)
    assert not found.apart, ("\n".join(lines(found)), asked)
