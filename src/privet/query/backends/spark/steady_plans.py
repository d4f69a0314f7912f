"""Steady: whether a table has the same rows whenever Spark computes it, and none of its rows can make that fail.

Rows may be counted in one scan and weighed in another, and Spark computes lost parts again. So a table is a plan of
nodes and expressions that are known, one by one, to give the same for the same rows, and to give NULL where there is
nothing to give. What is not known is refused: code (Python's, Java's, of data sources), samples, limits, clocks,
whatever depends on the order of rows, subqueries (one may have two rows where one is wanted), and Spark's ANSI rules,
by which one row ends a statement. A view's plan is part of the plan, and a cached table's is that of its rows.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from privet.errors import InvalidParameter
from privet.query.backends.spark.stored_files import refuse_unknown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PLANS = "org.apache.spark.sql.catalyst.plans.logical."
EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."
MADE = {  # nodes above others
    *("Aggregate", "CTERelationDef", "CTERelationRef", "Distinct", "Filter", "Join", "Project", "Sort"),
    *("SubqueryAlias", "Union", "View", "WithCTE"),
}
GIVEN = {"LocalRelation", "OneRowRelation", "Range"}  # nodes that hold their rows
MERGING = {"Aggregate", "Distinct"}  # of rows that are equal, but may be written differently, one is shown
STEADY = {  # expressions that look at one row
    *("Alias", "AttributeReference", "Literal", "GetStructField", "SortOrder"),
    *("And", "Or", "Not", "EqualTo", "EqualNullSafe", "LessThan", "LessThanOrEqual", "GreaterThan"),
    *("GreaterThanOrEqual", "In", "InSet", "IsNull", "IsNotNull", "IsNaN", "AtLeastNNonNulls"),
    *("Between", "With", "CommonExpressionDef", "CommonExpressionRef"),
    *("CaseWhen", "Coalesce", "If", "Nvl", "NullIf", "Least", "Greatest", "NaNvl"),
    *("Cast", "Add", "Subtract", "Multiply", "Divide", "IntegralDivide", "Remainder", "UnaryMinus", "Abs"),
    *("TryAdd", "TrySubtract", "TryMultiply", "TryDivide", "Floor", "Ceil"),
    *("Lower", "Upper", "StringTrim", "StringTrimLeft", "StringTrimRight", "Substring", "Concat", "Length"),
    *("StartsWith", "EndsWith", "Contains", "StringReplace", "Md5", "Sha2"),
    *("Year", "Quarter", "Month", "DayOfMonth", "DayOfWeek", "WeekDay", "DayOfYear", "Hour", "Minute", "TruncDate"),
    *("DateAdd", "DateSub", "DateDiff"),
    *("aggregate.AggregateExpression", "aggregate.Count"),
}
ORDERLESS = {"aggregate.Min", "aggregate.Max", "aggregate.Sum"}  # where no two equal values are written differently:
EXACT = {"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "STRING", "TIMESTAMP", "TIMESTAMP_NTZ"}
PADDED = "CharVarcharCodegenUtils.readSidePadding("  # what Spark does to a CHAR of its own accord
RULES = {"evalMode", "evalContext", "failOnError", "ansiEnabled"}  # how an expression says whether it may fail
LENIENT = ("legacy", "try", "false", "numericevalcontext(legacy,", "numericevalcontext(try,")
WHOLE = ("TINYINT", "SMALLINT", "INT", "BIGINT")
UNSTEADY = (
    "it may have other rows each time it is computed (a sample, a limit, a random number, Python code; here {}); "
    "write it to a table or Parquet files first"
)
FAILING = (
    "one of its rows could make a question fail, by Spark's ANSI rules or as a date that is no timestamp; make it "
    "where spark.sql.ansi.enabled is false, with TRY_CAST, or write it to a table or Parquet files first"
)


def refuse_unsteady(name: str, frame: "DataFrame") -> None:
    """Raise if the rows of a table could be others when they are read a second time, or could fail.

    Raises:
        InvalidParameter: with what to do instead.
    """
    for node in nodes_of(frame):
        kind = str(node.getClass().getName()).removeprefix(PLANS)
        if kind in GIVEN:
            continue
        if kind not in MADE:
            refuse_unknown(name, node, otherwise=UNSTEADY.format(_word(node)))
            continue
        own = list(_all_of(node.expressions()))
        merged = [*own, *_all_of(node.output())] if kind in MERGING else []
        unsteady = [each for each in own if not _is_steady(each)] + [each for each in merged if _is_collated(each)]
        if unsteady:
            raise InvalidParameter(f"table {name}: {UNSTEADY.format(_word(unsteady[0]))}")
        if any(map(_may_fail, own)):
            raise InvalidParameter(f"table {name}: {FAILING}")


def nodes_of(frame: "DataFrame") -> Iterator[Any]:
    """The nodes of a frame's plan, views and common tables included."""
    made: Any = frame
    waiting = [made._jdf.queryExecution().analyzed()]  # noqa: SLF001 - the way to a plan
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _listed(node.children())


def _listed(sequence: Any) -> list[Any]:  # noqa: ANN401 - Scala's
    return [sequence.apply(place) for place in range(sequence.size())]


def _all_of(expressions: Any) -> Iterator[Any]:  # noqa: ANN401 - Scala's
    """Expressions, and those that they are made of."""
    waiting = _listed(expressions)
    while waiting:
        expression = waiting.pop()
        yield expression
        waiting += _listed(expression.children())


def _kind_of(expression: Any) -> str:  # noqa: ANN401 - an expression of Spark's
    return str(expression.getClass().getName()).removeprefix(EXPRESSIONS)


def _word(part: Any) -> str:  # noqa: ANN401 - a node or an expression
    return str(part.getClass().getSimpleName())


def _type_of(expression: Any) -> str:  # noqa: ANN401 - as above
    return str(expression.dataType().sql()).upper()


def _is_steady(expression: Any) -> bool:  # noqa: ANN401 - as above
    kind = _kind_of(expression)
    if kind == "objects.StaticInvoke":
        return str(expression.toString()).startswith(f"static_invoke({PADDED}")
    if kind in ORDERLESS:
        return all(_type_of(child) in EXACT for child in _listed(expression.children()))
    return kind in STEADY and bool(expression.deterministic())


def _is_collated(expression: Any) -> bool:  # noqa: ANN401 - as above
    return "COLLATE" in _type_of(expression)


def _may_fail(expression: Any) -> bool:  # noqa: ANN401 - as above
    """Whether what depends on a row may raise an error instead of being NULL."""
    names = str(expression.productElementNames().mkString(" ")).split(" ")
    rules = [str(expression.productElement(place)).lower() for place, word in enumerate(names) if word in RULES]
    if not rules or expression.foldable():
        return False
    lenient = all(rule.startswith(LENIENT) for rule in rules)
    if _kind_of(expression) != "Cast":
        return not lenient
    old = _type_of(expression.child())
    new = _type_of(expression)
    if old == "DATE" and new.startswith("TIMESTAMP"):
        return rules != ["try"]
    return not lenient and not _fits(old, new)


def _fits(old: str, new: str) -> bool:
    """Whether every value of a type is one of another, so that no rule about failures matters."""
    if new.startswith("STRING"):
        return True
    return old in WHOLE and (new in {"FLOAT", "DOUBLE"} or new in WHOLE[WHOLE.index(old) :])
