"""PrivateSearchCV: try settings of a model and keep the best, at less than the price of three fits."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, Unpack, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from privet.asking.budget import Budget
from privet.asking.payment import Payment
from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.learn.fitting import Fitting
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateClassifier, PrivateEstimator
from privet.learn.private_score import Metric, PrivateScore
from privet.learn.rows import two_dimensional
from privet.learn.search_budget import SearchBudget
from privet.learn.search_parts import SearchParts
from privet.learn.search_run import Chosen, SearchRun
from privet.learn.search_settings import models_of, settings_of
from privet.learn.search_shown import SearchShown
from privet.loss import Guarantee
from privet.loss.exact import Exact, exact_within, shown
from privet.mechanisms.best_run import BestRun, Scored
from privet.mechanisms.random_runs import RandomRuns

USUAL = 50  # runs at most, where nobody says how many


def _best_has(name: str) -> Any:  # noqa: ANN401 - what scikit-learn asks for
    def has(self: "PrivateSearchCV") -> bool:
        getattr(getattr(self, "best_estimator_", self.estimator), name)
        return True

    return available_if(has)


class PrivateSearchCV(MetaEstimatorMixin, PrivateEstimator):
    """Fits a random number of settings of a model, each drawn from a list, and keeps the one that scored best.

    The price is that of the search as a whole, and does not grow with the number of settings. Each run draws a setting,
    divides the units anew, fits the model to one part and scores it on the other, in noise. What is kept is the very
    model that scored best: nothing is fitted again.

    Args:
        estimator: a Privet classifier or regressor, without a price: the search pays, and divides what it may spend.
        param_grid: settings to choose from: names of parameters with lists of their values, or several of these, as for
            `GridSearchCV`. Values may be distributions, as for `RandomizedSearchCV`; then `n_iter` settings are drawn
            from them first. It must be public: made without looking at the rows.
        n_iter: how many settings are drawn from distributions.
        mean_runs: how many runs are expected; None for as many as there are settings, at most 50. How many there were
            is never told.
        runs: "geometric", "logarithmic" or "poisson", see `RandomRuns`.
        held_out: the share of the units that a run scores on and does not learn from.
        metric: "accuracy" for classifiers; "r2" or "mse" for regressors. None for the first of these.
        least_seconds: `fit` returns no sooner, so that its time does not tell how many runs there were; it hides the
            time of searches that would take less.
        random_state: of the settings that are drawn from distributions; it decides nothing else.
        epsilon, delta, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`; of all runs
            together. Not rho.

    Attributes:
        best_estimator_: the fitted model. Its `privacy_` is that of the search.
        best_params_, best_index_: its setting, and the place in `settings_`.
        best_score_: its score, as it was released (`best_private_score_` has its interval). The best of noisy scores is
            a little too high.
        settings_: the list that was chosen from, which is public.
        one_fit_: what each fit was allowed to cost.

    Privacy: as promised by the price. One entry is written, before anything is read; how many runs there were, which
        settings they drew and how these scored is told to nobody, and is not kept.
    Proof: docs/proofs/tuning.md.
    Not covered: time, unless `least_seconds` hides it, and what else others see of a computer that works. A run that
        fails fails the whole search, in the one sentence of all failures; nothing tells which, or how many there were.

    Example:
        >>> from sklearn.datasets import load_digits
        >>> from privet.learn import LogisticRegression
        >>> X, y = load_digits(return_X_y=True)
        >>> model = LogisticRegression(bounds=(0, 16), classes=range(10))
        >>> search = PrivateSearchCV(model, {"fit_intercept": [False, True]}, mean_runs=3, epsilon=20)
        >>> search.fit(X, y).best_score_ > 0.5
        True
        >>> search.privacy_
        (ε=20)-DP for every person: one more or less looks alike
        made by the best of geometric runs, 3 expected, among 2 settings of LogisticRegression, for "PrivateSearchCV"
        public: settings (2), bounds (one pair for each column), classes (10 labels), penalty (of the sum of losses)
    """

    _needs_target = True

    @priced
    def __init__(  # noqa: PLR0913 - parameters of the search, each by name
        self,
        estimator: Any,  # noqa: ANN401 - refused in words
        param_grid: Any,  # noqa: ANN401 - refused in words
        *,
        n_iter: int = 20,
        mean_runs: Exact | None = None,
        runs: str = "geometric",
        held_out: Exact = "0.2",
        metric: str | None = None,
        least_seconds: float | None = None,
        random_state: Any = None,  # noqa: ANN401 - as scikit-learn takes it
        **_: Unpack[Priced],
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.n_iter = n_iter
        self.mean_runs = mean_runs
        self.runs = runs
        self.held_out = held_out
        self.metric = metric
        self.least_seconds = least_seconds
        self.random_state = random_state

    # --- the fit ------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Search, and keep the best."""
        begun = time.monotonic()
        wait = self._least_seconds()
        try:
            with SearchShown():
                self._search(X, y, groups)
        finally:
            time.sleep(max(0.0, begun + wait - time.monotonic()))
        return self

    def _search(self, X: Any, y: Any, groups: Any) -> None:  # noqa: ANN401, N803 - scikit-learn's names
        """Price a run, pay for all, and only then read rows."""
        models = self._models()
        fitting = self._begun(models[0], X, y, groups)
        limit = fitting.payment.price.limit
        if not isinstance(limit, Guarantee):
            raise InvalidParameter("a search is priced by epsilon and delta, or a risk: no rho is kept by it")
        held = exact_within(self.held_out, "held_out", low=0, high=1)
        if held in {0, 1}:
            raise InvalidParameter(
                f"held_out must lie between 0 and 1, got {shown(self.held_out)}: both parts need rows"
            )
        parts = SearchParts(two_dimensional(X), y, groups, fitting.rows, fitting.public_length, held)
        parts.at(np.arange(0))  # what cannot be divided is refused now
        runs = RandomRuns(self._mean_runs(len(models)), self.runs)
        one = self._affordable(limit, runs, SearchRun(models, Budget(limit), self._metric(), parts, fitting))
        promise = Guarantee(limit.epsilon) if runs.best_of(one.loss).meets(Guarantee(limit.epsilon)) else limit
        default = self._default(fitting) if runs.stop is None else None
        best = BestRun(one, runs, default=default, promise=promise)
        released = fitting.payment.release(lambda: parts, Sensitivity(fitting.moved_rows), best)
        self.one_fit_ = cast("Guarantee", one.budget.promise)
        self._keep(released.value.found, fitting)
        declared = self.best_estimator_.privacy_.public if isinstance(self.best_estimator_, PrivateEstimator) else {}
        public = {"settings": str(len(models)), **declared}
        told = f"the best of {runs.kind} runs, {float(runs.mean):g} expected, among {len(models)} settings"
        self._keep_receipt(fitting, released.loss, mechanism=f"{told} of {type(models[0]).__name__}", public=public)
        if isinstance(self.best_estimator_, PrivateEstimator):
            self.best_estimator_.privacy_ = self.privacy_

    def _affordable(self, limit: Guarantee, runs: RandomRuns, run: SearchRun) -> SearchRun:
        """The run of the largest price that was found to keep the limit."""
        known: dict[Budget, SearchRun] = {}  # what a fit costs is found once for each price

        def at(budget: Budget) -> SearchRun:
            return known.setdefault(budget, replace(run, budget=budget))

        first, every = (lambda budget: at(budget).loss_among([0])), (lambda budget: at(budget).loss)
        return at(SearchBudget(limit, runs, first, every).largest())

    def _begun(self, model: PrivateEstimator, X: Any, y: Any, groups: Any) -> Fitting:  # noqa: ANN401, N803 - scikit-learn's names
        """Check X and y as the model would, and what it makes public of them; nothing is read."""
        payment = self._payment()
        like = clone(model).set_params(rows_per_unit=self._said("rows_per_unit"), epsilon=1, unit=payment.unit)
        rows = like._begin(X, y, groups=groups).rows  # noqa: SLF001 - its own kind
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            if hasattr(like, name):
                setattr(self, name, getattr(like, name))
            elif hasattr(self, name):
                delattr(self, name)
        return Fitting(payment, rows)

    def _keep(self, chosen: Chosen, fitting: Fitting) -> None:
        """Keep what was released."""
        self.best_index_ = chosen.place
        self.best_params_ = dict(self.settings_[chosen.place])
        self.best_private_score_: PrivateScore | None = chosen.score
        self.best_score_ = float("nan") if chosen.score is None else chosen.score.value
        model = chosen.model
        if isinstance(model, PrivateEstimator):
            model.set_params(ledger=self.ledger, unit=fitting.payment.unit if self.ledger is None else None)
        self.best_estimator_ = model

    def _default(self, fitting: Fitting) -> Scored[Any]:
        """What is kept if nothing runs: a model that always says the same, from public knowledge."""
        model: Any
        if isinstance(self.estimator, PrivateClassifier):
            model, target = DummyClassifier(strategy="prior"), self.classes_
        else:
            bounds = self.estimator._target_bounds()  # noqa: SLF001 - its own kind
            model, target = DummyRegressor(), np.array([float(bounds.low + bounds.high) / 2])
        return Scored(0.0, Chosen(0, model.fit(np.zeros((len(target), fitting.rows.width)), target), None))

    # --- what was asked -----------------------------------------------------------------------------------------

    def _models(self) -> list[PrivateEstimator]:
        """The model of each setting; the settings are kept."""
        self.settings_ = settings_of(self.param_grid, n_iter=self.n_iter, random_state=self.random_state)
        return models_of(self.estimator, self.settings_, rows_per_unit=self._said("rows_per_unit"))

    def _mean_runs(self, settings: int) -> Exact:
        return min(settings, USUAL) if self.mean_runs is None else self.mean_runs

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """How much will be tried."""
        told = super()._foresee(payment, columns=columns, rows=rows)
        settings = settings_of(self.param_grid, n_iter=self.n_iter, random_state=self.random_state)
        runs = RandomRuns(self._mean_runs(len(settings)), self.runs)
        return {"settings": str(len(settings)), "runs": f"{float(runs.mean):g} expected, {runs.kind}", **told}

    def _metric(self) -> Metric:
        allowed = ("accuracy",) if isinstance(self.estimator, PrivateClassifier) else ("r2", "mse")
        if self.metric is None:
            return cast("Metric", allowed[0])
        if self.metric not in allowed:
            raise InvalidParameter(f"metric must be one of {', '.join(allowed)}, got {shown(self.metric)}")
        return cast("Metric", self.metric)

    def _least_seconds(self) -> float:
        said: object = self.least_seconds
        if said is None:
            return 0.0
        if isinstance(said, bool) or not isinstance(said, int | float) or not 0 <= said <= 10**7:
            raise InvalidParameter(f"least_seconds must be a number of seconds, got {shown(said)}")
        return float(said)

    # --- the model ----------------------------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Tags:
        """As the model's."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags = inner.target_tags
        return tags

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401, N803 - scikit-learn's names
        """What the best model predicts."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict(X))

    @_best_has("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: ANN401, N803 - scikit-learn's names
        """The probabilities of the best model."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict_proba(X))

    @_best_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:  # noqa: ANN401, N803 - scikit-learn's names
        """The scores of the best model."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.decision_function(X))

    def score(self, X: Any, y: Any) -> float:  # noqa: ANN401, N803 - scikit-learn's names
        """The exact score of the best model on these rows: for public or invented ones alone, see its own `score`."""
        check_is_fitted(self)
        return float(self.best_estimator_.score(X, y))

    def private_score(self, X: Any, y: Any, **asked: Any) -> PrivateScore:  # noqa: ANN401, N803 - scikit-learn's names
        """The score of the best model on protected rows, for a price of its own, see its own `private_score`."""
        check_is_fitted(self)
        return cast("PrivateScore", self.best_estimator_.private_score(X, y, **asked))
