# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Blocks: the weights of sixteen units in one row, so that an engine finds the weight of a row in a small table.

    blocks    for each block of 16 neighboring units: p1 to p4, each with the codes of four of them, 15 bits wide
    coded     each row with the code of its unit
    weighted  each row with the weight of its unit, as if it had been joined with `weights`

A weight is the whole part of most / n, with most = cap × 2^20. One below 128 × cap is its own code, behind a mark; of
any other, most / weight, rounded down, is. Both are below 2^14, and the weight is found again.

Proof: let w = ⌊most / n⌋ >= 128 cap and c = ⌊most / w⌋ <= 2^20 / 128 = 2^13. From w <= most / n follows c >= n, so
    ⌊most / c⌋ <= w; and c <= most / w says w <= most / c, so ⌊most / c⌋ >= w. A unit is in one row of `weights`, and
    no other unit has its block and its place in it, so that the codes of a block are added up without touching, and
    each row finds its own unit's.
"""

from privet.query.measures.request import PART
from privet.query.printing.placed_rows import PlacedRows

COLUMNS = 4  # of a block, each with a quarter of its 16 units
BITS = 15  # of a code: 14, and a mark
MARK = 1 << 14
SMALL = 128  # times the cap: weights below have a mark
MOST_CAP = MARK // SMALL  # so that they are below the mark


def packs(context: PlacedRows) -> bool:
    """Whether weights are put into blocks: units are whole numbers that lie close together, and the cap is small."""
    return context.sources.close_units and len(context.unit) == 1 and context.cap <= MOST_CAP


def print_blocks(context: PlacedRows, rows: str) -> str:
    """The rows with their `weight`, which is looked up in blocks made of the table `weights`."""
    (unit,) = context.unit
    block = context.dialect.block(unit)
    context.chain.dissolve("codes")
    context.chain.append("codes", f"SELECT {unit}, {_code(context)} AS code FROM weights")
    inside = context.dialect.bits(f"{BITS} * ({unit} & 3)")
    packed = ", ".join(
        f"CAST(SUM(CASE WHEN {_quarter(unit, number)} THEN code << {inside} ELSE 0 END) AS {context.integer}) "
        f"AS p{number}"
        for number in range(1, COLUMNS + 1)
    )
    context.chain.append("blocks", f"SELECT {block} AS b1, {packed} FROM codes GROUP BY {block}")
    kept = [*context.keys, *context.places()]
    chosen = " ".join(f"WHEN {_quarter(unit, number)} THEN p{number}" for number in range(1, COLUMNS))
    code = f"((CASE {chosen} ELSE p{COLUMNS} END >> {inside}) & {(1 << BITS) - 1}) AS code"
    context.chain.append("coded", f"SELECT {', '.join([*kept, code])} FROM {rows} JOIN blocks ON {block} = blocks.b1")
    return context.chain.append("weighted", f"SELECT {', '.join([*kept, _weight(context)])} FROM coded")


def _quarter(unit: str, number: int) -> str:
    return f"({unit} & 12) = {4 * (number - 1)}"


def _code(context: PlacedRows) -> str:
    most = context.whole(context.cap * PART)
    small = context.whole(SMALL * context.cap)
    other = context.dialect.quotient(most, "weight")
    return f"CASE WHEN weight < {small} THEN weight + {context.whole(MARK)} ELSE {other} END"


def _weight(context: PlacedRows) -> str:
    most = context.whole(context.cap * PART)
    mark = context.whole(MARK)
    # every row's unit has a code, unless a view or file gives other rows when it is read again: such a row counts 0
    large = f"WHEN code > 0 THEN {context.dialect.quotient(most, 'code')}"
    return f"CASE WHEN code >= {mark} THEN code - {mark} {large} END AS weight"
