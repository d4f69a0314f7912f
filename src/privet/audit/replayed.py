"""Replayed: what a replay found, with the neighbors that show it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from privet.audit.difference import KINDS, Difference, short
from privet.audit.figures import figure
from privet.display import Card, Chart, Column
from privet.errors import InvalidParameter

SHOWN = 8  # differences that are printed


@dataclass(frozen=True, repr=False)
class Replayed:
    """What tells neighbors apart though their noise came out the same, or that nothing does.

    Args:
        subject: what was run.
        pairs: of how many pairs of neighbors.
        draws: how many draws were compared, over all pairs.
        differences: what tells them apart, the plainest violations first.
        shares: by mechanism, the largest share of what was declared that a secret moved.
        notes: what else is to be known, such as secrets that could not be compared.

    Example:
        >>> from privet import Sensitive, Sensitivity, Unit
        >>> from privet.audit import replay
        >>> from privet.mechanisms import Laplace
        >>> def total(ages, ledger):  # nothing is clipped
        ...     secret = Sensitive(sum(ages), Sensitivity(100), ledger.unit)
        ...     return ledger.release(secret, Laplace(100, 1), purpose="total").value
        >>> found = replay(total, pair=([30], [30, 900]))
        >>> found.violated, Replayed.from_json(found.to_json()) == found
        (True, True)
        >>> print(found.differences[0])
        draw 1, Laplace(l1_sensitivity=100, scale=1): moved the number by 900, declared at most 100
    """

    subject: str
    pairs: int
    draws: int
    differences: tuple[Difference, ...]
    shares: Mapping[str, float]
    notes: tuple[str, ...] = ()

    @property
    def violated(self) -> bool:
        """Whether something tells neighbors apart that no noise hides."""
        return bool(self.differences)

    @property
    def exit_code(self) -> int:
        """For a script: 1 if something is violated, else 0."""
        return int(self.violated)

    @property
    def verdict(self) -> str:
        """What is violated, and by which draw; or how much was compared. Finding nothing is no proof."""
        tried = f"{self.pairs:,} {'pair' if self.pairs == 1 else 'pairs'} of neighbors"
        if self.differences:
            first = self.differences[0]
            more = len(self.differences) - 1
            rest = f", and {more:,} more" if more else ""
            return f"violates its claim: {KINDS[first.kind]}: {first}{rest}"
        if not self.draws:
            why = self.notes[0] if self.notes else "nothing went through a ledger"
            return f"nothing is known after {tried}, because no draw was compared: {why}"
        most = figure(max(self.shares.values(), default=0.0))
        how = (
            f"{self.draws:,} {'secret' if self.draws == 1 else 'secrets'} moved by at most {most} of what was declared"
        )
        return f"no violation found in {tried}: {how}, and all else was equal"

    def __repr__(self) -> str:
        return f"Replayed({self.subject}: {self.verdict})"

    def __str__(self) -> str:
        return "\n".join((f"{self.subject}: {self.verdict}", *self._lines()))

    def _lines(self) -> list[str]:
        lines = []
        for each in self.differences[:SHOWN]:
            lines.append(f"{each.kind}: {each}")
            if any(each.witness):
                lines.append(f"    neighbors: {short(each.witness[0])} | {short(each.witness[1])}")
        return [*lines, *self.notes]

    def _repr_html_(self) -> str:
        shown = self.differences[:SHOWN]
        cells = (
            ("what", tuple(each.kind for each in shown)),
            ("where", tuple(short(f"{each.subject} {each.place}".strip()) for each in shown)),
            ("one neighbor", tuple(short(each.moved or each.one) for each in shown)),
            ("the other", tuple(short(each.declared or each.other) for each in shown)),
        )
        columns = tuple(Column(name, values) for name, values in cells) if shown else ()
        return Card(f"{self.subject}: {short(self.verdict)}", columns, lines=self.notes).html()

    def chart(self) -> Chart:
        """How much of what was declared each mechanism's secrets moved, at most."""
        if not self.shares:
            raise InvalidParameter("there is nothing to draw: no draw was compared")
        named = enumerate(self.shares.items(), 1)
        heights = {f"{place} {name.partition('(')[0]}": min(share, 1e6) for place, (name, share) in named}
        said = "moved farther than declared" if max(heights.values()) > 1 else "within what was declared"
        return Chart.bars(
            {"moved": heights},
            x="mechanisms, as they are first drawn",
            y="share of what was declared",
            title=f"{self.subject}: {said}",
        )

    def to_json(self) -> str:
        """All of it as JSON; an infinite share is written as a text."""
        said: dict[str, Any] = asdict(self)
        said["shares"] = {name: share if share < float("inf") else "inf" for name, share in self.shares.items()}
        more = {"violated": self.violated, "verdict": self.verdict}
        return json.dumps({**said, **more}, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What was written."""
        try:
            said = json.loads(text)
            found = {each.name: said[each.name] for each in fields(cls)}
            found["differences"] = tuple(
                Difference(**{**each, "witness": tuple(each["witness"])}) for each in found["differences"]
            )
            found["shares"] = {name: float(share) for name, share in found["shares"].items()}
            return cls(**{**found, "notes": tuple(found["notes"])})
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InvalidParameter("not what a replay found: give what `to_json` wrote") from None
