"""ChosenWay: which of several ways was taken, and what each of them is expected to err by."""

from collections.abc import Mapping
from dataclasses import dataclass

SIMILAR = 1.005  # up to here two errors are the same to people


@dataclass(frozen=True)
class ChosenWay:
    """The way that was taken, beside those that could have been.

    Args:
        what: it is a way of, such as "noise" or "naming groups".
        way: the name of the one that was taken.
        error: that is expected of it; any figure that grows with the error, the same for all ways.
        beside: the names of the other ways, with the errors that are expected of them.
        unit: what errors are measured in, such as "rows"; "" if only their ratio means something.
        why: it was taken, where that is not the smallest error: "as was said".

    Privacy: whoever makes one has public numbers only, so that it may be shown before anything is spent.

    Example:
        >>> ChosenWay("noise", "Laplace", 2.0, {"Gaussian": 2.74}).words
        'noise: Laplace; Gaussian would err 1.37 times as much'
        >>> ChosenWay("counting by hour", "a tree", 8.8, {"each hour by itself": 147.0}, unit="rows").words
        'counting by hour: a tree (expected error 8.8 rows); each hour by itself would err by 147 rows'
    """

    what: str
    way: str
    error: float
    beside: Mapping[str, float]
    unit: str = ""
    why: str = ""

    @classmethod
    def least(cls, what: str, errors: Mapping[str, float], *, unit: str = "") -> "ChosenWay":
        """The way of the smallest error; of equals the first.

        Args:
            what: it is a way of.
            errors: of each way that could be taken, by its name; one at least.
            unit: what they are measured in.

        Example:
            >>> ChosenWay.least("noise", {"Laplace": 2, "Gaussian": 1.5}).way
            'Gaussian'
        """
        way = min(errors, key=lambda name: errors[name])
        return cls(what, way, errors[way], {name: each for name, each in errors.items() if name != way}, unit)

    @property
    def words(self) -> str:
        """What was chosen, and what the others would err by, in a sentence."""
        sure = f" (expected error {self.error:.3g} {self.unit})" if self.unit else ""
        why = f", {self.why}" if self.why else ""
        return "; ".join([f"{self.what}: {self.way}{sure}{why}", *map(self._other, self.beside.items())])

    def _other(self, way: tuple[str, float]) -> str:
        name, error = way
        if self.unit:
            return f"{name} would err by {error:.3g} {self.unit}"
        if self.error and 1 / SIMILAR <= error / self.error <= SIMILAR:
            return f"{name} would err as much"
        return f"{name} would err {error / self.error:.3g} times as much" if self.error else f"{name} would err more"
