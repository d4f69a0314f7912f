"""PrivateTransformer: a model that turns rows into rows, in the kind of frame that it is given."""

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin

from privet.learn.features import Floats
from privet.learn.private_estimator import PrivateEstimator


class PrivateTransformer(TransformerMixin, PrivateEstimator):
    """A model of rows that become other rows.

    A subclass says what becomes of numbers (`_transformed`), and how the new columns are called, by a mixin of
    scikit-learn (`OneToOneFeatureMixin`, `ClassNamePrefixFeaturesOutMixin`).

    Privacy: the rows that `transform` returns are those it was given, seen through released numbers: of private rows
        they are private rows.

    Example:
        >>> from privet.learn import StandardScaler
        >>> scaler = StandardScaler(bounds=(0, 10), epsilon=10)
        >>> isinstance(scaler, PrivateTransformer), scaler.fit_transform([[2.0], [8.0]] * 500).shape
        (True, (1000, 1))
    """

    def transform(self, X: Any) -> Any:  # noqa: ANN401, N803 - scikit-learn's names
        """The new rows: pandas, polars or Arrow where X is, else an array; `set_output` decides otherwise."""
        values = self._transformed(self._matrix(X))
        said = getattr(self, "_sklearn_output_config", {}).get("transform")
        return values if said is not None else same_kind(values, X, self.get_feature_names_out())

    def _transformed(self, rows: Floats) -> Floats:
        """What becomes of rows, from what was released."""
        raise NotImplementedError


def same_kind(values: Floats, given: Any, names: NDArray[Any]) -> Any:  # noqa: ANN401 - an array, or a frame of any library
    """Return the values as a frame of the library that `given` is of, or as they are if it is no frame.

    Example:
        >>> import pyarrow as pa
        >>> same_kind(np.eye(2), pa.table({"a": [1, 2]}), np.array(["x", "y"])).column_names
        ['x', 'y']
    """
    frame = nw.from_native(given, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return values
    columns = {str(name): np.ascontiguousarray(values[:, place]) for place, name in enumerate(names)}
    made = nw.to_native(nw.from_dict(columns, backend=frame.implementation))
    if frame.implementation.is_pandas():
        made.index = given.index
    return made
