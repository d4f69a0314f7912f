"""Sheet: one table of results. It is shown on the screen, kept in a file, and written into a page."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

NOTHING = "–"
LONG = {"what", "beside it", "processor time"}  # columns of sentences
LEFT = LONG | {"engine", "wanted", "met", "no larger"}  # columns of words

PAGE = """# Queries, measured

COUNT, SUM and AVG of salaries by city, in one statement: every user is protected as a whole, at most {rows_per_unit}
rows' worth of each user count, the 50 cities are public, ε = 1 without δ. Times are of whole calls of `session.sql`,
with planning, both prices, a ledger on disk, noise and margins, the fastest of some. The figures of a table come from
one run, on a machine with {machine}; each engine and peer had a process of its own, one after
the other. Memory is the peak of all processes that took part, from start to end. `benchmarks/query.py` makes this
page; its `--help` says how.

{sheets}
"""


@dataclass(frozen=True)
class Sheet:
    """A table with a title and remarks below it; every cell is a text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"every row of {self.title!r} must have {len(self.columns)} cells")

    def table(self) -> Table:
        """For a terminal."""
        table = Table(title=self.title, title_justify="left", caption="\n".join(self.remarks), caption_justify="left")
        for column in self.columns:
            table.add_column(column, justify="left" if column in LEFT else "right", no_wrap=column not in LONG)
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """For a page."""
        ends = ["---" if column in LEFT else "--:" for column in self.columns]
        lines = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in (self.columns, ends, *self.rows)]
        remarks = [f"* {remark}" for remark in self.remarks]
        return "\n".join([f"## {self.title}", "", *lines, *([""] if remarks else []), *remarks])


class Kept:
    """Sheets in a file: a run replaces those it made, and leaves the others."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def put(self, part: str, sheet: Sheet) -> None:
        """Keep it at once, so that a run that ends early loses nothing."""
        kept = {name: dataclasses.asdict(each) for name, each in self.sheets().items()}
        kept[part] = dataclasses.asdict(sheet)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        half = self._file.with_suffix(".half")
        half.write_text(json.dumps(kept, indent=1, ensure_ascii=False), encoding="utf-8")
        half.replace(self._file)

    def sheets(self) -> dict[str, Sheet]:
        """By part."""
        if not self._file.exists():
            return {}
        kept = json.loads(self._file.read_text(encoding="utf-8"))
        return {
            part: Sheet(
                each["title"],
                tuple(each["columns"]),
                tuple(tuple(row) for row in each["rows"]),
                tuple(each["remarks"]),
            )
            for part, each in kept.items()
        }


def page(sheets: Mapping[str, Sheet], parts: Iterable[str], *, machine: str, rows_per_unit: int) -> str:
    """The page with those parts that there are, in this order."""
    texts = [sheets[part].markdown() for part in parts if part in sheets]
    return PAGE.format(sheets="\n\n".join(texts), machine=machine, rows_per_unit=rows_per_unit)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
