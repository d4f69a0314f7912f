"""Matches: which plays are tried on which neighbors, stored how."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from privet.query.scalars.facts import Type
from privet.query.session import Session
from tests.query.falsification.plays import HEAVY, PLAYS, SELF_JOINS
from tests.query.falsification.storage import NOCASE, Stored
from tests.query.falsification.worlds import BASE, RAW, VISITORS, Part, World, world
from tests.support.observation import Observation, differences, observe

AUTOMATIC: dict[str, Any] = {"automatic_bounds": "0.2"}
REPORT: dict[str, Any] = {"clipping": "report"}
INTERVALS: dict[str, Any] = {"quantile_intervals": True}
NINE: dict[str, Any] = {"groups_per_unit": 9, "rows_per_group": 1}
CAPS: dict[str, Any] = {"rows_per_unit": "auto"}
ONE_ROW: dict[str, Any] = {"rows_per_unit": 1}  # only then WHEREs of a batch become cells
SAID = {
    "bounds": AUTOMATIC,
    "report": REPORT,
    "interval": INTERVALS,
    "limits": CAPS,
    "rounds": NINE,
    "batch": ONE_ROW,
}  # by a word
ANYWHERE = ("nothing", "very many rows", "ordinary")  # visitors whom every play meets
IDS = (BASE + 1, BASE + 3, BASE - 7)  # which of equal rows an engine meets first follows a hash of the unit


@dataclass(frozen=True)
class Match:
    """Neighbors: the crowd, stored in one way, and with a visitor in the same or another way.

    Args:
        here: how the crowd is stored.
        there: how it is with the visitor.
        plays: the statements.
        visitors: who comes.
        crowd: how many are there.
    """

    here: Stored
    there: Stored
    plays: Mapping[str, str] = field(default_factory=lambda: PLAYS)
    visitors: Mapping[str, Part] = field(default_factory=lambda: VISITORS)
    crowd: int = 3

    def found(self, folder: Path, *, turns: int = 1, turn: int = 0) -> "Found":
        """Everything that tells neighbors apart, plays and visitors taking turns: one of `turns` pairs is tried."""
        found = Found()
        with ExitStack() as stack:
            base = _opened(self.here, world(crowd=self.crowd), folder / "here", stack)
            known: dict[str, Observation] = {}
            for place, (name, visitor) in enumerate(self.visitors.items()):
                at = IDS[(place + turn) % len(IDS)]
                other = _opened(
                    self.there, world(visitor, first=True, crowd=self.crowd, at=at), folder / "there", stack
                )
                if isinstance(base, str) or isinstance(other, str):
                    found.compare_openings(name, base, other)
                    continue
                met = {play: text for play, text in self.plays.items() if meets(name, visitor, text)}
                for number, (play, text) in enumerate(met.items()):
                    if (number + place + turn) % turns == 0:
                        found.compare(name, play, self._two(base, other, play, text, known))
                other.close()
        return found

    def _two(
        self, base: Session, other: Session, play: str, text: str, known: dict[str, Observation]
    ) -> tuple[Observation, list[str]]:
        how = next((said for word, said in SAID.items() if word in play), {})
        if play not in known:
            known[play] = observe(base, text, **how)
        here = known[play]
        there = observe(other, text, before=here, **how)
        return here, differences(here, there, stored_alike=self.here.layout == self.there.layout)


@dataclass
class Found:
    """What a match found, and how much was tried."""

    tried: int = 0
    answered: int = 0
    refused: int = 0
    apart: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def compare(self, visitor: str, play: str, outcome: tuple[Observation, list[str]]) -> None:
        here, apart = outcome
        self.tried += 1
        self.answered += here.answered
        if apart:
            self.apart[visitor, play] = apart

    def compare_openings(self, visitor: str, here: Session | str, there: Session | str) -> None:
        """A refusal to open is seen too; it says nothing of rows, so it is the same word by word."""
        self.refused += 1
        if here != there:
            self.apart[visitor, "opening"] = [str(here), str(there)]


def meets(name: str, visitor: Part, text: str) -> bool:
    """Whether a statement reads a column that is odd for this visitor."""
    words = set(re.findall(r"[a-z]+", text))
    odd = {column for rows in (visitor.t, visitor.s, visitor.p) for row in rows for column in row}
    return name in ANYWHERE or bool(visitor.raw) or bool(words & odd)


def _opened(how: Stored, found: World, folder: Path, stack: ExitStack) -> Session | str:
    folder.mkdir(exist_ok=True)
    try:
        return stack.enter_context(closing(how.open(found, folder)))
    except Exception as problem:  # noqa: BLE001 - whoever opens it sees it
        return f"{type(problem).__name__}: {problem}"


def within(names: Iterable[str], of: Mapping[str, Any]) -> dict[str, Any]:
    return {name: of[name] for name in names}


def mentioning(*words: str) -> dict[str, str]:
    """Plays about some columns."""
    return {name: text for name, text in PLAYS.items() if set(words) & set(re.findall(r"[a-z]+", text))}


def both(how: Stored, **more: Any) -> Match:  # noqa: ANN401 - of a match
    """Neighbors that are stored alike but for the order of rows."""
    return Match(how, replace(how, shuffled=1), **more)


UNITS = ("joined both", "joined people", "joined sums of both", "wholes", "joined joined", "key kind")
STRANGERS = within(("very many rows", "ordinary", "whole ends"), VISITORS)


def _of_ids(first: str, second: str, declared: Type | None) -> Match:
    how = Stored("database", ids=(first, second), declared=declared)
    return Match(how, how, plays=within(UNITS, PLAYS), visitors=STRANGERS)


LITTLE = "200MB"
TEXTS = ("other spelling", "odd texts", "nothing", "long text")
SOUND = {name: visitor for name, visitor in VISITORS.items() if name != "broken text"}
MATCHES: Mapping[str, Match] = {
    "frames": Match(Stored("frame"), Stored("frame", threads=2), visitors=SOUND),
    "database": Match(Stored("database"), Stored("database"), plays=mentioning("huge", "cents", "word")),
    "collated": both(
        Stored("database", towns=NOCASE), plays=mentioning("town"), visitors=within(("other spelling",), VISITORS)
    ),
    "files": Match(Stored("parquet"), Stored("parquets", threads=2, shuffled=2), visitors=within(TEXTS, VISITORS)),
    "one file": both(Stored("parquet"), visitors=within(("broken text", "date ends"), VISITORS)),
    "broken frames": both(Stored("frame"), visitors=within(("broken text",), VISITORS)),
    "polars": both(Stored("polars"), visitors=within(("nothing", "minus zero"), VISITORS)),
    "pandas": both(Stored("pandas"), visitors=within(("nothing", "odd texts", "broken text"), VISITORS)),
    "pandas, undeclared": both(Stored("pandas, undeclared"), visitors=within(("nothing", "odd reals"), VISITORS)),
    "csv": both(
        Stored("csv"),
        visitors={**RAW, **within(("nothing", "odd texts", "date ends", "odd reals"), VISITORS)},
        crowd=12,
    ),
    "csv in two orders": both(
        Stored("csvs"), visitors=within(("very many rows", "ordinary"), VISITORS), plays=within(UNITS, PLAYS)
    ),
    "heavy": both(Stored("frame", memory=LITTLE), plays=HEAVY, visitors=within(("long text",), VISITORS)),
    "heavy joins": both(
        Stored("frame", memory=LITTLE), plays=SELF_JOINS, visitors=within(("very many rows",), VISITORS)
    ),
    **{f"ids of {kind} as reals": _of_ids(kind, kind, Type.REAL) for kind in ("DECIMAL(20,0)", "UBIGINT", "HUGEINT")},
    **{
        f"ids of {kind}": _of_ids(kind, kind, None)
        for kind in ("DECIMAL(20,0)", "UBIGINT", "HUGEINT", "TIMESTAMP_NS", NOCASE)
    },
    "ids of TIMESTAMP_NS as moments": _of_ids("TIMESTAMP_NS", "TIMESTAMP_NS", Type.TIMESTAMP),
    "ids of texts": _of_ids(NOCASE, NOCASE, Type.TEXT),
    "ids of two texts": _of_ids(NOCASE, "VARCHAR", Type.TEXT),
    "ids of two DECIMALs": _of_ids("DECIMAL(10,0)", "DECIMAL(10,2)", None),
    "ids of two numbers": _of_ids("DECIMAL(20,0)", "BIGINT", None),
}
REFUSED = {  # by types alone: there a unit or a text could be written in several ways
    "collated",
    *(name for name in MATCHES if name.startswith("ids of ") and (" as " in name or "two" in name or "texts" in name)),
    f"ids of {NOCASE}",
}


def lines(found: Found) -> Iterator[str]:
    """What was found, for a reader."""
    for (visitor, play), apart in found.apart.items():
        yield f"{visitor} / {play}: {'; '.join(apart)[:300]}"
