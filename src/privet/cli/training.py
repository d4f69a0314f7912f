"""Training: what `privet train` does with a table of a session: foresee, pay, fit, save, score."""

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import joblib
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import typer
from rich.console import Console

from privet.cli.exit_status import tell
from privet.cli.train_rows import HELD_OUT, Part, TrainRows
from privet.errors import BudgetExceeded, InvalidParameter
from privet.learn.model_choice import ModelChoice
from privet.learn.private_estimator import PrivateEstimator
from privet.learn.rehearsal import invented, rehearsal_rows, rehearsed
from privet.loss import ConcentratedGuarantee, Guarantee, Neighbors
from privet.loss.exact import exact_within, shortest
from privet.query.fragment import quoted
from privet.query.session import Session
from privet.wording.nearest import nearest

SCORE, COUNT = Fraction(1, 10), Fraction(1, 50)  # of ε, for the score and for counting rows that nobody expects

ENDS = ("value", "low", "high")


@dataclass(frozen=True)
class Prices:
    """How what a training may cost is divided.

    Args:
        total: all of it.
        fit, score, count: shares of its ε, which add up to it; the δ is the fit's.
    """

    total: Guarantee
    fit: Fraction
    score: Fraction
    count: Fraction

    @classmethod
    def of(cls, epsilon: str, delta: str | None, *, scored: bool, counted: bool) -> "Prices":
        """Divide what was said.

        Example:
            >>> Prices.of("1", "1e-6", scored=True, counted=True).fit
            Fraction(22, 25)
        """
        whole = exact_within(epsilon, "epsilon", low=0)
        if not whole:
            raise InvalidParameter("epsilon must be > 0, got 0: nothing can be learned for nothing")
        spare = exact_within(0 if delta is None else delta, "delta", low=0, high=1)
        score, count = whole * SCORE * scored, whole * COUNT * counted
        return cls(Guarantee(whole, spare), whole - score - count, score, count)


@dataclass(frozen=True)
class Wanted:
    """What was said of a training, beside its price."""

    rows: int | None
    model: str | None
    public: Path | None
    purpose: str | None
    output: Path | None


@dataclass(frozen=True)
class Training:
    """One training of one table.

    Args:
        session: with the tables and the ledger.
        table: its name.
        target: the column to predict.
        rows: unread.
        expected: how many there are, as the catalog says; None if it does not.

    Privacy: what is said before anything is paid follows from declarations. Count, fit and score are each charged
        before a row is read; together they cost `Prices.total`, and if the ledger has less left nothing is spent.
    """

    session: Session
    table: str
    target: str
    rows: TrainRows
    expected: int | None

    @classmethod
    def of(cls, session: Session, table: str | None, target: str, columns: str | None) -> "Training":
        """What is to be learned; from declarations alone."""
        private = {name: each for name, each in session.catalog.tables.items() if not each.public}
        if table is None and len(private) == 1:
            (table,) = private
        if table is None or table not in private:
            said = "say with --table which one" if table is None else f"there is no private table {table!r}"
            raise InvalidParameter(f"{said}{nearest(table or '', private)}")
        declared = private[table]
        names = [name for name in declared.columns if name != declared.unit_column]
        asked = [] if columns is None else [name.strip() for name in columns.split(",") if name.strip()]
        for name in [target, *asked]:
            if name not in names:
                raise InvalidParameter(f"{table} declares no column {name!r} to learn{nearest(name, names)}")
        listed = ", ".join(quoted(name) for name in [*(each for each in asked or names if each != target), target])
        found = session.rows(f"SELECT {listed} FROM {quoted(table)}")  # noqa: S608 - it is read, not run
        if session.catalog.unit.neighbors is Neighbors.REPLACE and not found.owner_columns:
            raise InvalidParameter('privet train is for catalogs whose neighbors are "add_remove", not "replace"')
        if isinstance(session.ledger.limit, ConcentratedGuarantee):
            raise InvalidParameter("privet train spends ε and δ, but this ledger has a limit of ρ: use privet.learn")
        expected = None if declared.expected is None else declared.expected.rows
        return cls(session, table, target, TrainRows(found, target), expected)

    def run(self, prices: Prices, wanted: Wanted, *, explain: bool) -> dict[str, Any]:
        """Foresee, and unless it is only explained, pay, fit, save and score: what came out, in words and numbers."""
        known = wanted.rows if wanted.rows is not None else self.expected
        told = self._told(prices, known)
        labels = None if self.rows.classes is None else len(self.rows.classes)
        choice = None if wanted.model is None else ModelChoice.named(wanted.model, classes=labels)
        if known is None and explain:
            return told | {"model": wanted.model or "chosen when the rows are counted: say --rows to know it now"}
        if not explain:
            self._refuse_too_dear(prices)
        rows = float(known) if known is not None else self._counted(prices, wanted.purpose)
        choice = choice or ModelChoice.of(
            classes=labels,
            columns=self.rows.encoder.width,
            rows=rows * (1 - 1 / HELD_OUT),
            epsilon=float(prices.fit),
            delta=float(prices.total.delta),
        )
        model = self._model(choice, prices, wanted.purpose)
        told |= {"rows": round(rows), "model": choice.name, "why": choice.why}
        told["expected"] = self._foreseen(model, rows, wanted.public, prices)
        return told if explain else told | self._paid(model, prices, wanted)

    def _told(self, prices: Prices, known: int | None) -> dict[str, Any]:
        parts = {"fit": prices.fit, "score": prices.score, "count": prices.count}
        total = prices.total
        return {
            "target": self.target,
            "predicts": "a number" if self.rows.classes is None else list(self.rows.classes),
            "columns": [column.name for column in self.rows.encoder.columns],
            "left_out": list(self.rows.left_out),
            "numbers": self.rows.encoder.width,
            "rows": known,
            "price": {name: shortest(Fraction(getattr(total, name))) for name in ("epsilon", "delta")},
            "parts": {name: shortest(part) for name, part in parts.items() if part},
            "unit": self.session.catalog.unit.name,
        }

    def _refuse_too_dear(self, prices: Prices) -> None:
        """Before the first of several charges, if not all of them would fit; other rules say so themselves."""
        left = self.session.ledger.remaining
        if left.units != ("epsilon", "delta"):
            return
        total = (prices.total.epsilon, prices.total.delta)
        if any(part > each for part, each in zip(total, left.parts, strict=True)):
            raise BudgetExceeded(
                f"this costs {prices.total!r}, but only {left} is left in the ledger: nothing was spent"
            )

    def _counted(self, prices: Prices, purpose: str | None) -> float:
        """How many rows there are, about, for a part of the price."""
        text = f"SELECT COUNT(*) AS n FROM {quoted(self.table)}"  # noqa: S608 - it is read, not run
        answer = self.session.sql(text, epsilon=prices.count, purpose=purpose or f"rows to predict {self.target}")
        return max(float(answer.rows[0]["n"] or 0), 1.0)

    def _model(self, choice: ModelChoice, prices: Prices, purpose: str | None) -> PrivateEstimator:
        return choice.model(
            bounds=self.rows.encoder.bounds,
            classes=None if self.rows.classes is None else list(self.rows.classes),
            target_bounds=self.rows.target.bounds,
            epsilon=prices.fit,
            delta=prices.total.delta or None,
            ledger=self.session.ledger,
            rows_per_unit=self.rows.rows_per_unit,
            purpose=purpose or f"a model of {self.target}",
        )

    def _foreseen(self, model: PrivateEstimator, rows: float, public: Path | None, prices: Prices) -> dict[str, Any]:
        """The score on invented rows of this shape, or on public ones."""
        unpaid = type(model)(**{**model.get_params(), "ledger": None, "rows_per_unit": None})
        with _waiting("foreseeing the score"):
            if public is None:
                target = self.rows.target
                pairs = invented(
                    self.rows.encoder, rows=rehearsal_rows(rows), labels=target.values, target_bounds=target.bounds
                )
            else:
                pairs = self.rows.public_pairs(_public_rows(public))
            found = rehearsed(unpaid, *pairs, epsilon=prices.fit)
        return {
            "on": "invented rows of this shape" if public is None else f"the public rows of {public.name}",
            "metric": "r2" if self.rows.classes is None else "accuracy",
            "score": round(found.score, 4),
            "error": round(found.score_error, 4),
            "without_privacy": round(found.plain, 4),
            "learned_from": found.rows,
        }

    def _paid(self, model: PrivateEstimator, prices: Prices, wanted: Wanted) -> dict[str, Any]:
        """Fit, save and score; the ledger is charged for each before a row is read."""
        told: dict[str, Any] = {}
        part = self.rows.part(held_out=False)
        with _waiting("learning"):
            model.fit(part.features, part.target, groups=part.groups)
        if wanted.output is not None:
            _save(self.rows.encoder.before(model), wanted.output)
            told["output"] = str(wanted.output)
        if prices.score:
            part = self.rows.part(held_out=True)
            purpose = f"score of {wanted.purpose or f'a model of {self.target}'}"
            with _waiting("scoring"):
                asked: dict[str, Any] = {"groups": part.groups, "epsilon": prices.score, "purpose": purpose}
                told["score"] = self._score(model, part, asked)
        told["receipt"] = repr(model.privacy_)
        kept = self.session.catalog.ledger is not None
        return told | {"left": str(self.session.ledger.remaining) if kept else None}

    def _score(self, model: PrivateEstimator, part: Part, asked: dict[str, Any]) -> dict[str, Any]:
        """Accuracy, or the root of the mean squared error: R² needs three sums more, and so far more noise."""
        if self.rows.classes is not None:
            found = model.private_score(part.features, part.target, **asked)
            return {"metric": "accuracy", **dict(zip(ENDS, (found.value, *found.interval(0.95)), strict=True))}
        found = model.private_score(part.features, part.target, metric="mse", **asked)
        roots = (math.sqrt(max(each, 0.0)) for each in (found.value, *found.interval(0.95)))
        return {"metric": "root mean squared error", **dict(zip(ENDS, roots, strict=True))}


def _waiting(what: str) -> Any:  # noqa: ANN401 - rich's
    """A sign on a terminal that something goes on."""
    return Console(stderr=True).status(f"{what} …")


def _public_rows(file: Path) -> pa.Table:
    """Rows that anybody may see."""
    try:
        if file.suffix.lower() in {".parquet", ".pq"}:
            return pyarrow.parquet.read_table(file)
        return pyarrow.csv.read_csv(file)
    except (OSError, pa.ArrowException):
        raise InvalidParameter(f"{file} cannot be read: name a CSV or Parquet file of public rows") from None


def _save(made: object, output: Path) -> None:
    try:
        joblib.dump(made, output)
    except OSError as problem:
        tell(f"{output} cannot be written ({problem.strerror}): the model was paid for, and is lost")
        raise typer.Exit(code=1) from None
