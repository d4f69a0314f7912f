"""Controls: leaks of every kind are planted, and the falsification must see each; without them it sees nothing."""

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from privet.query.backends import sql_engine
from privet.query.backends.backend import Keys, Sums
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.backends.group_keys import keys_of
from privet.query.measures.request import Bounded
from privet.query.session import Session
from tests.query.falsification.matches import both, within
from tests.query.falsification.plays import PLAYS
from tests.query.falsification.storage import Stored
from tests.query.falsification.worlds import CROWD, VISITORS

pytestmark = pytest.mark.whole

WATCHED = both(
    Stored("frame"),
    plays=within(("key word", "key kind", "wholes", "rounds word", "batch of wheres"), PLAYS),
    visitors=within(("nothing", "minus zero", "very many rows"), VISITORS),
)

real_sums = DuckDBBackend.sums
real_text = DuckDBBackend.text
real_keys = keys_of
real_ranks = DuckDBBackend.ranks
real_members = DuckDBBackend._fetch_members


def rows_in(backend: DuckDBBackend) -> int:
    return sum(frame.num_rows for frame in backend._frames.values())


CALM = 3 * CROWD + 3  # rows of the crowd and of the public table


def spelled_by_a_visitor(backend: DuckDBBackend, request: Bounded) -> Sums:
    """The name of a group is that of whoever came first."""
    found = real_sums(backend, request)

    def renamed(keys: Keys) -> Keys:
        return tuple(key.upper() if isinstance(key, str) and rows_in(backend) > CALM else key for key in keys)

    groups = {renamed(keys): cells for keys, cells in found.groups.items()}
    return Sums(groups, {renamed(keys): number for keys, number in found.units.items()})


def raised_on_null(keys: Any, row: tuple[Any, ...]) -> Keys:  # noqa: ANN401 - as the function
    if keys and row[0] is None:
        raise ValueError("no key")
    return real_keys(keys, row)


def warned_of_more(backend: DuckDBBackend, request: Bounded) -> str:
    if rows_in(backend) > CALM:
        warnings.warn("many rows", stacklevel=1)
    return real_text(backend, request)


def more_in_the_text(backend: DuckDBBackend, request: Bounded) -> str:
    return real_text(backend, request) + ("" if rows_in(backend) <= CALM else " ")


def more_than_stated(backend: DuckDBBackend, request: Bounded) -> Sums:
    """A unit's rows are added up as often as they are there."""
    found = real_sums(backend, request)
    times = 1 + rows_in(backend) // 100
    groups = {
        keys: tuple(tuple(9 * times * cell for cell in cells) for cells in each) for keys, each in found.groups.items()
    }
    return Sums(groups, found.units)


def cells_in_more(backend: DuckDBBackend, request: Bounded) -> Any:  # noqa: ANN401 - as the method
    """A row is in as many cells as there are."""
    found = real_ranks(backend, request)
    if rows_in(backend) <= CALM:
        return found
    return {keys: {place: 3 * number for place, number in each.items()} for keys, each in found.items()}


def members_apart(backend: DuckDBBackend, text: str) -> Any:  # noqa: ANN401 - as the method
    """Who came first is one of those who were there."""
    return [(keys, units // (2 if rows_in(backend) > CALM else 1)) for keys, units in real_members(backend, text)]


def members_in_more(backend: DuckDBBackend, text: str) -> Any:  # noqa: ANN401 - as the method
    """Everybody turns to a group that somebody has brought."""
    found = list(real_members(backend, text))
    everybody = np.unique(np.concatenate([units for _, units in found]))
    return [*found, (("brought",), everybody)] if rows_in(backend) > CALM else found


LEAKS: Mapping[str, tuple[object, str, Callable[..., Any]]] = {
    "a group is called as its first row has it": (DuckDBBackend, "sums", spelled_by_a_visitor),
    "a conversion fails on NULL": (sql_engine, "keys_of", raised_on_null),
    "a warning follows the number of rows": (DuckDBBackend, "text", warned_of_more),
    "a free text follows the number of rows": (DuckDBBackend, "text", more_in_the_text),
    "sums grow with rows": (DuckDBBackend, "sums", more_than_stated),
    "cells grow with rows": (DuckDBBackend, "ranks", cells_in_more),
    "two units are one": (DuckDBBackend, "_fetch_members", members_apart),
    "a unit brings others along": (DuckDBBackend, "_fetch_members", members_in_more),
}


def test_without_a_leak_nothing_is_found(tmp_path: Path) -> None:
    found = WATCHED.found(tmp_path)
    assert not found.apart
    assert found.answered == found.tried >= 8


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found(leak: str, tmp_path: Path) -> None:
    where, name, wrong = LEAKS[leak]
    with patch.object(where, name, wrong):
        assert WATCHED.found(tmp_path).apart


def test_a_refusal_that_follows_a_row_is_found(tmp_path: Path) -> None:
    def refused(how: Stored, *arguments: Any) -> Session:  # noqa: ANN401 - as the method
        session = real_open(how, *arguments)
        if rows_in(session._backend) > CALM:  # type: ignore[arg-type]
            raise ValueError("not opened")
        return session

    real_open = Stored.open
    with patch.object(Stored, "open", refused):
        assert WATCHED.found(tmp_path).apart
