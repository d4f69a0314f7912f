"""RandomFeaturesClassifier: the contract, images, and what is refused."""

import pickle
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_digits

from privet.errors import InvalidParameter
from privet.learn import RandomFeaturesClassifier
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.contracts.estimator import EstimatorContract, Example

IMAGES: dict[str, Any] = {
    "features": "scattering",
    "image_shape": (8, 8),
    "bounds": (0, 16),
    "classes": range(10),
    "angles": 4,
    "steps": 40,
    "delta": 1e-5,
}


class TestContract(EstimatorContract):
    """Few waves and few steps, so that it is fast."""

    EXAMPLES: ClassVar[list[Example]] = [
        Example(
            RandomFeaturesClassifier,
            declared={"bounds": (0, 1), "classes": [0, 1, 2], "pairs": 20, "steps": 25},
            required=("bounds",),
            classes=(0, 1, 2),
            delta="1e-6",
            methods=("predict", "predict_proba", "decision_function"),
            checks={"steps": 150, "rate": 1, "pairs": 60, "gamma": 20},
        )
    ]


def test_images_are_learned_at_a_small_price_and_not_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1,797 digits; with an ε of 1/1000 nothing is learned, so the noise is there."""
    features, target = load_digits(return_X_y=True)
    monkeypatch.setattr("privet.core.ledger.Entropy", lambda: seeded_entropy_for_tests(5))
    model = RandomFeaturesClassifier(epsilon=1, **IMAGES).fit(features, target)
    noise = RandomFeaturesClassifier(epsilon=0.001, **IMAGES).fit(features, target)
    assert model.score(features, target) > 0.85
    assert noise.score(features, target) < 0.5
    assert model.privacy_.public["features"] == "100 scattering features"
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    assert (again.decision_function(features[:9]) == model.decision_function(features)[:9]).all()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"features": "wavelets"}, "features must be one of fourier, scattering, got 'wavelets'"),
        ({"image_shape": None}, "image_shape must be"),
        ({"image_shape": (8, 9)}, "8 times 9 are not 64"),
        ({"image_shape": (2, 32)}, "at least 7 by 7 pixels"),
        ({"bounds": None, "norm": 1}, "needs bounds"),
        ({"angles": 0}, "angles"),
        ({"scales": 9}, "scales"),
        ({"features": "fourier", "gamma": -1}, "gamma"),
        ({"features": "fourier", "pairs": 0}, "pairs"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_paid(more: dict[str, Any], said: str) -> None:
    model = RandomFeaturesClassifier(**{**IMAGES, "epsilon": 1, **more})
    with pytest.raises(InvalidParameter, match=said):
        model.fit(np.zeros((4, 64)), [0, 1, 2, 3])
    assert not hasattr(model, "privacy_")


def test_steps_see_as_many_rows_as_is_good_where_many_are_expected() -> None:
    foreseen = RandomFeaturesClassifier(epsilon=1, expected_rows=60_000, **IMAGES).explain(columns=64)
    assert "0.2731 of the rows" in str(foreseen)
