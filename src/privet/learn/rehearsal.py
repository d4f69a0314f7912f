"""rehearsed: how a model would score, on rows that are invented or public, before anything is paid."""

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats.qmc import Sobol
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from privet.learn.comparison import Cell, compare
from privet.learn.declared_columns import DeclaredColumn, DeclaredColumns, Label
from privet.learn.features import Floats
from privet.learn.private_estimator import PrivateEstimator
from privet.loss.exact import Exact

MOST = 30_000  # invented rows: more change little, and take long
FEWEST = 20
NOISE = 0.6  # of the invented target, in deviations of what features say of it
REPEATS = 3
SLOPES = 2.4  # between slopes of neighboring columns, on a circle
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
) -> tuple[Floats, NDArray[Any]]:
    """Rows spread evenly over what was declared, and a target that hangs on them by a line, a product and an error.

    Nothing is drawn: the same rows every time.

    Args:
        columns: what is public about the features.
        rows: how many.
        labels: of the target; or
        target_bounds: its bounds.

    Example:
        >>> from privet.learn.declared_columns import DeclaredColumn
        >>> step = DeclaredColumns([DeclaredColumn("age", bounds=(0, 110)), DeclaredColumn("sex", values=("F", "M"))])
        >>> X, y = invented(step, rows=100, labels=["no", "yes"])
        >>> X.shape, bool(0.2 < (y == "yes").mean() < 0.8)
        ((100, 3), True)
    """
    number = 1 if labels is None or len(labels) == 2 else len(labels)  # noqa: PLR2004 - yes or no
    sides = len(columns.columns)
    spread = Sobol(sides + number, scramble=False).random_base2(rows.bit_length())[1 : rows + 1]  # not the corner
    parts = [_spread(column, spread[:, place]) for place, column in enumerate(columns.columns)]
    features: Floats = np.hstack(parts)
    lower, upper = (np.array(side) for side in columns.bounds)
    unit = (features - (lower + upper) / 2) / ((upper - lower) / 2)
    slopes = np.cos(SLOPES * np.outer(np.arange(1, unit.shape[1] + 1), np.arange(1, number + 1)))
    scores = unit @ slopes + unit[:, :1] * unit[:, -1:] * slopes[0]
    scores = (scores - scores.mean(axis=0)) / np.maximum(scores.std(axis=0), 1e-9)
    scores += NOISE * ndtri(spread[:, sides:])
    if labels is not None:
        places = (scores[:, 0] > 0).astype(np.int64) if number == 1 else scores.argmax(axis=1)
        return features, np.asarray(labels)[places]
    low, high = target_bounds or (-1.0, 1.0)
    return features, (low + high) / 2 + (high - low) / 2 * np.tanh(scores[:, 0] / 2)


def _spread(column: DeclaredColumn, places: Floats) -> Floats:
    """Values between the bounds, or marks of categories, for places between 0 and 1."""
    if column.bounds is None:
        return np.asarray(np.eye(column.width)[(places * column.width).astype(np.int64)])
    low, high = column.bounds
    return np.asarray((low + (high - low) * places)[:, None])


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
