"""Limits that are found, on every engine: the same counts of units, the same price, and neighbors that look alike."""

import pytest

from privet.mechanisms import CapChoice
from privet.query.backends.backend import Backend
from privet.query.plan.limits import Limits, limits_from
from privet.query.pricing.quote import Quote
from privet.query.second_price.price_check import second_loss, stage_loss
from tests.support import neighbor_hospitals as worlds
from tests.support.engines import ENGINES, engine_of
from tests.support.neighbor_hospitals import CROWDED, OTHER, SETTINGS
from tests.support.replaying_ledger import Played, play, quote_of, refuse_different

ROWS = limits_from("auto", None, None)
SETTING = SETTINGS[0]
ASKED: dict[str, tuple[str, Limits]] = {
    "rows": ("SELECT COUNT(*) AS n, AVG(stay) AS s FROM visit WHERE stay < 20", ROWS),
    "rows in groups": ("SELECT sex, COUNT(*) AS n FROM patient JOIN visit USING (pid) GROUP BY sex", ROWS),
    "units in groups": ("SELECT sex, COUNT(DISTINCT pid) AS n FROM patient GROUP BY sex", ROWS),
    "groups": ("SELECT sex, COUNT(*) AS n, SUM(age) AS a FROM patient GROUP BY sex", limits_from(None, "auto", 2)),
    "values": ("SELECT COUNT(DISTINCT clinic) AS n FROM visit", ROWS),
    "quantiles": ("SELECT MEDIAN(stay) AS m FROM visit", ROWS),
}


def plan_of(name: str) -> Quote:
    text, limits = ASKED[name]
    plan = quote_of(text, SETTING.catalog, limits)
    assert plan is not None
    assert plan.caps
    return plan


def counted(played: Played) -> list[list[int]]:
    """How many units have more than each candidate, of each choice."""
    return [list(draw.secret) for draw in played.drawn if isinstance(draw.mechanism, CapChoice)]


def hospital(engine: str, *, other: bool = False) -> Backend:
    found = next(SETTING.neighbors(CROWDED, OTHER)) if other else worlds.world(CROWDED)
    return engine_of(engine).backend(found, SETTING.catalog, slot=int(other))


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_count_alike_at_one_price_and_neighbors_look_alike(engine: str) -> None:
    here, there = hospital(engine), hospital(engine, other=True)
    for name in ASKED:
        plan = plan_of(name)
        assert second_loss(plan, here, SETTING.catalog) == plan.loss
        one = play(plan, here, SETTING.catalog)
        (above,) = counted(one)
        assert above == counted(play(plan, hospital("duckdb"), SETTING.catalog))[0]
        assert above[0] > 0, "nobody has more than one, so that nothing is tried"
        refuse_different(one, play(plan, there, SETTING.catalog, one))
        assert stage_loss(plan.caps["answer"], here, SETTING.catalog) == plan.caps["answer"].loss
