"""Falsification: no unit moves a secret of any accepted statement farther than stated, nor anything else at all.

Hospitals with the worst rows there can be, all their neighbors, and every statement of the golden corpus: secrets are
compared as they reach the ledger, in whole numbers; the noise calls, the released tables and the answers are compared
as if the noise had come out so that the same was said.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cache
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from privet.core import Ledger, Sensitivity
from privet.query.measures.request import PART, sensitivity
from privet.query.plan.limits import Limits
from privet.query.pricing import split
from privet.query.pricing.quote import Quote
from privet.query.printing import catalog_tables, placed_rows, weighed_pairs, weighed_rows
from privet.query.printing.placed_rows import PlacedRows
from privet.query.printing.relation_tables import Chain
from privet.query.session import Session
from tests.golden.corpus import accepted
from tests.support import neighbor_hospitals as worlds
from tests.support.neighbor_hospitals import ALONE, CROWDED, OTHER, SETTINGS, Part, Setting, World
from tests.support.observation import differences, observe
from tests.support.replaying_ledger import TIGHT, engine, play, quote_of, refuse_different

pytestmark = pytest.mark.whole

STATEMENTS = accepted() | {
    "groups_of_many_partners": "SELECT region, COUNT(*), SUM(stay) FROM visit CROSS JOIN clinic GROUP BY region",
    "bounds_found": "SELECT SUM(weight), AVG(1 / weight), MEDIAN(LENGTH(note)) FROM visit",
    "bounds_found_by_group": "SELECT clinic, STDDEV(weight), MAX(weight), SUM(weight) FROM visit GROUP BY clinic",
    "private_groups_of_quantiles": "SELECT note, MEDIAN(stay), MAX(cost) FROM visit GROUP BY note",
    "units_by_public_group": "SELECT sex, COUNT(DISTINCT pid), COUNT(DISTINCT zip) FROM patient GROUP BY sex",
    "ties": "SELECT SUM(cost) FROM (SELECT cost, ROW_NUMBER() OVER (PARTITION BY pid ORDER BY clinic) k FROM visit) "
    "WHERE k = 2",
}
NAMES = list(STATEMENTS)
Units = dict[int | None, Part]


def options(examples: int) -> settings:
    phases = (Phase.explicit, Phase.generate)  # an example is small as it is
    return settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), phases=phases)


def falsify(setting: Setting, here: World, others: Sequence[World], plans: Iterable[Quote | None]) -> int:
    """Try statements on a hospital and its neighbors; return how many there were that the catalog answers."""
    catalog = setting.catalog
    tried = 0
    with ExitStack() as stack:
        base, *rest = [
            stack.enter_context(closing(engine(found, catalog)))
            for found in (here, *(other.stored_otherwise() for other in others))
        ]
        for plan in plans:
            if plan is not None:
                tried += 1
                one = play(plan, base, catalog)
                for other in rest:
                    refuse_different(one, play(plan, other, catalog, one))
    return tried


@cache
def tight(name: str, setting: str) -> Quote | None:
    """A statement under limits that a tiny hospital goes beyond: each has one of them."""
    limits = TIGHT[NAMES.index(name) % len(TIGHT)]
    catalog = next(each for each in SETTINGS if each.name == setting).catalog
    found = quote_of(STATEMENTS[name], catalog, limits)
    if found is None and limits is not None and limits.automatic:  # under "replace" not with private groups
        return quote_of(STATEMENTS[name], catalog, TIGHT[0])
    return found


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_statement_on_a_crowded_hospital(setting: Setting) -> None:
    """Statements take turns between neighbors, and between the two kinds of them."""
    here = worlds.world(CROWDED)
    others = list(setting.neighbors(CROWDED, OTHER))
    others = others if len(others) <= 3 else others[::-3]
    names = NAMES[setting.replaces :: 2]
    tried = sum(
        falsify(setting, here, [other], (tight(name, setting.name) for name in names[turn :: len(others)]))
        for turn, other in enumerate(others)
    )
    assert tried >= {"units": len(names), "rows": 35, "days": 30}[setting.name.split(",")[0]]


def test_every_statement_where_the_only_unit_leaves() -> None:
    setting = SETTINGS[0]
    plans = [tight(name, setting.name) for name in NAMES]
    assert falsify(setting, worlds.world(ALONE), [World((), (), ())], plans) == len(NAMES)


def hospitals() -> st.SearchStrategy[Units]:
    return st.dictionaries(st.sampled_from([None, 1, 2, 3, -(2**59)]), worlds.parts(), min_size=1, max_size=3)


@given(
    units=hospitals(),
    other=worlds.parts(),
    setting=st.sampled_from(SETTINGS),
    names=st.lists(st.sampled_from(NAMES), min_size=3, max_size=3),
    limits=st.sampled_from(TIGHT),
)
@options(15)
def test_random_hospitals(units: Units, other: Part, setting: Setting, names: list[str], limits: Limits | None) -> None:
    plans = [quote_of(STATEMENTS[name], setting.catalog, limits) for name in names]
    falsify(setting, worlds.world(units), list(setting.neighbors(units, other))[:4], plans)


@pytest.mark.soak
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
@given(data=st.data())
@options(20)
def test_every_statement_on_random_hospitals(setting: Setting, data: st.DataObject) -> None:
    units = data.draw(hospitals())
    other = data.draw(worlds.parts())
    limits = data.draw(st.sampled_from(TIGHT))
    plans = (quote_of(STATEMENTS[name], setting.catalog, limits) for name in NAMES)
    falsify(setting, worlds.world(units), list(setting.neighbors(units, other)), plans)


def test_what_a_row_is_paired_with_does_not_depend_on_where_it_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A public table whose unique column is not: each visit has three regions and may count in one."""
    monkeypatch.setattr(worlds, "CLINICS", (("A", "North", 10), ("A", "South", 20), ("A", "West", 30)))
    visits = tuple((None, ("A", float(number), worlds.FIRST, 1, "x", 1.0)) for number in range(8))
    units: Units = {1: Part((), visits, ())}
    here = worlds.world(units)
    for setting in SETTINGS[2:4]:
        names = ("group_by_public_column", "join_public_first")
        for limits in (TIGHT[1], Limits(rows_per_unit=1, bounding="sample")):
            plans = [quote_of(STATEMENTS[name], setting.catalog, limits) for name in names]
            assert falsify(setting, here, list(setting.neighbors(units, OTHER)), plans) == len(names)


def visiting(*costs: float) -> tuple[tuple[int | None, worlds.Row], ...]:
    return tuple((number, ("A", cost, worlds.FIRST, 1, "x", 1.0)) for number, cost in enumerate(costs))


TIPPING = {  # statements, and what every unit has
    "0.1 + 0.2 + 0.3 is 0.6 or a bit more, as floats are added": (
        "SELECT COUNT(*) FROM (SELECT pid FROM visit GROUP BY pid HAVING SUM(cost) > 0.6)",
        Part((), visiting(0.1, 0.2, 0.3), ()),
    ),
    "of equal days either may be the first": (
        "SELECT SUM(c) FROM (SELECT cost c, ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day) k FROM visit) WHERE k=1",
        Part((), visiting(0.0, 5000.0), ()),
    ),
    "labs of one are not of all": (
        "SELECT COUNT(DISTINCT pid) FILTER (WHERE result > 5) FROM lab",
        Part((), visiting(1.0), ()),
    ),
}


@pytest.mark.parametrize("why", TIPPING)
def test_no_unit_tips_all_others(why: str) -> None:
    """Rows that are stored in another order when a unit leaves, and rows that only one unit has."""
    text, part = TIPPING[why]
    units: Units = {**dict.fromkeys((2, 3, 4), part), 1: replace(part, labs=((0, ("A00", 9.0)),))}
    plan = quote_of(text, SETTINGS[0].catalog, Limits(rows_per_unit=1))
    assert falsify(SETTINGS[0], worlds.world(units), list(SETTINGS[0].neighbors(units, OTHER)), [plan]) == 1


# --- controls: the same must notice what is wrong ---


def halved(*arguments: Any, **named: Any) -> Sensitivity:  # noqa: ANN401 - as `sensitivity`
    found = sensitivity(*arguments, **named)
    return Sensitivity(found.per_cell, cells=found.cells, l1=found.l1 / 2, l2=found.l2 / 2)


def unclipped(text: str, low: str, high: str) -> str:  # noqa: ARG001 - as the function
    return f"LEAST(GREATEST({text}, -1000000000), 1000000000)"


real_join = Chain._join


def any_unit(self: Chain, relation: Any) -> str:  # noqa: ANN401 - as the method
    return real_join(self, relation).partition(" ON ")[0] + " ON TRUE"


def all_groups(self: PlacedRows, pairs: str) -> tuple[str, str]:  # noqa: ARG001 - as the method
    return pairs, "n"


FAULTS: dict[str, tuple[str, list[tuple[object, str, object]]]] = {
    "sensitivities are halved": ("group_by_declared", [(split, "sensitivity", halved)]),
    "nothing is clipped": (
        "sum",
        [(placed_rows, "_between", unclipped), (catalog_tables, "clipped", lambda text, *_: text)],
    ),
    "rows are not weighed down": ("count", [(weighed_pairs, "_weighed", lambda _, cell, *__: cell)]),
    "weights are 1": ("percentile", [(weighed_rows, "_weight", lambda *_: f"CAST({PART} AS BIGINT)")]),
    "units are not told apart": ("join_units_using", [(Chain, "_join", any_unit)]),
    "groups are not capped": ("group_by_private", [(PlacedRows, "kept", all_groups)]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(fault: str) -> None:
    statement, wrongs = FAULTS[fault]
    setting = SETTINGS[0]
    here = worlds.world(CROWDED)
    others = list(setting.neighbors(CROWDED, OTHER))
    limits = (TIGHT[1], TIGHT[5])  # which of a unit's rows are chosen decides whether a fault shows
    falsify(setting, here, others, [quote_of(STATEMENTS[statement], setting.catalog, each) for each in limits])
    with ExitStack() as stack:
        for where, name, wrong in wrongs:
            stack.enter_context(patch.object(where, name, wrong))
        plans = [quote_of(STATEMENTS[statement], setting.catalog, each) for each in limits]
        with pytest.raises(AssertionError):
            falsify(setting, here, others, plans)


# --- the same through a session and a ledger: everything that can be seen ---


@pytest.mark.parametrize("share", [18, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("setting", SETTINGS[:2], ids=lambda setting: setting.name)
def test_neighbors_look_alike_through_a_session(setting: Setting, share: int) -> None:
    """A share of all statements; `falsification/` has worlds that are nastier."""
    catalog = setting.catalog
    other_world = next(setting.neighbors(CROWDED, OTHER))
    answered = 0
    names = NAMES[2 * setting.replaces :: share]
    with ExitStack() as stack:
        here, there = [
            Session(
                catalog,
                backend=stack.enter_context(closing(engine(each, catalog))),
                ledger=Ledger(catalog.limit, unit=catalog.unit),
            )
            for each in (worlds.world(CROWDED), other_world.stored_otherwise())
        ]
        for name in names:
            one = observe(here, STATEMENTS[name], automatic_bounds="0.2")
            answered += one.answered
            assert not differences(one, observe(there, STATEMENTS[name], before=one, automatic_bounds="0.2")), name
    assert answered == len(names)
