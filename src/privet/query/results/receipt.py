"""Receipt: what is known of an answer before it is computed, and how the answer is made of it."""

from dataclasses import dataclass

import pyarrow as pa

from privet.core import Unit
from privet.loss import Amount, Guarantee, PrivacyLoss, SpendingRule
from privet.query.answering.run import Run
from privet.query.plan.statement import Aggregate
from privet.query.pricing.batch_parts import restricted
from privet.query.pricing.quote import Planned
from privet.query.results.answer import Answer
from privet.query.results.explanation import hidden_by
from privet.query.results.notes import bounds_found, notes_of, rank_margins


@dataclass(frozen=True)
class Receipt:
    """What one statement costs and promises.

    Args:
        plan: of this statement.
        loss: under the unit's neighbors.
        cost: what is charged for it, or would be if it stood alone.
        unit: who is protected.
        purpose: as recorded.
        confidence: of the intervals.
        joint: what is charged for the batch that it is one of.
    """

    plan: Planned
    loss: PrivacyLoss
    cost: Amount
    unit: Unit
    purpose: str
    confidence: float
    joint: Amount | None = None

    def answer(self, run: Run) -> Answer:
        """What a run of the statement, or of the batch that it is one of, gave."""
        plan = self.plan
        unit = self.unit
        name = self.plan.statement.answers[-1]
        table = run.tables[name]
        answered = {}
        for each, stage in run.stages.items():
            if each in plan.stages:
                columns = {reading.column for reading in plan.stages[each].needs.readings}
                answered[each] = restricted(stage, columns)
        hidden = [hidden_by(stage.selection, unit=unit) for stage in plan.priced.stages if stage.selection is not None]
        return Answer(
            table,
            self.loss,
            self.cost,
            unit,
            self.purpose,
            self.confidence,
            _intervals(plan, table),
            "\n".join(hidden) or None,
            notes_of(plan, answered, run.found),
            bounds_found(plan, run.found),
            rank_margins(plan, self.confidence),
            self.joint,
        )


def cost_of(plan: Planned, loss: PrivacyLoss, rule: SpendingRule) -> Amount:
    """What a ledger with this rule charges for a plan."""
    return rule.cost(loss, promise=plan.priced.promise, delta=plan.priced.asked.delta)


def cost_alone(part: Planned, loss: PrivacyLoss, rule: SpendingRule) -> Amount:
    """What a ledger with this rule would charge for a statement of a batch, with the noise that it has there."""
    asked = part.priced.asked
    pure = rule.cost(loss, delta=asked.delta)
    if isinstance(asked.promise, Guarantee) and float("inf") in pure.parts:
        return rule.cost(loss, delta=asked.promise.delta)
    return pure


def _intervals(plan: Planned, table: pa.Table) -> tuple[str, ...]:
    """The columns of the answer that are followed by the ends of their intervals."""
    last = plan.statement.stages[-1]
    shown = [column.name for column, _ in last.output.items] if isinstance(last.source, Aggregate) else []
    ends = set(table.column_names) - set(shown)
    return tuple(name for name in shown if {f"{name}_low", f"{name}_high"} <= ends)
