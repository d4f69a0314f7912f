"""The table that queries are measured on: rows of users in cities, the same on every machine, for any number of rows.

A tenth as many users as rows: each has one row, and the others are shared out by Pareto(1.5) weights, so that a few
users have thousands. 50 cities, sized as Zipf(0.8); 60 % of a user's rows are in the user's home city. In a flat table
every user has exactly four rows: a bound of four then drops nothing, and errors are noise alone.

Rows are drawn in blocks, each from a generator of its own, so a table of any size is written in little memory, and how
many blocks are written at once changes nothing.
"""

import json
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from query_truth import CITIES, HIGH, LOW, ROWS_PER_UNIT
from rich.console import Console
from rich.progress import track

FOLDER = Path(__file__).parents[1] / ".peers" / "data"
SEED = 20_261_115
BLOCK = 1 << 16  # rows that are drawn together
BLOCKS_AT_ONCE = 16  # that are written as one row group
OF_USERS, OF_BLOCKS = 0, 1  # streams of random numbers

SCHEMA = pa.schema({"user_id": pa.int64(), "city": pa.string(), "age": pa.int32(), "salary": pa.float64()})

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class People:
    """Rows about users.

    Args:
        rows: how many there are.
        flat: whether each user has exactly four.
    """

    rows: int
    flat: bool = False

    @property
    def users(self) -> int:
        """How many users there are."""
        return max(1, self.rows // (ROWS_PER_UNIT if self.flat else 10))

    @cached_property
    def homes(self) -> Array:
        """The city that each user is at home in."""
        return self._generator(OF_USERS, 0).choice(len(CITIES), self.users, p=city_shares()).astype(np.int8)

    @cached_property
    def heights(self) -> Array:
        """The users' weights added up, one after the other."""
        return np.cumsum(1 + self._generator(OF_USERS, 1).pareto(1.5, self.users))

    def tables(self, *, blocks_at_once: int = BLOCKS_AT_ONCE) -> Iterator[pa.Table]:
        """The rows, so many blocks at a time."""
        starts = range(0, self.rows, BLOCK)
        for first in range(0, len(starts), blocks_at_once):
            yield pa.concat_tables([self._block(start) for start in starts[first : first + blocks_at_once]])

    def _block(self, start: int) -> pa.Table:
        generator = self._generator(OF_BLOCKS, start)
        users = self._users_of(np.arange(start, min(start + BLOCK, self.rows), dtype=np.int64), generator)
        anywhere = generator.choice(len(CITIES), len(users), p=city_shares())
        cities = np.where(generator.random(len(users)) < 0.6, self.homes[users], anywhere).astype(np.int8)
        ages = generator.integers(18, 91, len(users)).astype(np.int32)
        salaries = np.exp(generator.normal(10.9 + 0.01 * cities, 0.4))
        named = pa.DictionaryArray.from_arrays(pa.array(cities), pa.array(CITIES)).cast(pa.string())
        columns = {"user_id": users, "city": named, "age": ages, "salary": np.clip(salaries, LOW, HIGH).round(2)}
        return pa.table(columns, schema=SCHEMA)

    def _users_of(self, rows: Array, generator: np.random.Generator) -> Array:
        """The users of some rows, in no order: one row in ten goes round all users, the others follow the weights."""
        if self.flat:
            found = self._renamed(rows // ROWS_PER_UNIT % self.users)
        else:
            turns = rows[rows % 10 == 0] // 10
            turns = turns[turns < self.users]
            heights = np.sort(generator.random(len(rows) - len(turns))) * self.heights[-1]  # sorted: near in memory
            others = np.minimum(np.searchsorted(self.heights, heights), self.users - 1)
            found = np.concatenate([self._renamed(turns), others])
        generator.shuffle(found)
        return found

    def _renamed(self, users: Array) -> Array:
        """The same users under other numbers, one for one: those who are neighbors in the file are none in number."""
        step = int(self.users * 0.6180339887) | 1
        while math.gcd(step, self.users) > 1:
            step += 2
        return users * step % self.users

    def _generator(self, *stream: int) -> np.random.Generator:
        return np.random.default_rng([SEED, self.rows, int(self.flat), *stream])


def city_shares() -> Array:
    """How many of the homes, and of the rows away from home, are in each city."""
    weights = 1 / np.arange(1, len(CITIES) + 1) ** 0.8
    shares: Array = weights / weights.sum()
    return shares


def table_file(rows: int, *, flat: bool = False, folder: Path = FOLDER, console: Console | None = None) -> Path:
    """The table as a Parquet file, written if it is not there."""
    file = folder / f"{'flat' if flat else 'people'}_{rows}.parquet"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        half = file.with_suffix(f".{os.getpid()}.half")
        people = People(rows, flat)
        total = -(-rows // (BLOCK * BLOCKS_AT_ONCE))
        try:
            tables = track(people.tables(), f"writing {rows:,} rows", total, console=console or Console(stderr=True))
            with pq.ParquetWriter(half, SCHEMA) as writer:
                for table in tables:
                    writer.write_table(table)
            half.rename(file)
        finally:
            half.unlink(missing_ok=True)
    return file


def truth_file(file: Path) -> Path:
    """By city: rows, salaries added up, and their mean, if four rows of each user stand for all; beside the table.

    This is what anybody who keeps four rows of each user, chosen by chance, gets on average.
    """
    kept = file.with_suffix(".truth.json")
    if not kept.exists():
        share = f"LEAST(1, {ROWS_PER_UNIT}.0 / n)"
        connection = duckdb.connect()
        found = connection.execute(
            f"WITH users AS (SELECT user_id, COUNT(*) AS n FROM read_parquet($file) GROUP BY user_id) "  # noqa: S608 - a constant
            f"SELECT city, SUM({share}), SUM({share} * salary), SUM({share} * salary) / SUM({share}) "
            f"FROM read_parquet($file) JOIN users USING (user_id) GROUP BY city ORDER BY city",
            {"file": str(file)},
        ).fetchall()
        connection.close()
        kept.write_text(json.dumps({row[0]: [float(number) for number in row[1:]] for row in found}), encoding="utf-8")
    return kept


if __name__ == "__main__":
    print(table_file(int(float(sys.argv[1])), flat="flat" in sys.argv[2:]))
