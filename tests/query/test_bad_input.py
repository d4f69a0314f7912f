"""Bad input, as it comes: files that vanish, change or lie, engines that fail, disks that are full, Ctrl-C.

Every case ends in an answer or in one sentence. What was charged once data may have been read stays charged, the ledger
verifies and goes on, and no message holds a value of the data.
"""

import _thread
import datetime as dt
import errno
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet
from privet import Ledger, PrivetError
from privet.errors import InvalidParameter, LedgerUnavailable, ReleaseFailed
from privet.query.answering import run
from privet.query.backends.backend import Keys, Sums
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.measures.request import Bounded
from privet.query.session import Session

pytestmark = pytest.mark.whole

SECRET = "Quetzalcoatl"  # noqa: S105 - what no message may hold
NUMBER = 73915.25  # nor this
COLUMNS = """
columns.x = { type = "real", bounds = [0, 100000], nullable = true }
columns.name = { type = "text", values = ["a", "b"], nullable = true }
"""
ALL = "SELECT name, COUNT(*) AS n, SUM(x) AS s, AVG(x) AS a, MEDIAN(x) AS m FROM t GROUP BY name"
COUNT = "SELECT COUNT(*) AS n FROM t"
FREE = "SELECT AVG(free) AS f FROM t"


def people(rows: int = 40) -> pa.Table:
    return pa.table(
        {"id": list(range(rows)), "x": [NUMBER] * rows, "name": [SECRET, "a"] * (rows // 2), "free": [NUMBER] * rows}
    )


def catalog(folder: Path, *, source: str = 'parquet = "t.parquet"', columns: str = COLUMNS, unit: str = "id") -> Path:
    text = f'unit = "person"\nlimit = {{ epsilon = 100 }}\n[tables.t]\n{source}\nunit_column = "{unit}"\n{columns}\n'
    (folder / "t.toml").write_text(text, encoding="utf-8")
    return folder / "t.toml"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    pq.write_table(people(), tmp_path / "t.parquet")
    return catalog(tmp_path, columns=COLUMNS + 'columns.free = { type = "real" }')


@pytest.fixture
def session(file: Path) -> Iterator[Session]:
    with privet.connect(file) as opened:
        yield opened


def says_nothing(problem: BaseException) -> None:
    """One sentence without a value of the data, and nothing of the engine's behind it."""
    seen: BaseException | None = problem
    text = str(problem)
    assert "\n" not in text
    assert text
    while seen is not None:
        assert SECRET not in str(seen)
        assert "73915" not in str(seen)
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)


def spent(file: Path) -> float:
    """What the ledger beside a catalog holds; it is read from the disk, and verified."""
    with Ledger.open(str(file.with_suffix(".ledger.db"))) as ledger:
        ledger.verify()
        return float(ledger.spent.parts[0])


# --- files ----------------------------------------------------------------------------------------------------------


def vanish(data: Path) -> None:
    data.unlink()


def cut(data: Path) -> None:
    data.write_bytes(data.read_bytes()[:200])


def spoil(data: Path) -> None:
    whole = bytearray(data.read_bytes())
    whole[8:400] = SECRET.encode() * 32 + whole[392:400]
    data.write_bytes(whole)


def become_others(data: Path) -> None:
    pq.write_table(pa.table({"id": [1], "other": [SECRET]}), data)


def become_texts(data: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2], "x": [SECRET, str(NUMBER)], "name": ["a", SECRET], "free": ["", "-"]}), data)


@pytest.mark.parametrize("charged", [False, True], ids=["before", "within"])
@pytest.mark.parametrize("change", [vanish, cut, spoil, become_others, become_texts])
def test_a_file_that_changes_after_it_was_opened(
    file: Path, session: Session, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch, *, charged: bool
) -> None:
    """Refused for nothing before the charge, and after it told as any failure: two scans never see different rows."""
    if charged:
        exact = DuckDBBackend.sums

        def changed(backend: DuckDBBackend, request: Bounded) -> Sums:
            change(file.with_name("t.parquet"))
            return exact(backend, request)

        monkeypatch.setattr(DuckDBBackend, "sums", changed)
    else:
        change(file.with_name("t.parquet"))
    with pytest.raises(ReleaseFailed if charged else InvalidParameter) as failed:
        session.sql(ALL, epsilon=1)
    says_nothing(failed.value)
    assert charged or "connect again" in str(failed.value)
    assert spent(file) == charged


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"id,x\n1,2\n", SECRET.encode() * 1000, b"PAR1" + SECRET.encode() * 9 + b"PAR1"]
)
def test_a_parquet_file_that_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.parquet").write_bytes(content)
    with pytest.raises(InvalidParameter) as refused:
        privet.connect(catalog(tmp_path))
    says_nothing(refused.value)
    assert "t" in str(refused.value)
    assert not (tmp_path / "t.ledger.db").exists()


def test_a_folder_in_the_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").mkdir()
    with pytest.raises(InvalidParameter) as refused:
        privet.connect(catalog(tmp_path))
    says_nothing(refused.value)
    with pytest.raises(InvalidParameter):
        privet.connect(tmp_path)  # a folder is no catalog either


@pytest.mark.parametrize(
    "content",
    [
        b"id,x,name\n",
        f"id,x,name\n1,{SECRET},a\n2,,b\n3,1e999,{SECRET}\n4,0x12,\n".encode(),
        f'id,x,name\n1,2,a,{SECRET},too,many\n2\n"3,4,b\n'.encode(),
        b"id,x,name\n1,2,\xff\xfe\n2,3,a\n",
        b"\xef\xbb\xbfid,x,name\n1,2,a\n",
        b"id,x,name\r\n1,2,a\r\n\r\n\r\n",
        b"id,x,name\n" + b"9" * 400 + b",2,a\n1," + b"9" * 400 + b",b\n",
        b"id,x,name\n1,2," + b"z" * 100_000 + b"\n",
    ],
    ids=["empty", "texts", "ragged", "bytes", "mark", "lines", "long numbers", "long text"],
)
def test_a_csv_file_of_any_kind_is_answered(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    file = catalog(tmp_path, source='csv = "t.csv"')
    with privet.connect(file) as session:
        answer = session.sql(ALL, epsilon=1)
        assert answer.table.column("name").to_pylist() == ["a", "b", None]
    assert spent(file) == 1


@pytest.mark.parametrize("content", [b"", b"\n\n", b"x,name\n1,a\n", b"id,id,x,name\n1,1,2,a\n", b"\x00\x01\x02"])
def test_a_csv_file_without_the_columns_is_refused_at_once(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InvalidParameter) as refused:
        privet.connect(catalog(tmp_path, source='csv = "t.csv"'))
    says_nothing(refused.value)
    assert not (tmp_path / "t.ledger.db").exists()


def test_a_database_that_is_being_written(tmp_path: Path) -> None:
    script = (
        f"import duckdb, sys; c = duckdb.connect({str(tmp_path / 'd.db')!r}); print(1, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(  # noqa: S603 - our own script
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdin is not None
        writer.stdout.readline()
        file = catalog(tmp_path, source="")
        file.write_text('source = "duckdb:///d.db"\n' + file.read_text(encoding="utf-8"), encoding="utf-8")
        with pytest.raises(InvalidParameter, match="is being written"):
            privet.connect(file)
        writer.stdin.close()


# --- types ----------------------------------------------------------------------------------------------------------

WIDE: Mapping[str, pa.Array] = {
    "uint64": pa.array([2**64 - 1, 1, None], pa.uint64()),
    "decimal": pa.array([Decimal("1.25"), Decimal(10) ** 20, None], pa.decimal128(38, 10)),
    "int8": pa.array([-128, 127, None], pa.int8()),
    "half": pa.array([1.5, float("inf"), None], pa.float32()),
    "dictionary": pa.array(["1", SECRET, None]).dictionary_encode(),
    "bool": pa.array([True, False, None]),
    "text": pa.array([SECRET, "73915.25", None]),
    "list": pa.array([[NUMBER], [], None], pa.list_(pa.float64())),
    "struct": pa.array([{"a": NUMBER}, None, None]),
    "binary": pa.array([SECRET.encode(), b"", None]),
    "date": pa.array([dt.date(2024, 2, 29), None, dt.date(1, 1, 1)]),
    "zone": pa.array([dt.datetime(2024, 2, 29, tzinfo=dt.UTC), None, None], pa.timestamp("us", tz="Europe/Paris")),
    "null": pa.nulls(3),
}


@pytest.mark.parametrize("kind", list(WIDE))
@pytest.mark.parametrize("declared", ["integer", "real", "text", "date", "boolean"])
def test_types_of_the_data_and_of_the_catalog(tmp_path: Path, kind: str, declared: str) -> None:
    """Whatever the data has and the owner says, it fits and is answered, or is refused when it is opened."""
    pq.write_table(pa.table({"id": [1, 2, 3], "x": WIDE[kind]}), tmp_path / "t.parquet")
    file = catalog(tmp_path, columns=f'columns.x = {{ type = "{declared}", nullable = true }}')
    try:
        session = privet.connect(file)
    except InvalidParameter as problem:
        says_nothing(problem)
        assert not file.with_suffix(".ledger.db").exists()
        return
    with session:
        session.sql("SELECT COUNT(x) AS n, COUNT(DISTINCT x) AS d FROM t", epsilon=1)
        if declared in {"integer", "real"}:
            session.sql("SELECT SUM(CLIP(x, 0, 10)) AS s, MEDIAN(CLIP(x, 0, 10)) AS m FROM t", epsilon=1)
    assert spent(file) >= 1


def test_files_of_one_table_that_differ(tmp_path: Path) -> None:
    pq.write_table(people(), tmp_path / "t1.parquet")
    pq.write_table(pa.table({"id": [100], "x": [SECRET], "name": [7]}), tmp_path / "t2.parquet")
    file = catalog(tmp_path, source='parquet = "t*.parquet"')
    try:
        with privet.connect(file) as session:
            session.sql(ALL, epsilon=1)
    except PrivetError as problem:
        says_nothing(problem)
    pq.write_table(pa.table({"id": [100]}), tmp_path / "t2.parquet")  # a column is missing: it is NULL there
    with privet.connect(file) as session:
        session.sql(ALL, epsilon=1)


def test_rows_without_a_unit_and_a_table_without_rows(tmp_path: Path) -> None:
    nobody = people().set_column(0, "id", pa.nulls(40, pa.int64()))
    for table in (nobody, people().slice(0, 0)):
        pq.write_table(table, tmp_path / "t.parquet")
        with privet.connect(catalog(tmp_path)) as session:
            rows = session.sql(ALL, epsilon=30).rows
            assert [row["name"] for row in rows] == ["a", "b", None]
            assert all(abs(row["n"]) < 10 for row in rows)


def test_names_that_look_alike_or_hide_something(tmp_path: Path) -> None:
    names = ["\u00e9", "\u202edesrever", "a\u200bb", "\x7f", "\U0001f600", "\u0130", "\u017f"]
    pq.write_table(pa.table({"id": [1, 2], **{name: [1.0, 2.0] for name in names}}), tmp_path / "t.parquet")
    columns = "\n".join(f'columns."{name}" = {{ type = "real", bounds = [0, 2] }}' for name in names if name != "\x7f")
    with privet.connect(catalog(tmp_path, columns=columns)) as session:
        for name in names:
            text = f'SELECT SUM("{name}") AS "{name}" FROM t'  # noqa: S608 - our own
            if name == "\x7f":
                with pytest.raises(PrivetError):
                    session.sql(text, epsilon=1)
            else:
                assert session.sql(text, epsilon=1, purpose=f"\u202e{name}\x1b[2J").table.column_names[0] == name
        session.ledger.verify()
    with pytest.raises(InvalidParameter, match="SQL cannot tell them"):
        privet.connect(catalog(tmp_path, columns=columns + '\ncolumns."e\u0301" = { type = "real" }'))


def test_many_columns_in_one_statement(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1], **{f"c{n}": [1.0] for n in range(60)}}), tmp_path / "t.parquet")
    columns = "\n".join(f'columns.c{n} = {{ type = "real", bounds = [0, 2] }}' for n in range(60))
    with privet.connect(catalog(tmp_path, columns=columns)) as session:
        text = "SELECT " + ", ".join(f"SUM(c{n}) AS s{n}" for n in range(60)) + " FROM t"  # noqa: S608 - our own
        assert session.sql(text, epsilon=10).table.num_columns == 180


# --- disks, engines and fingers -------------------------------------------------------------------------------------

ASK = """
import sys
import privet
from privet.errors import PrivetError
with privet.connect(sys.argv[1]) as session:
    answered = 0
    for number in range(80):
        try:
            session.sql("SELECT COUNT(*) AS n FROM t", epsilon="0.01", purpose="x" * 4000)
            answered += 1
        except PrivetError as problem:
            print(type(problem).__name__, problem)
            break
print(answered)
"""


def test_a_full_disk_while_charging(file: Path) -> None:
    privet.connect(file).close()

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", ASK, str(file)], capture_output=True, text=True, preexec_fn=small_files, check=False
    )
    *said, answered = done.stdout.splitlines()
    assert 0 < int(answered) < 80, done.stderr
    assert said[0].startswith("LedgerUnavailable")
    assert SECRET not in done.stdout + done.stderr
    assert spent(file) == pytest.approx(int(answered) / 100, abs=0.0101)
    with privet.connect(file) as session:
        session.sql(COUNT, epsilon=1)


def test_nothing_is_read_if_the_charge_cannot_be_written(
    file: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(DuckDBBackend, "sums", lambda *_: read.append("sums"))

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(type(session.ledger._journal), "_spent", full)
    with pytest.raises((LedgerUnavailable, OSError)):
        session.sql(COUNT, epsilon=1)
    assert not read
    monkeypatch.undo()
    assert spent(file) == 0


class Failing(DuckDBBackend):
    """Fails at one of its reads, with the engine's words."""

    at = 1

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog, threads=1)
        self.seen: list[int] = []  # one list, however many connections

    def sums(self, request: Bounded) -> Sums:
        self._count()
        return super().sums(request)

    def ranks(self, request: Bounded) -> Mapping[Keys, Mapping[int, int]]:
        self._count()
        return super().ranks(request)

    def _count(self) -> None:
        self.seen.append(1)
        if len(self.seen) == self.at:
            self._rows(f"SELECT CAST(name AS INTEGER) FROM (SELECT '{SECRET}' AS name)")  # noqa: S608 - fails on data


@pytest.mark.parametrize(
    ("at", "text", "spending"),
    [
        (1, ALL, {}),
        (2, ALL, {}),
        (1, FREE, {"automatic_bounds": "0.5"}),
        (2, FREE, {"automatic_bounds": "0.5"}),
        (2, "WITH a AS (SELECT COUNT(*) AS n FROM t) SELECT SUM(x) AS s FROM t JOIN a ON x > n", {}),
    ],
)
def test_an_engine_that_fails_on_its_way(file: Path, at: int, text: str, spending: dict[str, Any]) -> None:
    with privet.connect(file) as session:
        backend = Failing(session.catalog)
        backend.at = at
        failing = Session(session.catalog, backend=backend, ledger=session.ledger)
        with pytest.raises(ReleaseFailed) as caught:
            failing.sql(text, epsilon=1, **spending)
        says_nothing(caught.value)
        assert failing.sql(COUNT, epsilon=1).table.num_rows == 1
        backend.close()
    assert spent(file) == 2


def test_what_fails_after_the_releases_says_nothing_either(
    file: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(run, "shown_rows", fail)
    with pytest.raises(ReleaseFailed) as caught:
        session.sql(COUNT, epsilon=1)
    says_nothing(caught.value)
    assert spent(file) == 1


@pytest.mark.usefixtures("control_c")
def test_control_c_while_the_engine_works(file: Path) -> None:
    with privet.connect(file) as session:
        backend = Failing(session.catalog)
        slow = "SELECT SUM(a.range * b.range % 7) FROM range(4000000) a, range(4000000) b"
        backend._count = lambda: backend._rows(slow)  # type: ignore[method-assign, assignment]
        asking = Session(session.catalog, backend=backend, ledger=session.ledger)
        timer = threading.Timer(0.3, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            asking.sql(COUNT, epsilon=1)
        timer.join()
        backend._count = lambda: None  # type: ignore[method-assign]
        asking.sql(COUNT, epsilon=1)
        backend.close()
    assert spent(file) == 2


def test_a_closed_session_charges_nothing(file: Path) -> None:
    session = privet.connect(file)
    session.close()
    session.close()
    with pytest.raises(PrivetError) as caught:
        session.sql(COUNT, epsilon=1)
    says_nothing(caught.value)
    assert spent(file) == 0


def test_too_little_memory_is_a_failure_like_any_other(file: Path, tmp_path: Path) -> None:
    rows = 200_000
    big = pa.table({"id": range(rows), "x": [1.0] * rows, "name": ["a"] * rows, "free": [1.0] * rows})
    pq.write_table(big, tmp_path / "t.parquet")
    with privet.connect(file) as session:
        backend = DuckDBBackend(session.catalog, threads=1, memory="1MB")
        poor = Session(session.catalog, backend=backend, ledger=session.ledger)
        try:
            poor.sql(ALL, epsilon=1)
        except ReleaseFailed as problem:
            says_nothing(problem)
        backend.close()
    assert spent(file) == 1


def test_the_engine_itself_would_have_told(tmp_path: Path) -> None:
    """The control: what these tests look for is what an engine says."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT ? AS name", [SECRET])
    with pytest.raises(duckdb.Error, match=SECRET) as told:
        connection.execute("SELECT CAST(name AS INTEGER) FROM t").fetchall()
    with pytest.raises(AssertionError):
        says_nothing(told.value)
    assert tmp_path.exists()
