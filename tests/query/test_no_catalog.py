"""Connecting to something that is no catalog: one sentence, with the line to write instead."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import privet
from privet.errors import InvalidParameter

ROWS = {"id": [1, 2], "age": [34, 61], 'my "city"': ["secret", "hidden"]}


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(ROWS), pl.DataFrame(ROWS), pl.LazyFrame(ROWS), pa.table(ROWS), pa.table(ROWS).to_reader()]
)
@pytest.mark.filterwarnings("error")
def test_a_frame_is_told_its_line(frame: Any) -> None:  # noqa: ANN401 - of any library
    with pytest.raises(InvalidParameter) as told:
        privet.connect(frame)
    line = str(told.value)
    assert "privet.connect(privet.Catalog.of(frame, table=" in line
    assert "\n" not in line
    assert not {"34", "61", "secret"} & set(line.split())
    if "Reader" not in type(frame).__name__:
        assert '"age": {}' in line


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "a catalog file such as"),
        (3, "got int"),
        ({"a": [1]}, "got dict"),
        (np.zeros(3), "got ndarray"),
        ("people.csv", "draft one with `privet catalog draft people.csv`"),
        (Path("people.csv.gz"), "is data, not a catalog"),
        ("nope.toml", "there is no file nope.toml"),
        ("postgresql://ada:secret@host/base", "not the address of a database"),
        (".", "is a folder: name the catalog file in it"),
    ],
)
def test_what_else_is_no_catalog(given: Any, says: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match=says) as told:
        privet.connect(given)
    assert "secret" not in str(told.value)


def test_a_connection_is_no_catalog() -> None:
    with duckdb.connect() as base, pytest.raises(InvalidParameter, match="not a connection: name the database in one"):
        privet.connect(base)  # type: ignore[arg-type] # that is the point
