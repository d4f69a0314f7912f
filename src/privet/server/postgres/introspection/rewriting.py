"""Rewriting: a question about tables in PostgreSQL's words becomes one for the engine that holds empty ones.

Only what is listed here passes: relations, functions, and nothing that repeats itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.dialects.postgres import Postgres

from privet.query.sql.bounded_steps import BoundedSteps, TooManyStepsError
from privet.server.postgres.introspection.functions import ASKERS, INSTEAD, NAMES, NODES, OURS, PASSED
from privet.server.postgres.introspection.public_facts import SYSTEM
from privet.server.postgres.introspection.relations import relations
from privet.server.postgres.sqlstates import NO_TABLE, NOT_SUPPORTED, SYNTAX, TOO_LARGE, Refusal

LONGEST, MOST_NODES, DEEPEST, MOST_TABLES = 60_000, 12_000, 120, 40
LONGEST_SERIES = 10_000
SCHEMAS = {"pg_catalog", "information_schema", "public", ""}
NAMELESS = "?column?"
FUNCTIONS = {"typinput", "typoutput", "typreceive", "typsend", "amhandler"}  # whose number 0 is written as a dash
TEXTS = {"text", "name", "char", "bpchar", "varchar", "cstring", "aclitem", "regproc", "regrole", "unknown", "xid"}
SQLGLOTS = (sqlglot.errors.SqlglotError, ValueError, IndexError, AttributeError, RecursionError)
UNREADABLE = (*SQLGLOTS, TooManyStepsError)


class Bounded(Postgres):
    """PostgreSQL's words, read in a bounded number of steps."""

    class Parser(BoundedSteps, Postgres.Parser):  # type: ignore[valid-type, misc] # declared as a variable
        """Its parser."""


@dataclass(frozen=True)
class Rewritten:
    """A question for the engine, and what its columns are called; None for those that keep their names."""

    text: str
    names: tuple[str | None, ...]


def parsed(text: str) -> exp.Query:
    """The tree of one question."""
    if len(text) > LONGEST:
        raise Refusal("a question about tables is shorter than that", TOO_LARGE)
    try:
        tree = sqlglot.parse_one(text, dialect=Bounded)
    except UNREADABLE:
        raise Refusal("this cannot be read as SQL", SYNTAX, "check the spelling") from None
    if not isinstance(tree, exp.Query):
        raise Refusal("only questions are answered about tables", NOT_SUPPORTED)
    level: list[exp.Expr] = [tree]
    nodes = 0
    for _ in range(DEEPEST):
        nodes += len(level)
        level = [child for node in level for child in node.iter_expressions()]
        if not level:
            break
    if level or nodes > MOST_NODES or sum(1 for _ in tree.find_all(exp.Table)) > MOST_TABLES:
        raise Refusal("a question about tables is simpler than that", TOO_LARGE)
    return tree


def rewritten(
    text: str, *, numbers: Mapping[str, int], person: str, values: Sequence[object] | None = None
) -> Rewritten:
    """A question for the engine.

    Args:
        text: as a client wrote it.
        numbers: of the tables that there are.
        person: who asks.
        values: of its parameters; without them each is NULL.
    """
    try:
        tree = parsed(text)
        names = names_of(tree)
        tree = _Rewriter(numbers, person, values).of(tree)
        return Rewritten(tree.sql(dialect="duckdb"), names)
    except UNREADABLE:
        raise Refusal("this question about tables is not understood", NOT_SUPPORTED) from None


def names_of(tree: exp.Query) -> tuple[str | None, ...]:
    """What PostgreSQL calls the columns; nothing where a star stands for several."""
    if any(item.is_star for item in tree.selects):
        return ()
    return tuple(map(_name_of, tree.selects))


def _name_of(item: exp.Expr) -> str | None:  # noqa: C901, PLR0911 - one return for each kind
    match item:
        case exp.Alias() | exp.Column():
            found = item.args["alias"] if isinstance(item, exp.Alias) else item.this
            quoted = isinstance(found, exp.Identifier) and found.quoted
            return str(found.name) if quoted else str(found.name).lower()
        case exp.Dot():
            return _name_of(item.expression)
        case exp.Cast():
            inner = _name_of(item.this)
            return inner if inner != NAMELESS else item.to.sql(dialect="postgres").lower()
        case exp.Case():
            return "case"
        case exp.Subquery():
            return (names_of(item.this) or (NAMELESS,))[0] if isinstance(item.this, exp.Query) else NAMELESS
        case exp.Exists():
            return "exists"
        case exp.Identifier():
            return item.name.lower()
        case exp.Anonymous():
            return item.name.lower()
        case exp.And() | exp.Or() | exp.RegexpLike():
            return NAMELESS
        case exp.Func():
            return INSTEAD.get(type(item)) or item.sql_name().lower()
    return NAMELESS


class _Rewriter:
    """Takes one tree apart."""

    def __init__(self, numbers: Mapping[str, int], person: str, values: Sequence[object] | None) -> None:
        self._numbers = numbers
        self._person = person
        self._values = values

    def of(self, tree: exp.Query) -> exp.Query:
        """The whole of it."""
        if any(each.args.get("recursive") for each in tree.find_all(exp.With)):
            raise Refusal("RECURSIVE is not answered about tables", NOT_SUPPORTED)
        ctes = {each.alias.lower() for each in tree.find_all(exp.CTE)}
        for name in list(tree.find_all(exp.Identifier)):
            if not name.args.get("quoted"):
                name.set("this", name.name.lower())
        for table in list(tree.find_all(exp.Table)):
            self._table(table, ctes)
        for column in list(tree.find_all(exp.Column)):
            if column.args.get("db") is not None:
                column.set("db", None)
                column.set("catalog", None)
        for lock in list(tree.find_all(exp.Lock)):
            lock.pop()
        for node in reversed(list(tree.walk())):  # the innermost first
            found = self._node(node)
            if found is not node:
                node.replace(found)
        return tree

    def _table(self, table: exp.Table, ctes: set[str]) -> None:
        schema = table.db.lower()
        if isinstance(table.this, exp.Func):
            table.set("db", None)
            return
        if schema not in SCHEMAS:
            raise Refusal(f"there is no schema {schema[:63]!r}", "3F000")
        name = table.name.lower()
        if not schema and name in ctes:
            return
        full = self._full(schema, name)
        if table.alias == "":
            table.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
        table.set("this", exp.to_identifier(full, quoted=True))
        table.set("db", None)
        table.set("catalog", None)

    def _full(self, schema: str, name: str) -> str:
        for each in (schema,) if schema else ("pg_catalog", "public"):
            known = name in self._tables if each == "public" else f"{each}.{name}" in relations()
            if known:
                return f"{each}__{name}"
        raise Refusal(f'relation "{name[:63]}" does not exist', NO_TABLE)

    @property
    def _tables(self) -> set[str]:
        return {name.lower() for name in self._numbers}

    def _node(self, node: exp.Expr) -> exp.Expr:  # noqa: C901, PLR0911, PLR0912 - one return for each kind
        match node:
            case exp.Parameter() | exp.Placeholder():
                return self._value(node)
            case exp.Dot() if isinstance(node.expression, exp.Func):
                return node.expression
            case exp.Operator():
                return self._operator(node)
            case exp.EQ() | exp.NEQ() if node.left.name in FUNCTIONS and node.right.is_number:
                node.set("expression", exp.Literal.string("-"))
            case exp.Collate():
                return exp.Paren(this=node.this)
            case exp.Cast():
                return self._cast(node)
            case exp.Literal() if node.is_string and node.name[:1] == "{" and node.name[-1:] == "}":
                return exp.Literal.string(f"[{node.name[1:-1]}]")
            case exp.ByteString() | exp.National():
                return exp.Literal.string(node.name)
            case exp.GenerateSeries() | exp.ExplodingGenerateSeries():
                return self._series(node)
            case exp.Anonymous():
                return self._function(node)
            case exp.Format():
                return self._ours("format", [node.this, *node.expressions])
            case exp.Func() if isinstance(node, ASKERS):
                return exp.Literal.string(self._person)
            case exp.Func() if type(node) in INSTEAD:
                return self._ours(INSTEAD[type(node)], [node.this] if isinstance(node.this, exp.Expr) else [])
            case exp.Func() if not isinstance(node, NODES):
                raise Refusal(f"{node.sql_name().lower()}() is not answered about tables", "42883")
            case exp.Into() | exp.Insert() | exp.Update() | exp.Delete() | exp.Command() | exp.TableSample():
                raise Refusal("nothing is ever written here", NOT_SUPPORTED)
        return node

    def _function(self, node: exp.Anonymous) -> exp.Expr:
        name = node.name.lower()
        if name in NAMES:
            return self._ours(name, node.expressions)
        if name in PASSED:
            return node
        raise Refusal(f"{name[:63]}() is not answered about tables", "42883")

    def _ours(self, name: str, arguments: list[exp.Expr]) -> exp.Expr:
        return exp.Anonymous(this=f"{OURS}{name}", expressions=arguments)

    def _operator(self, node: exp.Operator) -> exp.Expr:
        sign = str(node.args["operator"]).rpartition(".")[2]
        like = exp.RegexpLike(this=node.this, expression=node.expression)
        if sign in ("~", "!~"):
            return like if sign == "~" else exp.Not(this=like)
        if sign == "=":
            return exp.EQ(this=node.this, expression=node.expression)
        raise Refusal("this operator is not answered about tables", NOT_SUPPORTED)

    def _series(self, node: exp.Expr) -> exp.Expr:
        for each in node.find_all(exp.Literal):
            if each.is_number and (len(each.name) > 6 or float(each.name) > LONGEST_SERIES):  # noqa: PLR2004 - digits
                raise Refusal("a series is shorter than that", TOO_LARGE)
        return node

    def _value(self, node: exp.Expr) -> exp.Expr:  # noqa: PLR0911 - one return for each type
        if self._values is None:
            return exp.Null()
        place = node.name
        if not place.isdecimal() or not 1 <= int(place) <= len(self._values):
            raise Refusal(f"there is no value for ${place[:20]}", "42P02")
        value = self._values[int(place) - 1]
        if value is None:
            return exp.Null()
        if isinstance(value, bool):
            return exp.Boolean(this=value)
        if isinstance(value, int | float):
            return exp.convert(value)
        if isinstance(value, list):
            return exp.Array(expressions=[exp.Literal.string(str(each)) for each in value])
        text = str(value)
        if text[:1] == "{" and text[-1:] == "}" and node.find_ancestor(exp.Any):
            return exp.Array(expressions=[exp.Literal.string(each) for each in text[1:-1].split(",")])
        return exp.Literal.string(text)

    def _cast(self, node: exp.Cast) -> exp.Expr:  # noqa: C901, PLR0911 - one return for each type
        kind = node.to.sql(dialect="postgres").lower().replace("pg_catalog.", "").replace('"', "")
        inner = node.this
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if kind == "regclass":
            return self._regclass(inner)
        if kind in ("regtype", "regtypes"):
            said = inner.name if isinstance(inner, exp.Literal) and inner.is_string else None
            return exp.Literal.string(said) if said else self._ours("format_type", [inner, exp.Null()])
        if kind == "regnamespace":
            return self._ours("regnamespace", [inner])
        if kind == "regproc" and isinstance(inner, exp.Literal):
            return exp.Literal.string(inner.name.rpartition(".")[2])
        if kind in TEXTS:
            return exp.cast(inner, "text", dialect="duckdb")
        if kind == "oid" and isinstance(inner, exp.Anonymous) and inner.name == f"{OURS}regclass":
            return self._ours("regoid", inner.expressions)
        if kind == "oid":
            return exp.TryCast(this=inner, to=exp.DataType.build("uint", dialect="duckdb"))
        if kind.endswith("[]") or kind in ("int2vector", "oidvector"):
            within = kind.removesuffix("[]")
            each = "text" if within in TEXTS else "bigint"
            return exp.TryCast(this=inner, to=exp.DataType.build(f"{each}[]", dialect="duckdb"))
        if isinstance(node.to.this, exp.DataType.Type) and node.to.this is not exp.DataType.Type.USERDEFINED:
            return node
        plain = {"int2": "smallint", "int4": "int", "int8": "bigint", "bool": "boolean", "float8": "double"}.get(kind)
        if plain is None:
            raise Refusal(f"the type {kind[:63]} is not answered about tables", "42704")
        return exp.cast(inner, plain, dialect="duckdb")

    def _regclass(self, inner: exp.Expr) -> exp.Expr:
        if isinstance(inner, exp.Null):
            return exp.cast(exp.Null(), "uint", dialect="duckdb")
        if not (isinstance(inner, exp.Literal) and inner.is_string):
            return self._ours("regclass", [inner])
        name = inner.name.rpartition(".")[2].strip('"')
        number = {**SYSTEM, **self._numbers}.get(name, int(name) if name.isdecimal() and len(name) < 10 else None)  # noqa: PLR2004 - digits
        if number is None and any(f"{schema}.{name}" in relations() for schema in SCHEMAS):
            number = 0
        if number is None:
            raise Refusal(f'relation "{name[:63]}" does not exist', NO_TABLE)
        return exp.Literal.number(number)
