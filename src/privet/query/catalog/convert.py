"""Convert: CSV, TSV and Parquet files as one Parquet file that every engine reads. For the owner, who may see rows.

Sessions leave out a line that cannot be read, because no analyst may learn of it; here the owner is told which it is.
"""

import io
import itertools
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from privet.errors import InvalidParameter
from privet.query.catalog.frame_objects import objects_as
from privet.query.catalog.text_files import between, unpacked
from privet.query.catalog.toml_file import ENDINGS, read_catalog
from privet.query.scalars.arrow_types import ARROW
from privet.query.scalars.facts import Type

STRAY = "a quote must be around a whole field, and within it be written twice: correct it"
ROWS = 50_000  # in each piece
LONGEST_ROW = 1 << 26  # letters
EXACT = {Type.INTEGER, Type.DATE}  # read so that nothing is rounded
Told = Callable[[int], None]


def convert(
    files: Sequence[Path], out: Path, *, types: Mapping[str, Type], force: bool = False, told: Told = lambda _: None
) -> int:
    """Write the rows of all files into one Parquet file, and say how many they are; on any error nothing is written.

    Args:
        files: with the same columns, in any order.
        out: a new file.
        types: the declared types of columns; others are texts, or in Parquet files what they are.
        force: whether the file may be there already.
        told: is called with the number of bytes read so far.

    Raises:
        InvalidParameter: with the file, the line and what to do.
    """
    if out.exists() and (not force or any(out.samefile(file) for file in files if file.exists())):
        raise InvalidParameter(
            f"{out} is there already: name a new file, or say --force to replace one that is not read"
        )
    declared = {name.casefold(): kind for name, kind in types.items()}
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    rows = 0
    before = 0
    writer = None
    try:
        for file in files:
            pieces = _parquet if file.name.lower().endswith(ENDINGS["parquet"]) else _lines
            for piece, done in pieces(file, declared):
                writer = writer or pq.ParquetWriter(part, piece.schema)
                writer.write_table(_with_schema(piece, writer.schema, file))
                rows += len(piece)
                told(before + done)
            before += file.stat().st_size
        _closed(writer)
        part.replace(out)
    except OSError as problem:
        why = getattr(problem, "strerror", None) or "it is damaged"
        place = getattr(problem, "filename", None) or file
        raise InvalidParameter(f"{place} cannot be read or written ({why}): name another") from None
    finally:
        with suppress(OSError):  # the disk is full
            _closed(writer)
        part.unlink(missing_ok=True)
    return rows


def _closed(writer: Any) -> None:  # noqa: ANN401 - pyarrow has no types
    if writer is not None:
        writer.close()


def types_of(catalog: Path, table: str | None) -> dict[str, Type]:
    """The types that a catalog declares for a table, by column."""
    tables = read_catalog(catalog).tables
    name = table or (next(iter(tables)) if len(tables) == 1 else None)
    if name is None or name not in tables:
        raise InvalidParameter(f"{catalog}: say which table with --table: one of {', '.join(tables)}")
    return {column: facts.type for column, facts in tables[name].columns.items()}


def _with_schema(piece: pa.Table, schema: pa.Schema, file: Path) -> pa.Table:
    """A piece with its columns in the order of the first file."""
    if sorted(piece.column_names) == sorted(schema.names) and piece.select(schema.names).schema.types == schema.types:
        return piece.select(schema.names)
    raise InvalidParameter(f"{file} has other columns, or of other types, than the first file: convert it by itself")


def _parquet(file: Path, declared: Mapping[str, Type]) -> Iterator[tuple[pa.Table, int]]:
    try:
        opened = pq.ParquetFile(file)
        batches = itertools.chain([pa.RecordBatch.from_pylist([], opened.schema_arrow)], opened.iter_batches(ROWS))
        size = file.stat().st_size
        rows = max(opened.metadata.num_rows, 1)
        done = 0
        for batch in batches:
            done += len(batch)
            names = batch.schema.names
            yield (
                pa.table({name: _cast(batch.column(name), name, file, declared) for name in names}),
                size * done // rows,
            )
    except (pa.ArrowException, KeyError):
        raise InvalidParameter(
            f"{file} cannot be read as Parquet: write it again, with a name for each column"
        ) from None


def _cast(column: Any, name: str, file: Path, declared: Mapping[str, Type]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """As declared; moments in microseconds, which every engine reads."""
    kind = declared.get(name.casefold())
    own = column.type
    wanted = ARROW[kind] if kind else pa.timestamp("us", own.tz) if pa.types.is_timestamp(own) else own
    try:
        return column.cast(wanted)
    except pa.ArrowException:
        raise InvalidParameter(
            f"{file}: column {name} is {own}, and not each of its values is one of {wanted}: declare another type"
        ) from None


def _lines(file: Path, declared: Mapping[str, Type]) -> Iterator[tuple[pa.Table, int]]:
    """The rows of a CSV or TSV file, which have quotes as RFC 4180 has them; an empty field is NULL."""
    with file.open("rb") as raw, io.BufferedReader(unpacked(raw)) as opened:
        records = _records(opened, file)
        _, names = next(records, (1, []))
        if not all(map(str.strip, names)) or len({name.casefold() for name in names}) != max(len(names), 1):
            raise InvalidParameter(f"{file}, line 1: it must name every column once: add such a line")
        while True:
            some = list(itertools.islice(records, ROWS))
            for line, fields in some:
                if len(fields) != len(names):
                    problem = f"it has {len(fields)} fields and line 1 has {len(names)} names"
                    raise InvalidParameter(
                        f"{file}, line {line}: {problem}: put quotes around fields with separators in them"
                    )
            texts = zip(*(fields for _, fields in some), strict=True) if some else ((),) * len(names)
            numbers = [line for line, _ in some]
            columns = {
                name: _typed(
                    [text or None for text in column], declared.get(name.casefold(), Type.TEXT), name, file, numbers
                )
                for name, column in zip(names, texts, strict=True)
            }
            yield pa.table(columns), raw.tell()
            if len(some) < ROWS:
                return


def _typed(texts: list[str | None], kind: Type, name: str, file: Path, lines: list[int]) -> Any:  # noqa: ANN401 - as above
    """Texts as what is declared, each of them."""
    if kind is Type.TEXT:
        return pa.array(texts, pa.string())
    made = objects_as(texts, kind, key=kind in EXACT)
    wrong = pc.and_(made.is_null(), pa.array([text is not None for text in texts], pa.bool_()))
    if (first := pc.index(wrong, pa.scalar(value=True)).as_py()) >= 0:
        raise InvalidParameter(
            f"{file}, line {lines[first]}: column {name} does not say {kind.value}: correct it, or declare another type"
        )
    return made


def _records(opened: IO[bytes], file: Path) -> Iterator[tuple[int, list[str]]]:
    """The number of the first line of each row, and its fields. A row goes on while a quote is open."""
    comma = between(file.name)
    field = f'(?:"(?:[^"]|"")*"|[^"{comma}\r\n]*)'
    whole = re.compile(f"{field}(?:{comma}{field})*")
    each = re.compile(f"({field}){comma}")
    start, quotes, size = 1, 0, 0
    lines: list[str] = []
    for number, raw in enumerate(opened, 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise InvalidParameter(f"{file}, line {number}: it is not UTF-8: save the file as UTF-8") from None
        lines.append(line)
        quotes = quotes + line.count('"')
        size = size + len(line)
        if quotes % 2 == 1 and size <= LONGEST_ROW:
            continue
        row = "".join(lines).removesuffix("\n").removesuffix("\r")
        if '"' not in row and "\r" not in row:
            yield start, row.split(comma)
        elif whole.fullmatch(row) is None:
            raise InvalidParameter(f"{file}, line {start}: {STRAY}")
        else:
            yield start, [_unquoted(found) for found in each.findall(row + comma)]
        lines = []
        start = number + 1
        quotes = 0
        size = 0
    if lines:
        raise InvalidParameter(
            f"{file}, line {start}: a quote is never closed: close it, or write two for one that is meant"
        )


def _unquoted(field: str) -> str:
    return field[1:-1].replace('""', '"') if field.startswith('"') else field
