"""A hospital of values that engines read, order, round or write differently."""

import math

from tests.support.neighbor_hospitals import CROWDED, ENDLESS, EPOCH, FIRST, SHARED, Part, World, world

FAR = 1 << 62
# of the years 9999 and 1
LAST_DAY = 2_932_896
FIRST_DAY = -719_162
assert EPOCH.year == 1970

NASTY: dict[int | None, Part] = {
    FAR: Part(
        ((2**31 - 1, "F", "é1010", True, "AB"), (-(2**31), "f", "", None, "")),
        (
            (None, ("A", -0.0, LAST_DAY, 30, "ÄÖ straße", -0.0)),
            (None, ("a", 0.0, FIRST_DAY, 31, "äö STRASSE", 0.0)),
            (SHARED, ("É", 5e-324, FIRST, -1, "", 5e-324)),
            (None, ("", 1.7976931348623157e308, FIRST + 30, 0, " ", -1.7976931348623157e308)),
        ),
        ((SHARED, ("A00", 2.2250738585072014e-308)), (SHARED, ("日本", -1e-320))),
    ),
    -FAR: Part(
        ((65, "M", "٣", False, "0"),),
        (
            (None, ("B", 0.1 + 0.2, FIRST + 59, 1, "2.5", 0.3)),
            (None, ("B", 2.5, FIRST + 60, 2, "-0", 0.5)),
            (None, ("B", 3.5, FIRST + 60, 3, "1e400", -0.5)),
            (None, ("C", 0.49999999999999994, FIRST + 61, 4, "12", 1.5)),
            (None, ("D", math.nan, ENDLESS, 5, "2024-02-30", math.inf)),
            (None, ("D", math.inf, -ENDLESS, 6, "2024-02-29", -math.inf)),
            (None, ("E", -math.inf, None, None, "x" * 300, math.nan)),
        ),
        (),
    ),
    7: Part(
        ((40, None, None, None, None),),
        (
            (None, ("A", 1e15, FIRST, 7, "%", 1e15)),
            (None, ("A", 4999.999999999999, FIRST, 7, "_", 1234567890123456.5)),
            (None, ("A", 1e-200, FIRST, 7, "'", 1e-200)),
            (None, (None, 1e200, FIRST, 7, "\\", 1e200)),
        ),
        ((0, ("I10", math.nan)), (0, ("I10", -0.0)), (0, ("", 9.999999999))),
    ),
}
HOSPITALS: dict[str, World] = {
    "crowded": world(CROWDED),
    "nasty": world(NASTY | {1: CROWDED[1], None: CROWDED[None]}),
}
