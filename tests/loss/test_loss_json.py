import json
from dataclasses import dataclass

import pytest

from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, LaplaceCurve, LossCurve, PrivacyLoss
from privet.loss.curve import Array
from tests.loss.examples import CURVES, Triangle

of = PrivacyLoss.of


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_every_curve_survives_a_round_trip(curve: LossCurve) -> None:
    loss = of(curve, 7)
    restored = PrivacyLoss.from_json(loss.to_json(), curves=[Triangle])
    assert restored == loss
    assert hash(restored) == hash(loss)
    assert restored.to_json() == loss.to_json()


def test_facts_are_readable() -> None:
    loss = of(GaussianCurve(0.31), 40) + of(LaplaceCurve("1/3"))
    assert json.loads(loss.to_json()) == {
        "loss": [{"curve": "gaussian", "mu": 0.31, "times": 40}, {"curve": "laplace", "epsilon": "1/3", "times": 1}]
    }
    assert repr(loss) == "PrivacyLoss(gaussian(mu=0.31) × 40 + laplace(epsilon=1/3))"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "1",
        '{"loss": 3}',
        '{"loss": [{"curve": "gaussian"}]}',
        '{"loss": [{"curve": "laplace", "epsilon": -1, "times": 1}]}',
    ],
)
def test_refuses_what_is_no_loss(text: str) -> None:
    with pytest.raises(InvalidParameter):
        PrivacyLoss.from_json(text)


def test_unknown_curves_are_named() -> None:
    with pytest.raises(InvalidParameter, match=r"triangle.*curves="):
        PrivacyLoss.from_json(of(Triangle(1.0)).to_json())


class Bare(LossCurve):
    """Not a dataclass: it has no facts."""

    def __hash__(self) -> int:
        return 1

    def removing(self, epsilon: Array) -> Array:
        return epsilon * 0


@dataclass(frozen=True)
class Lonely(LossCurve):
    """A curve with no parameters at all."""

    def removing(self, epsilon: Array) -> Array:
        return epsilon * 0


def test_a_curve_without_facts_can_be_priced_but_not_written() -> None:
    assert of(Bare()).delta(1) < 1e-300
    assert repr(of(Bare())) == "PrivacyLoss(bare)"
    with pytest.raises(InvalidParameter, match="frozen dataclass"):
        of(Bare()).to_json()
    assert PrivacyLoss.from_json(of(Lonely()).to_json(), curves=[Lonely]) == of(Lonely())
