# ruff: noqa: S608 - SQL is printed from the catalog's own words, never from the text of an analyst
"""CSV files, read line by line: a line is a row whatever it contains, and nobody's line changes how another is read."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from privet.errors import InvalidParameter
from privet.query.backends.duckdb.dialect import quoted
from privet.query.catalog.text_files import PIECE, between, packed_with, unpacked

LONGEST = 2_000_000  # bytes of a line; a longer one is left out
LONGEST_HEADER = 1 << 20  # bytes
MARK = "\x01\x02\x03\x04"  # ends a line early where it occurs, so no line that is read has it in it


def lines_select(name: str, files: Sequence[str], wanted: Iterable[str] | None) -> str:
    r"""The SELECT that gives the rows of CSV files; all columns are texts.

    Args:
        name: of the table, for sentences.
        files: at least one. The first line of each names its columns, in any order.
        wanted: the columns that the catalog names; None if it names none, and takes all.

    Privacy: a row is computed from one line and the first line of its file, which is public. A line ends with \n, \r\n
        or \r, and quotes do not change that. It has as many fields as the first line has names, or it is left out; so
        is a line that is blank, longer than LONGEST, not UTF-8, or has a quote elsewhere than around a whole field. An
        empty field is NULL.

    Proof: the engine's reader is told that there are no quotes, no comments and one column, and to look for no types
        or habits in the rows. What is left of it to go wrong, it does line by line. All else here is an expression of
        one line. How a file is packed follows from its name, and what it unpacks to is what its lines are.
    """
    headers = {file: header_of(name, file) for file in files}
    first = headers[files[0]]
    folded = {each.casefold() for each in first}
    if wanted is not None and not any(column.casefold() in folded for column in wanted):
        raise InvalidParameter(
            f"table {name}: the first line of {_short(files[0])} names none of the columns that the catalog declares: "
            "add a first line with the names of the columns"
        )
    alike: dict[tuple[str | None, ...], list[str]] = {}
    for file, header in headers.items():
        if sorted(header) != sorted(first):
            raise InvalidParameter(
                f"table {name}: the first line of {_short(file)} must name the same columns as that of "
                f"{_short(files[0])}, in any order: correct it, or add it"
            )
        alike.setdefault((packed_with(file), between(file), *header), []).append(file)
    return " UNION ALL ".join(_select(headers[some[0]], some, first) for some in alike.values())


def header_of(name: str, file: str) -> list[str]:
    """The names of a CSV file's columns: its first line, and nothing else.

    Raises:
        InvalidParameter: without a word of the line, which is a person's if somebody forgot the names.
    """
    try:
        with io.BufferedReader(unpacked(file)) as opened:
            text = opened.readline(LONGEST_HEADER).split(b"\r")[0].decode("utf-8-sig").rstrip("\n")
        names = next(csv.reader([text], delimiter=between(file), strict=True), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        packed = " of a whole archive" if packed_with(file) else ""
        raise InvalidParameter(
            f"table {name}: the first line of {_short(file)} cannot be read: it should name the columns, in UTF-8"
            f"{packed}"
        ) from None
    if not names or len({each.casefold() for each in names}) < len(names) or not all(map(str.strip, names)):
        raise InvalidParameter(f"table {name}: the first line of {_short(file)} must name every column once")
    return names


def refuse_broken(files: Iterable[str], *, stopped: Callable[[], bool]) -> None:
    """Raise if an archive is cut short or its checksum is wrong: the engine's reader notices neither in each of them.

    Args:
        files: those that are packed are read from end to end, by a reader that compares checksums.
        stopped: asked after every piece whether to stop.

    Raises:
        OSError: the archive is broken; after the charge, so nobody sees which one.
    """
    for file in filter(packed_with, files):
        with unpacked(file) as opened:
            while opened.read(PIECE):
                if stopped():
                    raise InterruptedError


def _short(file: str) -> str:
    return Path(file).name


def _select(header: Sequence[str], files: list[str], order: Sequence[str]) -> str:
    """The rows of files with the same first line, columns in the order given."""
    comma = between(files[0])
    fields = ", ".join(f"{_field(header.index(column) + 1, comma)} AS {_name(column)}" for column in order)
    inner = f"SELECT {_split(comma)} AS f FROM {_lines(files)} WHERE line IS NOT NULL"
    return f"SELECT {fields} FROM ({inner}) WHERE len(f) = {len(header)}"


def _lines(files: list[str]) -> str:
    listed = ", ".join(map(quoted, files))
    packed = packed_with(files[0]) or "none"
    return (
        f"read_csv([{listed}], columns = {{'line': 'VARCHAR'}}, auto_detect = false, header = true, "
        f"delim = '{MARK}', quote = '', escape = '', comment = '', nullstr = '', new_line = '\\n', "
        f"max_line_size = {LONGEST}, ignore_errors = true, strict_mode = false, null_padding = false, "
        f"compression = '{packed}', hive_partitioning = false)"
    )


def _split(comma: str) -> str:
    """The fields of a line, those with quotes as they are written; NULL where quotes are not around whole fields.

    Within quotes a comma becomes the mark, which is not in the line, and none of whose beginnings is an end of it.
    Pieces between quotes are outside and inside by turns, the first outside, also where a doubled quote stands for one.
    """
    field = f'(?:"(?:[^"]|"")*"|[^"{comma}]*)'
    inside = f"CASE WHEN i % 2 = 0 THEN replace(p, '{comma}', '{MARK}') ELSE p END"
    hidden = f"array_to_string(list_transform(string_split(line, '\"'), lambda p, i: {inside}), '\"')"
    with_quotes = (
        f"CASE WHEN regexp_full_match(line, '{field}(?:{comma}{field})*') THEN string_split({hidden}, '{comma}') END"
    )
    return f"CASE WHEN contains(line, '\"') THEN {with_quotes} ELSE string_split(line, '{comma}') END"


def _field(place: int, comma: str) -> str:
    """One field, without its quotes; NULL if it is empty."""
    bare = f"replace(replace(substring(f[{place}], 2, length(f[{place}]) - 2), '\"\"', '\"'), '{MARK}', '{comma}')"
    return f"NULLIF(CASE WHEN starts_with(f[{place}], '\"') THEN {bare} ELSE f[{place}] END, '')"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
