"""rehearsed: how a model would score, on rows that are invented or public, before anything is paid."""

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from privet.learn.comparison import Cell, compare
from privet.learn.declared_columns import DeclaredColumns, Label
from privet.learn.features import Floats
from privet.learn.private_estimator import PrivateEstimator
from privet.loss.exact import Exact

MOST = 30_000  # invented rows: more change little, and take long
FEWEST = 20
NOISE = 0.6  # of the invented target, in deviations of what features say of it
REPEATS = 3
PLAIN: dict[str, Callable[[], BaseEstimator]] = {  # without privacy, where the defaults of the same name are slow
    "GradientBoostingClassifier": HistGradientBoostingClassifier,
    "GradientBoostingRegressor": HistGradientBoostingRegressor,
    "LogisticRegression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000)),
    "LinearSVC": lambda: make_pipeline(StandardScaler(), LinearSVC()),
}


def invented(
    columns: DeclaredColumns,
    *,
    rows: int,
    labels: Sequence[Label] | None = None,
    target_bounds: tuple[float, float] | None = None,
    seed: int = 0,
) -> tuple[Floats, NDArray[Any]]:
    """Rows spread evenly over what was declared, and a target that hangs on them by a line, a product and chance.

    Args:
        columns: what is public about the features.
        rows: how many.
        labels: of the target; or
        target_bounds: its bounds.
        seed: nothing of it is secret.

    Example:
        >>> from privet.learn.declared_columns import DeclaredColumn
        >>> step = DeclaredColumns([DeclaredColumn("age", bounds=(0, 110)), DeclaredColumn("sex", values=("F", "M"))])
        >>> X, y = invented(step, rows=100, labels=["no", "yes"])
        >>> X.shape, bool(0.2 < (y == "yes").mean() < 0.8)
        ((100, 3), True)
    """
    random = np.random.default_rng(seed)
    parts = []
    for column in columns.columns:
        if column.bounds is None:
            parts.append(np.eye(column.width)[random.integers(column.width, size=rows)])
        else:
            parts.append(random.uniform(*column.bounds, size=(rows, 1)))
    features: Floats = np.hstack(parts)
    lower, upper = (np.array(side) for side in columns.bounds)
    unit = (features - (lower + upper) / 2) / ((upper - lower) / 2)
    number = 1 if labels is None or len(labels) == 2 else len(labels)  # noqa: PLR2004 - yes or no
    scores = unit @ random.normal(size=(unit.shape[1], number)) + (unit[:, :1] * unit[:, -1:]) * random.normal(
        size=number
    )
    scores = (scores - scores.mean(axis=0)) / np.maximum(scores.std(axis=0), 1e-9)
    scores += NOISE * random.normal(size=scores.shape)
    if labels is not None:
        places = (scores[:, 0] > 0).astype(np.int64) if number == 1 else scores.argmax(axis=1)
        return features, np.asarray(labels)[places]
    low, high = target_bounds or (-1.0, 1.0)
    return features, (low + high) / 2 + (high - low) / 2 * np.tanh(scores[:, 0] / 2)


def rehearsed(model: PrivateEstimator, features: Floats, target: NDArray[Any], *, epsilon: Exact) -> Cell:
    """The score of a model at this ε, beside that of one without privacy, on rows that anybody may see."""
    kind = PLAIN.get(type(model).__name__)
    plain: Any = kind() if kind is not None else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        (found,) = compare(model, features, target, plain=plain, epsilons=[epsilon], repeats=REPEATS).cells
    return found


def rehearsal_rows(rows: float) -> int:
    """How many rows to invent, for so many in a table: the rehearsal holds 30 % of them out, a training 20 %."""
    return max(FEWEST, min(MOST, math.ceil(rows * 0.8 / 0.7)))
