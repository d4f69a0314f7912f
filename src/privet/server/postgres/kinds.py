"""Kinds: what a statement is, told by its words: a question, one about tables, EXPLAIN, COPY, a command, or refused."""

import enum
from collections.abc import Container
from dataclasses import dataclass, replace

from privet.server.postgres.commands import NAMES as COMMANDS
from privet.server.postgres.introspection.relations import relations
from privet.server.postgres.sqlstates import NOT_SUPPORTED, READ_ONLY, SYNTAX, Refusal
from privet.server.postgres.words import Word, Written, written

ASKS = {"SELECT", "WITH", "FROM", "(", "TABLE", "VALUES"}
WRITES = {"INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "CREATE", "ALTER", "DROP", "GRANT", "REVOKE", "COMMENT"}
WRITES |= {"REINDEX", "VACUUM", "ANALYZE", "CLUSTER", "REFRESH", "LOCK", "IMPORT", "SECURITY", "REASSIGN", "CHECKPOINT"}
CURSORS = {"DECLARE", "FETCH", "MOVE", "PREPARE", "EXECUTE"}
BEFORE_TABLES = {"FROM", "JOIN", ",", ".", "ONLY", "TABLE", "("}
NEVER = (("WHERE", "1", "=", "0"), ("WHERE", "1", "<>", "1"), ("WHERE", "0", "=", "1"), ("WHERE", "FALSE"))
NO_ROWS = ("LIMIT", "0")
FORMATS = {"TEXT", "CSV", "BINARY"}
PUBLIC = "public"  # the schema of all tables, as clients are told
NAMED = ("word", "name")


class Kind(enum.Enum):
    """What is to be done with a statement."""

    QUESTION = "question"
    TABLES = "tables"
    EXPLAIN = "explain"
    COPY = "copy"
    COMMAND = "command"


@dataclass(frozen=True)
class Meant:
    """A statement and its kind.

    Args:
        kind: what it is.
        statement: all of it; of EXPLAIN and COPY the question within.
        form: of COPY: text, csv or binary; of EXPLAIN: text or json.
        inner: of COPY: whether the question within is about tables.
        header: of COPY: whether names come first.
    """

    kind: Kind
    statement: Written
    form: str = ""
    inner: Kind = Kind.QUESTION
    header: bool = False


def kind_of(statement: Written, tables: Container[str]) -> Meant:
    """What a statement is.

    Args:
        statement: with at least one word.
        tables: of the catalog, in small letters.
    """
    first = statement.words[0].upper
    if first in COMMANDS:
        return Meant(Kind.COMMAND, statement)
    if first == "EXPLAIN":
        return _explain(statement)
    if first == "COPY":
        return _copy(statement, tables)
    if first in ASKS:
        return Meant(_asked_of(statement, tables), statement)
    if first in WRITES:
        raise Refusal(
            f"{first} is refused: nothing is ever written here", READ_ONLY, "ask with SELECT; EXPLAIN tells the price"
        )
    if first in CURSORS:
        raise Refusal(
            f"{first} is refused: cursors and prepared statements are those of the protocol",
            NOT_SUPPORTED,
            "send the SELECT itself; drivers fetch its rows in parts",
        )
    if first in ("CALL", "DO", "NOTIFY"):
        raise Refusal(f"{first} is refused: there is nothing to run here", NOT_SUPPORTED)
    raise Refusal("a statement begins with SELECT, WITH, EXPLAIN, SET or SHOW", SYNTAX)


def _asked_of(statement: Written, tables: Container[str]) -> Kind:
    """Whether a question is for the desk, or about tables and nothing in them."""
    words = statement.words
    named = list(_named(words))
    if any(_is_system(words, place) for place in named):
        return Kind.TABLES
    if any(words[place].value.lower() in tables for place in named):
        return Kind.TABLES if _gives_no_rows(words) else Kind.QUESTION
    return Kind.QUESTION if any(word.upper in ("FROM", "TABLE") for word in words) else Kind.TABLES


def _named(words: tuple[Word, ...]) -> list[int]:
    """The places of words that may be tables."""
    return [
        place
        for place, word in enumerate(words)
        if word.kind in NAMED and place and words[place - 1].upper in BEFORE_TABLES
    ]


def _is_system(words: tuple[Word, ...], place: int) -> bool:
    name = words[place].value.lower()
    schema = words[place - 2].value.lower() if place > 1 and words[place - 1].text == "." else ""
    after = words[place + 1].text if place + 1 < len(words) else ""
    if name in ("pg_catalog", "information_schema") and after == ".":
        return True
    if schema:
        return False
    return f"pg_catalog.{name}" in relations() and after != "("


def _gives_no_rows(words: tuple[Word, ...]) -> bool:
    """Whether it ends in LIMIT 0, or has no condition but one that is never met: drivers ask for columns like that."""
    texts = tuple(word.upper for word in words)
    if texts[-2:] == NO_ROWS:
        return True
    return any(texts[-len(each) :] == each for each in NEVER) and "GROUP" not in texts and texts[:2] == ("SELECT", "*")


def _explain(statement: Written) -> Meant:
    words = statement.words
    form, place = "text", 1
    if len(words) > place and words[place].text == "(":
        end = next((at for at, word in enumerate(words) if word.text == ")"), len(words) - 1)
        said = [word.upper for word in words[place + 1 : end]]
        if "ANALYZE" in said:
            raise _analyze()
        form, place = ("json" if "JSON" in said else "text"), end + 1
    while len(words) > place and words[place].upper in ("ANALYZE", "ANALYSE", "VERBOSE"):
        if words[place].upper != "VERBOSE":
            raise _analyze()
        place += 1
    if len(words) <= place or words[place].upper not in ASKS:
        raise Refusal("EXPLAIN is of a SELECT", SYNTAX, "EXPLAIN SELECT COUNT(*) FROM …")
    return Meant(Kind.EXPLAIN, part(statement, place, len(words)), form)


def _analyze() -> Refusal:
    return Refusal("EXPLAIN ANALYZE would have to run the statement", NOT_SUPPORTED, "EXPLAIN alone tells price and ±")


def _copy(statement: Written, tables: Container[str]) -> Meant:
    """Only the answer to a question is copied out; that is one more way to send it."""
    words = statement.words
    depth, end = 0, 0
    for place, word in enumerate(words[1:], 1):
        depth += {"(": 1, ")": -1}.get(word.text, 0) if word.kind == "sign" else 0
        if depth == 0:
            end = place
            break
    after = [word.upper for word in words[end + 1 :]]
    if words[1:2] and words[1].text != "(":
        raise Refusal(
            "COPY of a table is refused: nothing is written, and rows are not shown",
            READ_ONLY,
            "COPY (SELECT …) TO STDOUT sends an answer",
        )
    if end < 3 or after[:2] != ["TO", "STDOUT"]:  # noqa: PLR2004 - at least one word in parentheses
        raise Refusal("COPY is written as COPY (SELECT …) TO STDOUT", READ_ONLY)
    inner = part(statement, 2, end)
    if inner.words[0].upper not in ASKS:
        raise Refusal("COPY is of a SELECT", READ_ONLY)
    options = [each for each in after[2:] if each not in ("WITH", "(", ")", ",", "FORMAT", "HEADER", "TRUE")]
    form = next((each for each in options if each in FORMATS), "TEXT")
    if any(each not in FORMATS for each in options):
        raise Refusal("of COPY's options FORMAT and HEADER are known", NOT_SUPPORTED)
    return Meant(Kind.COPY, inner, form.lower(), _asked_of(inner, tables), "HEADER" in after)


def part(statement: Written, start: int, end: int) -> Written:
    """Some words of a statement as one of its own."""
    words = statement.words[start:end]
    first = words[0].start
    moved = tuple(replace(word, start=word.start - first, end=word.end - first) for word in words)
    return Written(statement.text[first : words[-1].end], moved)


def unqualified(statement: Written, tables: Container[str], database: str) -> Written:
    """A statement without the schema, and the database, before its tables: BI tools always write them.

    Args:
        statement: whatever it is.
        tables: of the catalog, in small letters.
        database: how the catalog is called.
    """
    if PUBLIC in tables or not any(word.value.lower() == PUBLIC for word in statement.words if word.kind in NAMED):
        return statement
    words, parts, at = statement.words, [], 0
    spelled = [word.value.lower() if word.kind in NAMED else word.text for word in words]
    for place, word in enumerate(words):
        if word.start < at or (place and words[place - 1].text == "."):
            continue
        for path in ([database.lower(), ".", PUBLIC, "."], [PUBLIC, "."]):
            end = place + len(path)
            if end < len(words) and spelled[place:end] == path and spelled[end] in tables:
                parts.append(statement.text[at : word.start])
                at = words[end].start
                break
    return written("".join([*parts, statement.text[at:]]))[0] if parts else statement
