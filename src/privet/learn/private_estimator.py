"""PrivateEstimator: what every model shares: its price, its one payment, its receipt."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from privet.asking.bounds import Bounds
from privet.asking.labeled import distinct_labels
from privet.asking.payment import Payment
from privet.core import Ledger
from privet.errors import InvalidParameter
from privet.learn.detached_ledger import DetachedLedger
from privet.learn.features import Ball, Box, Floats
from privet.learn.fit_plan import FitPlan
from privet.learn.fitting import Fitting
from privet.learn.model_receipt import ModelReceipt
from privet.learn.priced import Priced
from privet.learn.private_score import PrivateScore, scored
from privet.learn.rows import Rows, two_dimensional
from privet.loss import PrivacyLoss
from privet.loss.exact import shown, whole
from privet.wording.nearest import nearest

GROUPS = "groups need rows_per_unit, how many rows of each unit are kept: rows_per_unit=1"
PRICE = ("epsilon", "delta", "rho", "risk", "neighbors", "purpose", "unit")


class PrivateEstimator(BaseEstimator):
    """A model that learns from protected rows.

    Every model has these parameters (`Priced`), all by name, and says itself which more it has:

    Args:
        epsilon, delta, rho, risk: what a fit may cost, see `Asking`; nothing is spent where none is said.
        neighbors: "add_remove" (the default, or the ledger's) or "replace".
        ledger: a `Ledger` or `Reservation` that is charged by every fit, or the address of one that is there already,
            such as "sqlite:///ledger.db", which other processes can open too (n_jobs > 1). Without one each fit has a
            ledger of its own, and adding up is yours.
        unit: who is protected, "person" by default, or the ledger's.
        rows_per_unit: how many rows of a unit count: 1 by default. With `groups` in `fit`, further rows are left out;
            without, it is your promise that nobody has more.
        purpose: what the model is for, as the ledger records it.

    Privacy: `fit` charges once, before it reads a row; shapes and types of X and y are public, values are not. Missing
        values count as public ones, rows without a target count for nothing, and nothing in a row raises an error.

    Example:
        >>> from privet.learn import GaussianNB
        >>> model = GaussianNB(bounds=(0, 99), classes=["young", "old"], epsilon=1)
        >>> isinstance(model, PrivateEstimator), model.fit([[20], [70]] * 50, ["young", "old"] * 50).privacy_.epsilon()
        (True, 1.0)
    """

    _needs_target: ClassVar[bool] = False
    predicts_alone: ClassVar[bool] = True
    """Whether what is predicted for a row never depends on other rows of the same call, not even in its last bit."""

    def __sklearn_tags__(self) -> Tags:
        """Noise is never the same twice, and a missing value must not be told by an error."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.input_tags.allow_nan = True
        return tags

    def _begin(self, features: Any, target: Any = None, *, groups: Any = None, first: bool = True) -> Fitting:  # noqa: ANN401 - any rows
        """Return what the model is fitted with; refuses by shapes, types and parameters. Nothing is read or paid.

        Args:
            features: X.
            target: y.
            groups: whose rows they are.
            first: False for a further batch, whose columns must be those of the first.
        """
        if self._needs_target and target is None:
            raise InvalidParameter(f"{type(self).__name__} requires y to be passed, but the target y is None")
        payment = self._payment()
        most = self._most_rows()
        if groups is not None and self._said("rows_per_unit") is None:
            raise InvalidParameter(GROUPS)
        table = two_dimensional(features)
        validate_data(self, table, reset=first, skip_check_array=True)
        labels = self._labels()
        rows = Rows.of(table, target, width=self.n_features_in_, classes=labels, groups=groups, most=most)
        return Fitting(payment, rows)

    def explain(self, *, columns: int, rows: int | None = None) -> FitPlan:
        """Tell what a fit would cost, what it would release and how far it would err; nothing is read or spent.

        Args:
            columns: how many features X will have.
            rows: how many are expected, if that is public knowledge; some errors are told only then.
        """
        payment = self._payment()
        width = whole(columns, "columns")
        expected = None if rows is None else whole(rows, "rows")
        foreseen = self._foresee(payment, columns=width, rows=expected)
        return FitPlan(type(self).__name__, payment.price.limit, payment.unit, self._most_rows(), foreseen)

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:  # noqa: ARG002 - for models to say
        """What a model can say of its errors before it is fitted, from public numbers."""
        return {"expected error": "no formula is known for this model: try it on public or invented rows"}

    def _most_rows(self) -> int:
        """How many rows of a unit count."""
        said = self._said("rows_per_unit")
        return 1 if said is None else whole(said, "rows_per_unit")

    def _payment(self) -> Payment:
        """Who pays, from the parameters."""
        said = {name: self._said(name) for name in PRICE if self._said(name) is not None}
        return Payment.of(type(self).__name__, {**said, "ledger": _opened(self._said("ledger"))})

    def _begin_score(self, features: Any, target: Any, groups: Any, asked: Priced) -> Fitting:  # noqa: ANN401 - any rows
        """Return what a fitted model is scored with: who is protected and who pays as in its fit, unless said."""
        check_is_fitted(self)
        if target is None:
            raise InvalidParameter("private_score needs y, what the rows should have been predicted to be")
        for name in asked:
            if name not in Priced.__annotations__:
                raise InvalidParameter(f"private_score does not take {name!r}{nearest(name, Priced.__annotations__)}")
        model = clone(self).set_params(**{**dict.fromkeys(PRICE[:4]), **asked})
        payment = replace(model._payment(), purpose=asked.get("purpose") or f"score of {type(self).__name__}")  # noqa: SLF001 - its own class
        if groups is not None and model._said("rows_per_unit") is None:  # noqa: SLF001 - the same
            raise InvalidParameter(GROUPS)
        table = two_dimensional(features)
        validate_data(self, table, reset=False, skip_check_array=True)
        labels = tuple(self.classes_.tolist()) if isinstance(self, PrivateClassifier) else None
        most = model._most_rows()  # noqa: SLF001 - the same
        return Fitting(
            payment, Rows.of(table, target, width=self.n_features_in_, classes=labels, groups=groups, most=most)
        )

    def _said(self, name: str) -> Any:  # noqa: ANN401 - a parameter
        return getattr(self, name, None)

    def _labels(self) -> tuple[Any, ...] | None:
        """The labels that y may hold; None where y holds numbers, or there is none."""
        return None

    def _box(self) -> Box:
        """The declared bounds of the columns, for the columns of this fit."""
        names = getattr(self, "feature_names_in_", None)
        return Box.of(self._said("bounds"), width=self.n_features_in_, names=None if names is None else tuple(names))

    def _map(self) -> Box | Ball:
        """The declared bounds or norm; exactly one of them."""
        bounds, norm = self._said("bounds"), self._said("norm")
        if (bounds is None) == (norm is None):
            raise InvalidParameter(
                f"{type(self).__name__} needs bounds=(lower, upper) of the features, or norm, the length to which rows "
                "are clipped: one of them, from public knowledge and never from the data"
            )
        return self._box() if norm is None else Ball.of(norm)

    def _keep_receipt(self, fitting: Fitting, loss: PrivacyLoss, *, mechanism: str, public: Mapping[str, str]) -> None:
        """Keep what the fit cost as `privacy_`."""
        paid = fitting.payment
        self.privacy_ = ModelReceipt(
            loss, paid.price.limit, paid.unit, fitting.rows.most, mechanism, paid.purpose, dict(public)
        )

    def _matrix(self, features: Any) -> Floats:  # noqa: ANN401 - rows of any kind
        """Rows to predict, as floats; they need not be private, and are those of whoever asks."""
        check_is_fitted(self)
        found: Floats = validate_data(
            self, features, reset=False, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=0
        )
        return found

    def __copy__(self) -> Self:
        """A copy within this process is charged to the same ledger."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = memo[id(self)] = type(self).__new__(type(self))
        made.__dict__.update({name: deepcopy(value, memo) for name, value in self.__dict__.items()})
        return made

    def __getstate__(self) -> dict[str, Any]:
        """What is stored: a ledger stays behind, since a copy would be a second budget."""
        state: dict[str, Any] = dict(super().__getstate__())
        if isinstance(state.get("ledger"), Ledger):
            state["ledger"] = DetachedLedger()
        return state


class PrivateClassifier(ClassifierMixin, PrivateEstimator):
    """A model that tells classes apart; `classes` lists them, and rows with other labels count for nothing.

    Example:
        >>> from privet.learn import GaussianNB
        >>> model = GaussianNB(bounds=(0, 99), classes=["young", "old"], epsilon=10)
        >>> isinstance(model, PrivateClassifier)
        True
        >>> model.fit([[20], [70]] * 500, ["young", "old"] * 500).predict([[15], [80]]).tolist()
        ['young', 'old']
    """

    _needs_target = True

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: ANN401, N803 - scikit-learn's names
        """The exact accuracy on these rows: for public or invented ones alone.

        Of private rows it is a release without noise that no ledger sees: how often it is asked decides how much of
        them leaks, and so it is with `cross_val_score` and searches. `private_score` pays.
        """
        return float(super().score(X, y, sample_weight))

    def private_score(self, X: Any, y: Any, *, groups: Any = None, **asked: Unpack[Priced]) -> PrivateScore:  # noqa: ANN401, N803 - scikit-learn's names
        """The accuracy on protected rows, for a price of its own: the rows need not be those of the fit.

        Args:
            X: the rows.
            y: their labels; a row whose label was not declared counts as wrong.
            groups: whose row each is, see `fit`.
            **asked: the price, and what shall differ from the model's ledger, unit, neighbors and rows_per_unit.

        Privacy: as promised by the price; on the rows of the fit it adds to what the fit cost.
        """
        return scored(self, self._begin_score(X, y, groups, asked), "accuracy")

    def _labels(self) -> tuple[Any, ...]:
        """The declared classes, in order, kept as `classes_`."""
        self.classes_ = declared_classes(self._said("classes"), type(self).__name__)
        return tuple(self.classes_.tolist())


class PrivateRegressor(RegressorMixin, PrivateEstimator):
    """A model of a number; `target_bounds` are its public bounds, and targets outside are clipped.

    Example:
        >>> from privet.learn import LinearRegression
        >>> model = LinearRegression(bounds=(0, 1), target_bounds=(0, 2), epsilon=10)
        >>> isinstance(model, PrivateRegressor)
        True
        >>> model.fit([[0.0], [1.0]] * 2000, [0.0, 2.0] * 2000).predict([[0.5]]).round().tolist()
        [1.0]
    """

    _needs_target = True

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: ANN401, N803 - scikit-learn's names
        """The exact R² on these rows: for public or invented ones alone.

        Of private rows it is a release without noise that no ledger sees, and one far target can be read off it; so
        it is with `cross_val_score` and searches. `private_score` pays.
        """
        return float(super().score(X, y, sample_weight))

    def private_score(
        self,
        X: Any,  # noqa: ANN401, N803 - scikit-learn's names
        y: Any,  # noqa: ANN401 - any targets
        *,
        metric: Literal["r2", "mse"] = "r2",
        groups: Any = None,  # noqa: ANN401 - any owners
        **asked: Unpack[Priced],
    ) -> PrivateScore:
        """R² or the mean squared error on protected rows, for a price of its own: they need not be those of the fit.

        Args:
            X: the rows.
            y: their targets; these and predictions are clipped to `target_bounds`, rows without one are left out.
            metric: "r2" or "mse".
            groups: whose row each is, see `fit`.
            **asked: the price, and what shall differ from the model's ledger, unit, neighbors and rows_per_unit.

        Privacy: as promised by the price; on the rows of the fit it adds to what the fit cost.
        """
        if metric not in {"r2", "mse"}:
            raise InvalidParameter(f'metric must be "r2" or "mse", got {shown(metric)}')
        return scored(self, self._begin_score(X, y, groups, asked), metric, self._target_bounds())

    def _target_bounds(self) -> Bounds:
        """The declared bounds of y."""
        bounds = self._said("target_bounds")
        if bounds is None:
            raise InvalidParameter(
                f"{type(self).__name__} needs target_bounds=(lower, upper), the public bounds of y: for example "
                "target_bounds=(0, 100), never from the data"
            )
        return Bounds.of(bounds)


def _opened(ledger: Any) -> Any:  # noqa: ANN401 - a parameter
    """The ledger, opened where its address was said; one that stayed behind is refused."""
    if isinstance(ledger, DetachedLedger):
        ledger.refuse()
    return Ledger.open(ledger) if isinstance(ledger, str) else ledger


def declared_classes(classes: Any, model: str) -> NDArray[Any]:  # noqa: ANN401 - whatever a caller hands over
    """Return the declared labels as an array, sorted as scikit-learn does where they can be.

    Example:
        >>> declared_classes(["yes", "no"], "a model").tolist()
        ['no', 'yes']
    """
    if classes is None:
        raise InvalidParameter(
            f'{model} needs the classes that y may hold, from public knowledge: for example classes=["no", "yes"]'
        )
    known = distinct_labels(classes, "classes")
    if any(isinstance(each, float) and not each.is_integer() for each in known):
        raise InvalidParameter("Unknown label type: continuous classes; classes must be labels, such as [0, 1]")
    if len(known) < 2:  # noqa: PLR2004 - what is told apart
        raise InvalidParameter(f"{model} needs at least two classes, got one class: list all that y may hold")
    array = np.asarray(known)
    if len({type(each) for each in known}) > 1 and array.dtype.kind in "US":
        raise InvalidParameter("classes must be of one type, texts or numbers: convert them and y first")
    return np.sort(array) if array.dtype.kind in "biufU" else array
