"""What must hold within a catalog, however it was made. Every sentence begins with the place that is wrong."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Protocol

from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.loss.exact import shown
from privet.query.catalog.declared_table import DeclaredTable, ExpectedRows, TimeWindow
from privet.query.plan.limits import BOUNDING, Limits
from privet.query.scalars.facts import LONGEST_TEXT, ExpectedValues, Facts, Type
from privet.wording.nearest import nearest

WIDEST = 1 << 62  # whole numbers beyond it are not added up exactly
LONGEST_DECLARED = 100_000  # letters
SIGNS = ("positive", "negative")
ORDERED = {Type.INTEGER, Type.REAL, Type.DATE, Type.TIMESTAMP}
KINDS: Mapping[Type, type | tuple[type, ...]] = {
    Type.BOOLEAN: bool,
    Type.INTEGER: int,
    Type.REAL: (int, float),
    Type.TEXT: str,
    Type.DATE: str,
    Type.TIMESTAMP: str,
}


class Declarations(Protocol):
    """What a catalog declares, as far as it can contradict itself."""

    @property
    def name(self) -> str:
        """Of the dataset."""
        ...

    @property
    def limit(self) -> Promise:
        """For all analysts together."""
        ...

    @property
    def tables(self) -> Mapping[str, DeclaredTable]:
        """By name."""
        ...

    @property
    def row_level(self) -> bool:
        """Whether each row is a unit of its own."""
        ...

    @property
    def window(self) -> TimeWindow | None:
        """For w-event privacy."""
        ...

    @property
    def analysts(self) -> Mapping[str, Promise]:
        """Limits of their own."""
        ...

    @property
    def budget(self) -> Promise | None:
        """What a question costs when it does not say."""
        ...


def refuse_inconsistent(catalog: Declarations) -> None:
    """Raise on the first declaration that cannot be meant."""
    if not catalog.name.strip():
        raise InvalidParameter('name: a dataset needs a name, such as name = "hospital"')
    if not catalog.tables:
        raise InvalidParameter("tables: none is declared, so nothing could be asked: add [tables.NAME]")
    caps = {f"analysts.{name}.limit": cap for name, cap in catalog.analysts.items()}
    for place, promise in {"limit": catalog.limit, "budget": catalog.budget, **caps}.items():
        if promise is not None and not isinstance(promise, Guarantee | ConcentratedGuarantee):
            raise InvalidParameter(f"{place}: must be a Guarantee, such as privet.Guarantee(1), got {shown(promise)}")
    _refuse_twins(catalog.tables, "tables")
    for name, table in catalog.tables.items():
        _refuse_table(table, f"tables.{name}", catalog)
    _refuse_window(catalog)
    _refuse_twins(catalog.analysts, "analysts")
    for name, cap in catalog.analysts.items():
        _refuse_beyond(cap, catalog.limit, f"analysts.{name}.limit")
    if catalog.budget is not None:
        _refuse_beyond(catalog.budget, catalog.limit, "budget")


def _refuse_twins(names: Iterable[str], place: str) -> None:
    """Statements do not tell A from a, nor two encodings of one letter, so a catalog may not either."""
    seen: dict[str, str] = {}
    for name in names:
        if not name.strip():
            raise InvalidParameter(f"{place}: a name is empty: give it one")
        if (twin := seen.setdefault(unicodedata.normalize("NFC", name).casefold(), name)) != name:
            raise InvalidParameter(f"{place}: {twin} and {name} differ by case only: rename one, SQL cannot tell them")


def _refuse_table(table: DeclaredTable, place: str, catalog: Declarations) -> None:
    names = list(table.columns)
    if table.unit_column is not None and not table.unit_path and table.unit_column not in table.columns:
        names.append(table.unit_column)
    _refuse_twins(names, f"{place}.columns")
    for name, facts in table.columns.items():
        refuse_facts(facts, f"{place}.columns.{name}")
    if table.public:
        if table.unit_column is not None or table.unit_path:
            raise InvalidParameter(f"{place}: a public table is about nobody: leave out public or its unit")
        if table.expected is not None:
            raise InvalidParameter(f"{place}: the rows of a public table are counted exactly: leave out expected")
        return
    _refuse_limits(table.limits, place)
    _refuse_expected(table.expected, place, catalog)
    if catalog.row_level:
        if table.unit_column is not None or table.unit_path:
            raise InvalidParameter(f'{place}: with unit = "row" every row is a unit of its own: leave out its unit')
    elif table.unit_column is None:
        raise InvalidParameter(
            f"{place}: who is a row about: add unit_column, or unit_path if another table says so, or public = true if "
            "its rows are about nobody"
        )
    _refuse_path(table, place, catalog)


def _refuse_limits(limits: "Limits", place: str) -> None:
    by_group = (limits.groups_per_unit, limits.rows_per_group)
    if (limits.rows_per_unit is None) == (by_group == (None, None)) or (by_group.count(None) == 1):
        raise InvalidParameter(f"{place}: give rows_per_unit alone, or groups_per_unit and rows_per_group together")
    if limits.bounding not in (None, *BOUNDING):
        raise InvalidParameter(f'{place}: bounding must be "weigh" or "sample", got {limits.bounding!r}')
    for number in (limits.rows_per_unit, *by_group):
        if number is not None and not 1 <= number <= WIDEST:
            raise InvalidParameter(f"{place}: limits are whole numbers from 1 on, got {number}")


def _refuse_expected(expected: ExpectedRows | None, place: str, catalog: Declarations) -> None:
    if expected is None:
        return
    if expected.rows > WIDEST:
        raise InvalidParameter(f"{place}.expected: no table has more than 2^62 rows: correct it")
    if expected.units is None:
        return
    if catalog.row_level:
        raise InvalidParameter(f'{place}.expected: with unit = "row" there are as many units as rows: leave out units')
    if expected.units > expected.rows:
        raise InvalidParameter(
            f"{place}.expected: every unit that counts has a row, so units are {expected.rows:,} at most, got "
            f"{expected.units:,}: correct one of the two"
        )


def _refuse_path(table: DeclaredTable, place: str, catalog: Declarations) -> None:
    """Every table on the way must belong to the unit that the path leads to.

    Otherwise somebody else's leaving would take rows of this table along.
    """
    for number, step in enumerate(table.unit_path):
        other = catalog.tables.get(step.table)
        if other is None:
            raise InvalidParameter(
                f"{place}.unit_path: there is no table {step.table}{nearest(step.table, catalog.tables)}"
            )
        if step.key not in other.unique:
            raise InvalidParameter(
                f"{place}.unit_path: {step.table}.{step.key} must be unique, or a row could be about several: add "
                f'unique = ["{step.key}"] to tables.{step.table} if no value occurs twice'
            )
        if (other.unit_path, other.unit_column) != (table.unit_path[number + 1 :], table.unit_column):
            raise InvalidParameter(
                f"{place}.unit_path: {step.table} is not declared to belong to {table.unit_column} in the same way: "
                f"give tables.{step.table} the rest of this path"
            )


def refuse_facts(facts: Facts, place: str) -> None:
    """Raise on declared facts of a column that cannot be meant."""
    if (facts.low is not None or facts.high is not None) and facts.type not in ORDERED:
        raise InvalidParameter(f"{place}: {facts.type.value} has no bounds: give values instead, or leave bounds out")
    if facts.low is not None and facts.high is not None and facts.low > facts.high:
        raise InvalidParameter(f"{place}: bounds are swapped: the lower comes first")
    if facts.type is Type.INTEGER:
        for bound in (facts.low, facts.high):
            if bound is not None and (bound.denominator != 1 or abs(bound) > WIDEST):
                raise InvalidParameter(f"{place}: bounds of integers are whole numbers within ±2^62, got {bound}")
    if facts.other is not None and (facts.values is None or facts.type is not Type.TEXT):
        raise InvalidParameter(f"{place}: other needs values of type text beside it: it counts all that are not listed")
    if facts.longest is not None and not (facts.type is Type.TEXT and 1 <= facts.longest <= LONGEST_DECLARED):
        raise InvalidParameter(
            f"{place}: longest is of a text, in letters from 1 to {LONGEST_DECLARED:,}: correct it, or leave it out"
        )
    _refuse_expected_values(facts, facts.expected, place)
    _refuse_sign(facts, facts.sign, place)
    if facts.values is not None:
        _refuse_values(facts, facts.values, place)


def _refuse_sign(facts: Facts, sign: str | None, place: str) -> None:
    if sign is None:
        return
    if sign not in SIGNS:
        raise InvalidParameter(f'{place}: sign must be "positive" or "negative", got {sign!r:.40}')
    if not facts.type.numeric or facts.low is not None or facts.high is not None:
        raise InvalidParameter(
            f"{place}: sign is of a number without bounds, for which they are searched: leave it out"
        )


def _refuse_expected_values(facts: Facts, expected: ExpectedValues | None, place: str) -> None:
    if expected is None:
        return
    if not facts.type.numeric:
        raise InvalidParameter(f"{place}: {facts.type.value} has no mean: leave out expected")
    if not _within(float(expected.mean), facts):
        raise InvalidParameter(f"{place}: the expected mean lies outside the bounds: correct the mean, or widen them")
    if expected.deviation is not None and expected.deviation < 0:
        raise InvalidParameter(f"{place}: the expected deviation is below 0: give a standard deviation")


def _refuse_values(facts: Facts, values: tuple[object, ...], place: str) -> None:
    if not values:
        raise InvalidParameter(f"{place}: values is empty: list every value, or leave it out")
    for value in values:
        fits = isinstance(value, KINDS[facts.type]) and (facts.type is Type.BOOLEAN) == isinstance(value, bool)
        if not fits:
            raise InvalidParameter(f"{place}: values must be of type {facts.type.value}, got {value!r}")
        if isinstance(value, int | float) and facts.type.numeric and not _within(value, facts):
            raise InvalidParameter(f"{place}: the value {value!r} is outside its bounds: widen them or drop it")
        if isinstance(value, str) and len(value) > (LONGEST_TEXT if facts.longest is None else facts.longest):
            raise InvalidParameter(f"{place}: a value is longer than texts are read: declare a larger longest")
    if len(set(values)) != len(values):
        raise InvalidParameter(f"{place}: a value is listed twice: list each once")
    if facts.other in values:
        raise InvalidParameter(f"{place}: other is {facts.other!r}, which is one of the values: choose another word")


def _within(value: float, facts: Facts) -> bool:
    return (facts.low is None or facts.low <= value) and (facts.high is None or value <= facts.high)


def _refuse_window(catalog: Declarations) -> None:
    if catalog.window is None:
        return
    column, length = catalog.window.column, catalog.window.length
    if catalog.row_level:
        raise InvalidParameter('window: a window is of a unit\'s rows, and with unit = "row" each has one: name a unit')
    if length < 1:
        raise InvalidParameter(f"window: length must be a whole number from 1 on, got {length}")
    for name, table in catalog.tables.items():
        if table.public:
            continue
        facts = table.columns.get(column)
        if facts is None:
            raise InvalidParameter(f"window: tables.{name} has no column {column}{nearest(column, table.columns)}")
        if facts.type not in {Type.DATE, Type.INTEGER}:
            raise InvalidParameter(f"window: tables.{name}.columns.{column} must be a date or an integer")


def _refuse_beyond(part: Promise, limit: Promise, place: str) -> None:
    """Raise if a part of the limit is more than the limit, or of another kind."""
    if isinstance(part, ConcentratedGuarantee) and isinstance(limit, ConcentratedGuarantee):
        fits = part.rho <= limit.rho
    elif isinstance(part, Guarantee) and isinstance(limit, Guarantee):
        fits = part.epsilon <= limit.epsilon and part.delta <= limit.delta
    else:
        raise InvalidParameter(f"{place}: give it in the same terms as the limit, which is {limit!r}")
    if not fits:
        raise InvalidParameter(f"{place}: {part!r} is above the dataset's limit {limit!r}: lower it, or raise that")
