"""What an engine's SQL would add up, read back from its text: caps, clips and sizes, by trying numbers.

The text is parsed, and the few expressions that decide what one unit can contribute are evaluated on numbers of our
own: a row at the ends of its clip, a unit with many rows. Nothing is taken from the plan that it was printed from.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import sqlglot
from sqlglot import exp

from privet.errors import InvalidParameter
from privet.query.second_price.engine_numbers import Unreadable, number_of

FAR = Fraction(10**40)  # beyond every clip
SAMPLES = 5  # steps between the ends of a clip at which a row is tried
FEW_SAMPLES = 3  # the same where many rows of a unit are
CROWDS = (1, 2, 3, 7, 1000)  # times as many rows as count, with a few more
Place: TypeAlias = dict[str, Fraction]  # of each argument


@dataclass(frozen=True)
class ReadNumbers:
    """One measure: what one row adds to a group.

    Args:
        cells: how many numbers.
        size: the most one row adds to all of them together, in absolute value.
        lowest: the least that a row (or nothing) adds to one.
        highest: the most.
        by_unit: whether a unit counts once in a group, however many rows it has.
    """

    cells: int
    size: Fraction
    lowest: Fraction
    highest: Fraction
    by_unit: bool


@dataclass(frozen=True)
class ReadRequest:
    """One statement of an engine.

    Args:
        keyed: whether there are groups.
        groups: how many of them a unit is held to; None if to no number.
        shared: whether rows are counted over all groups of a unit, not in each.
        cap: rows of a unit that count.
        places: how many places ranks are counted at; 0 if it is not about ranks.
        counts_units: whether units are counted by group.
        numbers: of each measure, in order.
        members: whether it lists the units of each group, each in as many groups as it is held to.
    """

    keyed: bool
    groups: int | None
    shared: bool
    cap: int
    places: int
    counts_units: bool
    numbers: tuple[ReadNumbers, ...]
    members: bool = False


@lru_cache(maxsize=256)
def read_back(text: str, dialect: str) -> tuple[ReadRequest, ...]:
    """What each statement of an engine's text adds up.

    Args:
        text: the statements.
        dialect: as sqlglot calls the engine's SQL.

    Raises:
        InvalidParameter: if the text has not the shape in which requests are printed.
    """
    try:
        parsed = sqlglot.parse(text, read=dialect)
        return tuple(_Reader(each).request() for each in parsed if each is not None)
    except (sqlglot.errors.SqlglotError, Unreadable, KeyError, IndexError, AttributeError) as problem:
        raise InvalidParameter(
            "the engine's SQL cannot be read back, so its price is not certain: nothing is run"
        ) from problem


class _Reader:
    """One statement while it is read."""

    def __init__(self, tree: object) -> None:
        if not isinstance(tree, exp.Select):
            raise Unreadable("not a SELECT")
        self.last = tree
        clause: Any = tree.args.get("with_")
        self.steps: dict[str, exp.Select] = {each.alias: each.this for each in clause.expressions}
        self.unit = {each.alias_or_name for each in self.steps["placed"].expressions if each.alias_or_name[0] == "u"}

    def request(self) -> ReadRequest:
        keyed = any(each.alias_or_name.startswith("k") for each in self.last.expressions)
        groups = self._groups()
        if any(each.alias_or_name == "members" for each in self.last.expressions):
            self._refuse_other_members()
            return ReadRequest(keyed, groups, False, 1, 0, counts_units=False, numbers=(), members=True)  # noqa: FBT003 - in order
        if "values_of" in self.steps:
            self._refuse_other_tables("values_of", {"held" if "held" in self.steps else "placed"})
            self._refuse_other_tables("weighed", {"values_of"})
            if groups is not None:
                self._refuse_other_tables("held", {"placed", "kept"})
            cap, shared = self._ranked("weighed")
            counted = ReadNumbers(1, Fraction(1), Fraction(0), Fraction(1), by_unit=False)
            return ReadRequest(keyed, groups, shared, cap, 0, counts_units=False, numbers=(counted,))
        if "sampled" in self.steps:
            self._refuse_choice_by_others()
        ranks = any(each.alias_or_name == "place" for each in self.last.expressions)
        places = int(self._clip("a1")[1]) + 1 if ranks else 0
        cap, shared = self._by_row() if "weights" in self.steps else self._by_pair()
        counts = any(each.alias_or_name == "units" for each in self.last.expressions)
        return ReadRequest(keyed, groups, shared, cap, places, counts, self._numbers(cap))

    # --- limits ---

    def _groups(self) -> int | None:
        return self._ranked("kept")[0] if "kept" in self.steps else None

    def _ranked(self, step: str) -> tuple[int, bool]:
        """The limit on the places of a ranking, and whether it is within units alone."""
        where = self.steps[step].args["where"].this
        window = next(self.steps[step].find_all(exp.Window))
        if not isinstance(where, exp.LTE) or where.this.name != "place" or not isinstance(window.this, exp.RowNumber):
            raise Unreadable("no limit on places")
        return int(number_of(where.expression, {})), self._units_only(window.args["partition_by"])

    def _refuse_choice_by_others(self) -> None:
        """Which rows of a unit are chosen depends on its own: they are numbered and ranked within it.

        That they are few is not relied on: what is chosen is weighed like all rows.
        """
        numbering = next(self.steps["numbered"].find_all(exp.Window))
        self._units_only(numbering.args["partition_by"])
        self._ranked("sampled")

    def _by_pair(self) -> tuple[int, bool]:
        """The cap that the sums of a unit in a group are held to; shared if `have` is taken over the unit."""
        self._refuse_other_groups()
        shared = "owned" in self.steps
        if shared:
            window = next(self.steps["owned"].find_all(exp.Window))
            if not self._units_only(window.args["partition_by"]) or not isinstance(window.this, exp.Sum):
                raise Unreadable("rows are not counted by unit")
        name = "have" if shared else "n"
        caps = {
            int(number_of(each.expression, {}))
            for item in self.steps["weighed"].expressions
            for each in item.find_all(exp.LTE)
            if each.this.name == name
        }
        if len(caps) > 1:
            raise Unreadable("several caps")
        self._refuse_detour("weighed")
        return (caps.pop() if caps else 1), shared  # without any, every number is by unit

    def _refuse_detour(self, end: str) -> None:
        """What is weighed comes from the pairs that were kept, and those from rows that were clipped."""
        order = [name for name in ("placed", "numbered", "sampled", "pairs", "kept", "owned") if name in self.steps] + [
            end
        ]
        for before, after in itertools.pairwise(order):
            self._refuse_other_tables(after, {before})

    def _refuse_other_tables(self, step: str, tables: set[str]) -> None:
        if {each.name for each in self.steps[step].find_all(exp.Table)} != tables:
            raise Unreadable("a step is left out")

    def _by_row(self) -> tuple[int, bool]:
        weights = self.steps["weights"]
        grouped = weights.args.get("group")
        shared = "owned" in self.steps if grouped is None else self._units_only(grouped.expressions)
        if "pairs" in self.steps:
            self._refuse_other_groups()
        self._refuse_detour("weights")
        self._refuse_other_tables("weighed", {"sampled" if "sampled" in self.steps else "placed", "weights"})
        item = next(each for each in weights.expressions if each.alias == "weight").this
        return int(number_of(next(item.find_all(exp.LTE)).expression, {})), shared

    def _units_only(self, columns: Sequence[exp.Expression]) -> bool:
        """Whether these are the columns that tell units apart, and no keys; all of the former must be there."""
        names = {each.name for each in columns}
        if not self.unit or not self.unit <= names:
            raise Unreadable("not by unit")
        return names == self.unit

    def _refuse_other_groups(self) -> None:
        """Sums are of one unit in one group."""
        names = {each.name for each in self.steps["pairs"].args["group"].expressions}
        if not self.unit or not self.unit <= names or not all(name[0] in "uk" for name in names):
            raise Unreadable("not by unit and group")

    def _refuse_other_members(self) -> None:
        """Every pair that is kept is listed once, with a number that its unit has in all groups and no other has."""
        self._refuse_other_groups()
        self._refuse_detour("weighed")
        window = next(self.steps["weighed"].find_all(exp.Window))
        order = window.args.get("order")
        if not isinstance(window.this, exp.DenseRank) or window.args.get("partition_by") or order is None:
            raise Unreadable("units are not numbered")
        if not self._units_only([each.this for each in order.expressions]):
            raise Unreadable("units are numbered by something else")
        keys = {each.name for each in self.steps["pairs"].args["group"].expressions} - self.unit
        listed = {each.name for each in self.last.args["group"].expressions}
        (members,) = [each.unalias() for each in self.last.expressions if each.alias_or_name == "members"]
        if listed != keys or self.last.args["from_"].this.name != "weighed" or self.last.args.get("joins"):
            raise Unreadable("members are not listed by group")
        if not isinstance(members, exp.ArrayAgg) or members.this.name != "member":
            raise Unreadable("something else than members is listed")

    # --- sizes ---

    def _clip(self, name: str) -> tuple[Fraction, Fraction]:
        """The ends between which a placed argument lies."""
        item = next((each for each in self.steps["placed"].expressions if each.alias == name), None)
        if item is None:
            return Fraction(1), Fraction(1)
        low, high = (number_of(item.this, {"*": end}) for end in (-FAR, FAR))
        between = (sign * Fraction(1 << bits) / 3 for sign in (-1, 1) for bits in range(0, 64, 3))
        if not -FAR < low <= high < FAR or not all(low <= number_of(item.this, {"*": at}) <= high for at in between):
            raise Unreadable("an argument is not clipped")
        return low, high

    def _numbers(self, cap: int) -> tuple[ReadNumbers, ...]:
        measures: dict[str, list[exp.Expression]] = {}
        for item in self.steps["weighed"].expressions:
            name = item.alias_or_name
            if name.startswith("m") and "_" in name:
                measures.setdefault(name.split("_")[0][1:], []).append(item.unalias())
        return tuple(self._measured(number, cells, cap) for number, cells in measures.items())

    def _measured(self, number: str, cells: Sequence[exp.Expression], cap: int) -> ReadNumbers:
        whole = self._whole_weight()
        alone = [
            [number_of(cell, self._found(number, 1, place, whole)) for cell in cells]
            for place in self._places(number, SAMPLES)
        ]
        size = max(sum(map(abs, row), Fraction(0)) for row in alone)
        by_unit = not any(each.find(exp.LTE) or "weight" in _columns(each) for each in cells)
        for rows, place in itertools.product(_crowds(cap), self._places(number, FEW_SAMPLES)):
            known = self._found(number, rows, place, whole and self._weight(Fraction(rows)))
            total = sum((abs(number_of(cell, known)) for cell in cells), Fraction(0))
            if total * (1 if whole is None else rows) > (1 if by_unit else cap) * size:
                raise Unreadable("a unit's sum is not held to the cap")
        every = [value for row in alone for value in row] + [Fraction(0)]
        return ReadNumbers(len(cells), size, min(every), max(every), by_unit)

    def _places(self, number: str, samples: int) -> list[Place]:
        """Where a row is tried: between the ends of the clip of its argument; of two, at every pair of such places."""
        names = [name for name in (f"a{number}", f"b{number}") if name[0] == "a" or self._has_place(name)]
        ends = [self._clip(name) for name in names]
        tried = [[low + (high - low) * at / samples for at in range(samples + 1)] for low, high in ends]
        return [dict(zip(names, place, strict=True)) for place in itertools.product(*tried)]

    def _has_place(self, name: str) -> bool:
        return any(each.alias == name for each in self.steps["placed"].expressions)

    def _found(self, number: str, rows: int, place: Place, weight: Fraction | None) -> dict[str, Fraction]:
        """What the engine has found of a unit with so many rows, all at one place."""
        known = _rows(number, rows, place, weight)
        if len(place) == 1 or "pairs" not in self.steps:
            return known
        for item in self.steps["pairs"].expressions:
            if item.alias.startswith(f"c{number}_"):
                known[item.alias] = rows * number_of(next(item.find_all(exp.Sum)).this, known)
        return known

    def _whole_weight(self) -> Fraction | None:
        """What stands for a row that counts in full, where rows are weighed one by one."""
        return self._weight(Fraction(1)) if "weights" in self.steps else None

    def _weight(self, rows: Fraction) -> Fraction:
        """What stands for each row of a unit that has so many."""
        item = next(each for each in self.steps["weights"].expressions if each.alias == "weight").this
        return number_of(item, {_named(next(item.find_all(exp.LTE)).this): rows})


def _rows(number: str, rows: int, place: Place, weight: Fraction | None) -> dict[str, Fraction]:
    """The counts and sums of a unit with so many rows, all at one place."""
    places = {name: Fraction(int(at)) for name, at in place.items()}
    at = places[f"a{number}"]
    many = Fraction(rows)
    known = {"n": many, "have": many, f"n{number}": many, **places}
    known |= {f"s{number}": many * at, f"q{number}": many * at * at}
    return known if weight is None else {**known, "weight": weight}


def _crowds(cap: int) -> list[int]:
    return sorted({cap, *(cap * times + 1 for times in CROWDS)})


def _columns(node: exp.Expression) -> set[str]:
    return {each.name for each in node.find_all(exp.Column)}


def _named(node: exp.Expression) -> str:
    return node.name if isinstance(node, exp.Column) else "*"
