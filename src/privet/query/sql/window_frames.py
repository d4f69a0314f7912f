"""Window frames: which rows of a partition an aggregate is of: ROWS BETWEEN 2 PRECEDING AND CURRENT ROW."""

from sqlglot import exp

from privet.query.plan.window_frame import Frame
from privet.query.sql.refuse import because

FARTHEST = 1_000_000  # rows away from the one at hand
WORDS = ("kind", "start", "start_side", "end", "end_side")
USUAL = ["RANGE", "UNBOUNDED", "PRECEDING", "CURRENT ROW", ""]  # what is meant when nothing is written


def frame_of(node: exp.Window, *, needs_order: bool = True) -> Frame | None:
    """The frame of a window; None for the one that is meant when none is written.

    Args:
        node: the window.
        needs_order: whether rows are in no order of their own, so that one has to be written.
    """
    spec = node.args.get("spec")
    if spec is None:
        return None
    ordered = node.args.get("order") is not None
    if any(value for name, value in spec.args.items() if name not in WORDS):
        raise because(node, "window frame")
    if ordered and [_word(spec.args.get(word)) for word in WORDS] == USUAL:
        return None
    if (needs_order and not ordered) or spec.args.get("kind") != "ROWS":
        raise because(node, "window frame")
    first = _place(node, spec.args.get("start"), str(spec.args.get("start_side") or ""), unbounded="PRECEDING")
    end = spec.args.get("end") or "CURRENT ROW"
    last = _place(node, end, str(spec.args.get("end_side") or ""), unbounded="FOLLOWING")
    if first is not None and last is not None and first > last:
        raise because(node, "window frame", "let it begin before it ends")
    return Frame(first, last)


def _place(node: exp.Window, end: exp.Expr | str | None, side: str, *, unbounded: str) -> int | None:
    """Where a frame begins or ends, from the row at hand."""
    if _word(end) == "CURRENT ROW":
        return 0
    if _word(end) == "UNBOUNDED":
        if side != unbounded:
            raise because(node, "window frame", "let it begin before it ends")
        return None
    number = whole_number(end, node, low=0)
    return -number if side == "PRECEDING" else number


def _word(value: object) -> str:
    return "" if value is None else str(value)


def whole_number(value: object, node: exp.Expr, *, low: int) -> int:
    """A literal whole number of rows."""
    if isinstance(value, exp.Literal) and not value.args["is_string"] and str(value.this).isdecimal():
        number = int(str(value.this)[:9])
        if low <= number <= FARTHEST:
            return number
    raise because(node, "literal rows")
