# ruff: noqa: INP001 - part of a script, not of a package
"""Which page stands in which of the four parts."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Entry: TypeAlias = "dict[str, str | list[Entry]]"

PARTS: Sequence[tuple[str, Sequence[tuple[str, Sequence[str]]]]] = (
    ("Tutorials", (("", ("tutorials/",)), ("Gallery", ("gallery/",)))),
    (
        "How to",
        (
            (
                "Ask and keep",
                (
                    "how-to/install",
                    "how-to/on-",
                    "how-to/keep",
                    "how-to/back",
                    "how-to/hundred",
                    "notebooks.md",
                    "how-to/",
                ),
            ),
            ("Move from", ("how-to/coming", "moving/")),
            ("Learn models", ("how-to/train", "learn/")),
            ("Collect", ("local.md", "surveys")),
            ("Audit", ("how-to/audit", "how-to/replay", "audit.md")),
            ("Extend", ("how-to/add",)),
        ),
    ),
    (
        "Reference",
        (
            (
                "",
                (
                    "sql.md",
                    "catalog.md",
                    "statistics.md",
                    "histograms-and-quantiles.md",
                    "ledger.md",
                    "reference/commands.md",
                    "reference/engines.md",
                ),
            ),
            ("Python", ("reference/",)),
            ("Mechanisms", ("mechanisms/",)),
            ("Server", ("server",)),
        ),
    ),
    (
        "Explanation",
        (
            (
                "What is promised",
                ("definitions.md", "choosing-epsilon.md", "one-currency.md", "figures.md", "random-dp.md", "explain"),
            ),
            ("For teachers", ("lecture/",)),
            ("Stories", ("stories/",)),
            ("Measured", ("accuracy.md", "benchmarks", "audit-of", "violations")),
            ("Proofs", ("proofs/",)),
            ("Inside", ("under-the-sql.md", "project/architecture.md", "where-do-i.md", "glossary.md")),
            ("Decisions", ("decisions/",)),
            ("Project", ("project/",)),
        ),
    ),
)
HOME = "index.md"
READ_IN_ORDER = (
    *(f"tutorials/first-{each}.md" for each in ("private-table", "private-model", "survey", "server", "agent")),
    *(f"lecture/{each}.md" for each in ("definitions", "properties", "tests-and-beliefs", "laplace")),
    *(f"lecture/{each}.md" for each in ("randomized-response", "exponential", "gaussian", "composition", "renyi")),
    *(f"lecture/{each}.md" for each in ("functions", "experiments", "learning", "attacks")),
)


def navigation(titles: Mapping[str, str]) -> list[Entry]:
    """Every page in its part, under its title; the longest prefix that fits decides. Others are refused."""
    found: dict[tuple[str, str], list[str]] = {(part, group): [] for part, groups in PARTS for group, _ in groups}
    for page in sorted(titles):
        if page != HOME:
            found[_home_of(page)].append(page)
    entries: list[Entry] = [{"Privet": HOME}]
    for part, groups in PARTS:
        inside: list[Entry] = []
        for group, _ in groups:
            pages: list[Entry] = [{titles[page]: page} for page in _in_order(found[part, group])]
            inside += pages if not group else [{group: pages}] if pages else []
        entries.append({part: inside})
    return entries


def _home_of(page: str) -> tuple[str, str]:
    fits = [
        (len(prefix), (part, group))
        for part, groups in PARTS
        for group, prefixes in groups
        for prefix in prefixes
        if page.startswith(prefix)
    ]
    if not fits:
        raise ValueError(f"{page} stands in no part of the site: name it in tools/site/navigation.py")
    return max(fits)[1]


def _in_order(pages: Sequence[str]) -> list[str]:
    """An index first, tutorials as one would read them, others by name."""
    return sorted(pages, key=lambda page: (not page.endswith(("index.md", "README.md")), _place(page), page))


def _place(page: str) -> int:
    """Where a page stands that is to be read in an order; 0 for all others."""
    return READ_IN_ORDER.index(page) if page in READ_IN_ORDER else 0
