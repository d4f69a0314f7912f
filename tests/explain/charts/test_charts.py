"""Every picture that explains: its numbers are those of the sources, and it is rendered; look at the files it leaves.

`PRIVET_PICTURES=folder pytest tests/explain/charts` keeps them.
"""

import math
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import privet
from privet import Guarantee, Ledger, PrivacyLoss, Sensitivity, Unit
from privet.display import Chart
from privet.errors import InvalidParameter
from privet.explain.charts import (
    accuracy_chart,
    basis_chart,
    belief_chart,
    bernstein_chart,
    budget_chart,
    composition_chart,
    conditional_chart,
    delta_chart,
    family_chart,
    neighbor_chart,
    neighbor_ratio,
    notion_chart,
    people_chart,
    renyi_chart,
    tradeoff_chart,
    trust_chart,
)
from privet.explain.shapes import LaplaceShape, shape_of
from privet.explain.theorems import compare_composition
from privet.loss import ApproximateCurve, GaussianCurve
from privet.mechanisms import (
    Bernstein,
    BernsteinFunction,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Staircase,
)

PERSON = Unit("person")
LOSSES = {f"ε = {epsilon}": PrivacyLoss.of(ApproximateCurve(epsilon)) for epsilon in ("0.5", "1", "2")}
TEN = Sensitivity(1, cells=10)
MAKERS = {
    "Laplace": lambda epsilon: Laplace.calibrated(epsilon=epsilon, sensitivity=TEN),
    "Gaussian, δ = 1e-6": lambda epsilon: Gaussian.calibrated(epsilon=epsilon, delta="1e-6", sensitivity=TEN),
}


@cache
def ledger() -> Ledger:
    with pytest.MonkeyPatch.context() as patch:
        days = iter(1_790_000_000 + 86_400.0 * day for day in range(1000))
        patch.setattr("time.time", lambda: next(days))
        made = Ledger(Guarantee(2), unit=PERSON)
        for purpose in ("first", "second", "third"):
            privet.count([1, 2, 3], epsilon="0.5", ledger=made, purpose=purpose)
    return made


def wave(x: float) -> float:
    return x * math.sin(10 * x)


def six_panels() -> Chart:
    """R147: target, polynomial and a private curve, for three degrees and two prices; the noise is a fixed wave."""
    parts = []
    for epsilon in (1, 3):
        for degree in (10, 25, 100):
            made = Bernstein.calibrated(epsilon=epsilon, function_sensitivity="0.02", degree=degree)
            noise = float(made.noise.scale) * np.cos(np.arange(degree + 1) * 0.5)
            released = BernsteinFunction(made.values_of(wave) + noise, 1, made.bounds)
            parts.append(bernstein_chart(wave, made, released, title=f"degree {degree}, ε = {epsilon}"))
    return Chart.panels(parts, columns=3)


PICTURES: Mapping[str, Callable[[], Chart]] = {
    "r032-tradeoff": lambda: tradeoff_chart(LOSSES),
    "r033-conditional": conditional_chart,
    "r034-beliefs": lambda: belief_chart(LOSSES["ε = 1"]),
    "r034-several-beliefs": lambda: belief_chart({**LOSSES, "Gaussian": PrivacyLoss.of(GaussianCurve(1))}),
    "r046-neighbors": lambda: neighbor_chart(Laplace(l1_sensitivity=10, scale=10), answers=(10, 20)),
    "r046-gaussian": lambda: neighbor_chart(Gaussian(1, 1)),
    "r046-staircase": lambda: neighbor_chart(Staircase(1, 1)),
    "r046-whole": lambda: neighbor_chart(DiscreteLaplace(1, 2), answers=(3, 4)),
    "r058-family": lambda: family_chart(
        {"at 0, scale 1": LaplaceShape(1), "at 0, scale 4": LaplaceShape(4), "at 3, scale 2": LaplaceShape(2, 3)}
    ),
    "r104-composition": lambda: composition_chart("0.1", most=100, delta="1e-5"),
    "r124-notions": lambda: notion_chart(epsilon=1, order=16, bound="0.5"),
    "r126-renyi": lambda: renyi_chart(
        {
            "truth 3 in 4": RandomizedResponse.symmetric(truth="0.75").loss,
            "Laplace 2": Laplace(1, 2).loss,
            "Gaussian 5": Gaussian(1, 5).loss,
        }
    ),
    "r132-basis": basis_chart,
    "r147-bernstein": six_panels,
    "r185-delta": lambda: delta_chart(Gaussian(1, 1), epsilon=1),
    "r185-laplace": lambda: delta_chart(Laplace(1, 1), epsilon=0.5),
    "accuracy": lambda: accuracy_chart(MAKERS, y="± of each of ten counts (people)"),
    "people": people_chart,
    "r188-trust": lambda: trust_chart(epsilon=1, delta="1e-6", most=100_000),
    "budget": lambda: budget_chart(ledger()),
}


def curve(chart: Chart, name: str) -> tuple[np.ndarray, np.ndarray]:
    rows = next(layer for layer in chart.layers if layer.name == name and layer.kind != "area").rows
    return np.array([row["x"] for row in rows], dtype=float), np.array([row["y"] for row in rows], dtype=float)


def at(chart: Chart, name: str, x: float) -> float:
    places, heights = curve(chart, name)
    return float(np.interp(x, places, heights))


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_rendered(name: str, tmp_path: Path) -> None:
    folder = Path(os.environ.get("PRIVET_PICTURES", tmp_path))
    written = PICTURES[name]().save(folder / f"{name}.png").read_bytes()
    assert written.startswith(b"\x89PNG")
    assert len(written) > 8_000


def test_r032_least_sums_of_errors() -> None:
    chart = tradeoff_chart(LOSSES)
    for epsilon, least in ((0.5, 0.755081), (1, 0.537883), (2, 0.238406)):
        alarms, misses = curve(chart, f"ε = {epsilon:g}")
        assert (alarms + misses).min() == pytest.approx(least, abs=1e-6)
        assert at(chart, f"ε = {epsilon:g}", 0.0) == pytest.approx(1)
        assert at(chart, f"ε = {epsilon:g}", 1.0) == pytest.approx(0, abs=1e-9)


def test_r033_the_conditional_bound_is_valid_and_loose() -> None:
    chart = conditional_chart()
    level, tight = curve(chart, "2/(1 + e^ε): attained")
    _, loose = curve(chart, "e^(-2ε): conditional bound")
    assert (loose <= tight).all()
    assert 1 - at(chart, "e^(-2ε): conditional bound", 0.1) == pytest.approx(0.181269, abs=1e-3)
    assert np.interp(math.log(3), level, tight) == pytest.approx(0.5, abs=1e-3)
    assert np.interp(math.log(3), level, loose) == pytest.approx(1 / 9, abs=1e-3)


def test_r034_beliefs_under_a_product_prior() -> None:
    chart = belief_chart(PrivacyLoss.of(ApproximateCurve(math.log(3))))
    assert at(chart, "at most", 0.1) == pytest.approx(0.25, abs=1e-6)
    assert at(chart, "at least", 0.1) == pytest.approx(0.035714, abs=1e-6)
    assert (at(chart, "at most", 0.9), at(chart, "at least", 0.9)) == pytest.approx((0.964286, 0.75), abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_r046_ratio_of_two_shifted_densities(epsilon: float) -> None:
    noise = Laplace(l1_sensitivity=10, scale=10 / epsilon)
    places = [-10, 10, 12.5, 15, 17.5, 20, 40]
    known = [math.exp(epsilon * min(max((15 - z) / 5, -1), 1)) for z in places]
    assert neighbor_ratio(noise, places, answers=(10, 20)) == pytest.approx(known)


def test_r185_the_area_is_delta() -> None:
    for noise, epsilon, area in ((Gaussian(1, 1), 1.0, 0.126937), (Laplace(1, 1), 0.5, 0.221199)):
        chart = delta_chart(noise, epsilon=epsilon)
        shaded = next(layer for layer in chart.layers if layer.kind == "area").rows
        x, low, high = (np.array([row[key] for row in shaded], dtype=float) for key in ("x", "low", "high"))
        assert float(np.sum((high - low)[:-1] * np.diff(x))) == pytest.approx(area, abs=2e-3)
        assert f"{noise.loss.delta(epsilon):.5g}" in chart.title
        assert noise.loss.delta(epsilon) == pytest.approx(area, abs=1e-6)


def test_r126_curves_at_order_16() -> None:
    known = {"0.52": 0.041802, "0.6": 0.371410, "0.75": 1.079433}
    chart = renyi_chart({truth: RandomizedResponse.symmetric(truth=truth).loss for truth in known}, most=31)
    assert {truth: at(chart, truth, 16) for truth in known} == pytest.approx(known, abs=1e-4)
    gaussian = renyi_chart(Gaussian(1, 5).loss, most=100)
    assert at(gaussian, "this loss", 51) > 1  # it is not "always less than 1"


def test_r132_basis_at_one_quarter() -> None:
    chart = basis_chart(2)
    assert [at(chart, f"{place} of 2", 0.25) for place in range(3)] == pytest.approx([0.5625, 0.375, 0.0625])


def test_r104_every_theorem_is_drawn_or_said_to_be_alike() -> None:
    chart = composition_chart("0.1", most=100, delta="1e-5")
    last = {layer.name: layer.rows[-1]["y"] for layer in chart.layers}
    table = {bound.theorem: bound.epsilon for bound in compare_composition("0.1", times=100, delta="1e-5").bounds}
    assert last == {name: table[name] for name in last}
    assert table.keys() - last.keys() == {"zCDP, standard conversions", "Rényi, standard conversion"}


def test_noise_costs_less_than_sampling_from_nine_over_epsilon_squared_people() -> None:
    chart = people_chart(epsilons=(0.1,), most=100_000)
    sizes, noise = curve(chart, "noise at ε = 0.1")
    _, sampling = curve(chart, "sampling alone")
    assert 500 < sizes[np.argmax(noise < sampling)] < 2000


def test_accuracy_is_that_of_the_mechanisms() -> None:
    chart = accuracy_chart(MAKERS)
    levels, margins = curve(chart, "Laplace")
    assert margins * levels == pytest.approx(np.full(len(levels), 10 * math.log(20)), rel=1e-6)


def test_budget_rises_to_what_is_spent() -> None:
    chart = budget_chart(ledger())
    assert curve(chart, "spent")[1].tolist() == [0, 0.5, 1, 1.5]
    assert set(curve(chart, "limit")[1]) == {2.0}
    assert chart.days
    with pytest.raises(InvalidParameter, match="nothing with a time"):
        budget_chart(Ledger(Guarantee(1), unit=PERSON))


def test_family_of_whole_numbers_stands_on_whole_numbers() -> None:
    chart = family_chart({"whole": shape_of(DiscreteLaplace(1, 2))})
    assert {row["x"] for row in chart.parts[0].layers[0].rows} == set(range(-8, 9))


@pytest.mark.parametrize(
    "draw",
    [
        lambda: tradeoff_chart({}),
        lambda: tradeoff_chart(3),  # type: ignore[arg-type] # wrong on purpose
        lambda: belief_chart({str(number): PrivacyLoss() for number in range(7)}),
        lambda: neighbor_chart(Laplace(1, 1), answers=(2, 2)),
        lambda: neighbor_chart(DiscreteLaplace(1, 1), answers=(0, 0.5)),
        lambda: neighbor_ratio(DiscreteLaplace(1, 1), [0.5], answers=(0, 1)),
        lambda: renyi_chart(PrivacyLoss(), most=1),
        lambda: basis_chart(0),
        lambda: composition_chart(1, most=1, delta=0),
        lambda: notion_chart(epsilon=1, order=8, bound=1),
        lambda: people_chart(most=10),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: Callable[[], Chart]) -> None:
    with pytest.raises(InvalidParameter):
        draw()
