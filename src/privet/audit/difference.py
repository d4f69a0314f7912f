"""Difference: one thing that tells two neighbors apart though their noise came out the same."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from privet.wording.printable import printable

Kind: TypeAlias = Literal["move", "draw", "failure", "answer", "message", "charge"]
KINDS: dict[str, str] = {
    "move": "a number moves farther than declared",
    "draw": "other noise is drawn",
    "failure": "a failure depends on the data",
    "answer": "an answer shows more than what was drawn",
    "message": "a message depends on the data",
    "charge": "what is charged depends on the data",
}
LONG = 160  # letters of a text that a sentence shows


@dataclass(frozen=True)
class Difference:
    """One thing that tells two neighbors apart.

    Args:
        kind: a word of `KINDS`.
        place: where it is seen, such as "draw 2, Laplace(…)" or "the answer['city']".
        one: what is seen of the first neighbor.
        other: what is seen of the second.
        moved: of a move: how far.
        declared: of a move: how far at most it was declared to be.
        witness: the two neighbors, in words.
        subject: what was run, where several things were.
    """

    kind: Kind
    place: str
    one: str = ""
    other: str = ""
    moved: str = ""
    declared: str = ""
    witness: tuple[str, str] = ("", "")
    subject: str = ""

    def of(self, subject: str, witness: tuple[str, str]) -> "Difference":
        """The same, of these neighbors."""
        return replace(self, subject=subject, witness=witness)

    def __str__(self) -> str:
        where = f"{self.subject}: {self.place}" if self.subject else self.place
        if self.kind == "move":
            return f"{where}: moved {self.moved}, declared {self.declared}"
        return f"{where}: {short(self.one)} | {short(self.other)}"


def short(text: str, most: int = LONG) -> str:
    """A text on one line, and not too long."""
    clean = printable(text)
    return clean if len(clean) <= most else f"{clean[:most]}…"
