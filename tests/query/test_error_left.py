"""Errors that are wanted: answers have them, and a ledger that has too little left says which it would do for."""

import re
from ast import literal_eval
from pathlib import Path
from typing import Any

import pytest

from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.query.session import Session
from tests.support.hospital_sessions import Watched, crowd, hospital, session_with

COUNT = "SELECT COUNT(*) AS n FROM patient"
SUMS = "SELECT COUNT(DISTINCT pid) AS n, SUM(cost) AS c FROM visit"


def asked(folder: Path, limit: Any = Guarantee(1, "1e-6")) -> tuple[Session, Watched]:  # noqa: ANN401, B008 - a promise
    patients, visits = crowd()
    return session_with(hospital(folder, patients=patients, visits=visits), limit=limit)


def test_an_answer_is_as_sure_as_asked_and_pays_the_least(tmp_path: Path) -> None:
    session, _ = asked(tmp_path)
    answer = session.sql(COUNT, error=5)
    (row,) = answer.rows
    assert (row["n_high"] - row["n_low"]) / 2 == 5
    assert session.ledger.spent.epsilon == session.explain(COUNT, error=5).price.epsilon
    assert 0.5 < session.ledger.spent.epsilon < 0.6


def test_a_key_is_bound_to_the_error(tmp_path: Path) -> None:
    session, backend = asked(tmp_path)
    first = session.sql(COUNT, error=20, key="k")
    assert session.sql(COUNT, error=20, key="k").rows == first.rows
    assert len(backend.calls) == 1
    with pytest.raises(Exception, match="k"):
        session.sql(COUNT, error=21, key="k")


def test_a_ledger_that_counts_rho_pays_rho(tmp_path: Path) -> None:
    session, _ = asked(tmp_path, ConcentratedGuarantee("0.5"))
    found = session.explain(COUNT, error=5).promise
    assert isinstance(found, ConcentratedGuarantee)
    assert found.rho < 1


BOTH = {"a": COUNT, "b": SUMS}


@pytest.mark.parametrize(
    ("text", "error", "less"),
    [
        (COUNT, 1, lambda left: left - 1),
        (SUMS, {"c": "1% of 1000000"}, lambda left: {"c": f"{0.95 * float(left['c'].split('%')[0])}% of 1000000"}),
        (BOTH, {"n": 2, "c": 5000}, lambda left: {name: 0.9 * float(each) for name, each in left.items()}),
    ],
)
def test_a_refusal_names_the_error_that_would_fit(tmp_path: Path, text: Any, error: Any, less: Any) -> None:  # noqa: ANN401 - of all kinds
    session, backend = asked(tmp_path)
    ask = session.sql if isinstance(text, str) else session.batch
    with pytest.raises(BudgetExceeded) as refused:
        ask(text, error=error)
    assert backend.calls == []
    found = re.search(r"what remains would do for error=(.*)$", str(refused.value))
    assert found
    left = literal_eval(found[1])  # what the sentence tells people to type
    with pytest.raises(BudgetExceeded):
        ask(text, error=less(left))
    ask(text, error=left)
    assert session.ledger.remaining.epsilon < 0.2


def test_weights_follow_from_errors(tmp_path: Path) -> None:
    session, _ = asked(tmp_path)
    for ask in (
        lambda: session.sql(SUMS, error=5, weights={"n": 2}),
        lambda: session.batch([COUNT, SUMS], error=5, weights=[1, 2]),
        lambda: session.explain([COUNT, SUMS], error=5, weights=[1, 2]),
    ):
        with pytest.raises(InvalidParameter, match="weights do not go with error"):
            ask()


def test_frames_take_errors_too(tmp_path: Path) -> None:
    session, _ = asked(tmp_path)
    (row,) = session.table("patient").agg(n="COUNT(*)").answer(error=10).rows
    assert row["n_high"] - row["n_low"] == 20


def test_a_sum_of_counts_is_as_sure_as_asked(tmp_path: Path) -> None:
    """Each whole number is rounded by itself, which counts where errors are small: what is found is looked at again."""
    session, _ = asked(tmp_path, Guarantee(100))
    (row,) = session.sql("SELECT COUNT(DISTINCT pid) + COUNT(*) AS d FROM patient", error=8).rows
    assert 0.8 * 16 <= row["d_high"] - row["d_low"] <= 16
