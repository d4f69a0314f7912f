"""MLPClassifier and MLPRegressor: the contract, defaults, and what is refused."""

from typing import ClassVar

from privet.learn import MLPClassifier, MLPRegressor
from tests.contracts.estimator import EstimatorContract, Example

SMALL = {"hidden_layer_sizes": (8,), "steps": 25}


class TestContract(EstimatorContract):
    """Small networks and few steps, so that it is fast."""

    EXAMPLES: ClassVar[list[Example]] = [
        Example(
            MLPClassifier,
            declared={"bounds": (0, 1), "classes": [0, 1, 2], **SMALL},
            required=("bounds",),
            classes=(0, 1, 2),
            delta="1e-6",
            methods=("predict", "predict_proba", "decision_function"),
            checks={"steps": 100, "rate": 1},
        ),
        Example(
            MLPRegressor,
            declared={"bounds": (0, 1), "target_bounds": (0, 1), **SMALL},
            required=("bounds", "target_bounds"),
            delta="1e-6",
            checks={"steps": 100, "rate": 1},
        ),
    ]
