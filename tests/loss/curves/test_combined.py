import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, LaplaceCurve, MixtureCurve, Neighbors, PrivacyLoss, TabulatedCurve, WorstOfCurve
from privet.loss.curves.combined import ReversedCurve
from privet.loss.curves.sampled import SampledCurve

of = PrivacyLoss.of
GRID = np.linspace(0, 2, 21)


def test_the_worst_is_the_largest_at_every_point() -> None:
    a = LaplaceCurve(1)
    b = GaussianCurve("0.9")
    worst = WorstOfCurve((of(a), of(b))).removing(GRID)
    np.testing.assert_array_equal(worst, np.maximum(a.removing(GRID), b.removing(GRID)))
    with pytest.raises(InvalidParameter, match="at least one"):
        WorstOfCurve(())


def test_a_mixture_is_the_mean() -> None:
    a = LaplaceCurve(1)
    b = GaussianCurve("0.9")
    mixed = MixtureCurve(("0.25", "0.75"), (of(a), of(b)))
    np.testing.assert_allclose(mixed.removing(GRID), 0.25 * a.removing(GRID) + 0.75 * b.removing(GRID), rtol=1e-12)
    assert of(mixed).epsilon(1e-6) < of(b).epsilon(1e-6)
    with pytest.raises(InvalidParameter, match="add up to 1"):
        MixtureCurve(("0.25",), (of(a),))


def test_a_table_is_read_between_its_points_from_above() -> None:
    exact = LaplaceCurve(1)
    points = tuple((float(e), float(d)) for e, d in zip(GRID, exact.removing(GRID), strict=True))
    fine = np.linspace(0, 2, 201)
    assert np.all(TabulatedCurve(points).removing(fine) >= exact.removing(fine) * (1 - 1e-12))
    table = of(TabulatedCurve(((1, "1e-5"),)), 4)
    assert table.delta(4) == pytest.approx(4e-5, rel=1e-4)
    assert table.epsilon("1e-6") == float("inf")
    with pytest.raises(InvalidParameter, match="at least one"):
        TabulatedCurve(())


def test_reversed_exchanges_the_directions() -> None:
    curve = SampledCurve(of(GaussianCurve(1)), "0.1")
    turned = ReversedCurve(curve)
    np.testing.assert_array_equal(turned.removing(GRID), curve.adding(GRID))
    np.testing.assert_array_equal(turned.adding(GRID), curve.removing(GRID))
    assert turned.renyi(2.0) == curve.renyi(2.0)[::-1]
    assert of(turned, 10).epsilon(1e-6) == of(curve, 10).epsilon(1e-6)


def test_a_group_may_be_spread_over_disjoint_parts() -> None:
    """Two people, one in each part: both parts change, which the worst single part does not cover."""
    parts = of(TabulatedCurve(((1, "0.01"),))) | of(TabulatedCurve(((1, "0.02"),)))
    spread = of(TabulatedCurve(((1, "0.01"),))) + of(TabulatedCurve(((1, "0.02"),)))
    for epsilon in (0.5, 1.0, 2.0, 3.0):
        assert parts.group(2).delta(epsilon) >= spread.delta(epsilon) * (1 - 1e-9)
    assert parts.group(1) == parts
    moved = parts.under(Neighbors.REPLACE)
    assert moved.group(2).delta(4) >= moved.delta(4)


def test_worst_of_groups() -> None:
    worst = of(WorstOfCurve((of(LaplaceCurve(1)), of(LaplaceCurve("0.5")))))
    assert worst.group(3).epsilon(0) == 3
