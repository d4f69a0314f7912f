"""Parameters: values of their own types, which no text of theirs can leave; a retry key is bound to them."""

import datetime as dt
from pathlib import Path

import numpy as np
import pytest

from privet.errors import InvalidParameter, KeyReused, QueryRefused
from privet.query.options import Options
from privet.query.plan.relations import Filter
from privet.query.plan.statement import Aggregate
from privet.query.scalars.parameters import Parameters
from privet.query.sql import read
from tests.support.hospital import HOSPITAL, public_values
from tests.support.hospital_sessions import crowd, hospital, session_with

HOSTILE = "x' OR '1' = '1'; DROP TABLE patient; -- :age ? \\"


def condition(text: str, params: object = None) -> str:
    """What WHERE means, without the identity of columns."""
    given = None if params is None else Parameters.of(params)  # type: ignore[arg-type] # whatever a test passes
    stage = read(f"SELECT COUNT(*) FROM visit WHERE {text}", HOSPITAL, values=public_values, params=given).stages[-1]  # noqa: S608 - through our parser
    assert isinstance(stage.source, Aggregate)
    assert isinstance(stage.source.source, Filter)
    return repr(stage.source.source.condition)


@pytest.mark.parametrize(
    ("text", "params", "plain"),
    [
        ("stay > :n", {"n": 3}, "stay > 3"),
        ("stay > $n AND stay < $m", {"n": -3, "m": 9}, "stay > -3 AND stay < 9"),
        ("stay > ? AND clinic = ?", [3, "A"], "stay > 3 AND clinic = 'A'"),
        ("stay > ? AND clinic <> '?' /* ? */ AND clinic = ?", [3, "A"], "stay > 3 AND clinic <> '?' AND clinic = 'A'"),
        ("stay > $2 AND clinic = $1", ["A", 3], "stay > 3 AND clinic = 'A'"),
        ("cost > :x", {"x": 1e-7}, "cost > 1e-07"),
        ("cost > :x", {"x": np.float32(0.5)}, "cost > 0.5"),
        ("stay = :x", {"x": np.int64(4)}, "stay = 4"),
        ("day = :d", {"d": dt.date(2024, 5, 6)}, "day = DATE '2024-05-06'"),
        ("day > :d", {"d": dt.datetime(2024, 5, 6, 7, 8)}, "day > TIMESTAMP '2024-05-06 07:08:00'"),  # noqa: DTZ001 - no zone
        ("(stay > 3) = :b", {"b": True}, "(stay > 3) = TRUE"),
        ("COALESCE(:b, clinic) = 'A'", {"b": None}, "COALESCE(NULL, clinic) = 'A'"),
        ("clinic = :c", {"c": HOSTILE}, "clinic = '" + HOSTILE.replace("'", "''") + "'"),
    ],
)
def test_a_value_means_what_its_literal_does(text: str, params: object, plain: str) -> None:
    assert condition(text, params) == condition(plain)


def test_a_list_is_in_the_order_of_the_text() -> None:
    """WITH stands first in the text, though not in the parser's tree."""
    text = "WITH t AS (SELECT pid FROM visit WHERE stay > {}) SELECT COUNT(*) FROM t JOIN patient USING (pid) "
    text += "WHERE sex = {}"
    given = read(text.format("?", "?"), HOSPITAL, values=public_values, params=Parameters.of([3, "F"]))
    plain = read(text.format("3", "'F'"), HOSPITAL, values=public_values)
    assert len(repr(given.stages)) == len(repr(plain.stages))


@pytest.mark.parametrize(
    ("text", "params", "reason"),
    [
        ("stay > :n", None, "it has no value; pass params"),
        ("stay > :n", {"m": 3}, "it has no value; params has m"),
        ("stay > ?", [], "it has no value"),
        ("stay > ?", [1, 2], "no part of the statement takes this value"),
        ("stay > 3", {"n": 3}, "no part of the statement takes this value"),
        ("stay > ?", {"n": 3}, "has no name"),
    ],
)
def test_each_has_one_value_and_each_value_is_used(text: str, params: object, reason: str) -> None:
    with pytest.raises(QueryRefused, match=reason):
        condition(text, params)


@pytest.mark.parametrize(
    "params", [{"n": float("nan")}, {"n": float("inf")}, {"n": [1]}, {"n": "a\0"}, {1: 2}, "3", {"n": b"x"}, {"n": 1j}]
)
def test_other_values_are_refused(params: object) -> None:
    with pytest.raises(InvalidParameter):
        Parameters.of(params)  # type: ignore[arg-type] # wrong on purpose


def test_a_key_is_bound_to_them_and_the_ledger_records_them(tmp_path: Path) -> None:
    patients, visits = crowd(20, 30, seed=1)
    session, _ = session_with(hospital(tmp_path, patients=patients, visits=visits))
    text = "SELECT COUNT(*) AS n FROM patient WHERE age > :age"
    first = session.sql(text, epsilon=1, key="k", params={"age": 40})
    assert session.sql(text, epsilon=1, key="k", params={"age": 40}).table == first.table
    for other in (41, "40", 40.0):
        with pytest.raises((KeyReused, QueryRefused)):
            session.sql(text, epsilon=1, key="k", params={"age": other})
    assert first.purpose == f"{text} [age = 40]"
    assert session.explain([text, "SELECT AVG(age) FROM patient"], epsilon=1, params={"age": 40}).price.epsilon == 1
    with pytest.raises(InvalidParameter, match="of several statements"):
        session.batch([text, text], epsilon=1, params=[40])
    rows = session.table("patient").where("age > :age").agg(n="COUNT(*)")
    assert (
        rows.explain(epsilon=1, params={"age": 40}).price == session.explain(text, epsilon=1, params={"age": 40}).price
    )
    session.close()


def test_a_remembered_quote_is_of_the_same_values() -> None:
    """1, 1.0 and TRUE are equal in Python, and are not the same value."""
    different = {Options.of({"epsilon": 1, "params": {"x": value}}) for value in (1, 1.0, True, "1")}
    assert len(different) == 4
