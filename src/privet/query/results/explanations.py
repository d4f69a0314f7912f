"""Explanations: what a batch of statements would cost together, before anything is spent or read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from rich.console import Console

from privet.core import Unit
from privet.display import Card
from privet.errors import InvalidParameter
from privet.loss import Amount, PrivacyLoss, Promise
from privet.query.results.answers import total
from privet.query.results.explanation import FREE, Details, Explanation
from privet.query.results.on_lines import on_lines
from privet.query.results.price_words import amount_words, meaning_of, price_words
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

    @property
    def meaning(self) -> str:
        """What the loss of all of them means for one unit, in a sentence."""
        return meaning_of(self.loss, promise=self.promise, unit=self.unit)

    @property
    def opening(self) -> tuple[str, ...]:
        """The price of all and what it means, a sentence each; nothing if they are free."""
        if not self.loss.parts:
            return ()
        scans = f"{len(self.queries)} scan" + ("" if len(self.queries) == 1 else "s")
        return (
            price_words(self.price, self.remaining, unit=self.unit, what="all of this"),
            self.meaning,
            f"the data is read in {scans}; one by one it would cost {amount_words(self.alone)}",
        )

    @property
    def details(self) -> Details:
        """The same with mechanisms, sensitivities and scales."""
        more = (f"neighbors: {self.unit.neighbors.value}",) if self.loss.parts else ()
        return Details((*self.opening, *more), tuple(self.titled()))

    def titled(self) -> Iterator[tuple[str, Explanation]]:
        """Each explanation with its name, or its number, and its statement."""
        for place, each in enumerate(self.explanations):
            yield f"{self.names[place] if self.names else place + 1}: {each.statement.strip()}", each

    def to_dict(self) -> dict[str, Any]:
        """All of it for programs, as JSON can hold it."""
        from privet.query.results.explanation_facts import batch_facts  # noqa: PLC0415 - for programs

        return batch_facts(self)

    def __repr__(self) -> str:
        return on_lines(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from privet.query.results.explanation_card import batch_cards  # noqa: PLC0415 - for notebooks

        if not self.loss.parts:
            return Card(lines=(FREE,)).html()
        return "".join(card.html() for card in batch_cards(self))

    def __rich_console__(self, console: Console, options: object) -> Any:  # noqa: ANN401 - rich's own types
        """The price of all and what it means, then each explanation."""
        yield from map(plain, self.opening)
        for title, each in self.titled():
            yield ""
            yield plain(title)
            if each.loss.parts:
                yield plain(f"alone it would cost {amount_words(each.price)}")
                yield from each.body()
            else:
                yield FREE
