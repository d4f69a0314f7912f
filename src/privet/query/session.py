"""Session: an analyst asks questions in SQL; each answer is paid for before the data is read."""

from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self, Unpack, overload

from privet.core import Ledger
from privet.errors import InvalidParameter
from privet.loss import Amount, ConcentratedGuarantee, Guarantee, Promise
from privet.loss.exact import Exact
from privet.query.answering.charge import Charge, charged
from privet.query.answering.owned_rows import OwnedRows
from privet.query.answering.public_values import PublicValues
from privet.query.backends.backend import Backend
from privet.query.batch import Batch, Statements, Weights
from privet.query.catalog import Catalog
from privet.query.error_left import naming_error_left
from privet.query.frame import Rows, table_of
from privet.query.options import Keywords, Options, refuse_weights
from privet.query.plan.statement import Statement
from privet.query.pricing.batch_parts import parts_of
from privet.query.pricing.quote import Quote
from privet.query.quoter import Quoter
from privet.query.results.answer import Answer
from privet.query.results.answers import Answers
from privet.query.results.explain import explained, queries_of
from privet.query.results.explanation import Explanation
from privet.query.results.explanations import Explanations
from privet.query.results.receipt import Receipt
from privet.query.second_price.price_check import refuse_another_price
from privet.wording.called_like import called_like

UNSAID = Guarantee(1)  # at which `explain` prices a statement if nothing is said about it, anywhere


class Session:
    """A conversation with the tables of a catalog. Threads may share one.

    Args:
        catalog: the public facts.
        backend: the engine with the data.
        ledger: what may be spent; it protects the catalog's unit.

    Privacy: a statement is refused, or charged once at its composed price before private data is read, and answered by
        releases drawn from that reservation. What the ledger's limit says holds for all answers together.
    """

    def __init__(self, catalog: Catalog, *, backend: Backend, ledger: Ledger) -> None:
        if ledger.unit != catalog.unit:
            raise InvalidParameter(f"the catalog protects {catalog.unit!r}, but the ledger protects {ledger.unit!r}")
        self.catalog = catalog
        self.ledger = ledger
        self._backend = backend
        self._quoter = Quoter(catalog, PublicValues(catalog, backend))
        self._closed = False

    @called_like('session.sql("SELECT COUNT(*) FROM people", epsilon=1)')
    def sql(
        self,
        text: str,
        *,
        purpose: str | None = None,
        key: str | None = None,
        weights: Mapping[str, Exact] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Answer:
        """Answer one statement.

        Args:
            text: one SELECT.
            purpose: what the answer is for; the statement itself by default. It is recorded.
            key: makes asking again safe: the same key with the same question returns the stored answer, for free.
            weights: of columns of the answer, by name: how much of what is spent is each one's, in proportion.
            keywords: what to spend, and how; see `Keywords`.

        Raises:
            InvalidParameter: nothing was read or spent; the message says what to change.
            BudgetExceeded: nothing was read or spent.
            AnalystFrozen: too many answers failed; the owner has to look before anything more is told.
            ReleaseFailed: it is paid for, and could not be computed; the reason, which may depend on data, is not told.
            KeyboardInterrupt: at Ctrl-C, with a message if it is paid for; the session can go on.
        """
        options = self._options(keywords, weights)
        quote = self._quoter.quote(text, options)
        why = options.asked(text) if purpose is None else purpose
        with (
            naming_error_left(options, lambda said: self._quoter.quote(text, said), self.ledger),
            charged(self._charge(quote, why, key), options.question(text)) as paid,
        ):
            if paid.stored is not None:
                return Answer.from_json(paid.stored)
            run = paid.run()
            answer = self._receipt(quote, why).answer(run)
            paid.keep(answer)
            return answer

    @called_like("session.batch([text, other], epsilon=1)")
    def batch(
        self,
        statements: Statements,
        *,
        weights: Weights | None = None,
        purpose: str | None = None,
        key: str | None = None,
        **keywords: Unpack[Keywords],
    ) -> Answers:
        """Answer several statements at once: all are paid for and answered, or none.

        They are planned, priced and charged as one statement with all their columns. Those about the same rows, groups
        and limits share one scan; what several of them ask for is drawn once and paid once.

        Args:
            statements: a list of SELECTs, or a mapping of names to SELECTs.
            weights: how much of what is spent is each statement's, in proportion: a list, or a mapping of names to
                numbers; 1 for each by default.
            purpose: what the answers are for; the statements themselves by default. It is recorded.
            key: makes asking again safe: the same key with the same batch returns the stored answers, for free.
            keywords: what to spend on all of them together, and how; see `Keywords`.

        Raises:
            as `sql` does; a refusal says which statement it is about, and then none is answered.
        """
        options = self._options(keywords)
        refuse_weights(keywords, weights)
        batch = Batch.of(statements, weights)
        quote = self._quoter.quote_batch(batch, options)
        why = options.asked("; ".join(text.strip() for text in batch.texts)) if purpose is None else purpose
        question = self._batch_question(batch, options)
        with (
            naming_error_left(options, lambda said: self._quoter.quote_batch(batch, said), self.ledger),
            charged(self._charge(quote, why, key), question) as paid,
        ):
            if paid.stored is not None:
                return Answers.from_json(paid.stored)
            run = paid.run()
            joint = self._receipt(quote, why)
            found = {name: part.answer(run) for name, part in self._parts(joint, purpose).items()}
            each = tuple(found[text.strip()] for text in batch.texts)
            answers = Answers(each, batch.names, joint.loss, joint.cost, self.catalog.unit, why)
            paid.keep(answers)
            return answers

    @overload
    def explain(
        self, text: str, *, weights: Mapping[str, Exact] | None = None, **keywords: Unpack[Keywords]
    ) -> Explanation: ...
    @overload
    def explain(
        self, text: Statements, *, weights: Weights | None = None, **keywords: Unpack[Keywords]
    ) -> Explanations: ...
    @called_like('session.explain("SELECT COUNT(*) FROM people", epsilon=1)')
    def explain(
        self, text: str | Statements, *, weights: Weights | None = None, **keywords: Unpack[Keywords]
    ) -> Explanation | Explanations:
        """Say what a statement would cost and how good its answer would be; nothing private is read, nothing spent.

        Args:
            text: one SELECT; or, as `batch` takes them, several.
            weights: as `sql` or `batch` would be told.
            keywords: likewise.
        """
        left = self.ledger.remaining
        if isinstance(text, str):
            quote = self._quoter.quote(text, self._options(keywords, weights, budget=UNSAID))
            refuse_another_price(quote, self._backend, self.catalog)
            return self._explained(self._receipt(quote, text), left)
        refuse_weights(keywords, weights)
        batch = Batch.of(text, weights)
        quote = self._quoter.quote_batch(batch, self._options(keywords, budget=UNSAID))
        refuse_another_price(quote, self._backend, self.catalog)
        joint = self._receipt(quote, "")
        each = {name: self._explained(part, left) for name, part in self._parts(joint, None).items()}
        return Explanations(
            tuple(each[name.strip()] for name in batch.texts),
            batch.names,
            joint.cost,
            left,
            quote.options.promise,
            joint.loss,
            self.catalog.unit,
            queries_of(quote, self._backend),
        )

    def question(
        self,
        text: str | Statements,
        *,
        weights: Weights | Mapping[str, Exact] | None = None,
        **keywords: Unpack[Keywords],
    ) -> str:
        """What a retry key of `sql`, or of `batch`, is bound to: all that is asked, and all that shapes its answer.

        Args:
            text: one SELECT; or, as `batch` takes them, several.
            weights: as `sql` or `batch` would be told.
            keywords: likewise.
        """
        if isinstance(text, str):
            return self._options(keywords, weights).question(text)
        refuse_weights(keywords, weights)
        return self._batch_question(Batch.of(text, weights), self._options(keywords))

    @staticmethod
    def _batch_question(batch: Batch, options: Options) -> str:
        return options.question("batch", batch.names, batch.texts, [str(share) for share in batch.shares])

    def table(self, name: str) -> Rows:
        """A table of the catalog as a frame: the same questions, put together step by step."""
        return table_of(self, name)

    def rows(self, text: str) -> OwnedRows:
        """Rows for a model to learn from: nothing is read or spent before its `fit`.

        Args:
            text: one SELECT of columns with bounds, of private tables; its WHERE decides which rows.

        The engine adds up products of columns, so that a linear regression on any number of rows is one query:
        `LinearRegression(epsilon=1).fit(session.rows("SELECT size, distance, rent FROM flats"), "rent")`.
        """
        self._refuse_closed()
        inner = text.strip().rstrip(";")
        statement = self._quoter.read(f"SELECT COUNT(*) AS n FROM ({inner}) AS learned")  # noqa: S608 - it is read, not run
        return OwnedRows(statement, catalog=self.catalog, backend=self._backend, ledger=self.ledger)

    def read(self, text: str, *, automatic: bool = False) -> Statement:
        """What a statement means; refused if it may not be answered. With `automatic`, bounds may be missing."""
        return self._quoter.read(text, automatic=automatic)

    def _options(self, keywords: Keywords, weights: Weights | None = None, *, budget: Promise | None = None) -> Options:
        """What was said; the catalog's budget is spent where nothing was, or else this one."""
        self._refuse_closed()
        if keywords.get("error") is not None:  # then the kind is all that matters: what the ledger counts
            limit = self.ledger.limit
            budget = limit if isinstance(limit, ConcentratedGuarantee) else UNSAID
        return Options.of(keywords, weights=weights, budget=self.catalog.budget or budget)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise InvalidParameter("this session is closed: connect again")

    def _charge(self, quote: Quote, purpose: str, key: str | None) -> Charge:
        return Charge(quote, purpose, key, self.catalog, self._backend, self.ledger)

    def _receipt(self, quote: Quote, purpose: str) -> Receipt:
        return Receipt.of(quote, self.ledger, purpose, catalog=self.catalog)

    def _parts(self, joint: Receipt, purpose: str | None) -> Mapping[str, Receipt]:
        """The receipts of the statements of a batch, by their text."""
        found = {}
        for part in parts_of(joint.quote):
            text = part.statement.text
            why = text if purpose is None else purpose
            found[text] = Receipt.of_part(part, self.ledger, why, joint=joint)
        return found

    def _explained(self, receipt: Receipt, remaining: Amount) -> Explanation:
        return explained(receipt, self._backend, remaining=remaining)

    # --- a session holds connections --------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the engine and the ledger's files."""
        self._closed = True
        with suppress(Exception):
            self._backend.close()
        self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        who = f", {self.ledger.analyst}" if self.ledger.analyst else ""
        return f"Session({self.catalog.name}{who}: {', '.join(self.catalog.tables)}; {self.ledger.remaining} remains)"
