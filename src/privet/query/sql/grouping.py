"""Grouping: SELECT with aggregates: private across units, exact within a unit or of public rows."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from privet.query.functions import call, substitute
from privet.query.functions.moments import as_moment
from privet.query.plan.aggregation import Aggregation
from privet.query.plan.build import clipped, grouped
from privet.query.plan.domain import domain_of, within_all
from privet.query.plan.relations import Owner, Relation
from privet.query.plan.released_window import ReleasedWindow
from privet.query.plan.statement import Aggregate, Key
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, columns_in, facts_of
from privet.query.scalars.facts import Facts, Type
from privet.query.sql.aggregates import (
    as_number,
    check_bounds,
    exact_facts,
    is_aggregate,
    read_aggregation,
    refuse_across_units,
    refuse_exact_place,
    refuse_without_order,
    released_facts,
)
from privet.query.sql.choices import choice
from privet.query.sql.clauses import by_alias, shallow
from privet.query.sql.context import Context
from privet.query.sql.handled_arguments import only
from privet.query.sql.name_scope import NameScope
from privet.query.sql.refuse import because, clause
from privet.query.sql.released_windows import read_released_window
from privet.query.sql.scalar_expressions import Scalars


@dataclass
class Grouping:
    """The keys and aggregates of one SELECT.

    Args:
        context: of the statement.
        scope: of the rows that are aggregated.
        keys: the expressions of GROUP BY and where they were written.
        items: the SELECT's, for aliases.
        rolled: keys of other groupings of the same statement, which are NULL in this one.
    """

    context: Context
    scope: NameScope
    keys: list[tuple[exp.Expr, Expression]]
    items: list[exp.Expr]
    columns: list[Column] = field(default_factory=list)
    found: list[tuple[Column, Aggregation, Expression]] = field(default_factory=list)
    windows: list[tuple[Column, ReleasedWindow]] = field(default_factory=list)
    rolled: list[Expression] = field(default_factory=list)

    def __post_init__(self) -> None:
        unique: list[tuple[exp.Expr, Expression]] = []
        for node, expression in self.keys:
            if all(expression != other for _, other in unique):
                unique.append((node, expression))
        self.keys = unique
        self.columns = [self.context.marks.computed(_name(node), expression) for node, expression in unique]

    @property
    def owner(self) -> Owner | None:
        """Of the rows."""
        return self.scope.relation.owner

    @property
    def private(self) -> bool:
        """Whether groups may hold rows of several units."""
        if self.owner is None:
            return False
        return not all(any(e == Reference(unit) for _, e in self.keys) for unit in self.owner.unit)

    def read(self, node: exp.Expr, *, aliases_first: bool = False, having: bool = False) -> Expression:
        """An expression over keys and aggregates.

        Args:
            node: the expression.
            aliases_first: whether a name is an item's rather than a column's, as in ORDER BY.
            having: whether it is an item's unless it is a key's, as in HAVING.
        """

        def special(part: exp.Expr) -> Expression | None:
            other = by_alias(part, self.items)
            taken = self._is_key(part) if having else self._is_column(part)
            if other is not None and (aliases_first or not taken):
                return plain.read(other)  # an alias is not looked up inside what it stands for
            return self._special(part)

        plain = Scalars(self.scope, self._special)
        return self._over_groups(node, Scalars(self.scope, special).read(node))

    def _special(self, node: exp.Expr) -> Expression | None:
        if isinstance(node, exp.Window):
            return self._window(node)
        if isinstance(node, exp.Grouping):
            return self._which(node)
        return self._aggregate(node) if is_aggregate(node) else None

    def _which(self, node: exp.Grouping) -> Expression:
        """GROUPING(a, b): a bit for each, 1 if it is not grouped by here."""
        number = 0
        for part in only(node, "expressions").expressions:
            key = Scalars(self.scope, _refuse_nested).read(part)
            here = any(key == expression for _, expression in self.keys)
            if not here and key not in self.rolled:
                raise because(part, "not grouped", "GROUPING takes keys of GROUP BY")
            number = 2 * number + (not here)
        return Literal(number, Type.INTEGER)

    @staticmethod
    def windows_in(node: exp.Expr) -> bool:
        """Whether a clause holds a window."""
        return any(isinstance(part, exp.Window) for part in shallow(node))

    def _window(self, node: exp.Window) -> Expression:
        """The column of a window over released rows; equal ones share it."""
        if self.owner is not None and not self.private:
            raise because(node, "window here", "aggregate in a subquery first, and write the window around it")
        made = read_released_window(node, self.read)
        for column, other in self.windows:
            if other == made.window:
                return Reference(column)
        self.windows.append((Column(clause(node), made.facts), made.window))
        return Reference(self.windows[-1][0])

    def show(self, column: Column) -> Expression:
        """A column that a star stands for."""
        return self._over_groups(exp.column(column.name), Reference(column))

    def _is_column(self, node: exp.Expr) -> bool:
        return isinstance(node, exp.Column) and bool(self.scope.candidates(node))

    def _is_key(self, node: exp.Expr) -> bool:
        if not isinstance(node, exp.Column) or not self.scope.candidates(node):
            return False
        column = self.scope.find(node)
        return any(expression == Reference(column) for _, expression in self.keys)

    def _aggregate(self, node: exp.Expr) -> Expression:
        """The column of an aggregate; equal ones share it."""
        rows = Scalars(self.scope, _refuse_nested)
        aggregation = read_aggregation(node, rows, relation=self.scope.relation, marks=self.context.marks)
        asked = aggregation
        if self.private:
            refuse_across_units(node, aggregation)
            aggregation = as_number(node, aggregation)
            if not self.context.automatic:
                check_bounds(node, aggregation, marks=self.context.marks)
        else:
            refuse_without_order(node, aggregation)
            refuse_exact_place(node, aggregation)
        for _, other, expression in self.found:
            if other == aggregation and facts_of(expression).type is self._type(asked, expression):
                return expression
        return self._column(node, asked, aggregation)

    @staticmethod
    def _type(asked: Aggregation, expression: Expression) -> Type:
        type_ = None if asked.argument is None else facts_of(asked.argument).type
        return type_ if type_ in {Type.DATE, Type.TIMESTAMP} else facts_of(expression).type

    def _column(self, node: exp.Expr, asked: Aggregation, aggregation: Aggregation) -> Expression:
        if self.private:
            column = Column(clause(node), released_facts(aggregation))
            expression: Expression = Reference(column)
            if asked != aggregation and asked.argument is not None:
                expression = as_moment(column, facts_of(asked.argument).type)
        else:
            raw, facts = exact_facts(aggregation, limits=self.owner.limits if self.owner is not None else None)
            column = Column(clause(node), raw)
            expression = clipped(column, facts.low, facts.high) if facts != raw else Reference(column)
            if any(columns_in(argument) & self.context.marks.from_unit for argument in aggregation.arguments):
                self.context.marks.from_unit.add(column)
        self.found.append((column, aggregation, expression))
        return expression

    def _over_groups(self, node: exp.Expr, expression: Expression) -> Expression:
        """The expression with keys in place of what they stand for; nothing else of the rows may be left."""
        keys = {key: column for (_, key), column in zip(self.keys, self.columns, strict=True)}
        own = {column for column, _, _ in self.found} | {column for column, _ in self.windows}

        def swap(part: Expression) -> Expression | None:
            if part in keys and not isinstance(part, Literal):
                return Reference(keys[part])
            if part in self.rolled:
                return Literal(None, facts_of(part).type)
            if isinstance(part, Reference) and part.column in self.context.marks.constant:
                return part
            if isinstance(part, Reference) and part.column not in own:
                raise because(_where(node, part.column.name), "not grouped")
            return None

        return substitute(expression, swap)

    def exact(self) -> Relation:
        """Exact aggregates within each unit or of public rows."""
        keys = [(column, expression) for (_, expression), column in zip(self.keys, self.columns, strict=True)]
        items = [(column, aggregation) for column, aggregation, _ in self.found]
        return grouped(self.scope.relation, keys, items, marks=self.context.marks)

    def _why_not_by(self, expression: Expression) -> str:
        """Why what was made from the unit's column is no key."""
        if not isinstance(expression, Reference):
            return "unit key"
        return "unit shown" if self.owner is not None and expression.column in self.owner.unit else "unit copied"

    def released(self) -> tuple[Aggregate, Callable[[Expression], Expression]]:
        """The private aggregate, and how expressions over the keys become expressions over what it releases."""
        assert self.owner is not None  # noqa: S101 - asked for private groupings only
        marks = self.context.marks
        if set(self.owner.unit) & marks.partnered and not any(columns_in(key) & marks.kept for _, key in self.keys):
            raise because("LEFT JOIN", "owner lost")
        for node, expression in self.keys:
            if columns_in(expression) & self.context.marks.from_unit:
                raise because(node, self._why_not_by(expression))
        expressions = [_bucketed(expression) for _, expression in self.keys]
        domains = within_all([domain_of(expression, values=self.context.values) for expression in expressions])
        if not self.found:  # which groups there are is the question, so no list of them is the answer
            domains = [None for _ in expressions]
        keys = []
        renewal = {}
        for old, expression, domain in zip(self.columns, expressions, domains, strict=True):
            facts = facts_of(expression)
            if domain is not None:
                shown = tuple(value for value in domain if value is not None)
                facts = facts.where(values=shown, nullable=None in domain)
            column = Column(old.name, facts.where(origin=None, other=None))
            renewal[old] = column
            keys.append(Key(column, expression, domain))
        items = tuple((column, aggregation) for column, aggregation, _ in self.found)
        aggregate = Aggregate(self.scope.relation, tuple(keys), items, self.owner.limits)
        return aggregate, lambda expression: substitute(
            expression,
            lambda part: (
                Reference(renewal[part.column]) if isinstance(part, Reference) and part.column in renewal else None
            ),
        )


def _refuse_nested(node: exp.Expr) -> None:
    if is_aggregate(node):
        raise because(node, "nested aggregate")


def _name(node: exp.Expr) -> str:
    return node.name if isinstance(node, exp.Column) else clause(node)


def _where(node: exp.Expr, name: str) -> exp.Expr:
    """The column that was named, in a clause."""
    return next((part for part in node.find_all(exp.Column) if part.name.casefold() == name.casefold()), node)


def _bucketed(expression: Expression) -> Expression:
    """A key whose owner wants other values counted together: they get the key the owner chose."""
    facts: Facts = facts_of(expression)
    if (
        not isinstance(expression, Reference)
        or facts.other is None
        or facts.values is None
        or facts.type is not Type.TEXT
    ):
        return expression
    listed = [Literal(value, facts.type) for value in facts.values if value is not None]
    if not listed:
        return expression
    missing = (call("is_null", expression), Literal(None, facts.type)) if facts.nullable else ()
    return choice(*missing, call("in", expression, *listed), expression, Literal(facts.other, facts.type))
