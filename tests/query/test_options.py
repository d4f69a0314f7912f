"""Options: what was said about a question is checked before anything is read, and a retry key is bound to all of it."""

import os
import signal
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.query.answering.failed_run import CANCELLED
from privet.query.answering.run import Run
from privet.query.options import Keywords, Options
from privet.query.plan.limits import Limits
from privet.query.results.answer import Answer
from privet.query.results.receipt import Receipt
from tests.support.hospital_sessions import crowd, hospital, session_with

COUNT = "SELECT COUNT(*) AS n FROM patient"


def test_a_key_is_bound_to_the_same_text_in_every_version() -> None:
    """Ledgers that are in use hold it: another text would make each of their keys one of another question."""
    options = Options.of({"epsilon": 1, "delta": "1e-6", "rows_per_unit": 3}, weights={"b": 2, "a": 1})
    assert options.question("SELECT 1") == (
        '["SELECT 1", "Asked(promise=(\\u03b5=1, \\u03b4=1e-6)-DP, delta=None)", 0.95, '
        '"[(\'a\', 1), (\'b\', 2)]", "3", "None", "None", "None", "None"]'
    )


@pytest.mark.parametrize(
    ("keywords", "budget", "spent"),
    [
        ({}, Guarantee(2, "1e-6"), (Guarantee(2, "1e-6"), None)),
        ({"delta": "1e-5"}, Guarantee(2, "1e-6"), (Guarantee(2, "1e-5"), None)),
        ({"delta": "1e-5"}, ConcentratedGuarantee(2), (ConcentratedGuarantee(2), Fraction(1, 10**5))),
        ({"epsilon": 1}, ConcentratedGuarantee(2), (Guarantee(1), None)),
        ({"rho": 1}, Guarantee(2, "1e-6"), (ConcentratedGuarantee(1), None)),
    ],
)
def test_what_is_said_goes_before_the_budget(
    keywords: Keywords, budget: Guarantee | ConcentratedGuarantee, spent: tuple[object, object]
) -> None:
    options = Options.of(keywords, budget=budget)
    assert (options.promise, options.delta) == spent


def test_all_that_is_said_is_kept() -> None:
    options = Options.of({"epsilon": 1, "automatic_bounds": "0.2", "bounding": "sample", "confidence": 0.9})
    plain = Options(Guarantee(1), limits=Limits(bounding="sample"), automatic_bounds=Fraction(1, 5), confidence=0.9)
    assert replace(options, shaping=()) == plain


def test_a_key_tells_an_answer_with_intervals_of_quantiles_from_one_without() -> None:
    plain = Options.of({"epsilon": 1})
    no, yes = (Options.of({"epsilon": 1, "quantile_intervals": said}) for said in (False, True))
    assert plain == no
    assert yes.question("SELECT 1") == plain.question("SELECT 1")[:-1] + ', "quantile_intervals"]'
    assert (plain.quantiles_within, yes.quantiles_within) == (None, 0.95)


def test_weights_of_columns_are_named() -> None:
    with pytest.raises(InvalidParameter, match="a mapping of its columns to numbers"):
        Options.of({"epsilon": 1}, weights=[1, 2])


@pytest.mark.parametrize("key", [None, "k"])
def test_control_c_while_the_answer_is_put_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    """It waits until nothing is held. Without a key the answer is lost, and it says so; with one it is stored."""
    patients, _ = crowd()
    session, backend = session_with(hospital(tmp_path, patients=patients))
    whole = Receipt.answer

    def interrupted(self: Receipt, run: Run) -> Answer:
        os.kill(os.getpid(), signal.SIGINT)
        return whole(self, run)

    with monkeypatch.context() as patched:
        patched.setattr(Receipt, "answer", interrupted)
        with pytest.raises(KeyboardInterrupt) as stopped:
            session.sql(COUNT, epsilon=1, key=key)
    assert str(stopped.value) == ("" if key else CANCELLED)
    assert len(backend.calls) == 1
    session.sql(COUNT, epsilon=1, key=key)
    assert len(backend.calls) == (1 if key else 2)
    assert session.ledger.spent.epsilon == (1 if key else 2)
