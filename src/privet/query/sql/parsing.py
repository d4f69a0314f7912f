"""Parsing: one SELECT out of a text, or a refusal. The only call of the parser."""

import logging

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.dialects.duckdb import DuckDB  # by itself the parser imports it at the first statement

from privet.errors import InvalidParameter
from privet.query.sql.bounded_steps import BoundedSteps, TooManyStepsError
from privet.query.sql.refuse import because, refuse

LONGEST = 100_000  # characters
MOST_WORDS = 20_000  # nodes of the tree, about as many as words and signs
DEEPEST = 200  # nodes inside one another
CLAUSES = ("where", "group", "having", "qualify", "order")  # as they follow each other
UNREADABLE = (sqlglot.errors.SqlglotError, ValueError, IndexError, AttributeError)


class Usual(DuckDB):
    """The dialect, in a bounded number of steps."""

    class Parser(BoundedSteps, DuckDB.Parser):  # type: ignore[valid-type, misc] # declared as a variable
        """Its parser."""


class Wider(Usual):
    """What is tried where the dialect does not read a statement: SELECT TOP 5, and names in backticks."""

    class Tokenizer(DuckDB.Tokenizer):
        """Its words."""

        KEYWORDS = {**DuckDB.Tokenizer.KEYWORDS, "TOP": TokenType.TOP}  # noqa: RUF012 - as the parser declares it
        IDENTIFIERS = ['"', "`"]  # noqa: RUF012 - the same


logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns about what is refused anyway


def parse(text: str) -> exp.Query:
    """The one query of a text.

    Example:
        >>> type(parse("SELECT COUNT(*) FROM visit")).__name__
        'Select'
    """
    if not isinstance(text, str):
        raise InvalidParameter(f"a statement must be a text that begins with SELECT or WITH, got {type(text).__name__}")
    if "\0" in text:
        raise because(text[:40].replace("\0", "…"), "nul")
    if len(text) > LONGEST:
        raise because(text[:40], "too long")
    try:
        found = _trees(text)
    except UNREADABLE as error:
        raise refuse(_near(error, text), "this cannot be read as SQL", "check the spelling here") from None
    except (RecursionError, TooManyStepsError):
        raise because(text[:40], "too deep") from None
    if not found:
        raise because("The statement", "empty")
    if len(found) > 1:
        raise because(found[1], "several")
    tree = found[0]
    if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
        raise because(_kind(tree, text), "not a query")
    _check_depth(tree, text)
    _check_order(tree)
    return tree


def _trees(text: str) -> list[exp.Expr]:
    try:
        found = sqlglot.parse(text, dialect=Usual)
    except UNREADABLE as first:
        try:
            found = sqlglot.parse(text, dialect=Wider)
        except UNREADABLE:
            raise first from None
    return [tree for tree in found if tree is not None]


def _near(error: Exception, text: str) -> str:
    """The words around the place where parsing stopped."""
    details = getattr(error, "errors", None) or [{}]
    words = (details[0].get("start_context") or "")[-20:] + (details[0].get("highlight") or "")
    return words.strip() or text[:40]


def _kind(tree: exp.Expr, text: str) -> str:
    words = text.split()
    return words[0].upper() if words and words[0].isalpha() else type(tree).__name__.upper()


def _check_depth(tree: exp.Expr, text: str) -> None:
    """Refuses what is nested too deeply or has too many words, without recursion."""
    level = [tree]
    words = 1
    for _ in range(DEEPEST):
        level = [child for node in level for child in node.iter_expressions()]
        words += len(level)
        if words > MOST_WORDS:
            raise because(text[:40], "too long")
        if not level:
            return
    raise because(text[:40], "too deep")


def _check_order(tree: exp.Expr) -> None:
    """Refuses clauses in an order that no engine reads, which the parser does not mind."""
    for query in tree.find_all(exp.Select, exp.SetOperation):
        last = ""
        for name in (name for name, clause in query.args.items() if name in CLAUSES and clause):
            if last and CLAUSES.index(name) < CLAUSES.index(last):
                raise refuse(query.args[name], f"it stands after {query.args[last].sql()[:40]}", "write it before that")
            last = name
