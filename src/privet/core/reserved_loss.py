"""Reserved losses: those that are reserved together, and the draws that are recorded with them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from privet.core.journals.entry import Entry
from privet.core.mechanism import Mechanism
from privet.core.refusals import refuse_purpose
from privet.core.unit import Unit
from privet.errors import InvalidParameter
from privet.loss import Amount, Guarantee, PrivacyLoss, SpendingRule
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


def covers(paid: Amount, loss: PrivacyLoss, rule: SpendingRule) -> bool:
    """Whether what was paid is a price of a loss by some way of charging it that the rule has.

    A rule that counts ε and δ charges a plan at the δ or promise its owner chose: both are in what was paid.
    """
    ways: list[dict[str, Any]] = [{}]
    if "delta" in paid.units:
        ways = [{"promise": Guarantee(paid.epsilon, paid.delta)}, {"delta": paid.delta}, {}]
    costs = (rule.cost(loss, **way) for way in ways)
    return any(Amount(*cost.parts).fits(Amount(*paid.parts[: len(cost.parts)])) for cost in costs)
