"""named_losses: the losses that a chart compares, each with a name for its legend."""

from collections.abc import Mapping
from typing import Any

from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss
from privet.loss.exact import shown

MOST = 6  # lines that a legend keeps apart, beside one for comparison


def named_losses(losses: PrivacyLoss | Mapping[str, PrivacyLoss]) -> dict[str, PrivacyLoss]:
    """One loss under the name "this loss", or those given.

    Example:
        >>> list(named_losses(PrivacyLoss()))
        ['this loss']
    """
    named: Any = {"this loss": losses} if isinstance(losses, PrivacyLoss) else losses
    if not isinstance(named, Mapping) or not all(isinstance(each, PrivacyLoss) for each in named.values()):
        raise InvalidParameter(f"a chart needs a PrivacyLoss, or several by name, got {shown(losses)}")
    if not 1 <= len(named) <= MOST:
        raise InvalidParameter(f"a chart compares from 1 to {MOST} losses, got {len(named)}: leave some out")
    return {str(name): loss for name, loss in named.items()}
