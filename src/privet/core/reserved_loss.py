"""Reserved losses: those that are reserved together, and the draws that are recorded with them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from privet.core.journals.entry import Entry
from privet.core.mechanism import Mechanism
from privet.core.refusals import refuse_purpose
from privet.core.unit import Unit
from privet.errors import InvalidParameter
from privet.loss import Amount, PrivacyLoss
from privet.loss.privacy_loss import sum_of


def reserved_loss(plan: PrivacyLoss | Iterable[Mechanism[Any, Any]], *, purpose: str, unit: Unit) -> PrivacyLoss:
    """The loss of a whole plan, under the unit's neighbors."""
    refuse_purpose(purpose)
    loss = plan if isinstance(plan, PrivacyLoss) else sum_of(each.loss for each in plan)
    if not loss.parts:
        raise InvalidParameter("plan must hold at least one loss or mechanism, got none")
    return loss.under(unit.neighbors)


def draws_of(  # noqa: PLR0913 - what an entry says, each by name
    plan: PrivacyLoss,
    draws: Sequence[Mechanism[Any, Any]],
    *,
    purpose: str,
    unit: Unit,
    analyst: str | None,
    cost: Amount,
) -> tuple[Entry, ...]:
    """The entries of draws that are recorded with their plan; refused if they are not within it."""
    losses = [each.loss.under(unit.neighbors) for each in draws]
    left = Counter(dict(plan.parts))
    for loss in losses:
        left.subtract(dict(loss.parts))
    if any(times < 0 for times in left.values()):
        raise InvalidParameter("draws must be within the plan: reserve the very losses that will be drawn")
    return tuple(
        Entry("draw", purpose, repr(each), loss, cost, analyst=analyst)
        for each, loss in zip(draws, losses, strict=True)
    )
