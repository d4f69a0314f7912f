"""printable, plain: texts for a screen in which nothing is a command; others wrote parts of them."""

from rich.text import Text


def printable(text: object) -> str:
    """The text without anything that could move the cursor or change colors.

    Example:
        >>> printable("a" + chr(27)) == "a" + repr(chr(27))[1:-1]
        True
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in str(text))


def plain(text: object) -> Text:
    """A text for a table of rich in which nothing is a command: no markup, no control characters.

    Example:
        >>> plain("[bold]a" + chr(27)).plain == "[bold]a" + repr(chr(27))[1:-1]
        True
    """
    return Text(printable(text))
