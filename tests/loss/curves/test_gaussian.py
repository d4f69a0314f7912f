import numpy as np
import pytest
from flint import arb, ctx

from privet.errors import InvalidParameter
from privet.loss import DiscreteGaussianCurve, GaussianCurve, PrivacyLoss
from tests.support.exact_sums import hockey_stick


def exact_delta(mu: float, epsilon: float) -> arb:
    """Balle and Wang's formula with 300 digits."""
    ctx.dps = 300
    a = arb(mu) / 2 - arb(epsilon) / mu
    b = -arb(mu) / 2 - arb(epsilon) / mu
    root = arb(2).sqrt()
    return ((-a / root).erfc() - arb(epsilon).exp() * (-b / root).erfc()) / 2


@pytest.mark.parametrize("mu", [1e-4, 0.01, 0.3, 1.0, 5.0, 40.0])
def test_never_below_the_formula_in_300_digits(mu: float) -> None:
    for depth in (0.0, 0.3, 1.0, 4.0, 10.0, 25.0, 36.0):
        epsilon = mu * depth + mu * mu / 2
        found = float(GaussianCurve(mu).removing(np.array([epsilon]))[0])
        exact = float(exact_delta(mu, epsilon))
        assert exact <= found <= exact * (1 + 1e-9 / min(mu, 1.0))


def test_published_values() -> None:
    one = PrivacyLoss.of(GaussianCurve(1))
    assert one.delta(1) == pytest.approx(0.126937, abs=5e-7)
    assert one.epsilon(0.1) == pytest.approx(1.160334, abs=5e-7)
    assert one.epsilon(1e-5) == pytest.approx(4.377178, abs=5e-7)


def test_many_gaussians_are_one() -> None:
    """Ten with sigma = 4 (mission row R106), and ten thousand with sigma = 100."""
    assert (PrivacyLoss.of(GaussianCurve("1/4")) * 10).epsilon(1e-5) == pytest.approx(3.341409, abs=5e-7)
    many = PrivacyLoss.of(GaussianCurve("0.01")) * 10_000
    assert many.epsilon(1e-6) == pytest.approx(PrivacyLoss.of(GaussianCurve(1)).epsilon(1e-6), rel=1e-13)


@pytest.mark.parametrize(("scale", "shift"), [(0.7, 1), (1, 1), (3, 2), (20, 7)])
def test_discrete_gaussian_against_its_sum(scale: float, shift: int) -> None:
    k = np.arange(-60 * shift - 900, 60 * shift + 900)
    weight = np.exp(-0.5 * (k / scale) ** 2)
    p = np.exp(-0.5 * ((k - shift) / scale) ** 2) / weight.sum()
    q = weight / weight.sum()
    for epsilon in (0.0, 0.1, 0.5, 2.0):
        found = DiscreteGaussianCurve(scale, shift).removing(np.array([epsilon]))[0]
        assert found == pytest.approx(hockey_stick(p, q, epsilon), rel=1e-9)


def test_wide_discrete_noise_is_priced_like_continuous_noise_or_above() -> None:
    wide = DiscreteGaussianCurve(30_000, 30_000)
    gaussian = GaussianCurve(1)
    for epsilon in (1.0, 4.0):
        exact = gaussian.removing(np.array([epsilon]))[0]
        assert exact < wide.removing(np.array([epsilon]))[0] < 20 * exact


def test_a_group_is_a_larger_distance() -> None:
    assert PrivacyLoss.of(GaussianCurve("0.2")).group(3) == PrivacyLoss.of(GaussianCurve("0.6"))


def test_discrete_groups_and_no_noise() -> None:
    assert PrivacyLoss.of(DiscreteGaussianCurve(3)).group(2) == PrivacyLoss.of(DiscreteGaussianCurve(3, 2))
    with pytest.raises(InvalidParameter, match="scale must be > 0"):
        DiscreteGaussianCurve(0)
