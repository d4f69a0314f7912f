"""How far one unit can move counts over cells."""

from fractions import Fraction

from privet.asking.question import Question
from privet.core import Sensitivity
from privet.core.sensitivity import root_above


def cell_moves(question: Question, cells: int, *, per_row: int = 1) -> Sensitivity:
    """Return the sensitivity of counts of which each row adds one to at most `per_row`.

    Args:
        question: which neighbors there are, and how many rows a unit has.
        cells: how many counts there are.
        per_row: in how many of them one row can be.

    Proof: let a and b be what a unit's k rows add to the counts, each entry at most k, the entries' sum at most
        k per_row. Without the unit the move is a; its largest length is that of k rows in the same cells. If the unit
        is replaced the move is a - b with a, b >= 0, so |a - b|² <= |a|² + |b|², and no entry moves by more than k.

    Example:
        >>> from privet.asking.question import Question
        >>> ages = Question.of("histogram", ([31, 44],), {"epsilon": 1, "neighbors": "replace"})
        >>> cell_moves(ages, 11)
        Sensitivity(1, cells=2)
    """
    rows, changes = question.rows, question.changes
    touched = min(changes * per_row, cells)
    in_each = min((changes // rows) * per_row, cells)  # cells that can move by all k rows at once
    total = min(changes * per_row, cells * rows)
    return Sensitivity(rows, cells=touched, l1=total, l2=root_above(Fraction(rows * rows * in_each)))
