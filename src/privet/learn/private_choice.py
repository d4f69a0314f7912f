"""private_choice: which of several fitted models is best on protected rows, and nothing else about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from sklearn.utils.validation import check_is_fitted

from privet.core import Release, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.learn.fitting import Fitting
from privet.learn.priced import Priced
from privet.learn.private_estimator import PrivateClassifier, PrivateEstimator, PrivateRegressor
from privet.learn.private_score import WHOLE, right_and_wrong, squares
from privet.learn.rows import Rows
from privet.loss import PrivacyLoss
from privet.mechanisms.permute_and_flip import PermuteAndFlip

Models = Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, repr=False)
class PrivateChoice:
    """The model that was chosen.

    Args:
        name: its name, or its place in the list.
        model: itself.
        release: of its place, with what that cost.

    Example:
        >>> from privet.learn import GaussianNB, private_choice
        >>> rows, labels = [[age] for age in range(100)] * 20, (["young"] * 50 + ["old"] * 50) * 20
        >>> asked = {"bounds": (0, 99), "classes": ["young", "old"]}
        >>> made = {price: GaussianNB(epsilon=price, **asked).fit(rows, labels) for price in (1, 2)}
        >>> chosen = private_choice(made, rows, labels, epsilon="0.5")
        >>> chosen.loss.epsilon(0), chosen.model is made[chosen.name]
        (0.5, True)
    """

    name: str | int
    model: Any
    release: Release[int]

    @property
    def loss(self) -> PrivacyLoss:
        """What the choice reveals."""
        return self.release.loss

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.release.unit

    def __repr__(self) -> str:
        return f"chose {self.name!r}, {type(self.model).__name__}, by {self.release.mechanism}"


def private_choice(
    models: Models,
    X: Any,  # noqa: ANN401, N803 - scikit-learn's names
    y: Any,  # noqa: ANN401 - any targets
    *,
    groups: Any = None,  # noqa: ANN401 - any owners
    **asked: Unpack[Priced],
) -> PrivateChoice:
    """Choose the best of several fitted models, by how many protected rows each predicts rightly.

    The price does not grow with the number of models, and in 19 of 20 cases the one that is chosen has at most
    2 ln(20 models) / ε right rows less than the best. The models must be known already: made without these rows, or
    paid for. Rows that none of them learned from are the better judges.

    Args:
        models: fitted Privet classifiers of the same classes, or regressors with the same target_bounds; a list, or by
            names.
        X: the rows.
        y: what they should have been predicted to be; a label that was not declared counts as wrong.
        groups: whose row each is.
        **asked: the price (epsilon or risk), and what shall differ from the first model's ledger, unit, neighbors and
            rows_per_unit.

    Privacy: as promised by the price: `PermuteAndFlip`.
    Proof: a row adds 0 or 1 to each model's number of right rows, or for numbers one share of [0, 1], since what is
        predicted for a row follows from that row alone. So a unit moves each score by at most rows_per_unit, whether it
        comes, goes or is replaced. The number of models and their order are public.

    Example:
        >>> from privet.learn import GaussianNB
        >>> rows, labels = [[age] for age in range(100)] * 20, (["young"] * 50 + ["old"] * 50) * 20
        >>> made = {at: GaussianNB(bounds=at, classes=["young", "old"], epsilon=10).fit(rows, labels)
        ...         for at in ((0, 100), (0, 10))}
        >>> private_choice(made, rows, labels, epsilon=1).name
        (0, 100)
    """
    named: dict[Any, Any] = dict(models) if isinstance(models, Mapping) else dict(enumerate(models))
    known = list(named.values())
    first = _alike(known)
    fitting = first._begin_score(X, y, groups, {"purpose": f"choice among {len(known)} models", **asked})  # noqa: SLF001 - its own kind
    epsilon = fitting.budget.epsilon
    if epsilon is None:
        raise InvalidParameter("a choice is priced by epsilon, or a risk: it is not made for a rho")
    release = _released(known, fitting, PermuteAndFlip(fitting.moved_rows, epsilon))
    place = int(release.value)
    return PrivateChoice(list(named)[place], known[place], release)


def _alike(models: list[Any]) -> PrivateEstimator:
    """The first of the models; refused if the rows could not be scored for all of them alike."""
    if not models:
        raise InvalidParameter("models must hold at least one fitted model, got none")
    for kind in (PrivateClassifier, PrivateRegressor):
        if all(isinstance(each, kind) for each in models):
            break
    else:
        raise InvalidParameter("models must be Privet classifiers, or Privet regressors: all of one kind")
    for each in models:
        check_is_fitted(each)
    first: PrivateEstimator = models[0]
    if any(_known(each) != _known(first) for each in models):
        raise InvalidParameter("models must have the same columns, and the same classes or target_bounds")
    return first


def _known(model: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a fitted model
    what = model.classes_.tolist() if isinstance(model, PrivateClassifier) else model._target_bounds()  # noqa: SLF001 - its own kind
    return model.n_features_in_, list(getattr(model, "feature_names_in_", [])), what


def _released(models: list[Any], fitting: Fitting, mechanism: PermuteAndFlip) -> Release[int]:
    def scores(rows: Rows) -> Any:  # noqa: ANN401 - an array
        if isinstance(models[0], PrivateClassifier):
            return np.array([right_and_wrong(each, rows)[0] for each in models], dtype=np.int64)
        right = [squares(each, rows, each._target_bounds())[1] for each in models]  # noqa: SLF001 - its own kind
        return np.array(right, dtype=np.float64) / WHOLE

    return fitting.release(scores, Sensitivity(fitting.moved_rows, cells=len(models)), mechanism)
