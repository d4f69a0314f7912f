"""No count over cells, and no score of a choice, moves farther than declared: small tables and all their neighbors.

A table is a list of rows (owner, value, label). Neighbors have one owner's rows gone, or replaced by other rows, more
or fewer; without owners, one row gone or replaced. Secrets are compared exactly, in every norm.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import Guarantee, Ledger, Release, Sensitive, Sensitivity, Unit
from privet.core import Mechanism
from privet.mechanisms import HalvingQuantiles, IntervalQuantile, PermuteAndFlip, QuantileInterval
from privet.stats import (
    cdf,
    counts,
    hierarchical_counts,
    histogram,
    histogram2d,
    maximum,
    median,
    minimum,
    quantile,
    quantile_interval,
    quantiles,
    top_k,
)
from tests.support.recording_ledger import assert_within, exactly

Row = tuple[int, float, str | None]
Table = list[Row]
Ask = Callable[[Table, Ledger, dict[str, Any]], object]

AWKWARD = [math.nan, math.inf, -math.inf, 1e308, 5e-324, 0.0, 0.25, 0.5, 1.0, -0.0, 2.0**60]
ROWS = st.tuples(st.integers(0, 2), st.sampled_from(AWKWARD), st.sampled_from(["a", "b", "c", "zz", None]))
TABLES = st.lists(ROWS, min_size=1, max_size=7)
NEW: list[Table] = [[(0, 0.3, "b")], [(0, math.nan, None)], [(0, 1.0, "a"), (0, 0.0, "c"), (0, -9.0, "a")]]
EDGES = [0.0, 0.25, 0.5, 0.75, 1.0]
TREE = {"a": ["a"], "b": ["a", "b"], "c": ["c", "zz"]}
STEPS = Fraction(1, 8)


def values(table: Table) -> list[float]:
    return [row[1] for row in table]


def labels(table: Table) -> list[str | None]:
    return [row[2] for row in table]


def gaussian(how: dict[str, Any]) -> dict[str, Any]:
    """The same at a price that Gaussian noise is for."""
    return {name: value for name, value in how.items() if name != "epsilon"} | {"rho": 5}


COUNTS: dict[str, Ask] = {
    "histogram": lambda t, ledger, how: histogram(values(t), edges=EDGES, ledger=ledger, **how),
    "clipped": lambda t, ledger, how: histogram(values(t), edges=EDGES, outside="clip", ledger=ledger, **how),
    "labels": lambda t, ledger, how: histogram(labels(t), categories=list("abc"), other=True, ledger=ledger, **how),
    "table": lambda t, ledger, how: histogram2d(
        values(t), labels(t), edges=(EDGES, None), categories=(None, list("ab")), ledger=ledger, **how
    ),
    "questions": lambda t, ledger, how: counts(
        {"low": lambda v: v < 0.5, "any": lambda _: True, "high": lambda v: v > 0.2},
        values=values(t),
        ledger=ledger,
        **how,
    ),
    "questions that exclude": lambda t, ledger, how: counts(
        [[v < 0.5 for v in values(t)], [v < 2 for v in values(t)], [v > 0 for v in values(t)]],
        per_row=1,
        ledger=ledger,
        **how,
    ),
    "hierarchy": lambda t, ledger, how: hierarchical_counts(values(t), edges=EDGES, branching=2, ledger=ledger, **how),
    "nested labels": lambda t, ledger, how: hierarchical_counts(
        [labels(t), [label if v < 0.5 else "a" for _, v, label in t]], categories=TREE, ledger=ledger, **how
    ),
    "shares": lambda t, ledger, how: cdf(values(t), edges=EDGES, branching=2, ledger=ledger, **how),
    "strategy": lambda t, ledger, how: hierarchical_counts(values(t), edges=EDGES, ledger=ledger, **gaussian(how)),
    "strategy for shares": lambda t, ledger, how: cdf(values(t), edges=EDGES, ledger=ledger, **gaussian(how)),
}
CHOICES: dict[str, Ask] = {
    "median": lambda t, ledger, how: median(values(t), bounds=(0, 1), step=STEPS, ledger=ledger, **how),
    "quantile": lambda t, ledger, how: quantile(values(t), "0.9", bounds=(0, 1), step=STEPS, ledger=ledger, **how),
    "minimum": lambda t, ledger, how: minimum(values(t), bounds=(0, 1), step=STEPS, ledger=ledger, **how),
    "maximum": lambda t, ledger, how: maximum(values(t), bounds=(0, 1), step=STEPS, ledger=ledger, **how),
    "interval": lambda t, ledger, how: quantile_interval(
        values(t), "0.3", bounds=(0, 1), step=STEPS, ledger=ledger, **how
    ),
}


def neighbors(table: Table, *, owned: bool, replace: bool) -> Iterator[Table]:
    for place, row in enumerate(table):
        if owned:
            others = [each for each in table if each[0] != row[0]]
            news = [[(row[0], value, label) for _, value, label in rows] for rows in NEW] if replace else [[]]
            yield from ([*others, *rows] for rows in news)
        else:
            rest = [*table[:place], *table[place + 1 :]]
            yield from ([*rest[:place], rows[0], *rest[place:]] for rows in NEW) if replace else [rest]


class Recording(Ledger):
    """Keeps secrets as they are, NaN and infinities included: counts, or the column that a choice is made from."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(Guarantee(10**9, "0.9"), unit=unit)
        self.columns: list[list[float]] = []
        self.sensitivities: list[Sensitivity] = []
        self.mechanisms: list[Mechanism[Any, Any]] = []

    @property
    def secrets(self) -> list[tuple[Fraction, ...]]:
        return [exactly(column) for column in self.columns]

    def release(self, secret: Sensitive[Any], mechanism: Mechanism[Any, Any], **how: Any) -> Release[Any]:  # noqa: ANN401 - the ledger's own
        assert secret.deferred, "a statistic computes nothing before the charge"
        self.columns.append(np.ravel(secret.reveal_to_ledger()).tolist())
        self.sensitivities.append(secret.sensitivity)
        self.mechanisms.append(mechanism)
        labels = 0 if isinstance(mechanism, PermuteAndFlip) else self.columns[-1]
        uncertainty = mechanism.uncertainty
        loss = mechanism.loss.under(self.unit.neighbors)
        return Release(
            np.array(labels), uncertainty, loss, how["purpose"], repr(mechanism), self.unit
        )  # no noise: faster


def asked(ask: Ask, table: Table, unit: Unit, *, owned: bool) -> Recording:
    how: dict[str, Any] = {"epsilon": 40}
    if owned:
        how |= {"unit_ids": [row[0] for row in table], "rows_per_unit": 2}
    ledger = Recording(unit)
    ask(table, ledger, how)
    return ledger


WAYS = [(owned, replace) for owned in (False, True) for replace in (False, True)]


@pytest.mark.parametrize(("owned", "replace"), WAYS)
@pytest.mark.parametrize("name", COUNTS)
@settings(max_examples=10)
@given(table=TABLES)
def test_counts_move_no_farther_than_declared(name: str, table: Table, owned: bool, replace: bool) -> None:  # noqa: FBT001 - a way
    unit = Unit("person", "replace" if replace else "add_remove")
    mine = asked(COUNTS[name], table, unit, owned=owned)
    for neighbor in neighbors(table, owned=owned, replace=replace):
        theirs = asked(COUNTS[name], neighbor, unit, owned=owned)
        assert mine.sensitivities == theirs.sensitivities, "a sensitivity is public"
        assert repr(mine.mechanisms) == repr(theirs.mechanisms), "so is the mechanism"
        assert_within(mine.secrets[0], theirs.secrets[0], mine.sensitivities[0])


def scores(ledger: Recording) -> list[list[Fraction]]:
    """Minus the distance of every point's rank from the target, as each mechanism draws it."""
    found = []
    (mechanism,) = ledger.mechanisms
    column = [float(value) for value in ledger.columns[0]]
    ends: list[IntervalQuantile] = []
    if isinstance(mechanism, IntervalQuantile):
        ends = [mechanism]
    elif isinstance(mechanism, QuantileInterval):
        ends = [mechanism._end(offset) for offset in (-mechanism.reach, mechanism.reach)]
    for end in ends:
        known = [value for value in column if not math.isnan(value)]
        target = end.target(len(known))
        steps = [round(min(max(value, 0.0), 1.0) * end.points) for value in known]
        found.append(
            [
                -max(Fraction(0), sum(s < p for s in steps) - target, target - sum(s <= p for s in steps))
                for p in range(end.points + 1)
            ]
        )
    return found


@pytest.mark.parametrize(("owned", "replace"), WAYS)
@pytest.mark.parametrize("name", CHOICES)
@settings(max_examples=10)
@given(table=TABLES)
def test_scores_move_no_farther_than_declared(name: str, table: Table, owned: bool, replace: bool) -> None:  # noqa: FBT001 - a way
    unit = Unit("person", "replace" if replace else "add_remove")
    mine = asked(CHOICES[name], table, unit, owned=owned)
    for neighbor in neighbors(table, owned=owned, replace=replace):
        theirs = asked(CHOICES[name], neighbor, unit, owned=owned)
        assert mine.sensitivities == theirs.sensitivities
        for one, other in zip(scores(mine), scores(theirs), strict=True):
            moved = max(abs(a - b) for a, b in zip(one, other, strict=True))
            assert moved <= mine.sensitivities[0].linf


@pytest.mark.parametrize(("owned", "replace"), WAYS)
@settings(max_examples=10)
@given(table=TABLES)
def test_no_unit_moves_more_rows_of_several_quantiles(table: Table, owned: bool, replace: bool) -> None:  # noqa: FBT001 - a way
    unit = Unit("person", "replace" if replace else "add_remove")

    def ask(some: Table, ledger: Ledger, how: dict[str, Any]) -> object:
        return quantiles(values(some), [0.25, 0.5], bounds=(0, 1), ledger=ledger, **how)

    mine = asked(ask, table, unit, owned=owned)
    for neighbor in neighbors(table, owned=owned, replace=replace):
        theirs = asked(ask, neighbor, unit, owned=owned)
        one, other = (Counter(v for v in each.columns[0] if not math.isnan(v)) for each in (mine, theirs))
        (mechanism,) = mine.mechanisms
        assert isinstance(mechanism, HalvingQuantiles)
        assert (one - other).total() + (other - one).total() <= mechanism.rows


@pytest.mark.parametrize(("owned", "replace"), WAYS)
@pytest.mark.parametrize("k", [1, 2])
@settings(max_examples=10)
@given(table=TABLES)
def test_scores_of_labels_move_apart_by_at_most_twice_what_is_declared(
    table: Table,
    owned: bool,  # noqa: FBT001 - a way
    replace: bool,  # noqa: FBT001 - a way
    k: int,
) -> None:
    """What all scores have in common does not count: the spread of the moves is what one choice sees."""
    unit = Unit("person", "replace" if replace else "add_remove")

    def ask(some: Table, ledger: Ledger, how: dict[str, Any]) -> object:
        return top_k(labels(some), k, categories=list("abc"), ledger=ledger, **how)

    mine = asked(ask, table, unit, owned=owned)
    for neighbor in neighbors(table, owned=owned, replace=replace):
        theirs = asked(ask, neighbor, unit, owned=owned)
        moves = [a - b for a, b in zip(mine.secrets[0], theirs.secrets[0], strict=True)]
        declared = mine.sensitivities[0]
        assert max(moves) - min(moves) <= 2 * declared.linf
        if k > 1:  # counts of all labels, in L1
            assert sum(map(abs, moves)) <= declared.l1
