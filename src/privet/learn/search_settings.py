"""The settings of a search: a public list, and the model of each."""

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, ParameterSampler

from privet.errors import InvalidParameter
from privet.learn.detached_ledger import DetachedLedger
from privet.learn.private_estimator import PRICE, PrivateClassifier, PrivateEstimator, PrivateRegressor
from privet.loss.exact import whole

OWN = (*PRICE, "ledger", "rows_per_unit")
MOST = 1000
Setting = dict[str, Any]


def settings_of(param_grid: Any, *, n_iter: int, random_state: Any) -> list[Setting]:  # noqa: ANN401 - refused in words
    """Write out a grid, or draw from its distributions.

    Example:
        >>> settings_of({"max_depth": [2, 4]}, n_iter=20, random_state=None)
        [{'max_depth': 2}, {'max_depth': 4}]
    """
    grids = [param_grid] if isinstance(param_grid, Mapping) else param_grid
    grids = list(grids) if isinstance(grids, Iterable) and not isinstance(grids, str) else []
    if not grids or not all(isinstance(each, Mapping) for each in grids):
        raise InvalidParameter('param_grid must be names with lists of values, such as {"max_depth": [2, 4]}')
    if any(hasattr(value, "rvs") for grid in grids for value in grid.values()):
        drawn = ParameterSampler(grids, whole(n_iter, "n_iter", high=MOST), random_state=random_state)
        return [dict(each) for each in drawn]
    grid = ParameterGrid(grids)
    if not 1 <= len(grid) <= MOST:
        raise InvalidParameter(f"param_grid must hold between 1 and {MOST} settings, got {len(grid)}")
    return [dict(each) for each in grid]


def models_of(estimator: Any, settings: list[Setting], *, rows_per_unit: Any) -> list[PrivateEstimator]:  # noqa: ANN401 - refused in words
    """The model of each setting, without a price; refuses what a search cannot pay for.

    Args:
        estimator: of whom the models are copies.
        settings: what differs.
        rows_per_unit: as said to the search.
    """
    if not isinstance(estimator, PrivateClassifier | PrivateRegressor):
        raise InvalidParameter(
            f"estimator must be a Privet classifier or regressor, whose fits are priced, got {type(estimator).__name__}"
        )
    for name in OWN:
        if not isinstance(getattr(estimator, name, None), DetachedLedger | None):
            raise InvalidParameter(
                f"{name} is the search's to say: take it from the estimator and give it to PrivateSearchCV"
            )
        if any(name in setting for setting in settings):
            raise InvalidParameter(
                f"param_grid must not hold {name!r}: all settings are fitted at one price, the search's"
            )
    plain = clone(estimator).set_params(ledger=None, rows_per_unit=rows_per_unit)
    models = [clone(plain).set_params(**clone(setting, safe=False)) for setting in settings]
    if any(getattr(model, "checkpoint", None) is not None for model in models):
        raise InvalidParameter("checkpoint must be left out of a search: the file would tell how many fits there were")
    return models
