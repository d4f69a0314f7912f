"""Falsification on every engine: no unit moves a secret farther than stated, nor anything else at all.

As `tests/query/test_falsification.py`, with the hospitals loaded for real.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Ledger
from privet.errors import ReleaseFailed
from privet.query.pricing.quote import Quote
from privet.query.session import Session
from tests.query.test_falsification import FAULTS, NAMES, STATEMENTS, Units, hospitals, options, tight
from tests.support import neighbor_hospitals as worlds
from tests.support.engines import ENGINES, OTHERS, engine_of
from tests.support.nasty_values import NASTY
from tests.support.neighbor_hospitals import CROWDED, OTHER, SETTINGS, Part, Setting, World
from tests.support.observation import LIMIT, differences, observe
from tests.support.replaying_ledger import TIGHT, play, quote_of, refuse_different

PLAYED = STATEMENTS | {
    "keys of reals": "SELECT weight, COUNT(*) FROM visit GROUP BY weight",
    "keys of zeros": "SELECT 0.0 * (cost - 1.5) AS k, COUNT(*) FROM visit GROUP BY 1",
    "keys of texts": "SELECT note, COUNT(*) FROM visit GROUP BY note",
    "lowered": "SELECT LOWER(note), COUNT(*) FROM visit GROUP BY 1",
    "days that may be missing": "SELECT day + CASE WHEN cost > 100 THEN NULL ELSE 0 END AS d, COUNT(*) FROM visit "
    "GROUP BY 1",
    "ties of zeros": "SELECT SUM(stay) FROM (SELECT stay, ROW_NUMBER() OVER (PARTITION BY pid ORDER BY weight) k "
    "FROM visit) WHERE k = 1",
    "texts of zeros": "SELECT CAST(m AS VARCHAR), COUNT(*) FROM (SELECT pid, MIN(weight) m FROM visit GROUP BY pid) "
    "GROUP BY 1",
    "whole of texts": "SELECT CAST(note AS BIGINT), COUNT(*) FROM visit GROUP BY 1",
}
NOTICED = {"nothing is clipped": (AssertionError, ReleaseFailed)}  # what is not may be too large to compute


def falsify(engine: str, setting: Setting, here: World, others: Sequence[World], plans: Iterable[Quote | None]) -> int:
    """Try statements on a hospital and its neighbors; return how many there were that the catalog answers."""
    catalog = setting.catalog
    tried = 0
    made = engine_of(engine)
    base, *rest = [
        made.backend(found, catalog, slot=slot)
        for slot, found in enumerate((here, *(other.stored_otherwise() for other in others)))
    ]
    for plan in plans:
        if plan is not None:
            tried += 1
            one = play(plan, base, catalog)
            for other in rest:
                refuse_different(one, play(plan, other, catalog, one))
    return tried


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("share", [4, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_statements_on_a_crowded_hospital(engine: str, setting: Setting, share: int) -> None:
    """A share of all statements for each kind of unit: together they are more than forty different ones."""
    here = worlds.world(CROWDED)
    others = list(setting.neighbors(CROWDED, OTHER))[:: -3 if share > 1 else 1][:2]
    names = NAMES[SETTINGS.index(setting) % share :: share]
    tried = falsify(engine, setting, here, others, (tight(name, setting.name) for name in names))
    assert tried >= {"units": 40, "rows": 8, "days": 7}[setting.name.split(",")[0]]


@pytest.mark.parametrize("engine", OTHERS)
def test_statements_where_nobody_is_left(engine: str) -> None:
    setting = SETTINGS[0]
    names = NAMES[3::5]
    plans = [tight(name, setting.name) for name in names]
    assert falsify(engine, setting, worlds.world(worlds.ALONE), [World((), (), ())], plans) == len(names)


def try_random(engine: str, units: Units, other: Part, setting: Setting, names: list[str]) -> None:
    plans = [quote_of(STATEMENTS[name], setting.catalog, TIGHT[len(name) % len(TIGHT)]) for name in names]
    falsify(engine, setting, worlds.world(units), list(setting.neighbors(units, other))[:3], plans)


@pytest.mark.parametrize("engine", OTHERS)
@given(
    units=hospitals(),
    other=worlds.parts(),
    setting=st.sampled_from(SETTINGS),
    names=st.lists(st.sampled_from(NAMES), min_size=2, max_size=2),
)
@options(6)
def test_random_hospitals(engine: str, units: Units, other: Part, setting: Setting, names: list[str]) -> None:
    try_random(engine, units, other, setting, names)


@pytest.mark.soak
@pytest.mark.parametrize("engine", OTHERS)
@given(
    units=hospitals(),
    other=worlds.parts(),
    setting=st.sampled_from(SETTINGS),
    names=st.lists(st.sampled_from(NAMES), min_size=8, max_size=8),
)
@options(200)
def test_many_random_hospitals(engine: str, units: Units, other: Part, setting: Setting, names: list[str]) -> None:
    try_random(engine, units, other, setting, names)


@pytest.mark.soak
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("setting", SETTINGS[:2], ids=lambda setting: setting.name)
def test_everything_that_is_seen_on_a_nasty_hospital(engine: str, setting: Setting) -> None:
    """Each of the nasty comes to the crowd alone: what only its rows set off is seen to be set off by them."""
    catalog = setting.catalog
    made = engine_of(engine)
    seen = 0
    ordinary: Units = dict.fromkeys((1, 2, 3), CROWDED[3])
    for unit, part in NASTY.items():
        others: Units = ordinary | {unit: part}
        if setting.replaces:
            others = ordinary | {1: part}
        here, there = (
            Session(catalog, backend=made.backend(found, catalog, slot=slot), ledger=Ledger(LIMIT, unit=catalog.unit))
            for slot, found in enumerate((worlds.world(ordinary), worlds.world(others).stored_otherwise()))
        )
        for name, text in PLAYED.items():
            one = observe(here, text, automatic_bounds="0.2")
            two = observe(there, text, before=one, automatic_bounds="0.2")
            apart = differences(one, two, stored_alike=False)
            assert not apart, f"{name}: {apart}"
            seen += one.answered
    assert seen >= 0.8 * len(PLAYED) * len(NASTY)


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(engine: str, fault: str) -> None:
    statement, wrongs = FAULTS[fault]
    setting = SETTINGS[0]
    here = worlds.world(CROWDED)
    others = list(setting.neighbors(CROWDED, OTHER))
    with ExitStack() as stack:
        for where, name, wrong in wrongs:
            stack.enter_context(patch.object(where, name, wrong))
        plan = quote_of(STATEMENTS[statement], setting.catalog, TIGHT[1])
        with pytest.raises(NOTICED.get(fault, AssertionError)):
            falsify(engine, setting, here, others, [plan])
