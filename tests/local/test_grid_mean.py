import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import GridMean, OneBitMean
from privet.local.mean_variances import mean_variances
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(
            GridMean(bounds=(0, 3), epsilon=2, points=4),
            2,
            range(4),
            shares=(0.05, 0.9, 0.05, 0),
            targets=range(4),
        ),
    )
    REFUSED = (None, "a")


@pytest.mark.parametrize(
    ("epsilon", "laplace", "piecewise", "hybrid"),
    [(1, 8, 5.2236, 4.2890), (2, 2, 1.2276, 1.0423), (4, 0.5, 0.2414, 0.2190)],
)
def test_golden_variances_of_the_literature(epsilon: float, laplace: float, piecewise: float, hybrid: float) -> None:
    found = mean_variances(epsilon)
    assert [found[name] for name in ("laplace", "piecewise", "hybrid")] == pytest.approx(
        [laplace, piecewise, hybrid], abs=5e-5
    )
    assert found["grid_mean"] <= found["one_bit_mean"] * (1 + 1e-6)


def test_the_default_grid_is_the_best_and_beats_real_numbers_around_two() -> None:
    """Three points at ε = 2 have a largest variance of 1.0, below that of the hybrid mechanism (1.0423)."""
    assert GridMean(bounds=(0, 1), epsilon=2).points == 3
    assert mean_variances(2)["grid_mean"] < mean_variances(2)["hybrid"]
    for epsilon in (1, 3, 5):
        best = GridMean(bounds=(0, 1), epsilon=epsilon).points
        others = [GridMean(bounds=(0, 1), epsilon=epsilon, points=best + more) for more in (-1, 1) if best + more > 1]
        worst = [max(each.variance(f"{i}/60") for i in range(61)) for each in others]
        own = max(GridMean(bounds=(0, 1), epsilon=epsilon).variance(f"{i}/60") for i in range(61))
        assert min(worst) >= own * 0.98


def test_two_points_are_one_bit() -> None:
    two, one = GridMean(bounds=(0, 5), epsilon=1, points=2), OneBitMean(bounds=(0, 5), epsilon=1)
    for share in ("0", "0.3", "1"):
        assert two.variance(share) == pytest.approx(one.variance(share), rel=1e-6)


def test_values_between_grid_points_are_unbiased(source: BitSource) -> None:
    """n = 200,000: off by six standard errors with probability 2e-9; the control is the nearest grid point."""
    protocol = GridMean(bounds=(0, 1), epsilon=4, points=3)
    estimate = protocol.estimate(protocol.privatize(np.full(200_000, 0.6), entropy=source))
    assert abs(estimate.value - 0.6) < 6 * estimate.standard_error
    assert abs(estimate.value - 0.5) > 6 * estimate.standard_error
    assert estimate.standard_error == pytest.approx((protocol.variance("0.6") / 200_000) ** 0.5, rel=0.02)


def test_refuses_other_grids() -> None:
    with pytest.raises(InvalidParameter, match="points"):
        GridMean(bounds=(0, 1), epsilon=1, points=1)
    with pytest.raises(InvalidParameter):
        GridMean.from_config({**GridMean(bounds=(0, 1), epsilon=1).config, "points": 3})
