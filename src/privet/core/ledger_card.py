"""What a notebook shows of a ledger: a card with what is spent and for what, and a chart of how it came to that."""

from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

from privet.core.journals.entry import Entry
from privet.display import Card, Chart, Column, Gauge
from privet.errors import InvalidParameter
from privet.loss import Amount

if TYPE_CHECKING:
    from privet.core.balance import Balance

SHOWN = 10  # questions on a card
LONG = 80  # letters of a purpose


def ledger_card(ledger: "Balance") -> Card:
    """What is spent, what is left, and the last questions; to an analyst, their own alone."""
    paid = _paid(ledger)
    first = max(0, len(paid) - SHOWN)
    last = paid[first:]
    spent, left = _spent(ledger, paid), ledger.remaining
    named = [entry.analyst for entry in last]
    columns = (
        Column("", [str(number) for number in range(first + 1, len(paid) + 1)], right=True),
        Column("question", [_short(entry.purpose) for entry in last]),
        Column("charged", [repr(entry.cost) for entry in last]),
        *((Column("by", [name or "" for name in named]),) if not ledger.analyst and any(named) else ()),
    )
    whose = f"of {ledger.analyst}, " if ledger.analyst else ""
    limit = spent + left
    words = f"{spent.beside(limit)} of {limit.beside(spent)} is spent; {left.beside(spent)} is left"
    return Card(
        f"Ledger {whose}per {ledger.unit.name}, {ledger.unit.neighbors.value}",
        columns=columns if last else (),
        lines=(ledger.rule.name, *([f"the last {SHOWN} of {len(paid):,} questions"] if first else [])),
        gauge=Gauge(_share(spent, limit), words),
    )


def ledger_chart(ledger: "Balance") -> Chart:
    """What was spent after each question, below the limit."""
    paid = _paid(ledger)
    if not paid:
        raise InvalidParameter("nothing has been spent from this ledger: ask something first, then draw it")
    unit = paid[0].cost.units[0]
    limit = _spent(ledger, paid) + ledger.remaining
    totals = [float(total) for total in accumulate(entry.cost.parts[0] for entry in paid)]
    now = len(paid) + 1  # what was spent last holds until the next question
    name = {"epsilon": "ε", "rho": "ρ", "mu_squared": "μ²"}.get(unit, unit)
    ends = (0, now), (float(limit.parts[0]),) * 2
    title = f"Spent per {ledger.unit.name}"
    spent = Chart.steps(
        {"spent": (list(range(now + 1)), [0.0, *totals, totals[-1]])}, x="questions", y=name, title=title
    )
    return spent + Chart.lines({"limit": ends}, x="questions", y=name)


def _paid(ledger: "Balance") -> list[Entry]:
    """What was charged for, in order: of an analyst's handle, what the analyst asked."""
    mine = (entry for entry in ledger.entries if entry.kind != "draw")
    return [entry for entry in mine if ledger.analyst in (None, entry.analyst)]


def _spent(ledger: "Balance", paid: list[Entry]) -> Amount:
    """What counts against what is left: all of the dataset's, or what the analyst spent."""
    if ledger.analyst is None or not paid:
        return ledger.spent if ledger.analyst is None else ledger.spent * 0
    total = paid[0].cost
    for entry in paid[1:]:
        total += entry.cost
    return total


def _share(spent: Amount, limit: Amount) -> float:
    """The largest share of a part that is gone."""
    pairs = zip(spent.parts, limit.parts, strict=True)
    return max((float(Fraction(gone) / Fraction(most)) for gone, most in pairs if most), default=1.0)


def _short(purpose: str) -> str:
    words = " ".join(purpose.split())
    return words if len(words) <= LONG else f"{words[: LONG - 1]}…"
