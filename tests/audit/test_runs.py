"""How anything is run many times."""

from typing import Any

import numpy as np
import pytest

from privet.audit.runs import draw_of, name_of
from privet.errors import InvalidParameter
from privet.local import KaryResponse
from privet.mechanisms import DiscreteLaplace, FiniteMechanism, Laplace, NoisyMax, RandomizedResponse, SparseVector
from privet.noise import BitSource


def test_a_plain_function_is_run_once_for_each() -> None:
    calls: list[int] = []

    def function(data: int) -> int:
        calls.append(data)
        if len(calls) == 2:
            raise KeyError("no")
        return data

    seen = draw_of(function)(7, 3)
    assert [seen[0], repr(seen[1]), seen[2]] == [7, "KeyError('no')", 7]


def test_parameters_called_source_and_count_are_filled_in(source: BitSource) -> None:
    def both(data: int, source: BitSource, count: int) -> Any:  # noqa: ANN401 - words
        return source.words(count) * 0 + data

    def alone(data: int, source: BitSource) -> int:
        return data + int(source.words(1)[0] * 0)

    assert draw_of(both, source)(3, 4).tolist() == [3] * 4
    assert draw_of(alone, source)(3, 2) == [3, 3]
    assert draw_of(max)([1, 2], 2) == [2, 2]  # its signature is not told


def test_a_failure_of_many_runs_is_one_of_each() -> None:
    def failing(data: int, count: int) -> None:
        raise RuntimeError(f"{data} {count}")

    assert [repr(each) for each in draw_of(failing)(1, 2)] == ["RuntimeError('1 2')"] * 2
    with pytest.raises(InvalidParameter, match="must return 3 outcomes"):
        draw_of(lambda data, count: [data] * (count + 1))(1, 3)


@pytest.mark.parametrize(
    ("mechanism", "value", "shape"),
    [
        (Laplace(1, 1), 0.5, (5,)),
        (Laplace(1, 1), [0.5, 1.0], (5, 2)),
        (DiscreteLaplace(1, 1), 10**30, (5,)),
        (RandomizedResponse.symmetric(truth="0.75"), True, (5,)),
        (NoisyMax(1, 1), [0.0, 1.0], (5,)),
        (SparseVector(1, 1, 0), [0.0, 1.0], (5,)),
        (FiniteMechanism([[0.5, 0.5], [0.25, 0.75]]), 1, (5,)),
    ],
    ids=lambda each: repr(each)[:30],
)
def test_mechanisms_are_run_as_often_as_asked(
    mechanism: Any,  # noqa: ANN401 - any mechanism
    value: Any,  # noqa: ANN401 - any input
    shape: tuple[int, ...],
    source: BitSource,
) -> None:
    seen = draw_of(mechanism, source)(value, 5)
    assert (seen.shape if isinstance(seen, np.ndarray) else (len(seen),)) == shape
    assert name_of(mechanism).startswith(type(mechanism).__name__)


def test_many_runs_follow_the_law_of_one(source: BitSource) -> None:
    """What is drawn together is drawn as one by one: counts of 4,000 runs each differ by less than six deviations."""
    for mechanism, value in ((NoisyMax(1, 1), [0.0, 1.0]), (RandomizedResponse.symmetric(truth="0.75"), 1)):
        together = np.asarray(draw_of(mechanism, source)(value, 4000)).sum()
        alone = sum(int(mechanism.sample(value, source)) for _ in range(4000))
        assert abs(int(together) - alone) < 6 * (2 * 4000 / 4) ** 0.5


def test_what_a_mechanism_refuses_is_an_outcome(source: BitSource) -> None:
    assert {type(each) for each in draw_of(Laplace(1, 1), source)(float("nan"), 3)} == {InvalidParameter}
    assert {type(each) for each in draw_of(NoisyMax(1, 1), source)([], 3)} == {InvalidParameter}


def test_local_protocols_are_run_on_many_devices(source: BitSource) -> None:
    assert len(draw_of(KaryResponse(["a", "b", "c"], 1), source)("b", 7)) == 7


def test_what_cannot_be_run_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="pass the function itself"):
        draw_of(3)  # type: ignore[arg-type]
    assert name_of(len) == "len"
