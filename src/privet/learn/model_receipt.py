"""ModelReceipt: what a fitted model cost, whom it protects, and what was taken to be public."""

from dataclasses import dataclass

from privet.core import Unit
from privet.loss import PrivacyLoss, Promise


@dataclass(frozen=True, repr=False)
class ModelReceipt:
    """The receipt of one fit, kept by the model as `privacy_`.

    Args:
        loss: what the model reveals, under the unit's neighbors; it composes with other losses.
        promise: what was asked for.
        unit: who is protected, and under which relation of neighbors.
        rows_per_unit: how many rows of one unit count.
        mechanism: how it was made, in words.
        purpose: what it was paid for, as the ledger has it.
        public: what was taken to be public knowledge: anything read off the data there is a leak that no ledger sees.

    Example:
        >>> from privet import Guarantee
        >>> from privet.mechanisms import Laplace
        >>> public = {"bounds": "one pair a column"}
        >>> ModelReceipt(Laplace(1, 1).loss, Guarantee(1), Unit("person"), 1, "Laplace", "a model", public)
        (ε=1)-DP for every person: one more or less looks alike
        made by Laplace, for "a model"
        public: bounds (one pair a column)
    """

    loss: PrivacyLoss
    promise: Promise
    unit: Unit
    rows_per_unit: int
    mechanism: str
    purpose: str
    public: dict[str, str]

    def epsilon(self, delta: float = 0) -> float:
        """The ε at this δ."""
        return self.loss.epsilon(delta)

    def __repr__(self) -> str:
        change = (
            "one more or less looks alike" if self.unit.neighbors.name == "ADD_REMOVE" else "one replaced looks alike"
        )
        rows = f", {self.rows_per_unit} rows each" if self.rows_per_unit > 1 else ""
        public = ", ".join(f"{name} ({said})" for name, said in self.public.items())
        lines = [
            f"{self.promise!r} for every {self.unit.name}: {change}{rows}",
            f'made by {self.mechanism}, for "{self.purpose}"',
            f"public: {public or 'nothing of the data'}",
        ]
        return "\n".join(lines)
