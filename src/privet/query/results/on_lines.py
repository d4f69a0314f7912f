"""on_lines: what a screen would show, as a text."""

import io

from rich.console import Console

WIDTH = 120  # columns


def on_lines(shown: object) -> str:
    """What rich prints on a screen of 120 columns, without colors.

    In a notebook rich would show it on the page at once, and print nothing here.
    """
    buffer = io.StringIO()
    console = Console(file=buffer, width=WIDTH, color_system=None, legacy_windows=False, force_jupyter=False)
    console.print(shown)
    return "\n".join(line.rstrip() for line in buffer.getvalue().rstrip().split("\n"))
