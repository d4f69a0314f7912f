"""FitPlan: what a fit would cost and how far it would err, told from public numbers before anything is spent."""

from collections.abc import Mapping
from dataclasses import dataclass

from privet.core import Unit
from privet.loss import Promise


@dataclass(frozen=True, repr=False)
class FitPlan:
    """What `explain` says.

    Args:
        model: the name of the model.
        promise: what a fit costs.
        unit: who is protected.
        rows_per_unit: how many rows of a unit count.
        foreseen: what is released, with which noise, and how far the result is expected to err, by name.

    Example:
        >>> from privet import Guarantee
        >>> FitPlan("StandardScaler", Guarantee(1), Unit("person"), 1, {"noise of each mean": "0.02"})
        StandardScaler would cost (ε=1)-DP for every person, 1 row each
        noise of each mean: 0.02
    """

    model: str
    promise: Promise
    unit: Unit
    rows_per_unit: int
    foreseen: Mapping[str, str]

    def __repr__(self) -> str:
        rows = f"{self.rows_per_unit} row{'s' if self.rows_per_unit > 1 else ''} each"
        head = f"{self.model} would cost {self.promise!r} for every {self.unit.name}, {rows}"
        return "\n".join([head, *(f"{name}: {said}" for name, said in self.foreseen.items())])
