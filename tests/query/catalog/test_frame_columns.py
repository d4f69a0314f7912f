"""Frames: types come from the catalog or from types that no row decides; a broken value changes its own row only."""

import datetime as dt
import decimal
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet
from privet.errors import InvalidParameter, QueryRefused
from privet.query.catalog import Catalog
from privet.query.catalog.frame_columns import columns_of
from privet.query.scalars.facts import Type
from privet.query.session import Session

SUM = "SELECT SUM(x) AS s FROM t"
MANY = 40  # rows
LARGE = 2**53 + 1


def session(frame: object, columns: Mapping[str, Mapping[str, Any]]) -> Session:
    limit = privet.Guarantee(1000, "0.5")
    catalog = Catalog.of(frame, table="t", unit="person", unit_column="id", limit=limit, columns=columns)
    return privet.connect(catalog, threads=1)


def read(frame: object, name: str, declared: Type | None, *, key: bool = False) -> list[object]:
    array = columns_of(frame)[name].array(declared, key)
    assert array is not None
    return list(array.to_pylist())


def seen(values: object, words: Mapping[str, Any], *, dtype: object = None) -> tuple[object, ...]:
    """Everything that is free, and the type of the answer."""
    series = pd.Series(values, dtype=dtype)
    with session(pd.DataFrame({"id": range(len(series)), "x": series}), {"x": words}) as asked:
        free = asked.explain(SUM, epsilon=1)
        return str(free), free.queries, str(asked.sql(SUM, epsilon=1).table.schema)


@pytest.mark.parametrize("words", [{}, {"type": "integer"}, {"type": "real"}], ids=["undeclared", "integer", "real"])
def test_one_missing_value_changes_nothing_that_is_seen(words: Mapping[str, Any]) -> None:
    words = {"bounds": [0, 10], **words}
    assert seen([1, 2, 3, 4], words) == seen([1, 2, 3, None], words) == seen([1, 2, 3, 2.5], words)


@pytest.mark.parametrize("missing", [[], [None]], ids=["none", "missing"])
def test_whole_numbers_of_pandas_are_read_alike_beyond_what_reals_hold(missing: list[None]) -> None:
    """With one missing pandas has rounded the others, so they are rounded without it too."""
    frame = pd.DataFrame({"x": [LARGE, *missing]})
    assert read(frame, "x", Type.INTEGER)[0] == LARGE - 1
    assert read(frame.astype("Int64"), "x", Type.INTEGER)[0] == (LARGE if not missing else LARGE - 1)


def test_objects_are_read_as_declared_each_for_itself() -> None:
    objects = [
        1,
        2.0,
        "3",
        " 4 ",
        True,
        decimal.Decimal("5.5"),
        "no",
        None,
        float("nan"),
        [6],
        {},
        pd.NA,
        b"7",
        10**5000,
    ]
    objects += [
        dt.date(2024, 2, 29),
        pd.NaT,
        pd.Timestamp("2024-02-29 12:00:00.5"),
        decimal.Decimal("sNaN"),
        "\ud800",
        object(),
    ]
    frame = pd.DataFrame({"x": pd.Series(objects, dtype=object)})
    assert columns_of(frame)["x"].found is None
    day = dt.date(2024, 2, 29)
    nothing = [None] * 7
    assert read(frame, "x", Type.INTEGER) == [1, 2, 3, 4, 1, 5.5, *nothing, math.inf, *[None] * 6]
    assert read(frame, "x", Type.BOOLEAN)[:6] == [True, None, None, None, True, None]
    assert read(frame, "x", Type.DATE)[-6:] == [day, None, day, None, None, None]
    assert read(frame, "x", Type.TIMESTAMP)[-4] == dt.datetime(2024, 2, 29, 12, 0, 0, 500000)  # noqa: DTZ001 - has none
    assert read(frame, "x", Type.TEXT)[:7] == ["1", "2", "3", " 4 ", "true", "5.5", "no"]
    assert read(frame, "x", Type.TEXT)[-2] == "?"
    assert read(frame, "x", Type.INTEGER, key=True) == [1, 2, 3, 4, 1, *[None] * 15]


def test_keys_of_objects_are_never_rounded() -> None:
    """Two people whose keys would become one are nobody."""
    moments = [pd.Timestamp("2024-01-01 00:00:00.000000001"), pd.Timestamp("2024-01-01"), "2024-01-01 10:00", "\ud800"]
    for made in (pd.Series(moments, dtype=object), pd.Series(moments[:2])):
        found = read(pd.DataFrame({"x": made}), "x", Type.TIMESTAMP, key=True)
        assert found[:2] == [None, dt.datetime(2024, 1, 1)]  # noqa: DTZ001 - has none
        texts = read(pd.DataFrame({"x": made}), "x", Type.TEXT, key=True)
        assert texts[:2] == ["2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000"]
        assert (
            read(pd.DataFrame({"x": made}), "x", Type.DATE, key=True)[:3]
            == [None, dt.date(2024, 1, 1), None][: len(made)]
        )
    frame = pd.DataFrame({"x": pd.Series([float(LARGE), LARGE, 7.0, 7, "7", "\ud800", None], dtype=object)})
    assert read(frame, "x", Type.TEXT, key=True) == [None, str(LARGE), "7", "7", "7", None, None]
    assert read(frame, "x", Type.INTEGER, key=True) == [None, LARGE, 7, 7, 7, None, None]


MOMENTS = ["2024-01-01", "2024-05-06 07:08:09.5"]
WORLDS: Mapping[str, list[pd.Series]] = {  # the same two rows, and a third that makes pandas choose another type
    "flags": [pd.Series([True, False, odd]) for odd in (True, None, 2, "x")],
    "numbers": [pd.Series([1, 2, odd]) for odd in (3, None, 2.5, 2**63, 2**70, "x", True, float("inf"))],
    "large numbers": [pd.Series([LARGE, -LARGE, odd]) for odd in (3, None, "x")],
    "texts": [pd.Series(["1", "true", odd]) for odd in ("a", None, 7)],
    "days": [pd.Series(["2024-01-01", "1", odd]) for odd in ("a", None, dt.date(2024, 1, 1))],
    "moments": [
        pd.Series([*map(pd.Timestamp, MOMENTS), odd])
        for odd in (pd.Timestamp(0), None, pd.Timestamp(1, unit="ns"), "x", dt.date(2024, 1, 1))
    ],
    "categories": [pd.Series([1, 2, odd]).astype("category") for odd in (3, None, 2.5, "x")],
}


@pytest.mark.parametrize("declared", list(Type))
@pytest.mark.parametrize("name", list(WORLDS))
def test_what_pandas_chooses_by_one_row_changes_nothing_of_the_others(name: str, declared: Type) -> None:
    """Neither the type that engines see, nor a value; also of keys, unless pandas has spoiled them all."""
    for key in (False, True):
        found = set()
        for series in WORLDS[name]:
            try:
                array = columns_of(pd.DataFrame({"x": series}))["x"].array(declared, key)
            except InvalidParameter:
                assert key
                continue
            assert array is not None
            found.add((str(array.type), str(array.to_pylist()[:2])))
        assert len(found) == 1, found


FLAGS = (
    "SELECT COUNT(x) AS n FROM t",
    "SELECT COUNT(*) AS n FROM t WHERE x",
    "SELECT x, COUNT(*) AS n FROM t GROUP BY x",
)


def test_one_missing_flag_changes_nothing_that_is_seen() -> None:
    worlds = []
    for odd in (True, None, "x"):
        frame = pd.DataFrame({"id": range(4), "x": pd.Series([True, False, True, odd])})
        with session(frame, {"x": {"type": "boolean", "nullable": True}}) as asked:
            free = [asked.explain(text, epsilon=1, delta="1e-6") for text in FLAGS]
            kinds = [str(asked.sql(text, epsilon=1, delta="1e-6").table.schema) for text in FLAGS]
        with pytest.raises(InvalidParameter) as refused:
            session(frame, {"x": {}})
        with session(frame, {}) as asked, pytest.raises(QueryRefused) as unnamed:
            asked.explain(FLAGS[0], epsilon=1)
        worlds.append((*((str(each), each.queries) for each in free), kinds, str(refused.value), str(unnamed.value)))
    assert worlds[0] == worlds[1] == worlds[2]
    assert "needs a type: one of boolean" in worlds[0][-2]


def test_public_frames_of_pandas_are_what_they_are() -> None:
    public = pd.DataFrame(
        {"x": [1, 2], "price": [1.5, 2.5], "open": [True, False], "since": pd.to_datetime(MOMENTS, format="mixed")}
    )
    frame = pd.DataFrame({"id": range(MANY), "x": [1, 2] * (MANY // 2)})
    catalog = Catalog.of(
        frame, table="t", unit="person", unit_column="id", limit=privet.Guarantee(1000),
        columns={"x": {"type": "integer"}}, public={"p": public}, unique=["p.x"],
    )  # fmt: skip
    text = "SELECT COUNT(*) AS n FROM t JOIN p ON t.x = p.x WHERE p.price > 2 AND NOT p.open AND p.since > '2024-02-01'"
    with privet.connect(catalog, threads=1) as asked:
        assert asked.sql(text, epsilon=40).rows[0]["n"] == MANY // 2


@pytest.mark.parametrize("kind", ["integer", "boolean", "text", "date", "timestamp", "real"])
def test_objects_of_one_person_are_nobody_elses(kind: str) -> None:
    """The same rows, once as pandas' own type and once as objects, because one person's is something else."""
    kinds: Mapping[str, list[Any]] = {
        "integer": [1, 2],
        "real": [1.5, 2.5],
        "boolean": [True, False],
        "text": ["a", "b"],
        "date": [dt.date(2024, 1, 1), dt.date(2024, 1, 2)],
        "timestamp": [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02")],
    }
    plain = kinds[kind]
    counts = []
    for odd in ([], [b"odd"]):
        frame = pd.DataFrame({"id": range(MANY + len(odd)), "x": plain * (MANY // 2) + odd})
        assert not odd or frame["x"].dtype == object
        with session(frame, {"x": {"type": kind, "nullable": True}}) as asked:
            counts.append(asked.sql("SELECT COUNT(x) AS n FROM t", epsilon=40).rows[0]["n"])
    assert counts == [MANY, MANY]


def test_objects_without_a_type_are_refused_with_the_fix() -> None:
    frame = pd.DataFrame({"id": range(2), "x": pd.Series(["secret", 7], dtype=object)})
    with pytest.raises(InvalidParameter, match=r"tables\.t\.columns\.x: needs a type") as refused:
        session(frame, {"x": {}})
    assert "secret" not in str(refused.value)
    with pytest.raises(InvalidParameter, match=r"columns\.x: needs a type"):
        Catalog.of(frame, table="t", unit="p", unit_column="x", limit=privet.Guarantee(1), columns={})


def test_ids_of_pandas_are_exact_or_refused() -> None:
    ids = [LARGE, LARGE - 1, 5]
    assert read(pd.DataFrame({"id": ids}), "id", None, key=True) == ids
    assert read(pd.DataFrame({"id": [5, 6, None]}), "id", None, key=True) == [5, 6, None]
    for rounded in ([LARGE, 5, None], [1.5, 2]):
        with pytest.raises(InvalidParameter, match='read them as "Int64"') as refused:
            session(pd.DataFrame({"id": rounded, "x": 1}), {"x": {}})
        assert "9007" not in str(refused.value)


def broken(kind: pa.DataType, bad: bytes) -> pa.Array:
    texts = pa.array([b"z"] * MANY + [bad], pa.large_binary() if kind == pa.large_string() else pa.binary())
    return pa.Array.from_buffers(kind, len(texts), texts.buffers())


def _dictionary(bad: bytes) -> pa.Table:
    values = pa.array([b"z", bad], pa.binary())
    texts = pa.Array.from_buffers(pa.string(), 2, values.buffers())
    return pa.table({"n": pa.DictionaryArray.from_arrays(pa.array([0] * MANY + [1]), texts)})


TEXTS: Mapping[str, Callable[[bytes], object]] = {
    "arrow": lambda bad: pa.table({"n": broken(pa.string(), bad)}),
    "large": lambda bad: pa.table({"n": broken(pa.large_string(), bad)}),
    "dictionary": _dictionary,
    "batch": lambda bad: pa.record_batch({"n": broken(pa.string(), bad)}),
    "pandas": lambda bad: pd.DataFrame(
        {"n": pd.Series(["z"] * MANY + [bad.decode(errors="surrogateescape")], dtype=object)}
    ),
}
ASKED = (
    "SELECT COUNT(*) AS c FROM t WHERE LOWER(n) = 'z'",
    "SELECT COUNT(*) AS c FROM t WHERE n LIKE 'z'",
    "SELECT COUNT(*) AS c FROM t WHERE LENGTH(n) = 1 AND n < 'zz' AND SUBSTRING(n, 1, 1) = 'z'",
)
BROKEN = [b"z\xe2\x82", b"\xc0\xaf", b"\xed\xa0\x80", b"a\x00b"]  # cut, too long, half of a pair, NUL


@pytest.mark.parametrize("bad", BROKEN, ids=repr)
@pytest.mark.parametrize("kind", [*TEXTS, "parquet", "csv"])
def test_a_text_that_is_not_utf8_changes_its_own_row_only(tmp_path: Path, kind: str, bad: bytes) -> None:
    if kind in TEXTS:
        frame: Any = TEXTS[kind](bad)
        ids = pa.array(range(MANY + 1))
        frame = frame.assign(id=range(MANY + 1)) if kind == "pandas" else pa.table({"id": ids, "n": frame["n"]})
        asked = session(frame, {"n": {"type": "text"}})
    else:
        if kind == "parquet":
            table = pa.table({"id": list(range(MANY + 1)), "n": broken(pa.string(), bad)})
            pq.write_table(table, tmp_path / "t.parquet")
        else:
            rows = b"".join(b"%d,z\n" % n for n in range(MANY))
            (tmp_path / "t.csv").write_bytes(b"id,n\n" + rows + b"99," + bad + b"\n")
        (tmp_path / "c.toml").write_text(
            f'unit = "person"\nlimit = {{ epsilon = "1000" }}\n[tables.t]\nunit_column = "id"\n{kind} = "t.{kind}"\n'
            'columns.id = { type = "integer" }\ncolumns.n = { type = "text" }\n'
        )
        asked = privet.connect(tmp_path / "c.toml", threads=1)
    with asked:
        for text in ASKED:
            assert asked.sql(text, epsilon=40).rows[0]["c"] == MANY


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_a_unit_that_is_not_utf8_is_nobody_and_never_somebody_else(tmp_path: Path, kind: str) -> None:
    ids = pa.array([b"a?", b"a\xff", b"b\xfe"] + [b"u%d" % n for n in range(MANY)], pa.binary())
    table = pa.table({"id": pa.Array.from_buffers(pa.string(), len(ids), ids.buffers()), "x": [1] * len(ids)})
    if kind == "arrow":
        asked = session(table, {"x": {}})
        lost = 2
    else:
        pq.write_table(table, tmp_path / "t.parquet")
        (tmp_path / "c.toml").write_text(
            'unit = "person"\nlimit = { epsilon = "1000" }\n[tables.t]\nunit_column = "id"\nparquet = "t.parquet"\n'
            'columns.x = { type = "integer" }\n'
        )
        asked = privet.connect(tmp_path / "c.toml", threads=1)
        lost = 3
    with asked:
        assert asked.sql("SELECT COUNT(*) AS n FROM t", epsilon=40).rows[0]["n"] == len(ids) - lost


FARTHEST = [0, 2**63 - 1, -(2**63), -(2**63) + 1, 2**62]
ODD: Mapping[str, Callable[[], object]] = {
    **{unit: lambda unit=unit: pa.array(FARTHEST, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")},  # type: ignore[misc]
    "date32": lambda: pa.array([0, 2**31 - 1, -(2**31), 1, 2], pa.int32()).cast(pa.date32()),
    "half": lambda: pa.array([0, 1.5, float("nan"), float("inf"), 2], pa.float16()),
    "decimal256": lambda: pa.array([decimal.Decimal(10) ** 37] * 5, pa.decimal256(38, 0)),
    "decimal32": lambda: pa.array([decimal.Decimal(7)] * 5, pa.decimal32(5, 0)),
    "runs": lambda: pa.RunEndEncodedArray.from_arrays([2, 5], pa.array(["a", "b"])),
    "view": lambda: pa.array(["a"] * 5, pa.string_view()),
    "codes": lambda: pa.array([1, 2, None, 1, 1]).dictionary_encode(),
    "categories": lambda: pd.Series([1, 2, None, 1, 1]).astype("category"),
    "polars categories": lambda: pl.Series(["a", "b", None, "a", "a"], dtype=pl.Categorical),
    "nullable": lambda: pd.Series([1, 2, None, 1, 1], dtype="Int64"),
    "seconds": lambda: pd.Series(pd.to_datetime(["2024-01-01"] * 5)).astype("datetime64[s]"),
}


@pytest.mark.parametrize("kind", list(ODD))
def test_columns_of_every_kind_are_answered(kind: str) -> None:
    made: Any = ODD[kind]()
    if isinstance(made, pd.Series):
        frame: object = pd.DataFrame({"id": range(5), "x": made})
    else:
        frame = (
            pl.DataFrame({"id": range(5), "x": made})
            if isinstance(made, pl.Series)
            else pa.table({"id": range(5), "x": made})
        )
    with session(frame, {"x": {"nullable": True}}) as asked:
        asked.sql("SELECT COUNT(x) AS n, COUNT(DISTINCT x) AS d FROM t", epsilon=1)
        asked.sql("SELECT x, COUNT(*) AS n FROM t GROUP BY x", epsilon=1, delta=1e-6)
    if kind in {"s", "ms", "us"}:
        assert read(frame, "x", None) == [dt.datetime(1970, 1, 1), None, None, None, None]  # noqa: DTZ001 - has none


def test_columns_that_cannot_be_read_are_refused_only_where_they_are_declared() -> None:
    frame = pa.table({"id": [1], "x": [1], "raw": [b"a"], "long": pa.array([1], pa.duration("s")), "none": pa.nulls(1)})
    with session(frame, {"x": {}, "none": {"type": "date"}}) as asked:
        asked.explain(SUM.replace("SUM(x)", "COUNT(x)"), epsilon=1)
    for name in ("raw", "long"):
        with pytest.raises(InvalidParameter, match=f"column {name} is of type .* convert it, or leave it out"):
            session(frame, {name: {"type": "integer"}})
    with pytest.raises(InvalidParameter, match="needs a type"):
        session(frame, {"none": {}})
    objects = pl.DataFrame({"id": [1], "x": pl.Series([object()], dtype=pl.Object)})
    with pytest.raises(InvalidParameter, match="column x is of type Python objects"):
        session(objects, {"x": {"type": "text"}})


def test_parquet_files_of_one_table_have_one_type_each(tmp_path: Path) -> None:
    def connected(second: pa.Array) -> Session:
        pq.write_table(pa.table({"id": pa.array([2**60], pa.int64()), "x": [1]}), tmp_path / "t1.parquet")
        pq.write_table(pa.table({"x": [2], "id": second}), tmp_path / "t2.parquet")
        (tmp_path / "c.toml").write_text(
            'unit = "person"\nlimit = { epsilon = "1000" }\n[tables.t]\nunit_column = "id"\nparquet = "t*.parquet"\n'
            'columns.x = { type = "integer", bounds = [0, 9] }\n'
        )
        return privet.connect(tmp_path / "c.toml", threads=1)

    with connected(pa.array([7], pa.int32())) as asked:
        assert asked.sql(SUM, epsilon=600).rows[0]["s"] == 3
    for other in (pa.array([2.0**60]), pa.array(["7"]), pa.array([7], pa.uint64())):
        with pytest.raises(InvalidParameter, match=r"column id must have one type in all files.*t2\.parquet"):
            connected(other)


def test_milliseconds_in_parquet_are_refused(tmp_path: Path) -> None:
    """DuckDB raises an error for one that it cannot turn into microseconds, whatever the statement does with it."""
    moments = pa.array([0, 2**62], pa.timestamp("ms"))
    pq.write_table(pa.table({"id": [1, 2], "x": moments}), tmp_path / "t.parquet")
    (tmp_path / "c.toml").write_text(
        'unit = "person"\nlimit = { epsilon = "1" }\n[tables.t]\nunit_column = "id"\nparquet = "t.parquet"\n'
        'columns.x = { type = "timestamp" }\n'
    )
    with pytest.raises(InvalidParameter, match=r"column x of t\.parquet holds milliseconds"):
        privet.connect(tmp_path / "c.toml", threads=1)
