# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Float arithmetic that never raises an error, as PostgreSQL does where a result is infinite or too small.

Each pattern computes the ordinary way where no operand is extreme. Otherwise it first looks, with operands brought
nearer to 1 by powers of two (which is exact), whether the result would be infinite or 0, and says so itself. So
results are those of IEEE 754, as on other engines.
"""

import math

from privet.query.backends.postgres.literals import FENCE, named, real


def _two(power: int) -> str:
    return real(math.ldexp(1.0, power))


INFINITY = real(math.inf)
ZERO = real(0.0)
ONE = real(1.0)
MODERATE = f"BETWEEN {_two(-500)} AND {_two(500)}"
ENDLESS = f"ABS({{a}}) = {INFINITY} OR ABS({{b}}) = {INFINITY}"
LIKE_SIGNS = "({a} < 0) = ({b} < 0)"
INFINITE = f"CASE WHEN {LIKE_SIGNS} THEN {INFINITY} ELSE {real(-math.inf)} END"
NOTHING = f"CASE WHEN {LIKE_SIGNS} THEN {ZERO} ELSE {real(-0.0)} END"
LARGER, SMALLER = "GREATEST(ABS({a}), ABS({b}))", "LEAST(ABS({a}), ABS({b}))"

ADD = (  # an infinite sum has two summands of one sign; one that is far smaller than the other changes nothing
    f"CASE WHEN ABS({{a}}) <= {_two(1022)} AND ABS({{b}}) <= {_two(1022)} THEN {{a}} + {{b}} "
    f"WHEN {ENDLESS} OR ABS({{a}}) < {_two(900)} OR ABS({{b}}) < {_two(900)} THEN {{a}} + {{b}} "
    f"WHEN ABS({{a}} * {real(0.25)} + {{b}} * {real(0.25)}) >= {_two(1022)} "
    f"THEN CASE WHEN {{a}} > 0 THEN {INFINITY} ELSE {real(-math.inf)} END ELSE {{a}} + {{b}} END"
)
MULTIPLY = (  # LEAST and GREATEST leave NULL aside
    f"CASE WHEN {{a}} IS NULL OR {{b}} IS NULL THEN NULL "
    f"WHEN ABS({{a}}) {MODERATE} AND ABS({{b}}) {MODERATE} THEN {{a}} * {{b}} "
    f"WHEN {{a}} = 0 OR {{b}} = 0 OR {ENDLESS} THEN {{a}} * {{b}} "
    f"WHEN {LARGER} >= {_two(500)} THEN CASE WHEN {SMALLER} < {_two(-500)} THEN {{a}} * {{b}} "
    f"WHEN ({LARGER} * {_two(-520)}) * ({SMALLER} * {_two(-520)}) >= {_two(1024 - 1040)} THEN {INFINITE} "
    "ELSE {a} * {b} END "
    f"WHEN {LARGER} < {_two(-575)} THEN {NOTHING} "
    f"WHEN {LARGER} * ({SMALLER} * {_two(600)}) <= {_two(600 - 1075)} THEN {NOTHING} ELSE {{a}} * {{b}} END"
)
DIVIDE = (
    f"CASE WHEN {{b}} = 0 THEN NULL WHEN ABS({{a}}) {MODERATE} AND ABS({{b}}) {MODERATE} THEN {{a}} / {{b}} "
    f"WHEN {{a}} = 0 OR {ENDLESS} THEN {{a}} / {{b}} "
    f"WHEN ABS({{a}}) >= {_two(-51)} AND ABS({{b}}) < {_two(1)} THEN "
    f"CASE WHEN ABS({{a}}) * {_two(-511)} < ABS({{b}}) * {_two(511)} THEN {{a}} / {{b}} "
    f"WHEN (ABS({{a}}) * {_two(-900)}) / (ABS({{b}}) * {_two(200)}) >= {_two(1024 - 1100)} THEN {INFINITE} "
    "ELSE {a} / {b} END "
    f"WHEN ABS({{a}}) < {_two(-51)} AND ABS({{b}}) > {_two(0)} THEN "
    f"CASE WHEN ABS({{a}}) * {_two(511)} > ABS({{b}}) * {_two(-511)} THEN {{a}} / {{b}} "
    f"WHEN (ABS({{a}}) * {_two(900)}) / (ABS({{b}}) * {_two(-200)}) <= {_two(1100 - 1075)} THEN {NOTHING} "
    "ELSE {a} / {b} END "
    "ELSE {a} / {b} END"
)
# e to these is a number, and an exact one
LARGEST_EXPONENT = 709.782712893384
LEAST_EXPONENT = -708.0
EXP = (
    f"CASE WHEN {{a}} > {real(LARGEST_EXPONENT)} THEN {INFINITY} "
    f"WHEN {{a}} < {real(LEAST_EXPONENT)} THEN {ZERO} ELSE EXP({{a}}) END"
)
SIGNED = (  # an odd power of what is negative
    f"CASE WHEN {{a}} < 0 AND ABS({{b}}) BETWEEN 1 AND {_two(53)} AND FLOOR({{b}}) = {{b}} "
    f"THEN {{b}} * 0.5 <> FLOOR({{b}} * 0.5) ELSE FALSE END"
)
LOGARITHM = f"(LEAST(GREATEST({{b}}, {real(-1e300)}), {real(1e300)}) * LN(ABS({{a}})))"  # of the power
POWER = (
    f"CASE WHEN {{a}} IS NULL OR {{b}} IS NULL THEN NULL WHEN {{b}} = 0 OR {{a}} = 1 THEN {ONE} "
    f"WHEN {{b}} = 1 THEN {{a}} WHEN {{a}} = 0 THEN CASE WHEN {{b}} > 0 THEN {ZERO} END "
    f"WHEN ABS({{b}}) = {INFINITY} THEN CASE WHEN ABS({{a}}) = 1 THEN {ONE} "
    f"WHEN (ABS({{a}}) > 1) = ({{b}} > 0) THEN {INFINITY} ELSE {ZERO} END "
    f"WHEN {{a}} = {INFINITY} THEN CASE WHEN {{b}} > 0 THEN {INFINITY} ELSE {ZERO} END "
    f"WHEN {{a}} = {real(-math.inf)} THEN CASE WHEN {{b}} < 0 THEN {ZERO} "
    f"WHEN {SIGNED} THEN {real(-math.inf)} ELSE {INFINITY} END "
    "WHEN {a} < 0 AND FLOOR({b}) <> {b} THEN NULL "
    f"WHEN ABS({{b}}) < {real(1e-300)} THEN {ONE} "
    f"WHEN {LOGARITHM} > {real(709.7827)} THEN CASE WHEN {SIGNED} THEN {real(-math.inf)} ELSE {INFINITY} END "
    f"WHEN {LOGARITHM} < {real(LEAST_EXPONENT)} THEN {ZERO} ELSE POWER({{a}}, {{b}}) END"
)
NEAREST = "TRUNC({a}) + CASE WHEN ABS({a} - TRUNC({a})) >= 0.5 THEN SIGN({a}) ELSE 0 END"  # halves away from 0
NEAREST_WHOLE = f"CASE WHEN ABS({{a}}) < {_two(52)} THEN {NEAREST} ELSE {{a}} END"
BITS = "CAST(CAST('x' || ENCODE(FLOAT8SEND(ABS({0})), 'hex') AS BIT(64)) AS BIGINT)"


def add(one: str, other: str) -> str:
    """The sum."""
    return named(ADD, a=one, b=other)


def multiply(one: str, other: str) -> str:
    """The product."""
    return named(MULTIPLY, a=one, b=other)


def divide(one: str, other: str) -> str:
    """The quotient; NULL if the divisor is 0."""
    return named(DIVIDE, a=one, b=other)


def nearest(text: str) -> str:
    """The nearest whole number, still as a float; halves go away from 0. PostgreSQL's own goes to even ones."""
    return named(NEAREST_WHOLE, a=text)


def whole(text: str) -> str:
    """The nearest whole number, as one; NULL if it has more than 62 bits."""
    inside = f"ABS({{a}}) <= {_two(62)}"
    return named(f"CASE WHEN {inside} THEN CAST({NEAREST_WHOLE} AS BIGINT) END", a=text)


def rounded(text: str, digits: int) -> str:
    """Rounded to so many digits after the point, or before it if there are fewer than none."""
    scale = real(10.0 ** abs(digits))
    one = text if digits == 0 else (multiply if digits > 0 else divide)(text, scale)
    back = nearest(one)
    if digits == 0:
        return back
    back = (divide if digits > 0 else multiply)(back, scale)
    return named(f"CASE WHEN ABS({{b}}) < {INFINITY} THEN {{b}} ELSE {{a}} END", a=text, b=back)


def rest(one: str, other: str) -> str:
    """What remains of a division, with the sign of the dividend: exact, from the bits of both numbers.

    A float is m 2^e; both are brought to the smaller e, where they are whole numbers of up to 2,100 bits.
    """
    return named(
        "CASE WHEN {b} = 0 OR ABS({a}) = " + INFINITY + " THEN NULL "
        "WHEN ABS({b}) = " + INFINITY + " OR ABS({a}) < ABS({b}) THEN {a} ELSE " + _exact_rest() + " END",
        a=one,
        b=other,
    )


def _exact_rest() -> str:
    """For finite a and b, |a| >= |b| > 0."""
    inner = f"SELECT {BITS.format('{a}')} AS i, {BITS.format('{b}')} AS j"
    parts = (
        "SELECT (i & 4503599627370495) + CASE WHEN i >= 4503599627370496 THEN 4503599627370496 ELSE 0 END AS m, "
        "GREATEST(i >> 52, 1) AS e, (j & 4503599627370495) + CASE WHEN j >= 4503599627370496 THEN 4503599627370496 "
        f"ELSE 0 END AS n, GREATEST(j >> 52, 1) AS f FROM ({inner}{FENCE}) AS q1"
    )
    whole = f"SELECT MOD(m * POWER(CAST(2 AS NUMERIC), e - f), CAST(n AS NUMERIC)) AS r, f FROM ({parts}{FENCE}) AS q2"
    scaled = (  # r < 2^53, and r 2^(f - 1075) is a float: two steps, so that neither factor is too small to be one
        f"CAST(r AS DOUBLE PRECISION) *  POWER({_two(1)}, CAST(GREATEST(f - 1075, -500) AS DOUBLE PRECISION))"
    )
    small = "CAST(LEAST(f - 575, 0) AS DOUBLE PRECISION)"
    return (
        f"(SELECT CASE WHEN r = 0 THEN {{a}} * 0 ELSE SIGN({{a}}) * ({scaled}) * POWER({_two(1)}, {small}) END "
        f"FROM ({whole}{FENCE}) AS q3)"
    )
