"""A statement that fails after the charge shows one sentence, and nothing that it has seen."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privet
from privet.core import Ledger
from privet.core.silence import FAILED
from privet.errors import AnalystFrozen, InvalidParameter, LedgerUnavailable, PrivetError, ReleaseFailed
from privet.query.answering import run
from privet.query.answering.margins import shown_rows
from privet.query.answering.run import Run
from privet.query.backends.backend import Sums
from privet.query.backends.duckdb.engine import DuckDBBackend
from tests.support.reachable import reachable
from tests.support.slow_catalogs import COUNT, of_one_person

TOLD = "patient 123456"


@pytest.mark.parametrize(
    ("place", "name", "problem"),
    [
        (DuckDBBackend, "_fetch", SystemExit(TOLD)),
        (DuckDBBackend, "_fetch", KeyboardInterrupt(TOLD)),
        (run, "released_table", ValueError(TOLD)),
        (run, "released_table", GeneratorExit(TOLD)),
        (run, "shown_rows", InvalidParameter(TOLD)),
    ],
)
def test_one_sentence_wherever_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: object, name: str, problem: BaseException
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise type(problem)(*problem.args)

    with privet.connect(of_one_person(tmp_path, rows=10), threads=1) as session:
        monkeypatch.setattr(place, name, fail)
        with pytest.raises(ReleaseFailed) as caught:
            session.sql(COUNT, epsilon=1)
        assert session.ledger.journal.books().failures.counted == {None: 1}, "once for each statement"
    assert (caught.value.args, caught.value.__context__, caught.value.__cause__) == ((FAILED,), None, None)
    assert not any(isinstance(each, Run | Sums) for each in reachable(caught.value))


def test_what_the_ledger_says_passes_without_the_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second draw cannot be recorded, when the sums of the first are there."""
    drawn = []
    release = Ledger.release

    def fail(self: Ledger, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - a stand-in
        drawn.append(release(self, *given, **more))
        if len(drawn) > 1:
            raise LedgerUnavailable("the disk is full") from OSError(TOLD)
        return drawn[-1]

    with privet.connect(of_one_person(tmp_path, rows=10), threads=1) as session:
        monkeypatch.setattr(Ledger, "release", fail)
        with pytest.raises(PrivetError) as caught:
            session.sql("SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS s FROM t", epsilon=1)
    assert type(caught.value) is LedgerUnavailable
    assert (caught.value.args, caught.value.__cause__) == (("the disk is full",), None)
    assert not any(isinstance(each, Run | Sums) for each in reachable(caught.value))


def test_an_engine_that_warns_is_not_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It works in a thread of its own, where numpy and the warnings are as silent."""
    fetch = DuckDBBackend._fetch

    def loud(self: DuckDBBackend, text: str) -> list[tuple[Any, ...]]:
        warnings.warn(TOLD, stacklevel=1)
        np.log(np.array([0.0]))
        return fetch(self, text)

    with privet.connect(of_one_person(tmp_path, rows=10), threads=1) as session:
        monkeypatch.setattr(DuckDBBackend, "_fetch", loud)
        with warnings.catch_warnings(record=True) as recorded, np.errstate(all="raise"):
            warnings.simplefilter("always")
            assert session.sql(COUNT, epsilon=1).rows
    assert not recorded


def test_a_statement_that_was_overtaken_is_withheld(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it would have been answered is not told once too many others have failed."""
    file = of_one_person(tmp_path, rows=10)

    def overtaken(*given: Any, **more: Any) -> Any:  # noqa: ANN401 - a stand-in
        with Ledger.open(str(file.with_suffix(".ledger.db"))) as other:
            for number in range(3):
                other.journal.fail(number, None)
        return shown_rows(*given, **more)

    with privet.connect(file, threads=1) as session:
        monkeypatch.setattr(run, "shown_rows", overtaken)
        with pytest.raises(AnalystFrozen, match="stays paid for"):
            session.sql(COUNT, epsilon=1)
        with pytest.raises(AnalystFrozen, match="nothing was charged"):
            session.sql(COUNT, epsilon=1)
        assert session.sql("SELECT COUNT(*) AS n FROM clinic", epsilon=1).rows == [{"n": 2}], (
            "what costs nothing goes on"
        )
        assert session.ledger.spent.epsilon == 1


def test_public_tables_that_cannot_be_read_are_not_counted(tmp_path: Path) -> None:
    with privet.connect(of_one_person(tmp_path, rows=10), threads=1) as session:
        (tmp_path / "clinic.csv").unlink()
        with pytest.raises(InvalidParameter):
            session.sql("SELECT COUNT(*) AS n FROM clinic", epsilon=1)
        assert not session.ledger.journal.books().failures.counted
