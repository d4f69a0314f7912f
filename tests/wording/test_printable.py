"""Texts that others wrote: on a screen they move no cursor, change no color and are no markup."""

from hypothesis import given
from hypothesis import strategies as st

from privet.wording.printable import plain, printable


@given(st.text())
def test_nothing_that_is_printed_is_a_command(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert plain(text).plain == shown
    assert not plain(text).spans
    if text.isprintable():
        assert shown == text


def test_escapes_are_spelled_out() -> None:
    assert printable("a" + chr(27) + "[2J") == "a" + repr(chr(27))[1:-1] + "[2J"
    assert printable(7) == "7"
