"""Catalogs whose statements take long, or more memory than there is; invented, and quick to make."""

from pathlib import Path

import duckdb

SLOW = "SELECT COUNT(*) AS n FROM t AS a JOIN t AS b USING (id) WHERE a.x + b.x > 3"  # pairs of rows of one person
COUNT = "SELECT COUNT(*) AS n FROM t"
WIDE = "SELECT SUM(m) AS s FROM (SELECT id, MAX(x) AS m FROM t GROUP BY id)"  # a number for each person, all at once


def of_one_person(folder: Path, *, rows: int = 60_000) -> Path:
    """A catalog of rows that all belong to one person: they are paired with each other, a few billion times.

    It declares that everybody has one row, which is believed; so none are left out before they multiply.
    """
    return _made(folder, f"SELECT 1 AS id, range % 7 AS x FROM range({rows})")  # noqa: S608 - numbers of this file


def of_many_people(folder: Path, *, people: int) -> Path:
    """A catalog of so many people that what is known of each does not fit into little memory."""
    return _made(folder, f"SELECT hash(range) AS id, range % 100 AS x FROM range({people})")  # noqa: S608 - the same


def _made(folder: Path, query: str) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{folder}/t.parquet'")
    (folder / "clinic.csv").write_text("clinic,beds\nA,10\nB,20\n")
    file = folder / "t.toml"
    file.write_text(
        'unit = "person"\nlimit = { epsilon = 1000 }\n[tables.t]\nparquet = "t.parquet"\nunit_column = "id"\n'
        'unique = ["id"]\nrows_per_unit = 2\ncolumns.x = { type = "integer", bounds = [0, 100] }\n'
        '[tables.clinic]\npublic = true\ncsv = "clinic.csv"\ncolumns.clinic = { type = "text" }\n'
        'columns.beds = { type = "integer", bounds = [0, 100] }\n',
        encoding="utf-8",
    )
    return file
