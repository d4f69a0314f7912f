"""A session without noise, for tests alone: it runs the same plans, and what it returns is no answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pyarrow as pa

from privet.core import Ledger, Mechanism, Sensitivity
from privet.mechanisms import PartitionCounts, PartitionSelection, TwoRoundSelection
from privet.mechanisms.cap_choice import CapChoice
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.query.answering.run import Run
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.options import Options
from privet.query.plan.limits import Limits
from privet.query.plan.statement import Statement
from privet.query.pricing.quote import quote_statement
from privet.query.session import Session

OPTIONS = Options.of({"epsilon": 1, "delta": "1e-6"})


@dataclass(frozen=True)
class ExactTable:
    """Bounded aggregates as they are, never to be shown to anybody."""

    table: pa.Table

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return cast("list[dict[str, Any]]", self.table.to_pylist())


class ExactRun(Run):
    """Every draw gives the exact value; every group is named."""

    def _draw(self, compute: Callable[[], Any], mechanism: Mechanism[Any, Any], moves: Sensitivity) -> Any:  # noqa: ANN401, ARG002 - as the run's
        value = compute()
        mechanism.check(value)
        if isinstance(mechanism, PartitionSelection):
            return sorted(value, key=repr)
        if isinstance(mechanism, TwoRoundSelection):
            return sorted(value(()), key=repr)
        if isinstance(mechanism, PartitionCounts):
            return {key: value[key] for key in sorted(value, key=repr)}
        if isinstance(mechanism, GroupedChoice | GroupedInterval):
            return quantiles(value, mechanism)
        return best_cap(value, mechanism) if isinstance(mechanism, CapChoice) else value


class ExactSession:
    """Asks like a session, and spends nothing."""

    def __init__(self, catalog: Catalog, *, backend: Backend) -> None:
        self._session = Session(catalog, backend=backend, ledger=Ledger(catalog.limit, unit=catalog.unit))
        self._backend = backend
        self._catalog = catalog

    def read(self, text: str) -> Statement:
        """What a statement means."""
        return self._session.read(text)

    def sql(self, text: str, *, limits: Limits | None = None) -> ExactTable:
        """The exact table of a statement."""
        plan = quote_statement(self.read(text), self._catalog, replace(OPTIONS, limits=limits))
        ledger = self._session.ledger
        catalog = self._catalog
        run = ExactRun(plan, backend=self._backend, ledger=ledger, purpose="exact", catalog=catalog)
        return ExactTable(run.answer())


def best_cap(units: Sequence[int], choice: CapChoice) -> int:
    """The limit that a choice is likeliest to take, of a thousand times as many units: of few it is always 1."""
    return choice.caps[int(np.argmax(choice.scores([1000 * number for number in units])))]


def quantile(group: Mapping[int, int], fraction: Fraction) -> int:
    """The first place with at least this share of the weight at or below it."""
    total = sum(group.values())
    below = 0
    for place in sorted(group):
        below += group[place]
        if below >= fraction * total:
            return place
    return 0


def quantiles(groups: Sequence[Mapping[int, int]], mechanism: GroupedChoice | GroupedInterval) -> Any:  # noqa: ANN401 - an array
    """The exact quantile of each group, which is also both ends of its interval where one is drawn."""
    places = np.array([quantile(group, mechanism.fraction) for group in groups], dtype=np.int64)
    return places if isinstance(mechanism, GroupedChoice) else np.stack([places] * 3, axis=1)
