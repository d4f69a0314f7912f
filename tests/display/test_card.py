"""Cards show what they are given, escape it, and draw intervals of a column on one scale."""

import re

from privet.display import Card, Column, Gauge

NASTY = '<script>alert(1)</script>" onload="x" \x1b[31m & \u202e'


def places(html: str) -> list[float]:
    """Where the dots are, from left to right."""
    return [float(at) for at in re.findall(r'cx="([\d.]+)"', html)]


def test_everything_that_others_wrote_is_escaped() -> None:
    card = Card(NASTY, columns=(Column(NASTY, [NASTY]),), lines=(NASTY,), gauge=Gauge(0.5, NASTY))
    text = card.html()
    assert "<script" not in text
    assert '"x"' not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("&lt;script&gt;") == 6  # title, heading, cell, line, and the gauge's words and title


def test_whiskers_share_one_scale_and_rows_without_an_interval_have_none() -> None:
    spans = [(0.0, 10.0, 20.0), None, (80.0, 90.0, 100.0), (float("-inf"), 5.0, float("inf"))]
    text = Column("n", ["10", "NULL", "90", "5"], right=True, spans=spans).html()
    assert [len(places(cell)) for cell in text] == [1, 0, 1, 0]
    first, last = places("".join(text))
    assert first == 3 + 78 * 0.1
    assert last == 3 + 78 * 0.9


def test_a_gauge_shows_what_is_spent_and_asked_within_its_bar() -> None:
    widths = re.findall(r'width="([\d.]+)" height="10"', Gauge(0.75, "words", asked=0.5).html())
    assert [float(width) for width in widths] == [280, 280, 210, 70]
    assert "<path" in Gauge(0.0, "words", asked=0.5).html()
    assert "<path" not in Gauge(0.5, "words").html()


def test_lines_are_broken_where_they_were() -> None:
    assert "one<br>two" in Card(lines=("one\ntwo",)).html()
