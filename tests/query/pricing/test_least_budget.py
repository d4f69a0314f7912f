"""Least budgets: an error that is asked for is met, just so; columns share by need; what cannot be told is refused."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.asking.wanted_error import WantedError
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.query.batch import Batch
from privet.query.measures.readings import Average, Linear, Quantile, Reading
from privet.query.options import Options
from privet.query.pricing.priced import PricedStage
from privet.query.pricing.quote import Quote
from privet.query.quoter import Quoter
from privet.query.results.notes import names_of
from tests.support.hospital import HOSPITAL, public_values

PURE, PAIR, ZCDP = Guarantee(1), Guarantee(1, "1e-6"), ConcentratedGuarantee(1)
BY_SEX = "FROM patient GROUP BY sex"
ROUND_TRIPS: list[tuple[str, Any, Promise, dict[str, Any]]] = [
    ("SELECT COUNT(*) AS n FROM patient", 5, PURE, {}),
    ("SELECT COUNT(*) AS n FROM patient", 50, PAIR, {}),
    ("SELECT COUNT(*) AS n FROM patient", "0.5% ", PURE, {"rows": 10_000}),
    ("SELECT COUNT(*) AS n FROM patient", 5, ZCDP, {}),
    ("SELECT COUNT(*) AS n FROM patient", 5, PURE, {"confidence": 0.99}),
    ("SELECT COUNT(*) AS n FROM patient WHERE age > 40 AND sex = 'F'", 7, PURE, {}),
    ("SELECT COUNT(*) AS n FROM visit", 30, PURE, {}),
    ("SELECT COUNT(*) AS n FROM visit", 30, PURE, {"rows_per_unit": 2}),
    ("SELECT COUNT(DISTINCT clinic) AS n FROM visit", 30, PURE, {}),
    ("SELECT COUNT(DISTINCT pid) AS n FROM visit", 9, PAIR, {}),
    ("SELECT SUM(cost) AS c FROM visit", 40_000, PURE, {}),
    ("SELECT SUM(cost) AS c FROM visit", 40_000, PAIR, {"groups_per_unit": 1, "rows_per_group": 3}),
    ("SELECT SUM(cost) AS c FROM visit", "2% of 1e7", ZCDP, {}),
    ("SELECT SUM(CLIP(cost, 0, 100)) AS c FROM visit", 900, PURE, {}),
    ("SELECT AVG(age) AS a FROM patient", "1% of 40", PURE, {"rows": 30_000}),
    ("SELECT AVG(age) AS a FROM patient", 0.4, PURE, {"rows": 30_000}),
    ("SELECT AVG(age) AS a FROM patient", 0.4, ZCDP, {"rows": 30_000}),
    (f"SELECT sex, AVG(age) AS a {BY_SEX}", "2% of 40", PAIR, {"rows": 2_000}),
    (f"SELECT sex, COUNT(*) AS n {BY_SEX}", 12, PURE, {}),
    ("SELECT blood, COUNT(*) AS n FROM patient GROUP BY blood", 12, ZCDP, {}),
    ("SELECT zip, COUNT(*) AS n FROM patient GROUP BY zip", 12, PAIR, {}),
    ("SELECT clinic, COUNT(*) AS n, SUM(stay) AS s FROM visit GROUP BY clinic", {"n": 100, "s": 900}, PAIR, {}),
    ("SELECT COUNT(*) AS n, SUM(age) AS s FROM patient", {"s": 800}, PURE, {}),
    ("SELECT COUNT(*) AS n, SUM(stay) AS s FROM visit", {"n": 40, "s": 400}, PURE, {}),
    (
        "SELECT COUNT(DISTINCT pid) AS n, SUM(cost) AS c, SUM(stay) AS s FROM visit",
        {"n": 5, "c": 90_000, "s": 700},
        PURE,
        {},
    ),
    (
        "SELECT COUNT(DISTINCT pid) AS n, SUM(cost) AS c, SUM(stay) AS s FROM visit",
        {"n": 5, "c": 90_000, "s": 700},
        PAIR,
        {},
    ),
    (
        "SELECT COUNT(DISTINCT pid) AS n, SUM(cost) AS c, SUM(stay) AS s FROM visit",
        {"n": 5, "c": 90_000, "s": 700},
        ZCDP,
        {},
    ),
    ("SELECT 100 * COUNT(*) / 7 AS n FROM patient", 700, PURE, {}),
    ("SELECT MEDIAN(age) AS m, COUNT(*) AS n FROM patient", {"m": 25, "n": 10}, PURE, {}),
    ("SELECT sex, MEDIAN(age) AS m FROM patient GROUP BY sex", 25, ZCDP, {}),
]


def quoted(text: str, error: Any, promise: Promise, said: dict[str, Any]) -> Quote:  # noqa: ANN401 - whatever is said
    keywords = {"error": error, **said}
    return Quoter(HOSPITAL, public_values).quote(text, Options.of(keywords, budget=promise))  # type: ignore[arg-type] # a test's own keywords


def half_width(stage: PricedStage, reading: Reading, options: Options, value: Fraction | None) -> float:
    """Half of the interval that the answer will have, from its own formula."""
    noise = stage.noise_of(reading.draw)
    if isinstance(reading, Quantile) or noise is None:
        mechanism: Any = stage.mechanisms[reading.draw]
        return float(mechanism.rank_margin(options.confidence)) / stage.needs.rankings[0].part
    cells = stage.needs.draws[reading.draw].measure.cells
    numbers = np.zeros((1, cells))
    if isinstance(reading, Average):
        low, high = reading.bounds
        share = 0.01 if value is None else (float(value) - low) / (high - low)
        numbers = float(reading.span.steps) * (options.rows or 0) * np.array([[share, 1 - share]])
    ends = reading.interval(numbers, noise, options.confidence)
    assert ends is not None
    return float(ends[1][0] - ends[0][0]) / 2


def draw_ratios(quote: Quote, factor: float = 1.0) -> list[float]:
    """Of each draw, by how much the achieved margin is smaller than asked, for the column that asked the most of it."""
    errors, names = quote.options.errors, names_of(quote)
    found: dict[tuple[str, int], float] = {}
    for name, stage in quote.by_name.items():
        for reading in stage.needs.readings:
            wanted = errors.get(names[reading.column]) if isinstance(errors, dict) else errors
            if isinstance(wanted, WantedError):
                asked = wanted.margin(quote.options.rows)
                assert asked is not None
                ratio = factor * half_width(stage, reading, quote.options, wanted.size) / float(asked)
                found[name, reading.draw] = max(found.get((name, reading.draw), 0.0), ratio)
    return list(found.values())


@pytest.mark.parametrize(("text", "error", "promise", "said"), ROUND_TRIPS)
def test_the_achieved_margin_is_what_was_asked(
    text: str,
    error: Any,  # noqa: ANN401 - a number, a text or a mapping
    promise: Promise,
    said: dict[str, Any],
) -> None:
    quote = quoted(text, error, promise, said)
    found = quote.options.promise
    amount = found.rho if isinstance(found, ConcentratedGuarantee) else found.epsilon
    assert len(f"{float(amount):.12f}".replace(".", "").strip("0")) <= 4
    ratios = draw_ratios(quote, 100 / 7 if "100 *" in text else 1.0)
    assert ratios
    assert max(ratios) <= 1 + 1e-9
    assert min(ratios) >= 0.8


@pytest.mark.parametrize(
    ("text", "weights", "promise"),
    [
        ("SELECT COUNT(*) FILTER (WHERE sex = 'F') - COUNT(*) FILTER (WHERE smoker) AS d FROM patient", (1, 1), PURE),
        ("SELECT SUM(cost) - 10 * SUM(stay) AS d FROM visit", (1, 10), ZCDP),
        ("SELECT COUNT(DISTINCT pid) + COUNT(DISTINCT clinic) + 2 * COUNT(*) AS d FROM visit", (1, 1, 2), PURE),
    ],
)
def test_sums_of_columns_are_as_sure_as_asked(text: str, weights: tuple[float, ...], promise: Promise) -> None:
    """The noises of their draws, drawn 400,000 times: a 95 % quantile is then known to one part in 100."""
    asked = 50_000 if "cost" in text else 60
    quote = quoted(text, asked, promise, {})
    (stage,) = quote.stages
    random = np.random.default_rng(1)
    total = np.zeros(400_000)
    for reading, weight in zip(stage.needs.readings, weights, strict=True):
        noise, law = stage.noise_of(reading.draw), random.laplace
        assert isinstance(reading, Linear)
        assert noise is not None
        if promise is ZCDP:
            law = random.normal
        total += weight * reading.weights[0] * law(scale=float(noise.scale), size=len(total))
    ratio = float(np.quantile(np.abs(total), 0.95)) / asked
    assert 0.8 <= ratio <= 1.01


def test_columns_share_by_need() -> None:
    """Each pays for its own error: a second column that may be rough costs next to nothing."""
    text = "SELECT COUNT(DISTINCT pid) AS n, SUM(cost) AS c FROM visit"
    alone = quoted("SELECT COUNT(DISTINCT pid) AS n FROM visit", 5, PURE, {}).options.promise
    both = quoted(text, {"n": 5, "c": 10_000_000}, PURE, {}).options.promise
    assert isinstance(alone, Guarantee)
    assert isinstance(both, Guarantee)
    assert both.epsilon < alone.epsilon * Fraction("1.05")


def test_a_delta_is_used_where_that_is_less() -> None:
    many = ", ".join(f"SUM(CLIP(cost, 0, {top})) AS c{top}" for top in range(100, 2_100, 100))
    text = f"SELECT {many} FROM visit"  # noqa: S608 - names of this file
    pure, pair = (quoted(text, 200_000, each, {}).options.promise for each in (PURE, PAIR))
    assert isinstance(pure, Guarantee)
    assert isinstance(pair, Guarantee)
    assert pair.epsilon < pure.epsilon * Fraction("0.8")


def test_a_batch_shares_by_need() -> None:
    batch = Batch.of({"people": "SELECT COUNT(*) AS n FROM patient", "money": "SELECT SUM(cost) AS c FROM visit"})
    quote = Quoter(HOSPITAL, public_values).quote_batch(
        batch, Options.of({"error": {"n": 5, "c": 100_000}}, budget=PURE)
    )
    assert [0.8 <= ratio <= 1 for ratio in draw_ratios(quote)] == [True, True]


def test_private_groups_need_epsilon_and_delta_even_where_rho_is_counted() -> None:
    text = "SELECT zip, COUNT(*) AS n FROM patient GROUP BY zip"
    found = quoted(text, 12, ZCDP, {"delta": "1e-6"}).options
    assert isinstance(found.promise, Guarantee)
    assert found.promise.delta == Fraction(1, 10**6)
    with pytest.raises(InvalidParameter, match="rho cannot price"):
        quoted(text, 12, ZCDP, {})
    with pytest.raises(InvalidParameter, match="needs a delta"):
        quoted(text, 12, PURE, {})


@pytest.mark.parametrize(
    ("text", "said", "words"),
    [
        ("COUNT(*) AS n", {"error": {"m": 5}}, "paid columns of the answer, got 'm': known are n"),
        ("COUNT(*) AS n", {"error": {}}, "names no column"),
        ("COUNT(*) AS n", {"error": 0}, "error must be a number > 0"),
        ("COUNT(*) AS n", {"error": float("nan")}, "error must be a number > 0"),
        ("COUNT(*) AS n", {"error": "2 percent"}, "error must be a number > 0"),
        ("COUNT(*) AS n", {"error": "2%"}, "rows=1000"),
        ("COUNT(*) AS n", {"error": "2% of 0"}, "error must be"),
        ("SUM(1.0 * age) AS n", {"error": 1e-9}, "allow a larger error"),
        ("COUNT(*) AS n", {"error": 5, "epsilon": 1}, "leave out epsilon"),
        ("COUNT(*) AS n", {"error": 5, "risk": "50% to 60%"}, "leave out risk"),
        ("COUNT(*) AS n", {"error": 5, "automatic_bounds": "0.2"}, "does not go with automatic_bounds"),
        ("COUNT(*) AS n", {"error": 5, "rows": 0}, "rows"),
        ("AVG(age) AS a", {"error": 5}, "how many rows are averaged"),
        ("AVG(age) AS a", {"error": "2%", "rows": 1000}, "'2% of 40000'"),
        ("STDDEV(age) AS s", {"error": {"s": 5}, "rows": 1000}, "depends on the data"),
        ("1.0 * SUM(age) / COUNT(*) AS r", {"error": {"r": 5}, "rows": 1000}, "depends on the data"),
        ("STDDEV(age) AS s", {"error": 5}, "no column of this answer"),
        ("COUNT(*) AS n, SUM(COUNT(*)) OVER () AS t", {"error": {"t": 5}}, "depends on the data"),
    ],
)
def test_what_cannot_be_promised_is_refused(text: str, said: dict[str, Any], words: str) -> None:
    asked = f"SELECT {text} FROM patient"  # noqa: S608 - of this file
    with pytest.raises(InvalidParameter, match=words):
        quoted(asked, said["error"], PURE, {name: each for name, each in said.items() if name != "error"})


def test_columns_that_nobody_named_get_what_the_least_of_the_others_has() -> None:
    quote = quoted("SELECT COUNT(DISTINCT pid) AS n, STDDEV(cost) AS s FROM visit", {"n": 5}, PURE, {})
    (stage,) = quote.stages
    first, second = (each.loss.epsilon(0) for each in stage.mechanisms)
    assert first == pytest.approx(second)


def test_a_report_on_clipping_gets_its_tenth_whatever_the_errors() -> None:
    text = "SELECT SUM(cost) AS c FROM visit"
    for promise in (PURE, PAIR, ZCDP):
        alone, reported = (
            quoted(text, 90_000, promise, said).loss.zcdp() ** 0.5 for said in ({}, {"clipping": "report"})
        )
        assert alone < reported < 1.2 * alone


def test_what_costs_nothing_needs_no_error() -> None:
    assert not quoted("SELECT region FROM clinic", 5, PURE, {}).loss.parts
