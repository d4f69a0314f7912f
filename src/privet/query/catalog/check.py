"""What a catalog still lacks, what in it contradicts the data's schema, and what each declaration unlocks."""

import enum
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from privet.errors import InvalidParameter, PrivetError
from privet.query.catalog.catalog import Catalog
from privet.query.catalog.declared_table import DeclaredTable
from privet.query.catalog.doubts import doubts_about
from privet.query.catalog.schema import Schema, contradictions
from privet.query.catalog.toml_file import read_catalog
from privet.query.plan.limits import ONE_ROW
from privet.query.scalars.facts import Facts, Type

TODO = re.compile(r"#.*?\bTODO(?::|\s|$)\s*(.*)")
FEW = 10_000  # values of a key that may be listed


class State(enum.Enum):
    """How a declaration stands."""

    WRONG = "wrong"  # nothing can be asked before this is put right
    TODO = "todo"  # a draft's question that nobody has answered
    DOUBTFUL = "doubtful"  # allowed, and probably not meant
    OPEN = "open"  # usable; more would unlock more
    GOOD = "good"


@dataclass(frozen=True)
class Finding:
    """One thing that the check has to say.

    Args:
        state: how it stands.
        place: where in the file, as a dotted name or a line.
        sentence: what it means, and what would unlock more.
    """

    state: State
    place: str
    sentence: str


@dataclass(frozen=True)
class Check:
    """Everything that was found."""

    findings: tuple[Finding, ...]

    @property
    def usable(self) -> bool:
        """Whether the catalog can be connected to."""
        return not any(each.state is State.WRONG for each in self.findings)

    @property
    def finished(self) -> bool:
        """Whether it is usable and no TODO is left."""
        return all(each.state in {State.DOUBTFUL, State.OPEN, State.GOOD} for each in self.findings)


def check_catalog(
    path: str | Path,
    *,
    schema_of: Callable[[Catalog], Schema] | None = None,
    writable_of: Callable[[Catalog], tuple[str, ...]] | None = None,
) -> Check:
    """Everything there is to say about a catalog file; reads no rows.

    Args:
        path: of the file.
        schema_of: reads the engine's schema for a catalog; without it types are not compared.
        writable_of: says which tables could be changed by the role that reads them.

    Raises:
        InvalidParameter: only if the file is not there or cannot be read at all.
    """
    todos = [
        Finding(State.TODO, f"line {number}", found.group(1).strip() or "something is left to do here")
        for number, line in enumerate(_lines(Path(path)), start=1)
        if (found := TODO.search(line))
    ]
    try:
        catalog = read_catalog(path)
    except InvalidParameter as problem:
        place, _, sentence = str(problem).removeprefix(f"{path}: ").partition(": ")
        return Check((Finding(State.WRONG, place, sentence), *todos))
    wrong = [] if schema_of is None else list(_compared(catalog, schema_of))
    if writable_of is not None and not any(each.state is State.WRONG for each in wrong):
        wrong += _writable(writable_of(catalog))
    doubtful = [Finding(State.DOUBTFUL, place, sentence) for place, sentence in doubts_about(catalog)]
    return Check((*wrong, *todos, *doubtful, *_explained(catalog)))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except (OSError, ValueError):
        read_catalog(path)  # says what is wrong with it
        raise


def _compared(catalog: Catalog, schema_of: Callable[[Catalog], Schema]) -> Iterator[Finding]:
    try:
        schema = schema_of(catalog)
    except PrivetError as problem:
        yield Finding(State.WRONG, "source", str(problem))
        return
    for problem_text in contradictions(catalog, schema):
        place, _, sentence = problem_text.partition(": ")
        yield Finding(State.WRONG, place, sentence)
    for name, table in catalog.tables.items():
        named = {each.casefold() for each in (*table.columns, table.unit_column or "")}
        rest = [each for each in schema.get(name, {}) if each.casefold() not in named]
        if rest and not table.public:
            yield Finding(State.OPEN, f"tables.{name}", f"not declared, so nobody can name them: {', '.join(rest)}")


def _writable(tables: tuple[str, ...]) -> Iterator[Finding]:
    if tables:
        fix = f"its role can change {', '.join(tables)}: use one that may only read them"
        yield Finding(State.OPEN, "source", fix)


def _explained(catalog: Catalog) -> Iterator[Finding]:
    if catalog.budget is None:
        yield Finding(State.OPEN, "budget", "every question must say its ε; budget = { epsilon = … } is a default")
    for name, table in catalog.tables.items():
        yield _table(f"tables.{name}", table, catalog)
        for column, facts in table.columns.items():
            if not table.public and column != table.unit_column:
                yield _column(f"tables.{name}.columns.{column}", facts)


def _table(place: str, table: DeclaredTable, catalog: Catalog) -> Finding:
    if table.public:
        return Finding(State.GOOD, place, "public: anybody may join it and group by its columns")
    if catalog.row_level:
        return Finding(
            State.GOOD, place, "every row is protected for itself: somebody with nine rows has nine times the loss"
        )
    limits = table.limits
    if limits == ONE_ROW:
        return Finding(
            State.OPEN,
            place,
            f"one row of each {catalog.limited} is used, more are weighted down to one; rows_per_unit = …, or "
            'groups_per_unit and rows_per_group, uses more of them, with more noise; "auto" in the place of the number '
            "finds a good one",
        )
    if limits.automatic:
        what = "rows" if limits.of_rows else "groups"
        return Finding(
            State.GOOD,
            place,
            f"how many {what} of each {catalog.limited} are used is found by each question, with part of what it costs",
        )
    used = (
        f"{limits.rows_per_unit} rows"
        if limits.rows_per_unit
        else f"{limits.rows_per_group} rows in each of {limits.groups_per_unit} groups"
    )
    return Finding(State.GOOD, place, f"up to {used} of each {catalog.limited} are used; noise grows with them")


def _column(place: str, facts: Facts) -> Finding:
    if facts.type is Type.BOOLEAN or facts.values is not None:
        return Finding(State.GOOD, place, "GROUP BY shows all its values, without spending on which")
    if facts.type is Type.TEXT:
        return Finding(
            State.OPEN,
            place,
            "GROUP BY shows only values that enough units have, and needs δ; values = […] shows all those listed",
        )
    if not facts.bounded:
        more = "SUM, AVG, VARIANCE and MEDIAN" if facts.type.numeric else "GROUP BY its years and months"
        return Finding(State.OPEN, place, f"can be counted and compared; bounds = [lowest, highest] unlocks {more}")
    return Finding(State.GOOD, place, _unlocked(facts))


def _unlocked(facts: Facts) -> str:
    if facts.type is Type.INTEGER and facts.high is not None and facts.low is not None:
        few = facts.high - facts.low < FEW
        return "SUM, AVG, VARIANCE, MEDIAN" + (", and GROUP BY shows every value between the bounds" if few else "")
    if facts.type is Type.TIMESTAMP:
        return "GROUP BY its years, months and days"
    return "SUM, AVG, VARIANCE, MEDIAN" if facts.type.numeric else "MEDIAN, MIN, MAX, GROUP BY its years and months"
