"""qr_code: the address of a survey as a code for cameras, drawn as one SVG path."""

import io
from dataclasses import dataclass

import segno

BORDER = 2


@dataclass(frozen=True)
class QrCode:
    """A code: its size in modules with the border, and a path of strokes of width 1."""

    size: int
    path: str


def qr_code(text: str) -> QrCode:
    """The code of a text.

    Example:
        >>> qr_code("https://survey.example/survey/1").size
        33
    """
    rows = [list(row) for row in segno.make(text, micro=False, error="m").matrix]
    strokes = []
    for y, row in enumerate(rows):
        start = None
        for x, dark in enumerate([*row, 0]):
            if dark and start is None:
                start = x
            elif not dark and start is not None:
                strokes.append(f"M{start + BORDER} {y + BORDER}.5h{x - start}")
                start = None
    return QrCode(len(rows) + 2 * BORDER, "".join(strokes))


def in_terminal(text: str) -> str:
    """The code of a text, drawn with letters for a terminal."""
    drawn = io.StringIO()
    segno.make(text, micro=False).terminal(drawn, compact=True, border=BORDER)
    return drawn.getvalue()
