"""Spark beside DuckDB: the same values, the same numbers for the noise, and neighbors as near as stated.

A statement takes a second here, so the ordinary suite has a share of what `make soak` has.
"""

import pytest

from privet.query.backends.group_keys import plain_value
from privet.query.backends.spark.dialect import SparkDialect
from privet.query.functions import FUNCTIONS, call, evaluate
from privet.query.functions.curves import CURVES
from privet.query.scalars.expressions import Call, Column, Expression, Reference
from privet.query.scalars.facts import Facts, Type
from tests.query.engines.test_functions import batches, rows_of, same
from tests.query.engines.test_golden import REFUSED, STATEMENTS, compare, plan_of
from tests.query.printing.test_function_templates import EXACT, WHOLE
from tests.support.engines import engine_of
from tests.support.nasty_values import HOSPITALS
from tests.support.neighbor_hospitals import CROWDED, OTHER, SETTINGS, world
from tests.support.on_spark import spark
from tests.support.replaying_ledger import play, refuse_different

NAMES = [name for name in STATEMENTS if name not in REFUSED["spark"]]
NOT_COMPUTED = {"ln", "log10", "exp", "power", *CURVES}
UNITS, DAYS = 0, 4  # in SETTINGS


@pytest.mark.parametrize("kinds", batches(), ids=lambda kinds: "_".join(kind.value for kind in kinds))
def test_functions_of_edge_values(kinds: tuple[Type, ...]) -> None:
    made = tuple(Column(f"x{n}", Facts(kind)) for n, kind in enumerate(kinds))
    asked = [
        (name, literals)
        for name, literals in batches()[kinds]
        if name not in NOT_COMPUTED and (name, kinds) != ("cast_text", (Type.REAL,))
    ]
    rows = rows_of(kinds)
    wanted: list[Expression] = [call(name, *map(Reference, made), *literals) for name, literals in asked]
    here, there = (engine_of(name).column(made, rows, wanted) for name in ("spark", "duckdb"))
    wrong: list[tuple[object, ...]] = []
    for row, mine, theirs in zip(rows, here, there, strict=True):
        for (name, literals), expression, one, other in zip(asked, wanted, map(plain_value, mine), theirs, strict=True):
            if not same(one, plain_value(other)):
                wrong.append((name, literals, row, one, other))
            meant = evaluate(expression, dict(zip(made, row, strict=True)))
            if not same(one, meant, loose=True):
                wrong.append((name, "as it is meant", row, one, meant))
    assert not wrong, (len(wrong), wrong[:40])


@pytest.mark.parametrize("share", [40, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("hospital", HOSPITALS)
def test_the_same_numbers_reach_the_noise(hospital: str, share: int) -> None:
    names = list(STATEMENTS)[list(HOSPITALS).index(hospital) :: share]
    assert compare("spark", hospital, UNITS, names) == len(names)


def test_reports_on_clipping_see_the_same_rows() -> None:
    names = ["report_by_group", "report_of_parts"]
    assert compare("spark", "nasty", UNITS, names) == len(names)


def test_whole_numbers_are_exact_or_null() -> None:
    """Also beyond what their facts say, where a sum or product does not fit 64 bits."""
    made = tuple(Column(f"x{n}", Facts(Type.INTEGER)) for n in range(2))
    rows = [(one, other) for one in WHOLE for other in WHOLE if one is not None and other is not None]
    wanted = [Call(name, tuple(map(Reference, made))[: FUNCTIONS[name].least], Facts(Type.INTEGER)) for name in EXACT]
    for row, found in zip(rows, engine_of("spark").column(made, rows, wanted), strict=True):
        for name, call_, value in zip(EXACT, wanted, found, strict=True):
            exact = EXACT[name](*row[: len(call_.arguments)])
            assert value == (exact if exact is not None and -(2**63) <= exact < 2**63 else None), (name, row, value)


def test_quotients_of_wide_numbers_are_exact() -> None:
    sizes = (0, 1, 2**20 + 1, 2**62 - 1, 2**93 - 1, 2**110 + 12345, 2**124 - 1)
    divisors = (1, 3, 7, 2**20, 2**31 - 1, 2**33 - 1)
    pairs = [(size, divisor) for size in sizes for divisor in divisors if size // divisor < 2**94]
    texts = [
        SparkDialect().quotient(f"CAST({size} AS DECIMAL(38, 0)) * CAST(1 AS BIGINT)", f"CAST({divisor} AS BIGINT)")
        for size, divisor in pairs
    ]
    (found,) = spark().anchor._fetch(f"SELECT {', '.join(texts)}")
    assert [int(each) for each in found] == [size // divisor for size, divisor in pairs]


def test_what_is_refused_says_why() -> None:
    assert compare("spark", "crowded", UNITS, list(REFUSED["spark"])) == len(REFUSED["spark"])


@pytest.mark.parametrize("share", [40, pytest.param(1, marks=pytest.mark.soak)])
def test_the_same_where_days_are_protected(share: int) -> None:
    assert compare("spark", "nasty", DAYS, NAMES[::share]) >= 50 / share / 2


def test_a_dialect_that_rounds_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = SparkDialect.place
    monkeypatch.setattr(SparkDialect, "place", lambda *words, **more: f"{plain(*words, **more)} + 1")
    with pytest.raises(AssertionError, match="1 differ"):
        compare("spark", "crowded", UNITS, ["sum"])


def falsify(names: list[str], most: int) -> int:
    """Play statements on a hospital and its neighbors; how many were played."""
    engine = engine_of("spark")
    played = 0
    for setting in (UNITS, UNITS + 1):
        catalog = SETTINGS[setting].catalog
        plans = [plan for name in names if (plan := plan_of(name, setting)) is not None]
        backend = engine.backend(world(CROWDED), catalog)
        here = [play(plan, backend, catalog) for plan in plans]
        for neighbor in list(SETTINGS[setting].neighbors(CROWDED, OTHER))[:most]:
            backend = engine.backend(neighbor, catalog)
            for plan, before in zip(plans, here, strict=True):
                refuse_different(before, play(plan, backend, catalog, before))
        played += len(plans)
    return played


@pytest.mark.parametrize(("share", "most"), [(40, 1), pytest.param(3, 3, marks=pytest.mark.soak)])
def test_neighbors_are_as_near_as_stated(share: int, most: int) -> None:
    names = NAMES[::share]
    assert falsify(names, most) > len(names)


def test_numbers_that_are_not_weighed_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkDialect, "quotient", lambda _, dividend, __: f"({dividend})")
    with pytest.raises(AssertionError):
        falsify(["sum"], 3)
