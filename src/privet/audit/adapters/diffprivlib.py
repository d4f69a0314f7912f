"""Mechanisms as diffprivlib has them: `randomise(value)`, `epsilon` and `delta`."""

from typing import Any

from privet.audit.adapters.adapted import Adapted
from privet.loss import Guarantee


def randomiser(mechanism: Any) -> Adapted:  # noqa: ANN401 - of another library
    """A mechanism with `randomise`, which claims its `epsilon` and `delta`."""
    claim = Guarantee(float(mechanism.epsilon), float(getattr(mechanism, "delta", 0.0) or 0.0))
    return Adapted(type(mechanism).__name__, mechanism.randomise, claim)
