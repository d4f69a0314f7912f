"""What comes of a row follows from that row alone, to the last bit: rounded afterwards, a bit would be a step."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.learn import noisy_descent
from privet.learn.centered_rows import HalfDiagonal
from privet.learn.features import Ball, Box
from privet.learn.kernel_svc import FourierFeatures
from privet.learn.log_loss import LogLoss
from privet.learn.nearest_sums import nearest_by
from privet.learn.noisy_descent import summed
from privet.learn.rows import Rows
from privet.mechanisms.linear_loss import HuberHinge, LinearLoss, SoftHinge, SoftmaxLoss
from privet.mechanisms.row_products import BLOCK, row_products

RANDOM = np.random.default_rng(3)
LABELS = np.array(["a", "b"])
FINEST = 52  # bits: a lattice on which the last bit of a number is a step


@pytest.mark.parametrize(("width", "many"), [(1, 1), (20, 1), (20, 3), (3, 17), (130, 2)])
def test_products_of_a_row_are_the_same_wherever_it_stands(width: int, many: int) -> None:
    rows, factors = RANDOM.normal(size=(BLOCK + 9, width)), RANDOM.normal(size=(width, many))
    together = row_products(rows, factors)
    assert np.allclose(together, rows @ factors)
    assert (together == row_products(np.asfortranarray(rows), factors)).all()
    order = RANDOM.permutation(len(rows))
    assert (together[order] == row_products(rows[order], factors)).all()
    for count in (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33):
        assert (together[:count] == row_products(rows[:count], factors)).all()
        assert (together[-count - 1 :] == row_products(rows[-count - 1 :], factors)).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_row_that_does_not_count_changes_no_length_of_others(order: Any) -> None:  # noqa: ANN401 - a literal
    """Without it the table was handed on as it is, column by column in memory: sums along rows came out other."""
    features = np.asarray(RANDOM.normal(size=(400, 20)), order=order)
    target = LABELS[np.arange(400) % 2].astype(object)
    found = []
    for last in ("a", "never heard of"):
        target[-1] = last
        rows, _ = Rows.of(features, target, width=20, classes=("a", "b")).read_pairs()
        assert rows.flags.c_contiguous
        found.append(Ball(Fraction(1), bits=FINEST).unit(rows)[:399])
    assert (found[0] == found[1]).all()


@pytest.mark.parametrize("columns", [1, 2, 9, 20])
def test_what_rows_become_is_the_same_wherever_they_stand(columns: int) -> None:
    rows = RANDOM.normal(size=(300, columns))
    box = Box.of((-1, 1), width=columns)
    waves = FourierFeatures(HalfDiagonal(box, columns), columns, 7, 1.0)
    ball = Ball(Fraction(1), bits=FINEST)
    for unit in (box.finer(FINEST).unit, ball.unit, lambda some: angles(waves, some)):
        together = unit(rows)
        assert (together == np.vstack([unit(rows[at : at + 1]) for at in range(300)])).all()
        assert (together[7:] == unit(rows[7:])).all()


def angles(waves: FourierFeatures, rows: Any) -> Any:  # noqa: ANN401 - arrays
    """Waves before they are rounded."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("privet.learn.kernel_svc.Ball", lambda radius: Ball(radius, bits=FINEST))
        return waves.unit(rows)


@pytest.mark.parametrize(
    "loss", [SoftHinge(), HuberHinge(), SoftmaxLoss(3), SoftmaxLoss(12)], ids=["logistic", "hinge", "3", "12"]
)
def test_gradients_add_up_to_those_of_rows_alone(loss: LinearLoss, monkeypatch: pytest.MonkeyPatch) -> None:
    """With slopes so fine that a last bit that follows another row would move a step of some of 500."""
    monkeypatch.setattr(noisy_descent, "SLOPE_BITS", 50)
    monkeypatch.setattr(noisy_descent, "ROW_BITS", 2)
    rows = np.ascontiguousarray(Ball(Fraction(1)).unit(RANDOM.normal(size=(500, 20))))
    codes = np.arange(500) % loss.classes
    place = RANDOM.normal(size=(loss.outputs, 20)) * 3
    alone = sum(summed(loss, rows[at : at + 1], codes[at : at + 1], place) for at in range(500))
    assert (summed(loss, rows, codes, place) == alone).all()


@pytest.mark.parametrize("classes", [3, 9, 40])
def test_what_a_row_says_to_a_tree_is_the_same_wherever_it_stands(
    classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.learn.log_loss.UNIT", 1 << 52)
    scores, target = RANDOM.normal(size=(classes, 200)) * 3, np.arange(200) % classes
    together = LogLoss(classes).statements(scores, target)[:classes]
    alone = [LogLoss(classes).statements(scores[:, [at]], target[[at]])[:classes] for at in range(200)]
    assert (together == np.hstack(alone)).all()


def test_ties_between_centers_are_decided_alike_in_any_number_of_columns() -> None:
    for columns in (2, 9000):
        near = RANDOM.uniform(-1, 1, size=(1, columns))
        centers = np.vstack([near, near[:, ::-1]])
        rows = np.vstack([(near + near[:, ::-1]) / 2 + RANDOM.normal(size=(1, columns)) * 2.0**-30 for _ in range(30)])
        nearest = nearest_by(np.ones(columns))
        together = nearest(rows, centers)
        assert (together == np.concatenate([nearest(rows[at : at + 1], centers) for at in range(30)])).all()
