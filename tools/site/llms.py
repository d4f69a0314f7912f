# ruff: noqa: INP001 - part of a script, not of a package
"""`llms.txt` and the Markdown twins: the same pages for programs that read text."""

from pathlib import Path

from navigation import navigation
from pages import summary_of, title_of

INTRODUCTION = """# Privet

> Privet lets others learn from data about people without exposing anyone: a differential privacy system in Python.

Each page has a Markdown twin: the same address, ending in `.md`. Every number that leaves Privet is charged to a ledger
before data is read, has a margin, and is a multiple of a public step. No page asks you to send data anywhere.
"""


def llms_text(pages: dict[str, str]) -> str:
    """The list of all pages, by part, each with its first sentence."""
    lines = [INTRODUCTION]
    for entry in navigation({page: title_of(text) for page, text in pages.items()}):
        ((part, inside),) = entry.items()
        found = [inside] if isinstance(inside, str) else _listed(inside)
        lines += [f"## {part}", ""]
        lines += [f"- [{title_of(pages[page])}]({page}): {summary_of(pages[page])}".rstrip(": ") for page in found]
        lines.append("")
    return "\n".join(lines)


def twins(pages: dict[str, str], out: Path) -> None:
    """Each page as Markdown, beside its HTML."""
    for name, text in pages.items():
        twin = out / name
        twin.parent.mkdir(parents=True, exist_ok=True)
        twin.write_text(text, encoding="utf-8")


def _listed(entries: list) -> list[str]:  # type: ignore[type-arg] # of entries, which hold entries
    return [
        page
        for entry in entries
        for value in entry.values()
        for page in ([value] if isinstance(value, str) else _listed(value))
    ]
