"""Falsification on DuckDB: whatever rows a visitor brings, nothing that is seen tells that they are there.

A short run takes a share of all pairs of plays and visitors; soak takes them all.
"""

from pathlib import Path

import pytest

from tests.query.falsification.matches import MATCHES, REFUSED, lines

SHARES = {"frames": 4, "database": 6, "files": 5, "one file": 4, "csv": 16, "polars": 4, "heavy": 2}
OPEN = {  # what is still found, and why
    "one file": "a text that is none stops Parquet's reader",
    "broken frames": "a text that is none stops the engine",
    "pandas": "types of a frame follow its rows",
    "pandas, undeclared": "types of a frame follow its rows",
    "csv": "a line can swallow those after it",
    "csv in two orders": "the first file's header is taken for all",
    "heavy": "what a unit's rows grow to has no public end",
}


@pytest.mark.parametrize("share", ["some", pytest.param("all", marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", MATCHES)
def test_a_visitor_changes_nothing_that_is_seen(name: str, share: str, tmp_path: Path) -> None:
    if name in OPEN:
        pytest.xfail(OPEN[name])
    turns = SHARES.get(name, 2) if share == "some" else 1
    found = MATCHES[name].found(tmp_path, turns=turns)
    assert not found.apart, "\n".join(lines(found))
    assert bool(found.refused) == (name in REFUSED), "opened, or refused, for a reason that no row gives"
    assert found.answered >= 0.8 * found.tried
