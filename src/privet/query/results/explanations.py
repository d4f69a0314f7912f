"""Explanations: what a batch of statements would cost together, before anything is spent or read."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from rich.console import Console

from privet.core import Unit
from privet.errors import InvalidParameter
from privet.loss import Amount, PrivacyLoss, Promise
from privet.query.results.answers import total
from privet.query.results.explanation import Explanation
from privet.wording.nearest import nearest
from privet.wording.printable import plain


@dataclass(frozen=True, repr=False)
class Explanations(Sequence[Explanation]):
    """Price, mechanisms and margins of every statement of a batch, and the price of all.

    Args:
        explanations: of each statement, in order; its `price` is what it would cost alone, with the same noise.
        names: of each, or () if they had none.
        price: what the ledger would charge for all of them, once.
        remaining: what may still be charged.
        promise: what was asked to be kept.
        loss: of all of them.
        unit: who is protected.
        queries: the engine's SQL, each once, for the owner.
    """

    explanations: tuple[Explanation, ...]
    names: tuple[str, ...]
    price: Amount
    remaining: Amount
    promise: Promise
    loss: PrivacyLoss
    unit: Unit
    queries: tuple[str, ...] = ()

    @property
    def alone(self) -> Amount:
        """What the same answers with the same noise would cost if each were charged alone."""
        return total(each.price for each in self.explanations)

    @property
    def affordable(self) -> bool:
        """Whether what remains covers the price."""
        return self.price.fits(self.remaining)

    @overload
    def __getitem__(self, which: int | str) -> Explanation: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Explanation, ...]: ...
    def __getitem__(self, which: int | str | slice) -> Explanation | tuple[Explanation, ...]:
        """An explanation by its place or name, or several by their places."""
        if isinstance(which, str):
            if which not in self.names:
                raise InvalidParameter(f"no statement of this batch is called {which!r}{nearest(which, self.names)}")
            return self.explanations[self.names.index(which)]
        return self.explanations[which]

    def __len__(self) -> int:
        return len(self.explanations)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.explanations)

    def __repr__(self) -> str:
        buffer = io.StringIO()
        Console(file=buffer, width=120, color_system=None, legacy_windows=False).print(self)
        return "\n".join(line.rstrip() for line in buffer.getvalue().rstrip().split("\n"))

    def __rich_console__(self, console: Console, options: object) -> Any:  # noqa: ANN401 - rich's own types
        """Each explanation, and the price of all."""
        for place, each in enumerate(self.explanations):
            yield plain(f"{self.names[place] if self.names else place + 1}: {each.statement.strip()}")
            yield each
        verdict = "" if self.affordable else ": not enough"
        scans = f"{len(self.queries)} scan" + ("" if len(self.queries) == 1 else "s")
        price = self.price.beside(self.remaining)
        yield plain(f"together {price} per {self.unit.name} in {scans}; one by one it would be {self.alone}")
        yield plain(f"{self.remaining.beside(self.price)} remains{verdict}")
