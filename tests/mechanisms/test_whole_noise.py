"""WholeNoise: the number itself passes through unchanged; only noise is added."""

from typing import Any

import numpy as np
import pytest

from privet.mechanisms import DiscreteGaussian, DiscreteLaplace
from privet.mechanisms.whole_noise import WholeNoise
from privet.noise import BitSource

QUIET = [DiscreteLaplace(1, "0.01"), DiscreteGaussian(1, "0.05")]  # noise is 0 but for a chance below 1e-43


@pytest.mark.parametrize("mechanism", QUIET, ids=repr)
@pytest.mark.parametrize("value", [-5, 0, 7, -(10**30), 2**63, np.int64(-3), np.uint64(2**64 - 1), True])
def test_one_number_passes_through(mechanism: WholeNoise, value: Any, source: BitSource) -> None:  # noqa: ANN401 - a number
    answer = mechanism.sample(value, source)
    assert answer == int(value)
    assert type(answer) is int


@pytest.mark.parametrize("mechanism", QUIET, ids=repr)
def test_the_type_of_an_answer_does_not_tell_that_2_to_the_63_was_reached(
    mechanism: WholeNoise, source: BitSource
) -> None:
    for top in (5, 2**63 - 1, -(2**63)):
        answers = [np.asarray(mechanism.sample(np.array([top] * 50), source)) for _ in range(5)]
        assert {str(answer.dtype) for answer in answers} == {"int64"}
        assert all(abs(int(number) - top) < 100 for answer in answers for number in answer)
    loud = DiscreteLaplace(1, 3)
    assert {str(np.asarray(loud.sample(np.full(99, 2**63 - 1), source)).dtype)} == {"int64"}
    assert int(np.asarray(loud.sample(np.full(99, 2**63 - 1), source)).min()) > 0  # cut off, not wrapped
    assert np.asarray(mechanism.sample([2**70, -(2**70), 1], source)).tolist() == [2**63 - 1, -(2**63), 1]


@pytest.mark.parametrize("mechanism", QUIET, ids=repr)
def test_many_numbers_pass_through(mechanism: WholeNoise, source: BitSource) -> None:
    values = np.array([[-(2**63), -1, 0], [1, 5, 2**63 - 1]])
    answers = mechanism.sample(values, source)
    assert isinstance(answers, np.ndarray)
    assert answers.tolist() == values.tolist()
    assert np.asarray(mechanism.sample(np.array([2**64 - 1], dtype=np.uint64), source)).tolist() == [2**64 - 1]
