"""MLPClassifier and MLPRegressor: the contract, how far a unit moves a fit, defaults, averages, and what is shown."""

import io
import math
import sys
from collections.abc import Callable
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.learn import MLPClassifier, MLPRegressor
from privet.learn.centered_rows import Centered
from privet.learn.network_model import NetworkModel
from privet.learn.network_plan import network_plan
from privet.learn.network_steps import NetworkSteps, StepRule, WholeRows, begun
from privet.learn.row_clipping import ONE, RowClipping
from privet.learn.steps_shown import StepsShown
from privet.learn.whole_network import WholeNetwork
from privet.mechanisms import Gaussian
from privet.mechanisms.noisy_steps import NoisySteps, rate_near
from tests.contracts.estimator import EstimatorContract, Example

TINY: dict[str, Any] = {"hidden_layer_sizes": (4,)}
SMALL = {"hidden_layer_sizes": (8,), "steps": 25}


class TestContract(EstimatorContract):
    """Small networks and few steps, so that it is fast."""

    EXAMPLES: ClassVar[list[Example]] = [
        Example(
            MLPClassifier,
            declared={"bounds": (0, 1), "classes": [0, 1, 2], **SMALL},
            required=("bounds",),
            classes=(0, 1, 2),
            delta="1e-6",
            methods=("predict", "predict_proba", "decision_function"),
            checks={"steps": 100, "rate": 1},
        ),
        Example(
            MLPRegressor,
            declared={"bounds": (0, 1), "target_bounds": (0, 1), **SMALL},
            required=("bounds", "target_bounds"),
            delta="1e-6",
            checks={"steps": 100, "rate": 1},
        ),
    ]


EVIL = [np.nan, np.inf, -np.inf, 1e308, -0.0, 0.0, 5e-324]
ROWS, LABELS = np.random.default_rng(0).uniform(size=(20, 3)), np.arange(20) % 3
BEYOND = [[number] * 3 for number in EVIL] + [[0.0, 0.0, 1.0], [np.nan, 1e308, -np.inf]]


def sums_of(monkeypatch: pytest.MonkeyPatch, fit: Callable[[], object]) -> list[int]:
    """The exact sum of the one step of a fit in which all take part, before its noise; the middle is a public one."""
    seen: list[NDArray[Any]] = []
    plain = NetworkSteps.summed

    def summed(self: NetworkSteps, chosen: NDArray[np.intp]) -> NDArray[Any]:
        seen.append(plain(self, chosen))
        return seen[-1]

    with monkeypatch.context() as patched:
        patched.setattr(NetworkSteps, "summed", summed)
        patched.setattr(NetworkModel, "_where", lambda *_: Centered(np.full(3, -0.2), 0.3, 20.0))
        fit()
    (found,) = seen
    return [int(each) for each in found]


@pytest.mark.parametrize("clipping", ["automatic", 0.25, "quantile"])
@pytest.mark.parametrize("grouped", ["rows", "groups"])
def test_a_unit_moves_the_sums_of_a_fit_by_its_length_whatever_it_holds(
    clipping: str | float, grouped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One person more, with rows made to break it: one row, or forty of which three count; labels nobody declared."""
    said: dict[str, Any] = {
        "bounds": (0, 1),
        "epsilon": 1,
        "delta": "1e-6",
        "clipping": clipping,
        "steps": 1,
        "rate": 1,
    }
    said["hidden_layer_sizes"] = (4,)
    longest = RowClipping.of(clipping).longest
    owners = np.arange(20) // 2
    groups = grouped == "groups"
    if groups:
        said["rows_per_unit"] = 3
    models = (
        (MLPClassifier(classes=[0, 1, 2], **said), LABELS, [0, 1, 2, 7]),
        (MLPRegressor(target_bounds=(0, 2), **said), LABELS.astype(float), [0.0, 1e308, np.inf, np.nan]),
    )
    farthest = 0
    for model, target, others in models:

        def fitted(rows: Any, labels: Any, who: Any, model: NetworkModel = model) -> NDArray[Any]:  # noqa: ANN401 - rows
            more = {"groups": who} if groups else {}
            return np.array(sums_of(monkeypatch, lambda: model.fit(rows, labels, **more)), dtype=object)

        without = fitted(ROWS, target, owners)
        for row, label in product(BEYOND, others):
            many = 40 if groups else 1
            moved = fitted([*ROWS, *[row] * many], [*target, *[label] * many], [*owners, *[99] * many]) - without
            length = sum(int(each) ** 2 for each in moved)
            assert length <= longest**2
            assert (length == 0) == (label == 7 or math.isnan(label))  # nobody's label: the row counts for nothing
            farthest = max(farthest, length)
    assert farthest > 0.8 * longest**2  # so less noise would be too little
    for model, _, _ in models:
        plan = network_plan(model._setting(model._payment(), 3, grouped=groups))
        assert plan.steps.noise.l2_sensitivity >= longest
        assert plan.loss.epsilon(1e-6) <= 1
        model.set_params(rows_per_unit=3)
        alone = network_plan(model._setting(model._payment(), 3)).steps  # rows that take part by themselves
        assert alone.rows == 3
        assert alone.noise.l2_sensitivity >= 3 * longest


def test_nobody_at_all_is_trained_as_anybody() -> None:
    """Without rows, or with none that counts, there is noise, and a model."""
    for rows, labels in ((np.empty((0, 3)), []), (ROWS, [7] * 20), (ROWS * np.nan, LABELS)):
        for rate in (1, "0.001"):
            model = MLPClassifier(bounds=(0, 1), classes=[0, 1, 2], epsilon=1, delta="1e-6", steps=3, rate=rate, **TINY)
            model.fit(rows, labels)
            assert model.n_iter_ == 3
            assert np.isfinite(model.predict_proba(ROWS)).all()
            assert abs(model.intercepts_[-1]).max() > 0


def test_all_rows_take_part_where_few_are_expected() -> None:
    def steps_of(**said: Any) -> tuple[float, int]:  # noqa: ANN401 - parameters
        model = MLPClassifier(bounds=(0, 1), classes=[0, 1], **said)
        plan = network_plan(model._setting(model._payment(), 3)).steps
        return float(plan.rate), plan.steps

    price = {"epsilon": 1, "delta": "1e-6"}
    assert steps_of(**price, expected_rows=4096) == (1.0, 100)
    assert steps_of(**price, expected_rows=8192) == (0.5, 320)
    assert steps_of(**price) == (0.125, 320)
    assert steps_of(rho="0.1", expected_rows=8192) == (1.0, 100)
    assert steps_of(**price, rate="0.25", steps=7) == (0.25, 7)
    with pytest.raises(InvalidParameter, match="a rho pays for steps over all rows"):
        steps_of(rho="0.1", rate="0.25")


def test_what_is_kept_is_the_average_of_the_last_part_of_the_way() -> None:
    """Weights of (t+9 choose 9) or so: the first parameters are forgotten, and noise averages out."""
    made = WholeNetwork((3, 3), "identity", 1.0, 10, 3)
    clip = RowClipping.of("automatic")
    trained = NetworkSteps(
        made,
        WholeRows(np.zeros((0, 3), np.int16), np.zeros(0)),
        clip,
        StepRule(1.0, 0.0, 1.0),
        begun(np.full(made.count, 5.0), clip),
    )
    way = []
    source = np.random.default_rng(3)
    for _ in range(300):
        trained.move(float(ONE) * (source.normal(size=made.count) + trained.flat - 2.0))  # around 2, with noise
        way.append(trained.flat.copy())
    weights = np.array([math.prod((t + each) for each in range(1, 10)) for t in range(1, 301)], dtype=float)
    assert trained.released()["average"] == pytest.approx(np.average(way, axis=0, weights=weights))
    assert abs(trained.released()["average"] - 2).max() < 0.4 < abs(trained.flat - 2).max()


def test_a_bar_tells_how_much_of_epsilon_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last number is what all steps cost, and a training that goes on begins where it was."""
    plan = NoisySteps[Any](20, rate_near(0.25), Gaussian(1, 4))
    spent = f"{plan.loss.epsilon(1e-6):.3g}"
    moments = iter(range(1000))
    monkeypatch.setattr("privet.learn.steps_shown.time.monotonic", lambda: float(next(moments)))
    written = {}
    for done, verbose in ((0, True), (12, True), (0, False)):
        with monkeypatch.context() as patched:
            terminal = Terminal()
            patched.setattr(sys, "stderr", terminal)
            shown = StepsShown(plan.of(20 - done), delta=1e-6, done=done, verbose=verbose)
            with shown:
                for _ in range(20 - done):
                    shown.tick()
        written[done, verbose] = terminal.getvalue()
    assert f"step 20 of 20, ε = {spent} so far" in written[0, True]
    assert written[12, True].splitlines()[0].startswith("step 1")
    assert f"step 20 of 20, ε = {spent} so far" in written[12, True]
    assert "20/20 steps" in written[0, False]
    assert f"ε = {spent} so far" in written[0, False]


class Terminal(io.StringIO):
    """What rich takes for a terminal."""

    def isatty(self) -> bool:
        return True
