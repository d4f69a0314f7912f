"""scikit-learn's own checks of estimators, and the few that a private model fails on purpose, each with its reason."""

import sys
from functools import wraps
from typing import Any

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils import Tags

from privet.learn import PrivateClassifier, PrivateEstimator, PrivateRegressor
from privet.learn.private_estimator import declared_classes

EXCLUDED = {
    "check_dtype_object": "what is not a number counts as missing: an error would tell what one row holds",
    "check_estimators_empty_data_messages": "how many rows there are is private: none must look like one",
    "check_supervised_y_no_nan": "a target that is missing or infinite is one row's, and must not be told by an error",
    "check_fit_idempotent": "two fits draw two noises, and two sets of random trees: nothing of one may tell the other",
    "check_clustering": "it reads labels_ of the rows that were learned from, which would leave without noise",
}
BY_CHANCE = {"check_fit_idempotent"}  # with next to no noise most models pass it


def expected_failures(model: PrivateEstimator) -> dict[str, str]:
    """The checks among EXCLUDED that this kind of model has to fail."""
    passes = {
        "check_estimators_empty_data_messages": isinstance(model, PrivateClassifier),  # no labels to declare
        "check_supervised_y_no_nan": not isinstance(model, PrivateRegressor),  # the same
        "check_clustering": not isinstance(model, ClusterMixin),
    }
    return {name: reason for name, reason in EXCLUDED.items() if not passes.get(name, False)}


def checked(model: PrivateEstimator, *, poor_score: bool = False) -> PrivateEstimator:
    """The model as scikit-learn's checks can ask it: a classifier declares the labels of each y that it is given.

    The checks fit one model to several sets of labels. No set can be declared for all of them, and finding one in y is
    what a private model must never do, so this is for these checks alone.
    """
    kind = type(model)

    class Declaring(kind):  # type: ignore[misc,valid-type] # made of the class that is checked
        @wraps(kind.fit)
        def fit(self, X: Any, y: Any = None, **more: Any) -> Any:  # noqa: ANN401, N803 - scikit-learn's names
            self._found = y
            try:
                return super().fit(X, y, **more)
            finally:
                del self._found

        def partial_fit(self, X: Any, y: Any = None, **more: Any) -> Any:  # noqa: ANN401, N803 - scikit-learn's names
            self._found = more.get("classes", y)
            try:
                return super().partial_fit(X, y, **more)
            finally:
                del self._found

        def _labels(self) -> tuple[Any, ...] | None:
            if not isinstance(self, PrivateClassifier) or not hasattr(self, "_found"):
                return super()._labels()  # type: ignore[no-any-return]
            self.classes_ = declared_classes(np.unique(np.asarray(self._found)), kind.__name__)
            return tuple(self.classes_.tolist())

        def __sklearn_tags__(self) -> Tags:
            tags = super().__sklearn_tags__()
            if poor_score and tags.classifier_tags is not None:
                tags.classifier_tags.poor_score = True
            if poor_score and tags.regressor_tags is not None:
                tags.regressor_tags.poor_score = True
            return tags

    if not hasattr(kind, "partial_fit"):
        del Declaring.partial_fit
    Declaring.__name__ = kind.__name__
    Declaring.__qualname__ = name = f"checked_{kind.__name__}"  # where pickle looks for it
    Declaring.__module__ = __name__
    setattr(sys.modules[__name__], name, Declaring)
    made = Declaring(**model.get_params(deep=False))
    assert isinstance(made, PrivateEstimator)
    return made
