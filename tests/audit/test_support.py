"""Which answers occur."""

from typing import Any

import numpy as np
import pytest

from privet.audit import support, zoo
from privet.mechanisms import DiscreteGaussian, Gaussian, Laplace
from privet.noise import BitSource


@pytest.mark.parametrize("mechanism", [Laplace(1, 1), Gaussian(1, 1)], ids=repr)
def test_answers_on_a_lattice_tell_nothing(mechanism: Any, source: BitSource) -> None:  # noqa: ANN401 - any mechanism
    for pair in ((0.0, 1.0), (0.1, 0.2), (1e-300, 0.3)):
        found = support(mechanism, pair=pair, step=mechanism.lattice.step, source=source)
        assert not found.leaks, found
        assert found.off_step == found.negative_zeros == (0, 0)


@pytest.mark.parametrize("name", ["float_laplace", "float_gaussian"])
def test_noise_in_floats_is_seen(name: str, source: BitSource) -> None:
    """1,000 runs are enough: 0.18 of the answers near 0 have bits that no answer near 1 has."""
    found = support(zoo.SPECIMENS[name].run, pair=(0.0, 1.0), trials=1_000, source=source)
    assert found.leaks
    assert found.finer[0] > 100
    assert found.finer[1] == 0
    assert "finer than any answer" in repr(found)


def test_a_declared_step_is_checked_exactly(source: BitSource) -> None:
    def thirds(data: int, source: BitSource, count: int) -> Any:  # noqa: ANN401 - an array
        return (data + DiscreteGaussian(1, 3).sample(np.zeros(count, dtype=np.int64), source)) * 0.25

    assert not support(thirds, pair=(0, 1), step="0.25", source=source, trials=500).leaks
    off = support(thirds, pair=(0, 1), step="0.5", source=source, trials=500)
    assert off.leaks
    assert "no multiple of the declared step" in off.verdict
    assert not support(thirds, pair=(0, 1), step="0.125", source=source, trials=500).leaks
    assert support(thirds, pair=(0, 1), step="0.3", source=source, trials=500).leaks
    assert support(thirds, pair=(0, 1), step="0.25", source=source, trials=500).steps == (-2, -2)


def test_kinds_and_zeros_are_seen() -> None:
    found = support(lambda data: -0.0 if data else None, pair=(0, 1), trials=1000)
    assert found.leaks
    assert found.negative_zeros == (0, 1000)
    assert found.steps == (None, None)
    assert found.verdict.startswith("differs: only one input gives")
    rare = iter([None] * 3)  # a kind that may be as rare under the other input, and was not seen there
    assert not support(lambda data: next(rare, 1) if data else 1, pair=(0, 1), trials=1000).leaks
