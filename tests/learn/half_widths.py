"""HalfWidths: the smallest transformer there is, for tests of what all transformers share."""

from typing import Any, Self, Unpack

from sklearn.base import OneToOneFeatureMixin

from privet.asking.best_noise import best_noise
from privet.core import Sensitivity
from privet.learn.features import Floats
from privet.learn.priced import Priced, priced
from privet.learn.private_transformer import PrivateTransformer


class HalfWidths(OneToOneFeatureMixin, PrivateTransformer):
    """Rows in half widths from the middle of their bounds; it counts the rows, so that there is something to pay."""

    @priced
    def __init__(self, *, bounds: Any = None, **_: Unpack[Priced]) -> None:  # noqa: ANN401 - any bounds
        self.bounds = bounds

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803, ARG002 - scikit-learn's names
        fitting = self._begin(X, groups=groups)
        self.box_ = self._box()
        sensitivity = Sensitivity(fitting.moved_rows)
        mechanism = best_noise(fitting.budget, sensitivity, whole=True)
        release = fitting.release(lambda rows: len(rows.read_features()), sensitivity, mechanism)
        self.n_rows_ = release.value
        self._keep_receipt(fitting, release.loss, mechanism=release.mechanism, public={"bounds": "one pair a column"})
        return self

    def _transformed(self, rows: Floats) -> Floats:
        return self.box_.unit(rows)
