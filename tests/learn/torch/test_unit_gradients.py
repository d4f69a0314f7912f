"""What a unit adds to a step: the gradient that autograd finds for it alone, clipped, in exact whole steps."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from torch import Tensor

from privet.learn.torch.clipped_sum import blocks, clipped_sum
from privet.learn.torch.unit_gradients import (
    REACH,
    DenseGradients,
    Place,
    ProductGradients,
    TokenGradients,
    UnitGradients,
    product_gradients,
)
from privet.learn.torch.ways import LayerByLayer, OneByOne, Vectorised, Way
from tests.learn.torch.tiny_networks import KNOWN, RECURRENT, UNKNOWN, Case

UNITS = 5


def alone(case: Case, way: Way, batch: list[Tensor], *, rows: int, clip: float) -> list[NDArray[np.int64]]:
    """What each unit adds, by itself."""
    size = sum(each.numel() for each in way.network.trained.values())  # type: ignore[attr-defined] # every way has one
    held = torch.ones(UNITS * rows, dtype=torch.bool)
    torch.manual_seed(3)
    found = way.gradients(batch, held, UNITS)
    each = [clipped_sum(found, clip, torch.arange(UNITS) == unit, size) for unit in range(UNITS)]
    together = clipped_sum(found, clip, torch.ones(UNITS, dtype=torch.bool), size)
    assert np.array_equal(together, np.sum(each, axis=0)), f"{case}: units are not added up exactly"
    return each


def by_autograd(way: Any, batch: list[Tensor], *, rows: int) -> list[NDArray[np.float64]]:  # noqa: ANN401 - a way
    """The gradient of each unit's summed losses."""
    parameters = list(way.network.trained.values())
    found = []
    for unit in range(UNITS):
        own = [each[unit * rows : (unit + 1) * rows] for each in batch]
        slopes = torch.autograd.grad(way.network.losses(own).sum(), parameters)
        found.append(torch.cat([each.flatten() for each in slopes]).double().numpy())
    return found


def length_of(steps: NDArray[np.int64]) -> float:
    """Exact up to the root."""
    return math.sqrt(sum(int(each) ** 2 for each in steps))


def compare(case: Case, way: Any, *, rows: int) -> None:  # noqa: ANN401 - a way
    way.network.model.eval()  # dropout is another function every time
    batch = case.rows(UNITS * rows)
    wanted = by_autograd(way, batch, rows=rows)
    lengths = [float(np.linalg.norm(each)) for each in wanted]
    for clip in (sorted(lengths)[UNITS // 2], 1e-3 * max(lengths)):
        for steps, gradient, length in zip(alone(case, way, batch, rows=rows, clip=clip), wanted, lengths, strict=True):
            assert length_of(steps) <= REACH
            clipped = gradient * min(1.0, clip / length)
            assert np.linalg.norm(steps * (clip / REACH) - clipped) <= 4e-3 * np.linalg.norm(clipped)
            assert length < clip or length_of(steps) > 0.995 * REACH  # no shorter than it must be


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("case", KNOWN, ids=str)
def test_layers_that_are_known_add_what_autograd_finds(case: Case, rows: int) -> None:
    compare(case, LayerByLayer.of(case.network()), rows=rows)


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("case", [*(case for case, _ in UNKNOWN[:4]), KNOWN[0], KNOWN[7]], ids=str)
def test_every_network_adds_what_autograd_finds_row_by_row(case: Case, rows: int) -> None:
    compare(case, Vectorised(case.network()), rows=rows)
    compare(case, OneByOne(case.network(double=True)), rows=rows) if case is KNOWN[-1] else None
    compare(case, OneByOne(case.network()), rows=rows)


def test_a_recurrent_network_adds_what_autograd_finds() -> None:
    compare(RECURRENT, OneByOne(RECURRENT.network()), rows=2)


# --- any numbers ----------------------------------------------------------------------------------------------------

NUMBERS = st.one_of(
    st.floats(-10, 10, width=32),
    st.sampled_from([0.0, 1e-45, -1e-30, 1e-20, 3e19, -3e38, 1.0, -1.0, math.inf, math.nan]),
)


def drawn(*shape: int) -> st.SearchStrategy[Tensor]:
    return arrays.arrays(np.float32, shape, elements=NUMBERS).map(torch.from_numpy)


def check_any(gradients: list[UnitGradients], clip: float, size: int, units: int) -> None:
    """Exact sums of vectors that are no longer than they may be, whatever the numbers are."""
    everybody = torch.ones(units, dtype=torch.bool)
    total = clipped_sum(gradients, clip, everybody, size)
    each = [clipped_sum(gradients, clip, torch.arange(units) == unit, size) for unit in range(units)]
    assert np.array_equal(np.sum(each, axis=0), total)
    assert max(map(length_of, each)) <= REACH


@settings(max_examples=60, deadline=None)
@given(drawn(3, 4, 2), drawn(3, 4, 3), drawn(3, 5), st.sampled_from([1e-6, 1.0, 1e6]))
def test_any_numbers_add_whole_vectors_of_bounded_length(
    inputs: Tensor, deltas: Tensor, numbers: Tensor, clip: float
) -> None:
    dense = DenseGradients(Place(0, 5), numbers)
    check_any([dense, ProductGradients(Place(5, 6), inputs, deltas)], clip, 11, 3)


@settings(max_examples=30, deadline=None)
@given(arrays.arrays(np.int64, (3, 4), elements=st.integers(0, 2)).map(torch.from_numpy), drawn(3, 4, 2))
def test_any_tokens_add_whole_vectors_of_bounded_length(tokens: Tensor, deltas: Tensor) -> None:
    check_any([TokenGradients(Place(0, 6), tokens, deltas)], 1.0, 6, 3)


def test_what_cancels_out_is_clipped_by_its_true_length() -> None:
    """A thousand places that nearly cancel out: products without signs are 500 times as long as their sum."""
    torch.manual_seed(1)
    inputs, deltas = torch.ones(2, 1000, 3), torch.randn(2, 1000, 2)
    deltas -= deltas.mean(1, keepdim=True) - 1e-3
    found = ProductGradients(Place(0, 6), inputs, deltas)
    true = (deltas.mT.double() @ inputs.double()).flatten(1).norm(dim=1)
    assert torch.allclose(found.squares.sqrt(), true, rtol=1e-4)
    check_any([found], 1e-2, 6, 2)


def test_the_cheaper_form_follows_from_shapes() -> None:
    few, many = torch.zeros(2, 2, 40), torch.zeros(2, 30, 4)
    assert isinstance(product_gradients(Place(0, 1600), few, few), ProductGradients)
    assert isinstance(product_gradients(Place(0, 16), many, many), DenseGradients)


def test_units_whose_gradients_are_no_numbers_add_nothing() -> None:
    numbers = torch.tensor([[1.0, 2.0], [math.nan, 1.0], [math.inf, 1.0], [3e38, 3e38]])
    found = clipped_sum([DenseGradients(Place(0, 2), numbers)], 10.0, torch.ones(4, dtype=torch.bool), 2)
    alone = clipped_sum([DenseGradients(Place(0, 2), numbers)], 10.0, torch.tensor([True, False, False, True]), 2)
    assert (found == alone).all()
    assert (found != 0).all()


def test_nobody_adds_nothing() -> None:
    found = clipped_sum([DenseGradients(Place(0, 2), torch.ones(3, 2))], 1.0, torch.zeros(3, dtype=torch.bool), 2)
    assert (found == 0).all()


def test_blocks_end_before_float64_is_not_exact() -> None:
    assert blocks([1.0] * 5) == [0, 5]
    assert blocks([2.0**51] * 5) == [0, 2, 4, 5]
    assert blocks([2.0**53, 1.0]) == [0, 1, 2]
