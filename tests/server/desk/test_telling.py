"""Telling: nothing but our own sentences."""

import logging

import pytest

from privet.errors import (
    AnswerLost,
    BudgetExceeded,
    InvalidParameter,
    KeyReused,
    LedgerDamaged,
    LedgerUnavailable,
    PrivetError,
    QueryRefused,
    ServiceFailed,
)
from privet.server.desk.telling import telling

SECRET = "patient 17 in /srv/data/hospital.parquet, entry 4711"  # noqa: S105 - what nobody may be told


@telling
def raised_by(problem: BaseException) -> None:
    raise problem


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (BudgetExceeded(SECRET), BudgetExceeded),
        (AnswerLost(SECRET), AnswerLost),
        (KeyReused(SECRET), KeyReused),
        (LedgerUnavailable(SECRET), LedgerUnavailable),
        (LedgerDamaged(SECRET), LedgerUnavailable),
        (ValueError(SECRET), ServiceFailed),
        (OSError(2, SECRET), ServiceFailed),
        (MemoryError(SECRET), ServiceFailed),
        (RecursionError(SECRET), ServiceFailed),
        (AssertionError(SECRET), ServiceFailed),
    ],
)
def test_what_may_hold_more_is_a_constant_sentence(
    raised: Exception, kind: type[PrivetError], caplog: pytest.LogCaptureFixture
) -> None:
    said = []
    for problem in (raised, type(raised)("something else")):
        with caplog.at_level(logging.DEBUG), pytest.raises(kind) as found:
            raised_by(problem)
        said.append(str(found.value))
        assert (found.value.__cause__, found.value.__context__) == (None, None)
    assert said[0] == said[1]
    assert "17" not in said[0]
    if kind is ServiceFailed:
        assert "17" not in caplog.text  # what an unforeseen error says may be a value of the data
        assert "test_telling.py" in caplog.text


@pytest.mark.parametrize("raised", [InvalidParameter("say it"), QueryRefused("say it")])
def test_our_own_sentences_pass_without_what_was_behind_them(raised: PrivetError) -> None:
    def behind() -> None:
        try:
            int(SECRET)
        except ValueError:
            raise raised  # noqa: B904 - as it may happen

    with pytest.raises(type(raised), match="say it") as found:
        telling(behind)()
    assert (found.value.__cause__, found.value.__context__) == (None, None)


def test_interrupts_pass() -> None:
    with pytest.raises(KeyboardInterrupt):
        raised_by(KeyboardInterrupt())
