"""WantedError: the margin that somebody can live with, as they put it: a number, or a percentage of a size."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, readable

PERCENT = re.compile(r"\s*([^%\s]+)\s*%\s*(?:of\s+(\S+)\s*)?")
WAYS = 'a number > 0 such as 5, or a percentage such as "2%" (of the rows of a count) or "2% of 40000"'


@dataclass(frozen=True)
class WantedError:
    """The largest acceptable margin.

    Args:
        amount: of the margin; of a percentage, the share.
        relative: whether it is a share of a size.
        size: what the answer is expected to be, where that was said.

    Example:
        >>> WantedError.of("2% of 40000").margin(), WantedError.of("2%").margin(1000), WantedError.of(5).margin()
        (Fraction(800, 1), Fraction(20, 1), Fraction(5, 1))
    """

    amount: Fraction
    relative: bool = False
    size: Fraction | None = None

    @classmethod
    def of(cls, said: Exact, name: str = "error") -> "WantedError":
        """What was said, or a refusal."""
        found = PERCENT.fullmatch(said) if isinstance(said, str) else None
        try:
            amount = exact(said if found is None else found[1], name)
            size = None if found is None or found[2] is None else abs(exact(found[2], name))
        except InvalidParameter:
            raise InvalidParameter(f"{name} must be {WAYS}, got {said!r:.80}") from None
        if amount <= 0 or size == 0:
            raise InvalidParameter(f"{name} must be {WAYS}, got {said!r:.80}")
        return cls(amount if found is None else amount / 100, found is not None, size)

    def margin(self, size: Fraction | int | None = None) -> Fraction | None:
        """The margin itself; None if it is a share of a size that is not known.

        Args:
            size: what the answer is expected to be, if nothing was said about it.
        """
        if not self.relative:
            return self.amount
        known = self.size if self.size is not None else size
        return None if known is None else self.amount * known

    def times(self, factor: Fraction) -> "WantedError":
        """A larger or smaller one."""
        return WantedError(self.amount * factor, self.relative, self.size)

    def __str__(self) -> str:
        if not self.relative:
            return readable(self.amount)
        return f"{readable(100 * self.amount)}%" + ("" if self.size is None else f" of {readable(self.size)}")


Wanted: TypeAlias = WantedError | Mapping[str, WantedError]


def wanted_of(said: Exact | Mapping[str, Exact]) -> Wanted:
    """What was said of all columns, or of some by name."""
    if not isinstance(said, Mapping):
        return WantedError.of(said)
    if not said:
        raise InvalidParameter("error names no column: pass a number for all of them, or a mapping of names to numbers")
    return {str(name): WantedError.of(each, f"the error of {name!r}") for name, each in said.items()}


def wanted_texts(said: Sequence[str]) -> str | dict[str, str] | None:
    """What a command line says: nothing, one error for all columns, or some by name.

    Example:
        >>> wanted_texts(["5"]), wanted_texts(["n=5", "pay=2% of 40000"])
        ('5', {'n': '5', 'pay': '2% of 40000'})
    """
    if not said:
        return None
    if len(said) == 1 and "=" not in said[0]:
        return said[0]
    named = [each.rpartition("=") for each in said]
    if not all(name for name, _, _ in named):
        raise InvalidParameter("say one error for all columns, such as 5, or one for each of several, such as n=5")
    return {name.strip(): amount.strip() for name, _, amount in named}
