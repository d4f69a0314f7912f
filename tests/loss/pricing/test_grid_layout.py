import numpy as np
import pytest

from privet.loss import LaplaceCurve
from privet.loss.pricing.grid import CAREFUL, QUICK, Direction, equal_grid
from privet.loss.pricing.grid_layout import LADDERS, moments


@pytest.mark.parametrize("epsilon", ["0.001", "0.05", "1", "20"])
def test_moments_in_closed_form_are_those_of_the_loss_distribution(epsilon: str) -> None:
    curve = LaplaceCurve(epsilon)
    tilts = LADDERS[QUICK].forward
    known = curve.moments(tilts)
    fine = moments(equal_grid(Direction(curve, adding=False), float(curve.largest_loss) / 4096, 4096, 4096), tilts)
    assert known is not None
    used = tilts > 2.0**-10  # below, the grid's own rounding shows
    np.testing.assert_allclose(known.logs[used], fine.logs[used], rtol=1e-4)
    np.testing.assert_allclose([known.mean, known.variance], [fine.mean, fine.variance], rtol=1e-6)


def test_moments_beyond_floats_are_left_to_the_grid() -> None:
    assert LaplaceCurve(2.0**-30).moments(LADDERS[QUICK].forward) is None
    assert LaplaceCurve(1).moments(LADDERS[CAREFUL].forward) is None
