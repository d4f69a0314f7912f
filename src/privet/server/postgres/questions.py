"""Questions: one statement is described or answered, by the desk or by the tables that are empty."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from privet.errors import QueryRefused
from privet.query.results.answer import Answer
from privet.query.results.explanation import Explanation
from privet.query.scalars.arrow_types import ARROW
from privet.query.scalars.parameters import Given
from privet.server.desk import Asked, Asker, Desk
from privet.server.postgres import wire_types as types
from privet.server.postgres.browsing import hint_for
from privet.server.postgres.introspection.empty_tables import EmptyTables, parameters_of
from privet.server.postgres.introspection.parameter_types import question_parameters
from privet.server.postgres.kinds import Kind, Meant
from privet.server.postgres.rows import Column, Rows, rows_of_table, rows_of_texts
from privet.server.postgres.session_settings import OWN, SessionSettings
from privet.server.postgres.sqlstates import NOT_SIGNED_IN, NOT_SUPPORTED, Refusal, refusal_of

K = TypeVar("K")
V = TypeVar("V")
PLAN = (Column("QUERY PLAN", types.TEXT),)
ENDS = ("_low", "_high")
MOST_KNOWN = 100  # statements whose columns and parameters are remembered
LONGEST_KNOWN = 5_000  # letters of one
OIDS: Mapping[str, int] = {
    "boolean": types.BOOL,
    "smallint": types.INT2,
    "int": types.INT4,
    "integer": types.INT4,
    "bigint": types.INT8,
    "double precision": types.FLOAT8,
    "date": types.DATE,
    "text[]": types.TEXT_ARRAY,
    "oid": types.OID,
    "int2": types.INT2,
    "int4": types.INT4,
    "int8": types.INT8,
    "bool": types.BOOL,
}
STAND_INS: Mapping[int, Given] = {types.BOOL: True, types.INT8: 1, types.FLOAT8: 1.0}


@dataclass(frozen=True)
class Answered:
    """What became of a statement: rows, and what is said with them."""

    rows: Rows
    tag: str
    spent: str = ""
    detail: str = ""


@dataclass
class Questions:
    """Asks for one connection.

    Args:
        desk: what all doors share.
        asker: who has signed in.
        renew: looks once more whether they may come in, before each question.
        settings: what was SET.
        tables: the empty ones.

    Privacy: rows of units are asked for by `Desk.ask` alone. Columns are described from the statement and the catalog,
        so that describing costs nothing and tells nothing.
    """

    desk: Desk
    asker: Asker
    renew: Callable[[], Asker | None]
    settings: SessionSettings
    tables: EmptyTables
    _known: dict[tuple[object, ...], tuple[Column, ...]] = field(default_factory=dict)
    _typed: dict[str, list[int]] = field(default_factory=dict)

    def parameters(self, meant: Meant) -> list[int]:
        """The numbers of the types of a statement's parameters, where the client does not say them."""
        if meant.kind is Kind.COMMAND:
            return []
        text = meant.statement.text
        if text in self._typed:
            return self._typed[text]
        found = self._found(meant)
        if len(text) <= LONGEST_KNOWN:
            remember(self._typed, text, found)
        return found

    def _found(self, meant: Meant) -> list[int]:
        if Kind.TABLES in (meant.kind, meant.inner):
            return [OIDS.get(each, types.TEXT) for each in parameters_of(meant.statement.text)]
        found = question_parameters(meant.statement.text, self.desk.catalog)
        most = max((int(word.text[1:]) for word in meant.statement.words if word.kind == "parameter"), default=0)
        if most > 1_000:  # noqa: PLR2004 - more than anybody writes
            raise Refusal("a statement has at most 1,000 parameters", "54000")
        return [*found, *[types.TEXT] * (most - len(found))]

    def columns(self, meant: Meant, oids: Sequence[int]) -> tuple[Column, ...]:
        """The columns of a statement's answer, before it is asked for."""
        if meant.kind is Kind.EXPLAIN:
            return PLAN
        self._look_again()
        if Kind.TABLES in (meant.kind, meant.inner):
            schema = self.tables.described(meant.statement.text, person=self.asker.name)
            return tuple(Column(each.name, types.oid_of(each.type)) for each in schema)
        asked = tuple((name, str(value)) for name, value in self.settings.asked.items())
        said = (meant.statement.text, tuple(oids), asked, self.settings.switched("intervals"))
        if said in self._known:
            return self._known[said]
        found = self._foreseen(meant, [STAND_INS.get(oid, _stand_in(oid)) for oid in oids])
        if len(meant.statement.text) <= LONGEST_KNOWN:
            remember(self._known, said, found)
        return found

    def _foreseen(self, meant: Meant, values: Sequence[Given]) -> tuple[Column, ...]:
        found = []
        for column in self._explained(meant, values).answer:
            oid = types.oid_of(ARROW[column.type])
            found.append(Column(column.name, oid))
            if column.interval and self.settings.switched("intervals"):
                found += [Column(f"{column.name}{end}", oid) for end in ENDS]
        return tuple(found)

    def answer(self, meant: Meant, values: Sequence[Given], columns: tuple[Column, ...] | None = None) -> Answered:
        """Answer a statement.

        Args:
            meant: what it is.
            values: of its parameters.
            columns: as they were described, if they were.
        """
        self._look_again()
        if meant.kind is Kind.EXPLAIN:
            return self._priced(meant, values)
        if Kind.TABLES in (meant.kind, meant.inner):
            self._refuse_hidden_setting(meant, values)
            table = self.tables.answer(meant.statement.text, person=self.asker.name, values=values)
            rows = rows_of_table(table, columns)
            return Answered(rows, f"SELECT {rows.number}")
        if meant.kind is Kind.COPY and columns is None:
            columns = self.columns(meant, [types.TEXT] * len(values))
        asked = self._asked(meant, values)
        table = asked.answer.table
        if not self.settings.switched("intervals"):
            ends = {f"{name}{end}" for name in asked.answer.intervals for end in ENDS}
            table = table.select([name for name in table.column_names if name not in ends])
        rows = rows_of_table(table, columns)
        return Answered(rows, f"SELECT {rows.number}", spent_words(asked), detail_of(asked.answer))

    def _look_again(self) -> None:
        """Whoever was let in may have been shut out since; and what they may do may have changed."""
        found = self.renew()
        if found is None:
            raise Refusal("this account or token is not valid any more", NOT_SIGNED_IN, fatal=True)
        self.asker = found

    def _asked(self, meant: Meant, values: Sequence[Given]) -> Asked:
        said = self.settings.asked
        try:
            return self.desk.ask(
                self.asker, meant.statement.text, fresh=self.settings.switched("fresh"), **_with(said, values)
            )
        except QueryRefused as problem:
            hint = hint_for(meant.statement, self.desk.catalog)
            raise replace(refusal_of(problem), hint=hint) from None

    def _explained(self, meant: Meant, values: Sequence[Given]) -> Explanation:
        said = {name: value for name, value in self.settings.asked.items() if name not in ("purpose", "key")}
        try:
            found = self.desk.explain(self.asker, meant.statement.text, **_with(said, values))
        except QueryRefused as problem:
            hint = hint_for(meant.statement, self.desk.catalog)
            raise replace(refusal_of(problem), hint=hint) from None
        if not isinstance(found, Explanation):  # pragma: no cover - of one statement there is one
            raise Refusal("EXPLAIN is of one statement", NOT_SUPPORTED)
        return found

    def _priced(self, meant: Meant, values: Sequence[Given]) -> Answered:
        found = self._explained(meant, values)
        lines = [json.dumps(found.to_dict(), indent=2)] if meant.form == "json" else repr(found).splitlines()
        return Answered(replace(rows_of_texts((PLAN[0].name,), [lines])), "EXPLAIN")

    def _refuse_hidden_setting(self, meant: Meant, values: Sequence[Given]) -> None:
        """Functions cannot change what a question costs: whoever believes they did would pay another price."""
        texts = [word.value for word in meant.statement.words if word.kind == "text"]
        texts += [value for value in values if isinstance(value, str)]
        if any(text.lower().startswith(OWN) for text in texts):
            raise Refusal("settings of Privet are changed and read by SET and SHOW alone", NOT_SUPPORTED)


def _with(said: Mapping[str, Any], values: Sequence[Given]) -> dict[str, Any]:
    return {**said, "params": list(values)} if values else dict(said)


def remember(known: dict[K, V], key: K, value: V) -> None:
    """Keep something, and forget what was kept first if that is too much."""
    while len(known) >= MOST_KNOWN:
        del known[next(iter(known))]
    known[key] = value


def _stand_in(oid: int) -> Given:
    """A value of a type, for a statement that is described and not asked."""
    if oid == types.DATE:
        return types.FIRST_DAY
    if oid == types.TIMESTAMP:
        return types.FIRST_MOMENT
    return 1 if oid in (types.INT2, types.INT4, types.NUMERIC) else "x"


def spent_words(asked: Asked) -> str:
    """What is said after an answer."""
    answer = asked.answer
    left = f"{asked.remaining} remains"
    if asked.repeated:
        return f"repeated: free; {left}"
    if not answer.loss.parts:
        return f"free: only public tables were read; {left}"
    return f"spent {answer.spent} per {answer.unit.name}; {left}"


def detail_of(answer: Answer) -> str:
    """What else a reader should know of an answer."""
    lines = []
    if answer.intervals:
        about = "noise and sampling" if answer.interval == "population" else "noise only"
        lines.append(f"_low and _high: the ends of intervals at {100 * answer.confidence:g} %, of the {about}")
    lines += [*answer.limits, *answer.advice]
    lines += [f"{name} is answered by the {what}" for name, what in answer.stand_ins.items()]
    lines += [f"{name} has no interval: {why}" for name, why in answer.without_margin.items()]
    if answer.hidden:
        lines.append(answer.hidden)
    return "; ".join(lines)
