"""Adapters: mechanisms of other libraries are run as they are used. The libraries are acted by small classes here;
benchmarks and docs/violations.md run the true ones.
"""

from typing import Any, Self

import numpy as np
import pytest
from numpy.typing import NDArray

from privet import audit
from privet.audit.adapters import adapted, fitted, measurement, optimizer_step
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, PrivacyLoss


class Measurement:
    """As OpenDP's: called, and asked by `map`."""

    def __init__(self, measure: str, promised: Any) -> None:  # noqa: ANN401 - a number, a pair or a curve
        self.output_measure = measure
        self.promised = promised

    def __call__(self, data: int) -> int:
        return data

    invoke = __call__

    def map(self, distance: int) -> Any:  # noqa: ANN401 - a number, a pair or a curve
        return self.promised if not isinstance(self.promised, float) else distance * self.promised


class Profile:
    def epsilon(self, delta: float) -> float:
        return 1.0 if delta < 0.1 else 0.5


def test_measurements_are_taken_at_their_word() -> None:
    assert adapted(Measurement("MaxDivergence", 0.5)).claim == Guarantee("0.5")
    assert measurement(Measurement("MaxDivergence()", 0.5), distance=2).claim == Guarantee(1)
    assert adapted(Measurement("ZeroConcentratedDivergence", 0.5)).claim == ConcentratedGuarantee("0.5")
    assert adapted(Measurement("Approximate(MaxDivergence)", (1.0, 0.25))).claim == Guarantee(1, "0.25")
    assert measurement(Measurement("SmoothedMaxDivergence", Profile()), delta=0.2).claim == Guarantee("0.5", 0.2)
    with pytest.raises(InvalidParameter, match="at which delta"):
        adapted(Measurement("SmoothedMaxDivergence", Profile()))
    with pytest.raises(InvalidParameter, match="RenyiDivergence"):
        adapted(Measurement("RenyiDivergence", len))
    found = audit.test(Measurement("MaxDivergence", 3.0), pair=(0, 1), trials=2000)
    assert (found.subject, found.claimed_epsilon, found.violated) == ("OpenDP measurement (MaxDivergence)", 3.0, True)


def test_randomisers_are_run_by_their_method() -> None:
    class Same:
        epsilon, delta = 2.0, 0.125

        def randomise(self, value: float) -> float:
            return value

    found = audit.test(Same(), pair=(0.0, 1.0), trials=2000)
    assert (found.subject, found.claimed_epsilon, found.at_delta, found.violated) == ("Same", 2.0, 0.125, True)
    assert adapted(Same) is Same
    assert adapted(len) is len


def test_what_a_fit_leaves_is_seen() -> None:
    class Estimator:
        def __init__(self) -> None:
            self.rows = 0

        def fit(self, rows: list[int], labels: list[int] | None = None) -> Self:
            self.mean_ = np.array([sum(rows)])
            self.classes_ = sorted(set(labels or []))
            self._rows_ = len(rows)
            return self

    assert fitted(Estimator)(([1, 2], [0, 1]))["classes_"] == [0, 1]
    assert set(fitted(Estimator)([1, 2])) == {"mean_", "classes_"}
    found = audit.test(fitted(Estimator, seen=["classes_"]), pair=(([1], [0]), ([2], [0])), trials=100)
    assert found.epsilon == 0
    assert audit.test(fitted(Estimator), pair=(([1], [0]), ([2], [0])), trials=200).violated


class Tensor:
    """As much of a parameter as is used."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self.values, self.shape = values, values.shape
        self.grad_sample = self.grad = self

    def numel(self) -> int:
        return self.values.size

    def new_tensor(self, values: list[Any]) -> "Tensor":
        return Tensor(np.array(values))

    def reshape(self, *shape: int) -> "Tensor":
        return Tensor(self.values.reshape(shape))

    def detach(self) -> Self:
        return self

    cpu = detach

    def numpy(self) -> NDArray[np.float64]:
        return self.values


class Optimizer:
    """As Opacus's: clips the gradients of rows to norm 1 and adds them up; its noise is none."""

    noise_multiplier = 1.0

    def __init__(self) -> None:
        self.params = [Tensor(np.zeros(2)), Tensor(np.zeros((1, 2)))]
        self.steps: list[str] = []

    def zero_grad(self) -> None:
        self.steps = ["zero"]

    def clip_and_accumulate(self) -> None:
        rows = np.concatenate([each.grad_sample.values.reshape(-1, 2) for each in self.params], axis=1)
        lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)
        summed = (rows / lengths).sum(axis=0)
        self.params[0].grad, self.params[1].grad = Tensor(summed[:2]), Tensor(summed[2:].reshape(1, 2))
        self.steps.append("clip")

    def add_noise(self) -> None:
        self.steps.append("noise")

    def scale_grad(self) -> None:
        self.steps.append("scale")


def test_one_step_of_an_optimizer() -> None:
    optimizer = Optimizer()
    step = optimizer_step(optimizer)
    assert step([[3.0, 0.0, 4.0, 0.0], [0.0, 0.5, 0.0, 0.0]]).tolist() == [0.6, 0.5, 0.8, 0.0]
    assert optimizer.steps == ["zero", "clip", "noise", "scale"]
    assert isinstance(step.claim, PrivacyLoss)
    assert step.claim.epsilon(1e-5) == pytest.approx(4.3767, abs=1e-3)
    assert adapted(optimizer).name == "one step of Optimizer"
