"""Planner: from the text of questions to plans with a price. Nothing private is read, and nothing charged."""

from collections.abc import Mapping
from typing import Any

from privet.errors import InvalidParameter, QueryRefused
from privet.loss.exact import Exact
from privet.query import sql
from privet.query.catalog import Catalog
from privet.query.options import Said
from privet.query.plan.domain import Lister
from privet.query.plan.statement import Statement
from privet.query.pricing.quote import Planned, plan_batch, plan_statement
from privet.query.questions import Questions


class Planner:
    """Plans questions about the tables of a catalog.

    Args:
        catalog: the public facts.
        values: lists the distinct values of a public table's column.
    """

    def __init__(self, catalog: Catalog, values: Lister) -> None:
        self._catalog = catalog
        self._values = values

    def read(self, text: str, *, automatic: bool = False) -> Statement:
        """What a statement means; refused if it may not be answered. With `automatic`, bounds may be missing."""
        return sql.read(text, self._catalog, values=self._values, automatic=automatic)

    def plan(self, text: str, said: Said, *, weights: Mapping[str, Exact] | None) -> Planned:
        """One statement, with the weights of its columns."""
        statement = self.read(text, automatic=said.automatic_bounds is not None)
        return plan_statement(statement, self._catalog, said.asked, weights=weights, **_how(said))

    def plan_batch(self, asked: Questions, said: Said) -> Planned:
        """One plan for several statements; one that could not be answered alone is named."""
        statements = []
        for text in asked.different:
            with asked.naming(text):
                statements.append(self.read(text, automatic=said.automatic_bounds is not None))
        try:
            shares = list(asked.different.values())
            return plan_batch(statements, self._catalog, said.asked, shares=shares, **_how(said))
        except (InvalidParameter, QueryRefused):
            for statement in statements:
                with asked.naming(statement.text):
                    plan_statement(statement, self._catalog, said.asked, **_how(said))
            raise


def _how(said: Said) -> dict[str, Any]:
    return {"limits": said.limits, "automatic_bounds": said.automatic_bounds}
