"""Answers: what a batch of statements gave, and what was charged for all of them together."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from rich.console import Console

from privet.core import Unit
from privet.display import Card
from privet.errors import InvalidParameter
from privet.loss import Amount, PrivacyLoss
from privet.query.results.answer import Answer, amount_facts, amount_of
from privet.query.results.on_lines import on_lines
from privet.wording.nearest import nearest
from privet.wording.printable import plain


@dataclass(frozen=True, repr=False)
class Answers(Sequence[Answer]):
    """The answers of a batch, in the order in which they were asked; by name, if they had names.

    Args:
        answers: in order; each says in `spent` what it would cost alone, with the same noise.
        names: of each, or () if they had none.
        loss: what all of them reveal together, under the unit's neighbors.
        spent: what the ledger charged for all of them, once.
        unit: who is protected.
        purpose: as recorded in the ledger.

    Privacy: as for an answer: nothing done to them costs more.
    """

    answers: tuple[Answer, ...]
    names: tuple[str, ...]
    loss: PrivacyLoss
    spent: Amount
    unit: Unit
    purpose: str

    @property
    def alone(self) -> Amount:
        """What the same answers with the same noise would cost if each were charged alone."""
        return total(answer.spent for answer in self.answers)

    @overload
    def __getitem__(self, which: int | str) -> Answer: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Answer, ...]: ...
    def __getitem__(self, which: int | str | slice) -> Answer | tuple[Answer, ...]:
        """An answer by its place or name, or several by their places."""
        if isinstance(which, str):
            if which not in self.names:
                raise InvalidParameter(f"no statement of this batch is called {which!r}{nearest(which, self.names)}")
            return self.answers[self.names.index(which)]
        return self.answers[which]

    def __len__(self) -> int:
        return len(self.answers)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.answers)

    def to_json(self) -> str:
        """Everything, as `from_json` reads it."""
        return json.dumps(
            {
                "answers": [json.loads(answer.to_json()) for answer in self.answers],
                "names": self.names,
                "loss": json.loads(self.loss.to_json()),
                "spent": amount_facts(self.spent),
                "unit": {"name": self.unit.name, "neighbors": self.unit.neighbors.name.lower()},
                "purpose": self.purpose,
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> "Answers":
        """The answers that `to_json` wrote."""
        facts = json.loads(text)
        return cls(
            tuple(Answer.from_json(json.dumps(each)) for each in facts["answers"]),
            tuple(facts["names"]),
            PrivacyLoss.from_json(json.dumps(facts["loss"])),
            amount_of(facts["spent"]),
            Unit(**facts["unit"]),
            facts["purpose"],
        )

    def __repr__(self) -> str:
        return on_lines(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: each answer, and the receipt of all."""
        shown = [f"{Card(title).html()}{answer._repr_html_()}" for title, answer in self._titled()]
        return "".join((*shown, Card(lines=(self._receipt,)).html()))

    def _titled(self) -> Iterator[tuple[str, Answer]]:
        for place, answer in enumerate(self.answers):
            yield f"{self.names[place] if self.names else place + 1}: {answer.purpose}", answer

    @property
    def _receipt(self) -> str:
        return f"spent {self.spent} per {self.unit.name} together; one by one it would be {self.alone}"

    def __rich_console__(self, console: Console, options: object) -> Any:  # noqa: ANN401 - rich's own types
        """Each answer, and the receipt of all."""
        for title, answer in self._titled():
            yield plain(title)
            yield answer
        yield plain(self._receipt)


def total(amounts: Iterator[Amount]) -> Amount:
    """The sum of amounts of one rule; at least one."""
    whole = next(amounts)
    for each in amounts:
        whole += each
    return whole
