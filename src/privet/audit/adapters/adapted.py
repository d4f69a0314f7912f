"""Adapted: a mechanism of another library, as an audit runs it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privet.loss import ConcentratedGuarantee, Guarantee, PrivacyLoss


@dataclass(frozen=True)
class Adapted:
    """What another library's mechanism gives for an input, and what it says of itself.

    Args:
        name: what it is called.
        run: one run.
        claim: what it promises; None if it does not say.
    """

    name: str
    run: Callable[[Any], Any]
    claim: Guarantee | ConcentratedGuarantee | PrivacyLoss | None = None

    def __call__(self, data: Any) -> Any:  # noqa: ANN401 - any input, any outcome
        """One run."""
        return self.run(data)

    def __repr__(self) -> str:
        return self.name
