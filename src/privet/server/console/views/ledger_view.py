"""ledger_view: rows of a ledger as a list: questions that were paid for, and acts of the owner."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from privet.core.journals.entry import SPENDS
from privet.server.console.views.amounts import LETTERS, delta_words, number_words
from privet.server.console.views.times import time_words
from privet.wording.printable import printable

if TYPE_CHECKING:
    from privet.core.journals.journal import Journal
    from privet.server.console.texts import Texts

SHOWN = 25
SHORT = 90  # letters that are shown without being unfolded
TOLD = ("name", "role", "label", "analyst", "price", "question")  # of what a note is about
UNSEEN = ("draw", "answer", "checkpoint", "failure")  # rows that belong to another


@dataclass(frozen=True)
class LedgerLine:
    """A row."""

    number: int
    at: str
    who: str
    words: str
    short: str
    long: bool
    amounts: list[str]


@dataclass(frozen=True)
class LedgerPage:
    """Some rows, the newest first."""

    lines: list[LedgerLine]
    letters: list[str]
    count: int
    older: str


def ledger_page(t: "Texts", journal: "Journal", *, find: str, before: int | None) -> LedgerPage:
    """The rows that fit, the newest first.

    Args:
        t: the texts.
        journal: whose rows.
        find: words that a row must have in it, in who asked or what for.
        before: only rows before this one.
    """
    units = journal.books().nothing.units
    count = 0
    matching: deque[tuple[int, Mapping[str, Any]]] = deque(maxlen=SHOWN + 1)  # one more tells that there are older ones
    wanted = find.casefold().strip()
    for number, facts in _rows(journal):
        count = number + 1
        if facts["kind"] in UNSEEN or (before is not None and number >= before):
            continue
        if not wanted or wanted in f"{_who(facts)} {_words(t, str(facts['kind']), facts)}".casefold():
            matching.append((number, facts))
    lines = [_line(t, number, facts, units) for number, facts in reversed(matching)][:SHOWN]
    query = f"before={lines[-1].number}" if len(matching) > SHOWN else ""
    return LedgerPage(
        lines, [LETTERS.get(unit, {"delta": "δ", "gamma": "γ"}.get(unit, unit)) for unit in units], count, query
    )


def _rows(journal: "Journal") -> Iterator[tuple[int, Mapping[str, Any]]]:
    for row in journal.rows():
        yield row.sequence, row.facts


def _line(t: "Texts", number: int, facts: Mapping[str, Any], units: tuple[str, ...]) -> LedgerLine:
    kind = str(facts["kind"])
    amounts = ["–"] * len(units)
    if kind in SPENDS:
        amounts = [
            delta_words(Fraction(part)) if unit == "delta" else number_words(Fraction(part), up=True)
            for unit, part in zip(units, facts["cost"], strict=False)
        ]
    words = printable(" ".join(_words(t, kind, facts).split()))
    long = len(words) > SHORT
    short = words[: SHORT - 1] + "…" if long else words
    return LedgerLine(number, time_words(facts.get("at")), printable(_who(facts)), words, short, long, amounts)


def _who(facts: Mapping[str, Any]) -> str:
    """Who asked or did it."""
    return "" if facts["kind"] == "cap" else str(facts.get("by") or facts.get("analyst") or "")


def _words(t: "Texts", kind: str, facts: Mapping[str, Any]) -> str:
    """What a row says."""
    if kind in SPENDS:
        return str(facts.get("purpose", ""))
    if kind == "opened":
        return t.plain("owner.act_created")
    reason = str(facts.get("reason", ""))
    scope = _scope(t, facts.get("scope") or {})
    said = {
        "cap": partial(_cap_words, t, facts, scope, reason),
        "renewal": partial(t.plain, "owner.act_renewal", scope=scope, reason=reason),
        "unfrozen": partial(
            t.plain, "owner.act_unfrozen", scope=facts.get("analyst") or t.plain("owner.everyone"), reason=reason
        ),
        "noted": partial(_noted_words, t, facts, reason),
    }
    if kind in said:
        return said[kind]()
    return t.plain("owner.act_reason", kind=kind, reason=reason) if reason else t.plain("owner.act_other", kind=kind)


def _cap_words(t: "Texts", facts: Mapping[str, Any], scope: str, reason: str) -> str:
    if facts.get("frozen"):
        return t.plain("owner.act_frozen", scope=scope, reason=reason)
    limit = facts.get("limit") or {}
    parts = [f"{LETTERS.get(unit, 'δ')} {part}" for unit, part in _first_ones(limit) if part != "0"]
    shown = ", ".join(parts) or t.plain("owner.no_cap")
    return t.plain("owner.act_cap", scope=scope, limit=shown, reason=reason)


def _first_ones(limit: Mapping[str, str]) -> list[tuple[str, str]]:
    """What is counted first, first."""
    return sorted(limit.items(), key=lambda each: each[0] in ("delta", "gamma"))


def _noted_words(t: "Texts", facts: Mapping[str, Any], reason: str) -> str:
    about = facts.get("about") or {}
    said = ", ".join(str(value) for name, value in about.items() if name in TOLD)
    return t.plain("owner.act_note", act=str(facts.get("act", "")), about=said, reason=reason)


def _scope(t: "Texts", scope: Mapping[str, str]) -> str:
    return " · ".join(scope.values()) if scope else t.plain("owner.everyone")
