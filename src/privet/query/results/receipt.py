"""Receipt: what is known of an answer before it is computed, and how the answer is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from privet.core import Ledger, Unit
from privet.loss import Amount, Guarantee, PrivacyLoss, SpendingRule
from privet.query.answering.margins import Margins
from privet.query.answering.run import Run
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.options import INTERVALS
from privet.query.pricing.batch_parts import restricted
from privet.query.pricing.quote import Quote
from privet.query.results.advice import advice_before
from privet.query.results.answer import Answer
from privet.query.results.at_bounds import at_bounds
from privet.query.results.column_plans import column_plans
from privet.query.results.found_limits import found_limits
from privet.query.results.limit_words import clipped_in, hidden_by, limits_in_force
from privet.query.results.notes import bounds_found, notes_of, rank_margins, stand_ins
from privet.query.results.released_advice import advice_after
from privet.query.results.reported_shares import reported_shares


@dataclass(frozen=True)
class Receipt:
    """What one statement costs and promises.

    Args:
        quote: of this statement.
        loss: under the unit's neighbors.
        cost: what is charged for it, or would be if it stood alone.
        unit: who is protected.
        purpose: as recorded.
        confidence: of the intervals.
        joint: what is charged for the batch that it is one of.
        whose: the word for those whose data is held to limits, such as "person".
        tables: what is declared of them.
    """

    quote: Quote
    loss: PrivacyLoss
    cost: Amount
    unit: Unit
    purpose: str
    confidence: float
    joint: Amount | None = None
    whose: str = "unit"
    tables: Mapping[str, DeclaredTable] = field(default_factory=dict)

    @classmethod
    def of(cls, quote: Quote, ledger: Ledger, purpose: str, *, catalog: Catalog) -> "Receipt":
        """Of a statement that is charged by itself, or of a whole batch."""
        loss = quote.loss.under(ledger.unit.neighbors)
        cost = ledger.rule.cost(loss, promise=quote.promise, delta=quote.options.delta)
        confidence = quote.options.confidence
        return cls(quote, loss, cost, ledger.unit, purpose, confidence, whose=catalog.limited, tables=catalog.tables)

    @classmethod
    def of_part(cls, part: Quote, ledger: Ledger, purpose: str, *, joint: "Receipt") -> "Receipt":
        """Of one statement of a batch."""
        loss = part.loss.under(ledger.unit.neighbors)
        cost = cost_alone(part, loss, ledger.rule)
        return replace(joint, quote=part, loss=loss, cost=cost, purpose=purpose, joint=joint.cost)

    def answer(self, run: Run) -> Answer:
        """What a run of the statement, or of the batch that it is one of, gave."""
        quote = self.quote
        unit = self.unit
        name = self.quote.statement.answers[-1]
        table = run.tables[name]
        margins = run.margins.get(name, Margins(table))
        answered = {}
        for each, stage in run.stages.items():
            if each in quote.by_name:
                columns = {reading.column for reading in quote.by_name[each].needs.readings}
                answered[each] = restricted(stage, columns)
        named = {id(quote.by_name[each]): stage.selection for each, stage in answered.items()}
        hidden = [hidden_by(each, unit=unit) for each in named.values() if each is not None]
        return Answer(
            table,
            self.loss,
            self.cost,
            unit,
            self.purpose,
            self.confidence,
            margins.intervals,
            "\n".join(hidden) or None,
            with_notes(notes_of(quote, answered, run.found), margins.notes),
            bounds_found(quote, run.found),
            rank_margins(quote, self.confidence),
            self.joint,
            clipped=clipped_in(quote),
            limits=limits_in_force(quote, whose=self.whose, tables=self.tables, answered=answered),
            stand_ins=stand_ins(quote),
            at_bounds=at_bounds(quote, table),
            clipping=reported_shares(quote.statement, run.tables, whose=self.whose),
            simulated=margins.simulated,
            without_margin=dict(margins.without),
            unclear=dict(margins.unclear),
            interval=INTERVALS[quote.options.population],
            advice=self._advice(run),
            found_limits=found_limits(quote, answered),
        )

    def _advice(self, run: Run) -> tuple[str, ...]:
        """What would err less, as far as declared and released numbers tell it."""
        quote = self.quote
        if found := advice_after(quote, run.tables, whose=self.whose):
            return found
        if not any(map(expects, self.tables.values())):
            return ()
        return advice_before(column_plans(quote, whose=self.whose, confidence=self.confidence, tables=self.tables))


def expects(table: DeclaredTable) -> bool:
    """Whether anything is expected of a table or its columns."""
    return table.expected is not None or any(facts.expected is not None for facts in table.columns.values())


def with_notes(notes: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """Both notes of a column, one after the other."""
    return {name: "; ".join(word for word in (notes.get(name), more.get(name)) if word) for name in {**notes, **more}}


def cost_alone(part: Quote, loss: PrivacyLoss, rule: SpendingRule) -> Amount:
    """What a ledger with this rule would charge for a statement of a batch, with the noise that it has there."""
    options = part.options
    pure = rule.cost(loss, delta=options.delta)
    if isinstance(options.promise, Guarantee) and float("inf") in pure.parts:
        return rule.cost(loss, delta=options.promise.delta)
    return pure
