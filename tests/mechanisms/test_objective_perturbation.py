"""ObjectivePerturbation: the contract in one dimension, and every curve against the density of what is released.

The density is worked out by other means than the mechanism's code: rows, penalty and noise give the noise at each
parameter and the second derivative there, which are added up over a fine grid.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, PrivacyLoss
from privet.loss.curves.objective import PerturbedObjectiveCurve
from privet.mechanisms.linear_loss import HuberHinge, LinearLoss, MarginLoss, SoftHinge, SoftmaxLoss
from privet.mechanisms.objective_perturbation import ObjectivePerturbation
from privet.mechanisms.output_perturbation import OutputPerturbation
from privet.mechanisms.perturbed_minimiser import LabeledRows, PerturbedMinimiser
from privet.noise import BitSource
from tests.contracts.mechanism import Example, Law, MechanismContract, hockey_stick
from tests.support.statistics import FALSE_ALARM

Rows = Sequence[tuple[float, int]]
Floats = NDArray[np.float64]
POINTS = 6001
CELL = 0.5
SLACK = 2e-4  # what a grid of so many points may add to δ
LOSSES = [SoftHinge(), SoftHinge(Fraction(1, 2), corner=1), HuberHinge(Fraction(1, 2))]


def labeled(rows: Rows, width: int = 1) -> LabeledRows:
    features = np.zeros((len(rows), width))
    features[:, 0] = [u for u, _ in rows]
    return LabeledRows(features, np.array([y for _, y in rows], dtype=np.int64))


def derivatives(loss: MarginLoss, rows: Rows, place: Floats) -> tuple[Floats, Floats]:
    """The first and second derivative of the sum of losses, by the textbook."""
    first, second = np.zeros_like(place), np.zeros_like(place)
    for u, y in rows:
        signed = (2 * y - 1) * u
        margin = signed * place
        if isinstance(loss, SoftHinge):
            half = float(loss.width)
            share = 1 / (1 + np.exp(np.clip((margin - loss.corner) / half, -700, 700)))
            bend = share * (1 - share) / half
        else:
            half = float(loss.width)  # type: ignore[attr-defined] # the other hinge
            share = np.clip((1 + half - margin) / (2 * half), 0, 1)
            bend = (np.abs(1 - margin) < half) / (2 * half)
        first -= signed * share
        second += u * u * bend
    return first, second


def grid(mechanism: PerturbedMinimiser) -> tuple[Floats, Floats]:
    """Middles and widths of cells: everywhere the noise reaches, and fine where losses bend."""
    far = (40 if not mechanism.gaussian else 9) * float(mechanism.scale) + 12
    ends = np.linspace(-far, far, POINTS) / float(mechanism.penalty)
    edges = np.unique(np.concatenate([ends, np.linspace(-3, 3, POINTS)]))
    return (edges[1:] + edges[:-1]) / 2, np.diff(edges)


def density(mechanism: PerturbedMinimiser, rows: Rows, place: Floats, wider: float = 1.0) -> Floats:
    """The density of the minimiser, by the change of variables."""
    first, second = derivatives(mechanism.row_loss, rows, place)  # type: ignore[arg-type] # of margins
    scale = float(mechanism.scale) * wider
    noise = (first + float(mechanism.penalty) * place) / scale
    law = np.exp(-(noise**2) / 2) / math.sqrt(2 * math.pi) if mechanism.gaussian else np.exp(-np.abs(noise)) / 2
    found: Floats = law * (second + float(mechanism.penalty)) / scale
    return found


def worst(mechanism: PerturbedMinimiser, pairs: Sequence[tuple[Rows, Rows]], loss: PrivacyLoss, most: float) -> float:
    """How far δ is above the claim at worst."""
    place, width = grid(mechanism)
    above = -1.0
    levels = np.linspace(0, most, 13)
    for one, other in pairs:
        p, q = density(mechanism, one, place) * width, density(mechanism, other, place) * width
        for adding, (a, b) in ((False, (p, q)), (True, (q, p))):
            claims = loss.profile(levels, adding=adding)
            for level, claim in zip(levels, claims, strict=True):
                above = max(above, float(np.maximum(a - math.exp(level) * b, 0).sum()) - claim)
    return above


def largest(mechanism: PerturbedMinimiser, pairs: Sequence[tuple[Rows, Rows]]) -> float:
    """The largest logarithm of a ratio of densities, in either direction."""
    place = grid(mechanism)[0]
    ratios = [np.abs(np.log(density(mechanism, one, place) / density(mechanism, other, place))) for one, other in pairs]
    return max(float(np.nanmax(ratio)) for ratio in ratios)


RECORDS = [(1.0, 1), (1.0, 0), (-1.0, 1), (0.5, 1)]
COMMON: list[Rows] = [[], [(1.0, 0)], [(-1.0, 1), (1.0, 1), (-0.5, 1), (1.0, 0)], [(1.0, 0)] * 9]
WITH = [([*common, record], common) for common, record in product(COMMON, RECORDS)]
REPLACED = [([*common, one], [*common, other]) for common in COMMON for one, other in product(RECORDS[:3], RECORDS)]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("penalty", [0.1, 0.7, 1.9, 4.0])
@pytest.mark.parametrize("replaced", [False, True])
def test_the_released_density_keeps_the_claim(loss: MarginLoss, penalty: float, replaced: bool) -> None:  # noqa: FBT001 - both relations
    """One more, one less and one replaced, at the corners of the rows; a claim for much more noise is broken."""
    louder = 4 if replaced else 2  # two gradients of logistic loss at one row add up to 1, not 2
    pairs = REPLACED if replaced else WITH
    made = [
        ObjectivePerturbation(loss, 1, penalty=penalty, scale=scale, gaussian=kind, replaced=replaced)
        for kind, scale in ((True, 1), (True, louder), (False, 1), (False, louder))
    ]
    claims = [each.main_loss for each in made]
    most = 3 * float(made[0].reach)
    assert worst(made[0], pairs, claims[0], most) <= SLACK
    assert largest(made[2], pairs) <= claims[2].epsilon(0) + 1e-12
    if penalty == 4:
        assert worst(made[0], pairs, claims[1], most) > 10 * SLACK
        assert largest(made[2], pairs) > claims[3].epsilon(0)


def test_what_is_said_to_be_free_is_free_and_no_more() -> None:
    """Logistic curvature costs nothing from the stated penalty on; Huber's does, and less penalty does."""
    free = ObjectivePerturbation(SoftHinge(), 1, penalty=2, scale=1, gaussian=True)
    assert free.main_loss == PrivacyLoss.of(GaussianCurve(1))
    assert ObjectivePerturbation(SoftHinge(), 1, penalty=1.99, scale=1, gaussian=True).main_loss != free.main_loss
    huber = ObjectivePerturbation(HuberHinge(), 1, penalty=2, scale=1, gaussian=True)
    assert worst(huber, WITH, PrivacyLoss.of(GaussianCurve(1)), 3) > 2 * SLACK
    less = ObjectivePerturbation(SoftHinge(), 1, penalty="0.02", scale=1, gaussian=True)
    assert worst(less, WITH, PrivacyLoss.of(GaussianCurve(1)), 3) > 2 * SLACK
    pure = ObjectivePerturbation(SoftHinge(), 1, penalty=1, scale=1, gaussian=False)
    assert pure.main_loss.epsilon(0) == 1
    assert ObjectivePerturbation(SoftHinge(), 1, penalty="0.99", scale=1, gaussian=False).main_loss.epsilon(0) > 1.2


def test_rows_twice_as_long_bend_four_times_as_much() -> None:
    """Curvature times the length, not its square, is below the truth: the bound of a Huber hinge is attained."""
    mechanism = ObjectivePerturbation(HuberHinge(), 1, penalty=1, scale=1, gaussian=False)
    true = largest(mechanism, [([*common, (2.0, 1)], common) for common in COMMON])
    wrong, right = (2 + math.log1p(2**power * float(mechanism.row_loss.trace)) for power in (1, 2))
    assert wrong + 0.1 < true <= right


@pytest.mark.parametrize(("far", "gain"), [(5, 3.0), (10, 7.9), (20, 17.9)])
def test_an_intercept_that_is_not_penalised_has_no_bound(far: float, gain: float) -> None:
    """Two rows at (1, 0), a third at (1, -1): the determinant grows by any factor as the parameters grow."""
    rows = np.array([[1.0, 0.0], [1.0, 0.0]])
    place, more = np.array([far, far]), np.array([1.0, -1.0])

    def bend(row: Floats) -> float:
        share = 1 / (1 + math.exp(-float(row @ place)))
        return share * (1 - share)

    def determinant(free: float) -> float:
        second = sum((bend(row) * np.outer(row, row) for row in rows), np.diag([free, 1.0]))
        return math.log(np.linalg.det(second + bend(more) * np.outer(more, more)) / np.linalg.det(second))

    bound = float(ObjectivePerturbation(SoftHinge(), 2, penalty=1, scale=1, gaussian=True).bend) * 2
    assert determinant(1.0) <= bound
    assert determinant(1e-300) == pytest.approx(gain, abs=0.1)
    assert determinant(1e-300) > bound


def softmax_density(penalty: float, rows: Rows, place: Floats, scale: float, *, gaussian: bool) -> Floats:
    """Three classes, one column: the density over two predictions, in an orthonormal frame of its own."""
    frame = np.array([[1, 1], [-1, 1], [0, -2]]) / np.sqrt([2, 6])
    scores = place @ frame.T
    noise, second = penalty * place, np.broadcast_to(penalty * np.eye(2), (len(place), 2, 2)).copy()
    for u, y in rows:
        chance = np.exp(u * scores - (u * scores).max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        noise = noise + u * (chance - np.eye(3)[y]) @ frame
        spread = np.einsum("nk,ka,kb->nab", chance, frame, frame)
        middle = chance @ frame
        second += u * u * (spread - middle[:, :, None] * middle[:, None, :])
    size = np.linalg.norm(noise, axis=1) / scale
    law = np.exp(-(size**2) / 2) if gaussian else np.exp(-size)
    found: Floats = law * np.linalg.det(second) / (2 * math.pi * scale**2)
    return found


@pytest.mark.parametrize("penalty", [0.3, 3.0])
def test_three_classes_keep_the_claim(penalty: float) -> None:
    """Over two predictions; a claim for four times the noise is broken."""
    axis = np.linspace(-1, 1, 141) * 24 / penalty
    area = (axis[1] - axis[0]) ** 2
    place = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    broken = [-1.0, -1.0]
    for common, replaced in product(([], [(1.0, 0)] * 6), (False, True)):
        other = [*common, (1.0, 2)] if replaced else common
        made = {
            (kind, scale): ObjectivePerturbation(
                SoftmaxLoss(3), 1, penalty=penalty, scale=scale, gaussian=kind, replaced=replaced
            )
            for kind, scale in product((True, False), (2, 8))
        }
        a, b = (softmax_density(penalty, rows, place, 2, gaussian=True) for rows in ([*common, (1.0, 1)], other))
        for level, adding in product((0.0, 0.3, 0.8, 1.5), (False, True)):
            p, q = (b, a) if adding else (a, b)
            true = float(np.maximum(p - math.exp(level) * q, 0).sum()) * area
            assert true <= float(made[True, 2].main_loss.profile(np.array([level]), adding=adding)[0]) + 1e-3
            claim = float(made[True, 8].main_loss.profile(np.array([level]), adding=adding)[0])
            broken[0] = max(broken[0], true - claim)
        a, b = (softmax_density(penalty, rows, place, 2, gaussian=False) for rows in ([*common, (1.0, 1)], other))
        ratio = float(np.abs(np.log(a / b)).max())
        assert ratio <= made[False, 2].main_loss.epsilon(0) + 1e-12
        broken[1] = max(broken[1], ratio - made[False, 8].main_loss.epsilon(0))
    if penalty > 1:
        assert broken[0] > 0.01
        assert broken[1] > 0.01


# --- the contract -------------------------------------------------------------------------------------------------


def law_of(mechanism: PerturbedMinimiser, wider: float) -> Callable[[LabeledRows], Law]:
    @cache
    def known(rows: tuple[tuple[float, int], ...]) -> Law:
        fine = np.linspace(-60, 60, 240_001)[:-1] + 60 / 240_000
        mass = density(mechanism, rows, fine, wider) * (fine[1] - fine[0])
        places = np.floor(fine / CELL).astype(int)
        found = np.bincount(places - places[0], weights=mass / max(float(mass.sum()), 1.0))
        return {int(at) + int(places[0]): float(each) for at, each in enumerate(found)}

    return lambda value: known(tuple(zip(value.features[:, 0].tolist(), value.codes.tolist(), strict=True)))


def example(mechanism: PerturbedMinimiser, pair: tuple[Rows, Rows], rows: int, **more: Any) -> Example:  # noqa: ANN401 - keywords
    return Example(
        mechanism=mechanism,
        pair=(labeled(pair[0]), labeled(pair[1])),
        law=law_of(mechanism, 1.0),
        wrong_law=law_of(mechanism, 2.2),
        outcome=lambda answer: math.floor(float(np.asarray(answer)[0, 0]) / CELL),
        sensitivity=Sensitivity(rows),
        too_far=Sensitivity(rows + 1),
        trials=300,
        **more,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(
            ObjectivePerturbation(SoftHinge(), 1, penalty=1, scale=1, gaussian=True),
            ([(1.0, 1), (1.0, 0), (1.0, 1)], [(1.0, 1), (1.0, 0)]),
            1,
        ),
        example(
            ObjectivePerturbation(HuberHinge(), 1, penalty=2, scale=1, gaussian=False, replaced=True),
            ([(1.0, 1), (1.0, 1)], [(1.0, 1), (1.0, 0)]),
            2,
        ),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [5, None, np.zeros((2, 1))]


def test_a_penalty_too_small_for_floats_is_refused_by_public_numbers() -> None:
    ObjectivePerturbation(SoftHinge(), 1, penalty=1, scale=64, gaussian=True)
    with pytest.raises(InvalidParameter, match="64th"):
        ObjectivePerturbation(SoftHinge(), 1, penalty="0.99", scale=64, gaussian=True)


def test_rows_that_are_not_clipped_are_refused() -> None:
    mechanism = ObjectivePerturbation(SoftHinge(), 1, penalty=1, scale=1, gaussian=True)
    for rows in ([(1.1, 1)], [(math.nan, 1)], [(0.5, 2)], [(0.5, -1)]):
        with pytest.raises(InvalidParameter):
            mechanism.check(labeled(rows))
    with pytest.raises(InvalidParameter):
        mechanism.check(labeled([(0.5, 1)], width=2))
    mechanism.check(labeled([]))


@pytest.mark.parametrize("gaussian", [True, False])
def test_the_noise_has_its_law_in_several_dimensions(source: BitSource, gaussian: bool) -> None:  # noqa: FBT001 - both kinds
    """Lengths are gamma or chi: mean and spread of 600 draws of 5 numbers, each within 5.2 deviations (1e-6)."""
    mechanism = ObjectivePerturbation(SoftHinge(), 5, penalty=1, scale=3, gaussian=gaussian)
    drawn = np.array([mechanism.noise(source)[0][0] for _ in range(600)])
    lengths = np.linalg.norm(drawn, axis=1) / 3
    mean = math.sqrt(2) * math.gamma(3) / math.gamma(2.5) if gaussian else 5.0
    spread = math.sqrt(5 - mean**2) if gaussian else math.sqrt(5)
    assert abs(float(lengths.mean()) - mean) < 5.2 * spread / math.sqrt(600)
    assert abs(float(lengths.mean()) - 1.3 * mean) > 5.2 * spread / math.sqrt(600)  # the control
    middle = np.abs(drawn.mean(axis=0)).max() / 3
    assert middle < 5.5 * math.sqrt((1 if gaussian else 6) / 600)
    assert FALSE_ALARM == 1e-6


def test_textbook_numbers_of_output_and_objective_perturbation() -> None:
    """Chaudhuri and others for n = 1000 and a share of 0.01 of it as penalty: here the same penalty is 10."""
    output = OutputPerturbation(SoftHinge(), 5, penalty=10, scale="0.2", gaussian=False, replaced=True)
    assert output.main_loss.epsilon(0) == pytest.approx(1.0, rel=1e-12)
    assert float(output.scale) * 5 == pytest.approx(1.0)  # the mean length of a gamma of 5
    for loss, left in ((SoftHinge(), 0.950615), (HuberHinge(), 0.809380)):
        textbook = 1 - math.log(1 + 2 * float(loss.curvature) / 10 + (float(loss.curvature) / 10) ** 2)
        assert textbook == pytest.approx(left, abs=1e-6)
        ours = ObjectivePerturbation(loss, 5, penalty=10, scale=2 / left, gaussian=False, replaced=True)
        assert ours.main_loss.epsilon(0) < 1  # the textbook charges the bend twice


@pytest.mark.parametrize("loss", [SoftHinge(), HuberHinge(), SoftmaxLoss(4)], ids=repr)
def test_the_solver_proves_what_balls_say(loss: LinearLoss, source: BitSource) -> None:
    """At the answer, at 0 and far away, the bound is above the exact gradient, and near it at the answer."""
    seeded = np.random.default_rng(3)
    rows = np.trunc(seeded.uniform(-0.5, 0.5, (700, 3)) * 2**20) / 2**20
    codes = seeded.integers(0, loss.classes, 700)
    mechanism = ObjectivePerturbation(loss, 3, penalty=1, scale=5, gaussian=True)
    push, rounded = mechanism.noise(source)
    from privet.mechanisms.objective_solver import PerturbedObjective  # noqa: PLC0415 - for this one

    objective = PerturbedObjective(loss, rows, codes, 1.0, push)
    found = objective.minimiser(mechanism.tolerance - rounded)
    for place in (found, 0 * found, 50 * found):
        gradient, radius = objective.exact_gradient(place)
        assert objective.left(place) >= float(np.linalg.norm(gradient)) - radius
        assert radius < 1e-12
    gradient, _ = objective.exact_gradient(found)
    assert float(np.linalg.norm(gradient)) <= mechanism.tolerance


def test_where_floats_prove_nothing_balls_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the float bound out of reach the same minimiser is found, and proven in balls."""
    from privet.mechanisms.objective_solver import PerturbedObjective  # noqa: PLC0415 - for this one

    rows = labeled([(1.0, 1), (0.5, 0), (-0.25, 1)] * 20)
    objective = PerturbedObjective(SoftHinge(), rows.features, rows.codes, 1.0, np.array([[2.0]]))
    usual = objective.minimiser(1e-9)
    monkeypatch.setattr(PerturbedObjective, "left", lambda _self, _place: math.inf)
    assert objective.minimiser(1e-9) == pytest.approx(usual, abs=1e-9)


def test_units_of_several_rows_and_released_numbers_on_a_lattice(source: BitSource) -> None:
    one, three = (ObjectivePerturbation(SoftHinge(), 1, penalty=50, scale=3, gaussian=True, moved=m) for m in (1, 3))
    assert three.main_loss == one.main_loss.group(3)
    assert not one.covers(Sensitivity(2))
    answer = one.sample(labeled([(1.0, 1)] * 4), source)
    step = float(one.solved.lattice.step)
    assert float(answer[0, 0] / step).is_integer()
    assert answer.shape == (1, 1)


def test_curves_for_one_relation_are_refused_under_the_other() -> None:
    curve = PerturbedObjectiveCurve("0.5", "0.1", replaced=True)
    assert len(curve.neighbors) == 1
    assert hockey_stick({0: 1.0}, {0: 1.0}, 0) == 0
    with pytest.raises(InvalidParameter):
        PerturbedObjectiveCurve("0.5", "0.1", corners=2, free=1)


def test_steps_across_a_bend_and_back_do_not_take_turns_for_ever() -> None:
    """Rows of one class, and hardly a penalty: where only the gradient had to fall, J grew from step to step."""
    from privet.mechanisms.objective_solver import PerturbedObjective  # noqa: PLC0415 - for this one

    slow = np.linspace(-0.1, 0.1, 400)
    rows = np.column_stack([np.repeat([-0.3, 0.3], 200) + slow, -2 * slow, np.full(400, 0.2)])
    for n in range(200):
        push = np.array([[0.001 * n - 0.1, 0.0007 * n, 0.03]])
        objective = PerturbedObjective(LOSSES[2], rows, np.zeros(400, dtype=np.int64), 0.0075, push)
        assert objective.left(objective.minimiser(2e-7)) <= 2e-7
