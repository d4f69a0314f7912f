"""Windows over released rows, as SQL for the engine that holds nothing else."""

from collections.abc import Callable

from privet.query.plan.released_window import ReleasedWindow, WindowFunction
from privet.query.printing.dialect import Dialect
from privet.query.printing.function_templates import print_expression
from privet.query.printing.relation_tables import ordered
from privet.query.printing.window_frames import print_frame
from privet.query.scalars.expressions import Column, Expression, facts_of
from privet.query.scalars.facts import Type

LINE = "first_line"  # of the released rows: those that are equal in the order keep theirs
BY_ROW = {  # where it matters which of two equal rows comes first
    WindowFunction.ROW_NUMBER,
    WindowFunction.NTILE,
    WindowFunction.LAG,
    WindowFunction.LEAD,
    WindowFunction.FIRST_VALUE,
    WindowFunction.LAST_VALUE,
}
LARGEST = 1 << 62


def print_window(window: ReleasedWindow, dialect: Dialect, name: Callable[[Column], str]) -> str:
    """The value of a window in the row at hand; never NaN, and never beyond 62 bits where it is whole."""

    def text(expression: Expression) -> str:
        return print_expression(expression, dialect, name)

    listed = ", ".join(map(text, window.arguments))
    function = window.function
    if function is WindowFunction.COUNT and not window.arguments:
        listed = "*"
    over = f"{function.value}({listed}) OVER ({_over(window, text)})"
    if function is WindowFunction.SUM and facts_of(window.arguments[0]).type is Type.INTEGER:
        return f"CAST(LEAST(GREATEST({over}, -{LARGEST}), {LARGEST}) AS {dialect.types[Type.INTEGER]})"
    if function in {WindowFunction.SUM, WindowFunction.AVG}:
        return dialect.number(over)
    return over


def _over(window: ReleasedWindow, text: Callable[[Expression], str]) -> str:
    words = []
    if window.partition:
        words.append(f"PARTITION BY {', '.join(map(text, window.partition))}")
    order = [ordered(text(expression), descending=down) for expression, down in window.order]
    if window.function in BY_ROW or window.frame is not None:
        order.append(LINE)
    if order:
        words.append(f"ORDER BY {', '.join(order)}")
    if window.frame is not None:
        words.append(print_frame(window.frame))
    return " ".join(words)
