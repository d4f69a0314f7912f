"""World rows: what invented tables hold: ordinary values, and the worst there can be of each type."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
DAY, SECOND = 86_400_000_000, 1_000_000
FIRST = 19_723  # the first of January 2024, in days
ENDLESS, FOREVER = (1 << 31) - 1, (1 << 63) - 1  # how engines write an infinite date, and an infinite timestamp
# days that calendars have and Python has not, or just has
YEAR_1, YEAR_9999, BEFORE, BEYOND = -719_162, 2_932_896, -800_000, 4_000_000
LONG = 100_000  # letters
MANY = 300  # rows

Strange = Mapping[str, Sequence[Any]]  # values by the type of a column
ORDINARY: Mapping[str, Any] = {
    "integer": 5,
    "real": 0.0,
    "text": "bern",
    "boolean": True,
    "date": FIRST,
    "timestamp": FIRST * DAY,
}
OTHERS: Mapping[str, Any] = {  # other ordinary values, of rows of public tables
    "integer": 6,
    "real": 1.0,
    "text": "genf",
    "boolean": False,
    "date": FIRST + 1,
    "timestamp": FIRST * DAY + SECOND,
}
OWN_KEY = "a key of its own"
NOTHING: Strange = dict.fromkeys(ORDINARY, (None,))
STRANGE: Mapping[str, Strange] = {  # what a visitor's columns hold: one row for each value
    "nothing": NOTHING,
    "minus zero": {"real": (-0.0,)},
    "odd reals": {
        "real": (math.nan, math.inf, -math.inf, 5e-324, -5e-324, 1e308, -1.7976931348623157e308, 1e-310),
    },
    "far numbers": {"integer": (2**63 - 1, -(2**63), 2**62, 2**53 + 1, -1, 0), "real": (1e9, -1e9)},
    "far times": {
        "date": (YEAR_1, YEAR_9999, BEFORE, BEYOND),
        "timestamp": (YEAR_1 * DAY, YEAR_9999 * DAY, BEFORE * DAY, BEYOND * DAY, 1),
    },
    "endless times": {"date": (ENDLESS, -ENDLESS), "timestamp": (FOREVER, -FOREVER)},
    "other spelling": {"text": ("BERN", "Bern", "A", "bern ")},
    "odd texts": {
        "text": ("", "be\u0301rn", "b\u00e9rn", "\ufeffbern", "12", "-0", "1e400", "nan", "2024-01-01", "é'\"\\|=%_"),
    },
    "a zero byte": {"text": ("be\0rn",)},
    "broken text": {"text": (b"\xff\xfe", b"bern\xe2\x82", b"\xed\xa0\x80")},
    "long text": {"text": ("x" * LONG,)},
    OWN_KEY: {
        "text": ("only here",),
        "integer": (77,),
        "real": (7.25,),
        "boolean": (False,),
        "date": (FIRST + 9,),
        "timestamp": (FIRST * DAY + 9 * DAY,),
    },
    "ties": {"real": (0.0, -0.0, 0.0), "integer": (1, 100, -100)},
}


class Dice:
    """Choices that look random and are the same for the same seed: rows are invented, so nothing hangs on them.

    Example:
        >>> Dice("a").of([1, 2, 3]) == Dice("a").of([1, 2, 3])
        True
    """

    def __init__(self, seed: object) -> None:
        self._seed, self._thrown = str(seed), 0

    def below(self, number: int) -> int:
        """A whole number >= 0 and below this one."""
        self._thrown += 1
        digest = hashlib.sha256(f"{self._seed}/{self._thrown}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % number

    def of(self, values: Sequence[T]) -> T:
        """One of these."""
        return values[self.below(len(values))]


def pool(kind: str) -> list[Any]:
    """Every value of a type, ordinary ones often."""
    found = [ORDINARY[kind]] * 4 + [OTHERS[kind]] * 2
    rare = {"broken text", "long text", "a zero byte"}
    for name, values in STRANGE.items():
        found += () if name in rare else values.get(kind, ())
    return found
