"""Sensitive: an exact answer that has not been released."""

from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar, final

from privet.core.sensitivity import Sensitivity
from privet.core.unit import Unit
from privet.errors import InvalidParameter

Held = TypeVar("Held", covariant=True)  # a secret int is a secret number


@final
class Sensitive(Generic[Held]):
    """A value computed from protected data, and how far one unit can move it. Never printed, compared or pickled.

    Args:
        value: the exact answer.
        sensitivity: how far one unit can move it.
        unit: who is protected.

    Privacy: a `Ledger` is the only reader. What keeps it so is discipline, not force: Python hides nothing from code
        in the same process, so analysts who write code belong in another one.

    Example:
        >>> Sensitive(42, Sensitivity(1), Unit("person"))
        Sensitive(value hidden, Sensitivity(1), Unit('person', one unit more or less))
    """

    __slots__ = ("_compute", "deferred", "sensitivity", "unit")

    def __init__(self, value: Held, sensitivity: Sensitivity, unit: Unit) -> None:
        self._keep(lambda: value, sensitivity, unit, deferred=False)

    @classmethod
    def later(cls, compute: Callable[[], Held], sensitivity: Sensitivity, unit: Unit) -> "Sensitive[Held]":
        """Return a secret that is computed only after its release has been paid for.

        What `compute` raises is not shown: after the charge, an error must not depend on the data.
        """
        if not callable(compute):
            raise InvalidParameter(f"compute must be a function without arguments, got {type(compute).__name__}")
        secret = cls.__new__(cls)
        secret._keep(compute, sensitivity, unit, deferred=True)  # noqa: SLF001 - its own class
        return secret

    def _keep(self, compute: Callable[[], Held], sensitivity: Sensitivity, unit: Unit, *, deferred: bool) -> None:
        if not isinstance(sensitivity, Sensitivity):
            raise InvalidParameter(f"sensitivity must be a Sensitivity, got {type(sensitivity).__name__}")
        if not isinstance(unit, Unit):
            raise InvalidParameter(f"unit must be a Unit, got {type(unit).__name__}")
        self._compute = compute
        self.sensitivity = sensitivity
        self.unit = unit
        self.deferred = deferred

    def reveal_to_ledger(self) -> Held:
        """Return the exact value. Called by `Ledger.release` only, after the charge."""
        return self._compute()

    def __repr__(self) -> str:
        return f"Sensitive({'not yet computed' if self.deferred else 'value hidden'}, {self.sensitivity}, {self.unit})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Sensitive value cannot be pickled or copied to disk: release it through a Ledger")
