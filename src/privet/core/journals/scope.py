"""Scope: whose spends a cap counts."""

from functools import lru_cache
from typing import Any, NamedTuple, Self

from privet.core.journals.chain import Facts
from privet.errors import InvalidParameter


class _Names(NamedTuple):
    """What tells scopes apart: a tuple, which is looked up for every spend and every row."""

    analyst: str | None
    purpose: str | None


class Scope(_Names):
    """All spends of one analyst, for one purpose, of one analyst for one purpose, or all of them.

    Args:
        analyst: whose spends; everybody's if left out.
        purpose: for what; everything if left out.

    Example:
        >>> Scope(), Scope(analyst="ada"), Scope(analyst="ada", purpose="ward 3")
        (the dataset, analyst 'ada', analyst 'ada' for purpose 'ward 3')
    """

    __slots__ = ()

    def __new__(cls, analyst: str | None = None, purpose: str | None = None) -> Self:  # noqa: D102 - what the class says
        given: tuple[tuple[str, Any], ...] = (("analyst", analyst), ("purpose", purpose))
        for name, value in given:
            if value is not None and (not isinstance(value, str) or not value.strip()):
                raise InvalidParameter(f"{name} must be a name, or left out, got {value!r}")
        return super().__new__(cls, analyst, purpose)

    @classmethod
    def of(cls, facts: Facts) -> "Scope":
        """The scope that `facts` describes."""
        return cls(facts.get("analyst"), facts.get("purpose"))

    @property
    def facts(self) -> dict[str, str]:
        """The scope as JSON."""
        return {
            name: value for name, value in (("analyst", self.analyst), ("purpose", self.purpose)) if value is not None
        }

    @property
    def always_counted(self) -> bool:
        """Whether it is counted before it has a cap: the dataset and every analyst are, so many purposes are not."""
        return self.purpose is None

    def counts(self, facts: Facts) -> bool:
        """Whether a spend counts here."""
        return self.analyst in (None, facts.get("analyst")) and self.purpose in (None, facts.get("purpose"))

    def __repr__(self) -> str:
        if self.analyst is None:
            return "the dataset" if self.purpose is None else f"purpose {self.purpose!r}"
        return f"analyst {self.analyst!r}" + ("" if self.purpose is None else f" for purpose {self.purpose!r}")


DATASET = Scope()


@lru_cache(maxsize=1024)
def scopes_named(analyst: str | None, purpose: str | None) -> tuple[Scope, ...]:
    """Every scope in which a spend of this analyst for this purpose counts, the widest first."""
    wide = (DATASET, Scope(purpose=purpose))
    return wide if analyst is None else (DATASET, Scope(analyst), wide[1], Scope(analyst, purpose))
