"""Weights in blocks, read back from an engine's SQL: whether each unit finds its own weight, by trying units.

What `printing/weight_blocks.py` proves of its text is not believed here. Units of our own, with weights of our own, are
put into blocks by the expressions of the text, and looked up by them.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from sqlglot import exp

from privet.query.second_price.engine_numbers import Unreadable, number_of

LARGEST = (1 << 63) - 1
UNITS = (*range(16), 16, 31, 10**9 + 7, LARGEST, -1, -2, -15, -16, -17, -LARGEST - 1)  # one block in full, and others
Steps = Mapping[str, exp.Select]


def refuse_other_weights(steps: Steps, unit: str, weights: Iterable[Fraction]) -> None:
    """Raise unless every unit finds in the blocks the weight that it was given.

    Args:
        steps: the tables of the statement, by name.
        unit: what the column of units is called.
        weights: that units may have; each is tried at several places.

    Raises:
        Unreadable: if one finds another's, or none.
    """
    code = _item(steps, "codes", "code")
    columns, block = _packed(steps)
    tried = list(weights)
    for turn in range(2):
        given = {Fraction(each): tried[(place + 7 * turn) % len(tried)] for place, each in enumerate(UNITS)}
        blocks: dict[Fraction, dict[str, Fraction]] = {}
        for each, weight in given.items():
            known = {unit: each, "code": number_of(code, {"weight": weight})}
            cells = blocks.setdefault(number_of(block, known), dict.fromkeys(columns, Fraction(0)))
            for name, added in columns.items():
                cells[name] += number_of(added, known)
        if any(not 0 <= cell <= LARGEST for cells in blocks.values() for cell in cells.values()):
            raise Unreadable("codes do not fit into a block")
        for each, weight in given.items():
            if _found(steps, blocks, unit, each) != weight:
                raise Unreadable("a unit finds another weight than its own")


def _packed(steps: Steps) -> tuple[dict[str, exp.Expression], exp.Expression]:
    """What each unit adds to each column of a block, and the number of its block, by which they are grouped."""
    block = _item(steps, "blocks", "b1")
    if [each.sql() for each in steps["blocks"].args["group"].expressions] != [block.sql()]:
        raise Unreadable("not by block")
    added = {
        each.alias: next(each.find_all(exp.Sum)).this for each in steps["blocks"].expressions if each.alias[0] == "p"
    }
    return added, block


def _found(steps: Steps, blocks: Mapping[Fraction, Mapping[str, Fraction]], unit: str, each: Fraction) -> Fraction:
    """The weight that the rows of a unit get."""
    (join,) = steps["coded"].args["joins"]
    same = join.args["on"]
    if not isinstance(same, exp.EQ) or same.expression.name != "b1" or join.side or join.kind:
        raise Unreadable("rows are not joined with blocks")
    cells = blocks[number_of(same.this, {unit: each})]
    code = number_of(_item(steps, "coded", "code"), {unit: each, **cells})
    return number_of(_item(steps, "weighted", "weight"), {"code": code})


def _item(steps: Steps, step: str, name: str) -> exp.Expression:
    found: exp.Expression = next(each for each in steps[step].expressions if each.alias == name).this
    return found
