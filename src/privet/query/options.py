"""Spending: what may be said about a question, besides the question."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypedDict

from privet.asking.budget import Budget as Asked
from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.loss.exact import Exact
from privet.query.catalog import Catalog
from privet.query.measures.automatic_bounds import share_of
from privet.query.plan.limits import Limits
from privet.query.pricing.quote import limits_of

UNSAID = Guarantee(1)  # at which explain prices a statement if nothing else is said, anywhere

LIMITING = ("rows_per_unit", "groups_per_unit", "rows_per_group", "bounding")
SHAPING = ("weights", *LIMITING, "automatic_bounds")  # of a question, all


ALL = ("epsilon", "delta", "rho", *SHAPING, "confidence")


class JointSpending(TypedDict, total=False):
    """What may be said about several questions that are asked at once, all by name.

    epsilon, delta, rho: what to spend; the catalog's budget by default. rows_per_unit, or groups_per_unit and
    rows_per_group: how much of one unit is used, in the place of the catalog's limits. bounding: whether to
    "weigh" or "sample" the rows beyond them. automatic_bounds: the share of the budget, such as "0.2", with which
    bounds are found that nobody declared. confidence: of the intervals.
    """

    epsilon: Exact | None
    delta: Exact | None
    rho: Exact | None
    rows_per_unit: int | None
    groups_per_unit: int | None
    rows_per_group: int | None
    bounding: str | None
    automatic_bounds: Exact | None
    confidence: float


class Spending(JointSpending, total=False):
    """What may be said about one question: the same, and the weights of its columns, by name."""

    weights: Mapping[str, Exact] | None


@dataclass(frozen=True)
class Said:
    """What was said about a question, checked.

    Args:
        asked: what may be spent.
        confidence: of the intervals.
        limits: in the place of the catalog's.
        automatic_bounds: the share of the budget that finding bounds takes.
        shaping: all that shapes the answer, as it is compared when it is asked again.
    """

    asked: Asked
    confidence: float
    limits: Limits | None
    automatic_bounds: Fraction | None
    shaping: tuple[str, ...]

    @classmethod
    def of(cls, spending: Spending, catalog: Catalog, *, explaining: bool = False) -> "Said":
        """Refuse what means nothing, before anything is read."""
        unknown = spending.keys() - ALL
        if unknown:
            raise InvalidParameter(f"a question takes {', '.join(ALL)}, got {', '.join(unknown)}")
        confidence = spending.get("confidence", 0.95)
        refuse_certainty(confidence, "confidence")
        limits = limits_of(
            rows_per_unit=spending.get("rows_per_unit"),
            groups_per_unit=spending.get("groups_per_unit"),
            rows_per_group=spending.get("rows_per_group"),
            bounding=spending.get("bounding"),
        )
        asked = asked_of(spending, catalog, explaining=explaining)
        share = spending.get("automatic_bounds")
        shaping = tuple(_said(spending.get(word)) for word in SHAPING)
        return cls(asked, confidence, limits, None if share is None else share_of(share), shaping)


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


def _said(value: object) -> str:
    return repr(sorted(value.items()) if isinstance(value, Mapping) else value)
