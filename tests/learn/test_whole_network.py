"""WholeNetwork: every row's part against gradients by autograd, none too long, and sums that are exact in any order."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.learn import MLPClassifier
from privet.learn.centered_rows import Centered
from privet.learn.features import Ball, Box
from privet.learn.first_parameters import first_parameters
from privet.learn.network_model import NetworkModel
from privet.learn.network_rows import WithinBall
from privet.learn.network_steps import NetworkSteps, StepRule, WholeRows, begun
from privet.learn.row_clipping import HALF_TOLD, ONE, RowClipping
from privet.learn.spread_rows import SpreadRows, WholeBox
from privet.learn.whole_network import EXACT_ROWS, LARGEST, MOST_CLASSES, MOST_LAYERS, WholeNetwork
from privet.learn.whole_numbers import bits_of, chances_of, exponentials, hyperbolic_tangents, toward_zero

Floats = NDArray[np.float64]
EVIL = (np.nan, np.inf, -np.inf, -0.0, 1e308, 5e-324)
BITS = 12


def network(hidden: tuple[int, ...] = (7, 5), activation: str = "relu", classes: int = 4) -> WholeNetwork:
    return WholeNetwork((6, *hidden, 1 if classes < 3 else classes), activation, 8.0, BITS, classes)


def drawn(made: WholeNetwork, rows: int, seed: int, far: float = 1.0) -> tuple[Floats, NDArray[np.int32], Floats]:
    """Parameters, whole rows within the reach, and targets."""
    source = np.random.default_rng(seed)
    flat = far * source.normal(size=made.count)
    numbers = source.normal(size=(rows, 6)) * 10.0 ** source.uniform(-4, 1, size=(rows, 1))
    numbers *= np.minimum(made.reach / np.linalg.norm(numbers, axis=1, keepdims=True), 1.0)
    target = source.integers(0, made.classes, rows) if made.classes else source.uniform(-1, 1, rows)
    return flat, np.trunc(numbers * 2.0**BITS).astype(np.int32), target.astype(float)


def steps(made: WholeNetwork, flat: Floats, rows: WholeRows, clipping: str | float = "automatic") -> NetworkSteps:
    clip = RowClipping.of(clipping)
    return NetworkSteps(made, rows, clip, StepRule(0.1, 0.9, 8.0), begun(flat, clip))


def by_autograd(made: WholeNetwork, flat: Floats, row: NDArray[np.int32], target: float) -> Floats:
    """The gradient of one row's loss at the parameters that the network rounds to."""
    parameters = []
    for layer in made.layers(flat):
        parameters += [
            torch.tensor(layer.weights, requires_grad=True),
            torch.tensor(layer.constants, requires_grad=True),
        ]
    values = torch.tensor(row.astype(np.float64) * 2.0**-BITS)
    last = len(parameters) // 2 - 1
    for place in range(last + 1):
        values = values @ parameters[2 * place] + parameters[2 * place + 1]
        if place < last:
            values = {"relu": torch.relu, "tanh": torch.tanh, "identity": torch.clone}[made.activation](values)
    if not made.classes:
        loss = torch.nn.functional.huber_loss(values, torch.tensor([target], dtype=torch.float64), delta=2.0)
    elif len(values) == 1:
        loss = torch.nn.functional.binary_cross_entropy_with_logits(values, torch.tensor([target], dtype=torch.float64))
    else:
        loss = torch.nn.functional.cross_entropy(values, torch.tensor(int(target)))
    slopes = torch.autograd.grad(loss, parameters)
    return np.concatenate([each.numpy().ravel() for each in slopes])


@pytest.mark.parametrize("hidden", [(), (9,), (7, 5)], ids=str)
@pytest.mark.parametrize("activation", ["relu", "tanh", "identity"])
@pytest.mark.parametrize("classes", [0, 2, 4])
def test_a_row_adds_its_clipped_gradient(hidden: tuple[int, ...], activation: str, classes: int) -> None:
    """In direction and length that of autograd, and never longer than 1, exactly, in whole numbers."""
    made = network(hidden, activation, classes)
    flat, whole, target = drawn(made, 12, seed=1, far=0.7)
    for clipping in ("automatic", 0.5, "quantile"):
        trained = steps(made, flat, WholeRows(whole, target), clipping)
        for row in range(12):
            part = trained.summed(np.array([row]))
            assert (part == np.rint(part)).all()
            assert sum(int(number) ** 2 for number in part) <= trained.clipping.longest**2
            gradient = by_autograd(made, flat, whole[row], target[row])
            length = float(np.linalg.norm(gradient))
            expected = gradient / (length + 0.01 if clipping == "automatic" else max(length, trained.length))
            assert part[: made.count] / ONE == pytest.approx(expected, abs=2e-3)
            assert float(np.linalg.norm(part[: made.count] / ONE - expected)) < 5e-3
            if clipping == "quantile":
                assert part[-1] == float(HALF_TOLD * ONE) * (1 if length > trained.length else -1)


@pytest.mark.parametrize("far", [1e-3, 1.0, 100.0, LARGEST])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_sums_are_exact_and_no_row_is_too_long_whatever_the_parameters(far: float, activation: str) -> None:
    """Every subset's sum is the sum of its rows' parts, to the last bit; the longest rows nearly reach the limit."""
    rules: tuple[str | float, ...] = ("automatic", 1e-3, "quantile")
    for classes, clipping in product((0, 2, 4), rules):
        made = network((7, 5), activation, classes)
        flat, whole, target = drawn(made, 120, seed=2, far=far)
        trained = steps(made, flat, WholeRows(whole, target), clipping)
        parts = np.array([trained.summed(np.array([row])) for row in range(120)])
        lengths = [sum(int(number) ** 2 for number in part) for part in parts]
        assert max(lengths) <= trained.clipping.longest**2
        for some in (np.arange(120), np.arange(1, 120, 2), np.arange(7)):
            assert (trained.summed(some) == parts[some].sum(axis=0)).all()
        assert not trained.summed(np.array([], dtype=np.intp)).any()
        if far == 1.0:
            assert max(lengths) > 0.9 * trained.clipping.longest**2  # so less would be too little


def test_products_stay_below_the_bits_of_a_float() -> None:
    """The bound of the proof, in whole numbers: no partial sum of absolute values reaches 2^53."""
    for far, activation in product((1e-3, 1.0, 1e4, LARGEST), ("relu", "tanh")):
        made = network((7, 5), activation, 4)
        flat, whole, target = drawn(made, 100, seed=3, far=far)
        layers = made.layers(flat)
        values = made.values(layers, whole.astype(float))
        slopes = made.slopes(layers, values, target)
        for place, layer in enumerate(layers):
            weights = [[int(Fraction(number) * 2**60) for number in row] for row in layer.weights]
            step = Fraction(2) ** (layer.weight_bits) / 2**60
            for row in values[place][:5]:
                partial = [
                    sum(abs(int(number)) * abs(weights[at][to]) for at, number in enumerate(row)) * step
                    for to in range(layer.weights.shape[1])
                ]
                assert max(partial) < 2**53
            assert (np.einsum("ij,ij->i", values[place], values[place]) < 2.0**53).all()
            assert (np.rint(values[place]) == values[place]).all()
            steep = slopes[place] * 2.0**layer.slope_bits
            assert (np.rint(steep) == steep).all()
            assert (np.einsum("ij,ij->i", steep, steep) < 2.0**53).all()


@pytest.mark.parametrize("far", [1e2, 1e4])
def test_a_row_along_the_weights_nearly_fills_the_bits(far: float) -> None:
    """All weights on one output, and the longest row along them: as large as a product becomes, and exact still."""
    made = WholeNetwork((6, 4), "identity", 2.0**13, BITS, 4)
    flat = np.zeros(made.count)
    weights, _ = next(made.parts(flat))
    along = np.array([3.0, -1.0, 2.0, 1.0, -2.0, 1.0])
    along /= np.linalg.norm(along)
    weights[:, 0] = far * along
    (layer,) = made.layers(flat)
    row = np.trunc(made.reach * along * 2.0**BITS)
    steps_of = layer.weights[:, 0] * 2.0**layer.weight_bits
    product = [int(each) * int(weight) for each, weight in zip(row, steps_of, strict=True)]
    assert 2**48 < sum(product) < 2**53
    assert int(made.values([layer], row[None])[-1][0, 0] * 2.0 ** (BITS + layer.weight_bits)) == sum(product)


def test_many_rows_add_up_beyond_what_floats_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    made = network((), "identity", 2)
    flat, whole, target = drawn(made, 50, seed=4)
    trained = steps(made, flat, WholeRows(whole, target))
    exact = trained.summed(np.arange(50))
    assert EXACT_ROWS == 1 << 20
    monkeypatch.setattr("privet.learn.network_steps.EXACT_ROWS", 8)
    monkeypatch.setattr("privet.learn.network_steps.BLOCK", 3)
    summed = trained.summed(np.arange(50))
    assert summed.dtype == np.int64
    assert (summed == exact).all()


def test_lengths_of_rows_are_exact_and_belong_to_their_rows() -> None:
    """They are worked out once, for all rows; a step of some takes those of its own."""
    made = network()
    flat, whole, target = drawn(made, 1_030, 7)
    rows = WholeRows(whole, target)
    assert rows.squares.tolist() == [sum(int(number) ** 2 for number in row) for row in whole.tolist()]
    some = np.array([3, 511, 512, 1_029])
    alone = steps(made, flat, WholeRows(whole[some], target[some])).summed(np.arange(4))
    assert (steps(made, flat, rows).summed(some) == alone).all()
    assert (steps(made, flat, rows).summed(some - 1) != alone).any()


def test_a_unit_of_several_rows_adds_no_more_than_one() -> None:
    made = network()
    flat, whole, target = drawn(made, 60, seed=5)
    owners = np.arange(60) % 17
    trained = steps(made, flat, WholeRows.of(whole, target, owners), "quantile")
    alone = steps(made, flat, WholeRows(whole, target), "quantile")
    assert len(trained.units) == 17
    for unit in range(17):
        part = trained.summed(np.array([unit]))
        assert sum(int(number) ** 2 for number in part) <= trained.clipping.longest**2
        rows = np.flatnonzero(owners == unit)
        mean = sum(alone.summed(np.array([row])) for row in rows) / len(rows)
        assert part == pytest.approx(mean, abs=2.0**22)  # truncated once more
    together = trained.summed(np.arange(17))
    assert (together == sum(trained.summed(np.array([unit])) for unit in range(17))).all()


def test_rows_of_any_kind_are_within_their_reach() -> None:
    corners = np.array(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3)).reshape(3, -1).T
    rows = np.vstack([corners, 1e6 * corners, np.array(EVIL)[:, None] * np.ones(3), np.full((1, 3), 0.3)])
    middle = np.array([0.1, -0.2, 0.05])
    for columns, longest in ((WholeBox(Box.of((-1, 1), width=3)), 0.5), (WithinBall(Ball.of(1)), 1.0)):
        for spread in (0.05, 0.5, 2.0):
            seen = SpreadRows(columns, Centered(middle, spread, 10), longest)
            whole = seen.whole(rows)
            lengths = np.linalg.norm(whole.astype(float), axis=1) * 2.0**-seen.bits
            assert lengths.max() <= seen.reach
            assert seen.reach * 2.0**seen.bits <= 2.0**26
            assert all((seen.whole(rows[at : at + 1]) == whole[at]).all() for at in range(len(rows)))
            assert abs(columns.unit(rows)).max() <= longest
            assert whole.dtype in (np.int16, np.int32)


def test_a_middle_that_noise_put_beyond_all_rows_makes_none_longer() -> None:
    """Of 4 columns, where the longest number of a row is a quarter: corners of the box are as far as they may be."""
    columns = WholeBox(Box.of((-1, 1), width=4))
    assert NetworkModel._longest(MLPClassifier(bounds=(-1, 1)), 4) == columns.longest == 0.25
    for middle in (np.full(4, 0.5), np.array([1.0, 0.0, 0.0, 0.0])):
        seen = SpreadRows(columns, Centered(middle, 0.05, 10), columns.longest)
        whole = seen.whole(np.array([[-1.0] * 4, [1.0] * 4])).astype(float)
        assert np.linalg.norm(whole, axis=1).max() * 2.0**-seen.bits <= seen.reach


def test_sums_of_deep_networks_are_finite_whatever_the_parameters() -> None:
    """Weights of 16 hidden layers that noise made huge: they are shortened, and no product leaves the floats."""
    made = network((8,) * MOST_LAYERS, "identity", 4)
    flat, whole, target = drawn(made, 20, seed=8, far=1e30)
    trained = steps(made, flat, WholeRows(whole, target), 1e-3)
    parts = np.array([trained.summed(np.array([row])) for row in range(20)])
    assert max(sum(int(number) ** 2 for number in part) for part in parts) <= ONE**2
    assert parts.any()
    assert (trained.summed(np.arange(20)) == parts.sum(axis=0)).all()
    with pytest.raises(InvalidParameter, match="16 hidden layers, got 17"):
        network((8,) * (MOST_LAYERS + 1))
    with pytest.raises(InvalidParameter, match="8,192 classes"):
        network(classes=MOST_CLASSES + 1)


def test_functions_of_single_numbers_are_close_and_the_same_wherever_they_stand() -> None:
    numbers = np.random.default_rng(6).normal(size=(1001, 4)) * 10
    numbers[0] = [0.0, -0.0, 500.0, -500.0]
    small = exponentials(-np.abs(numbers))
    assert small == pytest.approx(np.exp(-np.abs(numbers)), abs=2.0**-38)
    assert hyperbolic_tangents(numbers) == pytest.approx(np.tanh(numbers), abs=2.0**-37)
    chances = chances_of(numbers)
    assert chances == pytest.approx(torch.softmax(torch.tensor(numbers), dim=1).numpy(), abs=2.0**-36)
    assert chances_of(numbers[:, :1]) == pytest.approx(1 / (1 + np.exp(-numbers[:, :1])), abs=2.0**-36)
    for function in (chances_of, hyperbolic_tangents):
        together = function(numbers)
        assert all((function(numbers[at : at + 1].copy()) == together[at]).all() for at in range(1001))
    assert [bits_of(each) for each in (0.5, 1.0, 1.1, 2.0)] == [0, 1, 1, 2]
    assert toward_zero(np.array([-1.3, 1.3]), 1).tolist() == [-1.0, 1.0]


def test_the_length_that_follows_finds_the_median() -> None:
    made = network((), "identity", 4)
    flat, whole, target = drawn(made, 1000, seed=7)
    trained = steps(made, flat, WholeRows(whole, target), "quantile")
    frozen = StepRule(0.0, 0.0, 1000.0)
    trained.rule = frozen
    for _ in range(200):
        trained.move(trained.summed(np.arange(1000)))
    layers = made.layers(flat)
    values = made.values(layers, whole.astype(float))
    squares = made.squared_lengths(layers, values, made.slopes(layers, values, target))
    assert trained.length == pytest.approx(float(np.median(np.sqrt(squares))), rel=0.1)


def test_the_first_parameters_are_public_and_look_normal() -> None:
    made = WholeNetwork((100, 50, 3), "relu", 8.0, BITS, 3)
    flat = first_parameters(made, 5.0)
    assert (flat == first_parameters(made, 5.0)).all()
    weights = next(made.parts(flat))[0]
    assert float(weights.std()) == pytest.approx(2**0.5 / 5, rel=0.05)
    assert float(abs(weights.mean())) < 0.02


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(InvalidParameter, match="activation must be"):
        network(activation="swish")
    for wrong in ("flat", 0, -1, True, None, 1e9):
        with pytest.raises(InvalidParameter, match="clipping must be"):
            RowClipping.of(wrong)
