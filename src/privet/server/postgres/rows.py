"""Rows: an answer as clients get it: columns with types, and their values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from privet.server.postgres import wire_types as types
from privet.server.postgres.replies import Field, data_row

AT_ONCE = 1_000  # rows that are put together before others have their turn


@dataclass(frozen=True)
class Column:
    """One column: its name and the number of its type."""

    name: str
    oid: int


@dataclass
class Rows:
    """The rows of an answer, of which some may have been sent.

    Args:
        columns: their names and types.
        cells: the values, column by column.
        number: how many rows there are.
        sent: how many of them were sent.
    """

    columns: tuple[Column, ...]
    cells: Sequence[Sequence[Any]]
    number: int
    sent: int = 0

    def fields(self, formats: Sequence[int] = ()) -> list[Field]:
        """How clients are told of the columns."""
        return fields_of(self.columns, formats)

    def next(self, most: int, formats: Sequence[int] = ()) -> Iterator[bytes]:
        """Messages with the next rows, at most so many; all if that is 0."""
        end = self.number if most <= 0 else min(self.number, self.sent + most)
        asked = formats_of(len(self.columns), formats)
        write = [types.writer(column.oid, binary=binary) for column, binary in zip(self.columns, asked, strict=True)]
        while self.sent < end:
            stop = min(end, self.sent + AT_ONCE)
            block = [cells[self.sent : stop] for cells in self.cells]
            written = [
                [None if value is None else each(value) for value in values]
                for each, values in zip(write, block, strict=True)
            ]
            self.sent, count = stop, stop - self.sent
            yield b"".join(map(data_row, zip(*written, strict=True) if written else [()] * count))

    @property
    def left(self) -> int:
        """How many are still to be sent."""
        return self.number - self.sent


def fields_of(columns: Sequence[Column], formats: Sequence[int] = ()) -> list[Field]:
    """How clients are told of columns."""
    asked = formats_of(len(columns), formats)
    return [types.field_of(each.name, each.oid, binary=binary) for each, binary in zip(columns, asked, strict=True)]


def formats_of(number: int, formats: Sequence[int]) -> list[bool]:
    """Whether each column is wanted in binary: nothing said is text, one is for all."""
    if len(formats) <= 1:
        return [bool(formats and formats[0])] * number
    if len(formats) != number:
        raise types.FormatsError
    return [bool(each) for each in formats]


def rows_of_table(table: pa.Table, columns: tuple[Column, ...] | None = None) -> Rows:
    """An Arrow table as rows.

    Args:
        table: with the values.
        columns: as they were told before; what the table has not is NULL, and what was not told is left out.
    """
    own = tuple(Column(each.name, types.oid_of(each.type)) for each in table.schema)
    if columns is None or columns == own:
        return Rows(own, [each.to_pylist() for each in table.columns], table.num_rows)
    places = {(each.name, each.oid): place for place, each in enumerate(own)}
    nothing = [None] * table.num_rows
    cells = [
        table.column(places[each.name, each.oid]).to_pylist() if (each.name, each.oid) in places else nothing
        for each in columns
    ]
    return Rows(columns, cells, table.num_rows)


def rows_of_texts(names: Sequence[str], columns: Sequence[Sequence[str]]) -> Rows:
    """Texts as rows."""
    return Rows(tuple(Column(name, types.TEXT) for name in names), columns, len(columns[0]) if columns else 0)
