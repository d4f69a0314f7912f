"""Spending: what may be said about a question, besides the question."""

from collections.abc import Mapping
from typing import Any, TypedDict

from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.loss.exact import Exact
from privet.query.asked import Asked
from privet.query.catalog import Catalog

UNSAID = Guarantee(1)  # at which explain prices a statement if nothing else is said, anywhere

SHAPING = ("weights", "rows_per_unit", "groups_per_unit", "rows_per_group", "automatic_bounds")  # of a question, all


class Spending(TypedDict, total=False):
    """What may be said about one question, all by name.

    epsilon, delta, rho: what to spend; the catalog's budget by default. weights: of columns, by name. rows_per_unit, or
    groups_per_unit and rows_per_group: how much of one unit is used, in the place of the catalog's limits.
    automatic_bounds: the share of the budget, such as "0.2", with which bounds are found that nobody declared.
    confidence: of the intervals.
    """

    epsilon: Exact | None
    delta: Exact | None
    rho: Exact | None
    weights: Mapping[str, Exact] | None
    rows_per_unit: int | None
    groups_per_unit: int | None
    rows_per_group: int | None
    automatic_bounds: Exact | None
    confidence: float


def refuse_unknown(spending: Spending) -> None:
    """Raise if something is said that means nothing."""
    unknown = spending.keys() - Spending.__annotations__.keys()
    if unknown:
        raise InvalidParameter(f"a question takes {', '.join(Spending.__annotations__)}, got {', '.join(unknown)}")


def asked_of(spending: Spending, catalog: Catalog, *, explaining: bool) -> Asked:
    """What may be spent: as said, or else the catalog's budget."""
    epsilon, delta, rho = (spending.get(name) for name in ("epsilon", "delta", "rho"))
    said: Any = (epsilon, delta, rho)
    default = catalog.budget or (UNSAID if explaining else None)
    if epsilon is None and rho is None and default is not None:
        if isinstance(default, ConcentratedGuarantee):
            return Asked.of(rho=default.rho, delta=said[1])
        return Asked.of(epsilon=default.epsilon, delta=default.delta if delta is None else said[1])
    return Asked.of(epsilon=said[0], delta=said[1], rho=said[2])


def shaping_of(spending: Spending) -> list[str]:
    """What was said about a question, as it is compared when it is asked again."""
    return [_said(spending.get(word)) for word in SHAPING]


def _said(value: object) -> str:
    return repr(sorted(value.items()) if isinstance(value, Mapping) else value)
