"""How a story is told: a folder for its pictures and tables for its numbers."""

import argparse
import math
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from privet.errors import InvalidParameter
from privet.explain import Chart

WORD = re.compile("[a-z]{3}")
WIDTH = 110  # of a table, whatever the terminal: so that what is printed can be compared


def folder_for_pictures(story: str | None) -> Path:
    """The folder given by --out; a temporary one, whose name is printed, if there is none."""
    parser = argparse.ArgumentParser(description=story)
    parser.add_argument("--out", type=Path, help="folder for the pictures (default: a temporary one)")
    out: Path | None = parser.parse_args().out
    return out if out is not None else Path(tempfile.mkdtemp(prefix="privet-"))


def tell(*words: str) -> None:
    """Print a paragraph."""
    Console(width=WIDTH, highlight=False).print(*words, markup=False)


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, note: str = "") -> None:
    """Print a table; words on the left, numbers on the right."""
    body = [[str(cell) for cell in row] for row in rows]
    table = Table()
    for place, column in enumerate(columns):
        wordy = any(WORD.search(row[place]) for row in body)
        table.add_column(column, justify="left" if wordy else "right", overflow="fold")
    for row in body:
        table.add_row(*row)
    tell(f"\n{title}")
    Console(width=WIDTH, highlight=False).print(table)
    if note:
        tell(note)


def rounded_up(margin: float) -> str:
    """A margin in two digits, or as a whole number from 100 on; it must still hold, so never rounded down."""
    unit = 10.0 ** min(math.floor(math.log10(margin)) - 1, 0)
    up = math.ceil(margin / unit * (1 - 1e-9)) * unit
    return f"{up:,.0f}" if up >= 100 else f"{up:.2g}"


def measured_share(share: float, trials: int) -> tuple[float, float, float]:
    """A share counted in so many trials, between the ends of its 95 % interval (Wilson): a bar with a whisker."""
    middle = (share + 1.92 / trials) / (1 + 3.84 / trials)
    half = 1.96 * math.sqrt(share * (1 - share) / trials + 0.96 / trials**2) / (1 + 3.84 / trials)
    return min(middle - half, share), share, max(middle + half, share)


def keep(chart: Chart, folder: Path, name: str, *, formats: Sequence[str] = ("svg", "png")) -> None:
    """Save a picture, and say where; without the library that draws, say how to get it."""
    try:
        for ending in formats:
            chart.save(folder / f"{name}.{ending}")
    except InvalidParameter as problem:
        tell(f"no picture: {problem}")
        return
    print(f"picture: {folder / name}.{{{','.join(formats)}}}")
