"""Quoter: from the text of questions to quotes. Nothing private is read, and nothing charged."""

import threading
from collections.abc import Mapping
from dataclasses import fields, replace

from privet.errors import InvalidParameter, QueryRefused
from privet.query import sql
from privet.query.batch import Batch
from privet.query.catalog import Catalog
from privet.query.options import Options
from privet.query.plan.domain import Lister
from privet.query.plan.statement import Statement
from privet.query.pricing.quote import Quote, quote_batch, quote_statement
from privet.query.scalars.parameters import Parameters

REMEMBERED = 64  # quotes: of statements that were asked last


class Quoter:
    """Quotes prices of questions about the tables of a catalog.

    Args:
        catalog: the public facts.
        values: lists the distinct values of a public table's column.
    """

    def __init__(self, catalog: Catalog, values: Lister) -> None:
        self._catalog = catalog
        self._values = values
        self._quotes: dict[tuple[object, ...], Quote] = {}  # nothing in them is ever changed, so threads may share them
        self._turn = threading.Lock()

    def read(self, text: str, *, automatic: bool = False, params: Parameters | None = None) -> Statement:
        """What a statement means; refused if it may not be answered. With `automatic`, bounds may be missing."""
        return sql.read(text, self._catalog, values=self._values, automatic=automatic, params=params)

    def quote(self, text: str, options: Options) -> Quote:
        """Of one statement; remembered, for a session's catalog and the values of its public tables never change."""
        said = _said(text, options)
        with self._turn:
            known = self._quotes.get(said)
        if known is not None:
            return known
        statement = self.read(text, automatic=options.automatic_bounds is not None, params=options.params)
        quote = quote_statement(statement, self._catalog, options)
        with self._turn:
            self._quotes[said] = quote
            while len(self._quotes) > REMEMBERED:
                del self._quotes[next(iter(self._quotes))]
        return quote

    def quote_batch(self, batch: Batch, options: Options) -> Quote:
        """One quote for several statements; one that could not be answered alone is named."""
        statements = []
        params = None if options.params is None else replace(options.params, shared=True)
        if params is not None and params.listed:
            raise InvalidParameter("params of several statements is a mapping of names to values: write :name for ?")
        for text in batch.different:
            with batch.naming(text):
                statements.append(self.read(text, automatic=options.automatic_bounds is not None, params=params))
        try:
            return quote_batch(statements, self._catalog, options, shares=list(batch.different.values()))
        except (InvalidParameter, QueryRefused):
            if options.errors is not None:  # which name columns of all statements
                raise
            for statement in statements:
                with batch.naming(statement.text):
                    quote_statement(statement, self._catalog, options)
            raise


def _said(text: str, options: Options) -> tuple[object, ...]:
    """All that a quote depends on, so that two are one only if every word is."""
    values = (getattr(options, each.name) for each in fields(options))
    return (text, *(tuple(each.items()) if isinstance(each, Mapping) else each for each in values))
