# ruff: noqa: INP001 - a script, not a package
"""The page of an audit: what everything claims, and what was found."""

import math
from collections.abc import Iterable, Sequence

from subject import ALPHA, Row

INTRODUCTION = """# Privet, audited

What `make audit` found. Every mechanism, protocol, statistic, aggregate and model of Privet is run on two neighboring
inputs, often, and an event is looked for that one of them makes likelier. ε is at least as large as the bound says, and
that is wrong with probability {alpha} for each line. A bound above a claim would prove the claim false. A bound below
it proves nothing; one that is far below was seen in few runs, or on a pair that shows little.

{summary}

`make audit` runs all of it anew, `make audit PART=models` one part, and `make audit MINUTES=120` takes longer and finds
more. It ends with exit code 1 if a claim is violated. `tools/audit` writes this page
([how things are attacked](decisions/0046-how-trainings-and-models-are-attacked.md)).
"""

HEADS = {
    "mechanisms": ("Mechanisms", "On the neighbors of each one's contract, as far apart as it covers."),
    "protocols": (
        "Local protocols",
        "On the two values that reports tell apart best; the law of reports was compared exactly besides.",
    ),
    "statistics": (
        "Statistics of arrays",
        "On six rows and one more, or one replaced: the pair that promised most of nine.",
    ),
    "aggregates": (
        "Aggregates of SQL",
        "The exact numbers that a statement hands over, of two hospitals: one has a patient more. Noise is drawn anew.",
    ),
    "models": (
        "Models",
        "All numbers that a fitted model shows, of four rows in one corner of the bounds and one more in the other.",
    ),
    "lattices": (
        "Which answers occur",
        "Whether answers of both inputs lie on the same lattice, and are of the same kinds.",
    ),
    "reuse": (
        "Noise that comes twice",
        "Four streams of answers begun anew, two of forked children, and one of their parent that goes on.",
    ),
}


def written(rows: Sequence[Row], missing: int = 0) -> str:
    """The whole page.

    Args:
        rows: what was audited.
        missing: how many subjects were not.
    """
    parts = [INTRODUCTION.format(alpha=f"{ALPHA:g}".replace("e-0", "e-"), summary=summary(rows, missing))]
    for part, (head, said) in HEADS.items():
        here = [row for row in rows if row.part == part]
        if here:
            parts.append(f"## {head}\n\n{said}\n\n{table(here)}\n")
    return "\n".join(parts)


def summary(rows: Sequence[Row], missing: int) -> str:
    """One sentence of all."""
    broken = [row for row in rows if row.broken]
    minutes = sum(row.seconds for row in rows) / 60
    runs = sum(2 * row.trials for row in rows if math.isfinite(row.claimed))
    told = f"**{len(rows)} were audited, in {minutes:.0f} minutes of one core and {runs:,} runs; "
    names = ", ".join(row.subject for row in broken)
    found = f"{len(broken)} violate their claim: {names}.**" if broken else "none violates its claim.**"
    return told + found + (f" {missing} more are still to be audited." if missing else "")


def table(rows: Sequence[Row]) -> str:
    """A line for each."""
    if all(math.isfinite(row.claimed) for row in rows):
        head = ("what", "claim", "ε at least", "of the claim", "runs of each input", "")
        lines = [
            (
                row.subject,
                row.claim,
                f"{row.bound:.3f}",
                share(row),
                f"{row.trials:,}",
                "**violated**" if row.broken else "kept",
            )
            for row in rows
        ]
    else:
        head = ("what", "found")
        lines = [(row.subject, f"**{row.verdict}**" if row.broken else row.verdict) for row in rows]
    return "\n".join([line(head), line("---" for _ in head), *(line(map(clean, each)) for each in lines)])


def share(row: Row) -> str:
    """The bound as a part of the claim."""
    return f"{row.bound / row.claimed:.0%}" if row.claimed > 0 else "–"


def line(cells: Iterable[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def clean(text: str) -> str:
    """A text that breaks no table."""
    return text.replace("|", "¦").replace("\n", " ").replace("<", "‹").replace(">", "›").replace("ε ›=", "ε ≥")
