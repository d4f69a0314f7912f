"""CSV: a line is a row, whatever it contains; nobody's line changes how another is read."""

import gzip
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import privet
from privet.errors import InvalidParameter, ReleaseFailed
from privet.query.backends.duckdb import csv_lines
from privet.query.backends.duckdb.csv_lines import LONGEST, MARK, lines_select
from privet.query.catalog.text_files import PACKED

Row = tuple[str | None, ...]
FIELD = re.compile(r'"((?:[^"]|"")*)"|([^",]*)')
ATOMS: tuple[bytes, ...] = (
    *(b'"', b'""', b",", b"a", b"\xc3\xa9", b"\xff", b"\x00", b"\r", MARK.encode(), b"\x01\x02", b"\x04", b" ", b"#"),
    *(b"\\", b"'", b"\xe2\x82", b"\xef\xbb\xbf", b"\xf0\x9f\x98\x80", b"\t", b"NULL", b'"a,b"', b',"x""y",'),
    b"\xed\xa0\x80",
)
CATALOG = """
unit = "person"
limit = { epsilon = "1000" }
[tables.t]
unit_column = "id"
csv = "t*.csv"
columns.id = { type = "integer" }
columns.x = { type = "integer", bounds = [0, 9] }
"""


def read(files: list[Path], *, threads: int = 1, buffer: int | None = None) -> Counter[Row]:
    select = lines_select("t", [str(file) for file in files], None)
    if buffer is not None:
        select = select.replace("hive_partitioning = false", f"hive_partitioning = false, buffer_size = {buffer}")
    with duckdb.connect() as base:
        base.execute(f"SET threads = {threads}")
        return Counter(base.execute(select).fetchall())


def fields(line: str) -> list[str] | None:
    """Those of one line, by a reading of our own; None if quotes are not around whole fields."""
    found = []
    place = 0
    while (field := FIELD.match(line, place)) is not None:
        found.append(field[1].replace('""', '"') if field[1] is not None else field[2])
        place = field.end()
        if place == len(line):
            return found
        if line[place] != ",":
            return None
        place += 1
    return None


def expected(content: bytes, longest: int) -> Counter[Row]:
    rows: Counter[Row] = Counter()
    header, *rest = re.split(rb"\r\n|\n|\r", content.removeprefix(b"\xef\xbb\xbf"))
    for line in rest:
        raw = line.split(MARK.encode())[0]
        try:
            found = fields(raw.decode())
        except UnicodeDecodeError:
            continue
        if raw and len(raw) < longest and found is not None and len(found) == header.count(b",") + 1:
            rows[tuple(each or None for each in found)] += 1
    return rows


def nasty(rng: random.Random) -> bytes:
    """One line: a usual one, one with quotes, or anything."""
    kind = rng.random()
    if kind < 0.5:
        return b"%d,%d,b" % (rng.randint(0, 99), rng.randint(0, 9))
    if kind < 0.7:
        return b'%d,"a, ""q"" b",%s' % (rng.randint(0, 99), rng.choice(ATOMS))
    return b"".join(rng.choice(ATOMS) for _ in range(rng.randint(0, 8)))


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.soak] if seed else []) for seed in range(8)])
def test_every_line_is_read_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Beside a reading of our own, with buffers that end within csv_lines, and lines that do not fit into them."""
    rng, file = random.Random(seed), tmp_path / "t.csv"  # noqa: S311 - csv_lines, not noise
    for _ in range(400 if seed else 40):
        many = [nasty(rng) for _ in range(rng.choice([3, 12, 1500]))]
        many.insert(rng.randrange(len(many)), b"x" * rng.choice([1, 5000, 70_000]))
        end, mark = rng.choice([b"\n", b"\r\n"]), rng.choice([b"", b"\xef\xbb\xbf"])
        content = mark + b"id,b,c" + end + end.join(many) + rng.choice([b"", end])
        file.write_bytes(content)
        buffer = rng.choice([None, 1000, 5000, 40_000])
        longest = LONGEST if buffer is None else buffer // rng.choice([2, 4])
        monkeypatch.setattr(csv_lines, "LONGEST", longest)
        assert read([file], threads=rng.choice([1, 2]), buffer=buffer) == expected(content, longest)


@pytest.mark.parametrize(
    ("line", "row"),
    [
        (b'9,1,"not closed', None),
        (b'9,1,"a" b', None),
        (b'9,1,5" pipe', None),
        (b"9,1", None),
        (b"9,1,a,b", None),
        (b"", None),
        (b"9,1,\xff", None),
        (b"9,1," + b"z" * (LONGEST + 1), None),
        (b"9,1," + b"z" * 40_000_000, None),
        (b"9,1,a\x00b", ("9", "1", "a\x00b")),
        (b'9,1,"a, ""b"""', ("9", "1", 'a, "b"')),
        (b'"",1,""', (None, "1", None)),
        (b"\xef\xbb\xbf9,1,a", ("\ufeff9", "1", "a")),
        (b"9,1,NULL", ("9", "1", "NULL")),
    ],
    ids=lambda each: repr(each)[:20],
)
def test_a_line_spoils_its_own_row_only(tmp_path: Path, line: bytes, row: Row | None) -> None:
    others = [b"%d,1,a" % n for n in range(50)]
    (tmp_path / "t.csv").write_bytes(b"\n".join([b"id,x,note", *others[:10], line, *others[10:]]) + b"\n")
    plain: Counter[Row] = Counter((str(n), "1", "a") for n in range(50))
    assert read([tmp_path / "t.csv"]) == plain + Counter([row] if row is not None else [])


def test_columns_are_matched_by_name_in_every_file(tmp_path: Path) -> None:
    (tmp_path / "t1.csv").write_text("id,x\n1,5\n")
    (tmp_path / "t2.csv").write_text("\ufeffx,id\n" + "".join(f"{n},7\n" for n in range(50)))
    (tmp_path / "c.toml").write_text(CATALOG)
    with privet.connect(tmp_path / "c.toml", threads=1) as session:
        assert session.sql("SELECT COUNT(*) AS n FROM t", epsilon=40).rows[0]["n"] == 2


@pytest.mark.parametrize(
    "second", [b"4711,6\n3,7\n", b"id\n1\n", b"id,x,y\n1,2,3\n", b"", b"\xff\n", b'id,"x\n1,2\n', b"id,ID\n1,2\n"]
)
def test_a_file_that_names_other_columns_is_refused(tmp_path: Path, second: bytes) -> None:
    (tmp_path / "t1.csv").write_text("id,x\n1,5\n")
    (tmp_path / "t2.csv").write_bytes(second)
    (tmp_path / "c.toml").write_text(CATALOG)
    with pytest.raises(InvalidParameter, match=r"table t: the first line of t2\.csv") as refused:
        privet.connect(tmp_path / "c.toml", threads=1)
    assert "4711" not in str(refused.value)


def test_a_file_without_names_is_refused_without_its_first_line(tmp_path: Path) -> None:
    (tmp_path / "t1.csv").write_text("4711,Ada\n4712,Bob\n")
    (tmp_path / "c.toml").write_text(CATALOG)
    with pytest.raises(InvalidParameter, match="add a first line with the names of the columns") as refused:
        privet.connect(tmp_path / "c.toml", threads=1)
    assert "4711" not in str(refused.value)


def test_tabs_and_compressed_files(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "t.tsv.gz", "wb") as file:
        file.write(b'id\tx\n1\t"a\tb"\n2\tc,d\n')
    assert read([tmp_path / "t.tsv.gz"]) == Counter([("1", "a\tb"), ("2", "c,d")])


def packed(content: bytes, ending: str) -> bytes:
    return content if not ending else pa.compress(content, codec=PACKED[ending], asbytes=True)


@pytest.mark.parametrize("ending", ["", *PACKED])
def test_packed_files_are_read_alike(tmp_path: Path, ending: str) -> None:
    """Also of several members, with names in other letters, beside plain files, and with a line that never ends."""
    (tmp_path / f"T.CSV{ending.upper()}").write_bytes(packed(b"id,x\n1,2\n", ending) + packed(b"3,4\n", ending))
    (tmp_path / "u.csv").write_bytes(b"x,id\n6,5\n")
    (tmp_path / f"v.csv{ending}").write_bytes(packed(b"id,x\n7," + bytes(40_000_000) + b"\n8,9\n", ending))
    expected = Counter([("1", "2"), ("3", "4"), ("5", "6"), ("8", "9")])
    assert read(sorted(tmp_path.iterdir())) == expected


BREAK: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda whole: whole[:-1],
    "cut in the middle": lambda whole: whole[: len(whole) // 2],
    "with something behind it": lambda whole: whole + b"something",
    "changed": lambda whole: (
        whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 16]) + whole[len(whole) // 2 + 1 :]
    ),
}


@pytest.mark.parametrize(("ending", "how"), [(e, h) for e in PACKED for h in BREAK if (e, h) != (".zst", "changed")])
def test_a_broken_archive_gives_no_answer(tmp_path: Path, ending: str, how: str) -> None:
    """It is charged, and it says only that it failed; the same file, mended, is read. (This zstd sums nothing.)"""
    rows = b"".join(b"%d,%d\n" % (number, number * 7919 % 10) for number in range(200_000))
    whole = packed(b"id,x\n" + rows, ending)
    (tmp_path / "c.toml").write_text(CATALOG.replace("t*.csv", f"t.csv{ending}"))
    (tmp_path / f"t.csv{ending}").write_bytes(BREAK[how](whole))
    with privet.connect(tmp_path / "c.toml", threads=1, create=True) as session:
        with pytest.raises(ReleaseFailed):
            session.sql("SELECT COUNT(*) AS n FROM t", epsilon=20)
        assert session.ledger.spent.parts[0] == 20
    (tmp_path / f"t.csv{ending}").write_bytes(whole)
    with privet.connect(tmp_path / "c.toml", threads=1) as session:
        for _ in range(2):
            assert session.sql("SELECT COUNT(*) AS n FROM t", epsilon=20).rows[0]["n"] == 200_000
