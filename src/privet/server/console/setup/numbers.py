"""Numbers that an owner types: as a catalog writes them."""

import re

NUMBER = re.compile(r"[+-]?([0-9]{1,30}(\.[0-9]{1,30})?|\.[0-9]{1,30})")
GROUPED = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")


def number_text(said: str) -> str | None:
    """A number in the words of a catalog; None if it is none.

    Example:
        >>> number_text("2,000"), number_text("-.5"), number_text("1e9"), number_text("007"), number_text("nan")
        ('2000', '-0.5', None, '7', None)
    """
    plain = said.strip()
    if GROUPED.fullmatch(plain):
        plain = plain.replace(",", "")
    if not NUMBER.fullmatch(plain):
        return None
    sign = "-" if plain.startswith("-") else ""
    whole, _, rest = plain.lstrip("+-").partition(".")
    return f"{sign}{whole.lstrip('0') or '0'}{'.' + rest if rest else ''}"
