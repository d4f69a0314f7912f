"""SearchRun: one run of a search: draw a setting, fit it to a part of the rows, score it on the rest."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from sklearn.base import clone

from privet.asking.budget import Budget
from privet.asking.price import Price
from privet.core import Ledger, Mechanism, Sensitivity, Unit
from privet.learn.fitting import Fitting
from privet.learn.planned_fit import PlannedFit, priced_at
from privet.learn.private_estimator import PrivateClassifier, PrivateEstimator
from privet.learn.private_score import Metric, PrivateScore, score_noise
from privet.learn.search_parts import SearchParts
from privet.loss import MixtureCurve, PrivacyLoss
from privet.mechanisms.best_run import Scored
from privet.noise import BitSource, UniformLaw

QUARTER = Fraction(1, 4)  # of ε: counts of right rows are many, and their noise matters little


class Chosen(NamedTuple):
    """A fitted model, the place of its setting, and its score on rows that it did not learn from, if it has one."""

    place: int
    model: Any
    score: PrivateScore | None


@dataclass(frozen=True)
class SearchRun(Mechanism[SearchParts, Scored[Chosen]]):
    """Draws one of the settings, each alike, fits it to a part of the rows and scores it on the others.

    Args:
        models: one for each setting, without a price.
        budget: what a fit may cost.
        metric: what is scored.
        parts: the rows of the search; here only what is public about them counts.
        fitting: of the search: who is protected, and how many rows of a unit count.

    Privacy: the mean, over settings and parts, of what a unit meets there.
    Proof: docs/proofs/tuning.md, Searches. Every fit and every score has a ledger of its own, which refuses what was
        not priced.
    """

    models: Sequence[PrivateEstimator] = field(repr=False)
    budget: Budget
    metric: Metric
    parts: SearchParts = field(repr=False)
    fitting: Fitting = field(repr=False)

    __hash__ = object.__hash__

    # --- what it costs --------------------------------------------------------------------------------------------

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.fitting.payment.unit

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The mean over the settings, which are drawn by fair dice, and over the parts."""
        return self.loss_among(range(len(self.models)))

    def loss_among(self, places: Sequence[int]) -> PrivacyLoss:
        """The same, if these were all settings."""
        chances: dict[PrivacyLoss, Fraction] = {}
        for place in places:
            for chance, loss in self.parts.weighted(self.fit_loss(place), self.score_loss):
                chances[loss] = chances.get(loss, Fraction(0)) + chance / len(places)
        met = {loss: chance for loss, chance in chances.items() if chance}
        if len(met) == 1:
            return next(iter(met))
        return PrivacyLoss.of(MixtureCurve(tuple(met.values()), tuple(met)))

    def fit_loss(self, place: int) -> PrivacyLoss:
        """Of the fit with this setting alone, found by beginning it."""
        if place not in self._fit_losses:
            given = self.parts.at(self.parts.first())
            self._fit_losses[place] = priced_at(lambda ledger: self.fitted(place, given, ledger), self.unit)
        return self._fit_losses[place]

    @cached_property
    def _fit_losses(self) -> dict[int, PrivacyLoss]:
        return {}

    @cached_property
    def score_budget(self) -> Budget:
        """All of the ε where the score is of other units than the fit and there is no δ that makes small ε cheaper."""
        promise = self.budget.promise
        share = Fraction(1) if self.parts.separate and not self.budget.promise.delta else QUARTER  # type: ignore[union-attr] # an ε
        return Budget.of(epsilon=promise.epsilon * share)  # type: ignore[union-attr] # the same

    @cached_property
    def score_loss(self) -> PrivacyLoss:
        """Of the score alone."""
        payment = _at(self.fitting, self.score_budget)
        whole = isinstance(self.models[0], PrivateClassifier)
        return score_noise(payment, self.metric, whole=whole)[1].loss.under(self.unit.neighbors)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """As many rows of a unit as count."""
        return sensitivity.l1 <= self.fitting.moved_rows and not sensitivity.gamma

    # --- the mechanism --------------------------------------------------------------------------------------------

    def sample(self, value: SearchParts, source: BitSource) -> Scored[Chosen]:
        """Fit and score one setting."""
        place = UniformLaw(len(self.models)).one(source)
        learned, held = value.divided(source)
        model = self.fitted(place, value.at(learned), PlannedFit(self.unit, self.fit_loss(place)))
        features, target, groups = value.at(held)
        more: dict[str, Any] = {} if self.metric == "accuracy" else {"metric": self.metric}
        score = model.private_score(
            features,
            target,
            groups=groups,
            epsilon=self.score_budget.epsilon,
            ledger=PlannedFit(self.unit, self.score_loss),
            **more,
        )
        better = -score.value if self.metric == "mse" else score.value
        return Scored(better, Chosen(place, model, score))

    def fitted(self, place: int, given: tuple[Any, Any, Any], ledger: Ledger) -> PrivateEstimator:
        """A copy of the model of a setting, fitted at the price of a run."""
        features, target, groups = given
        delta = self.budget.promise.delta  # type: ignore[union-attr] # an ε
        model = clone(self.models[place]).set_params(epsilon=self.budget.epsilon, delta=delta or None, ledger=ledger)
        more = {} if groups is None else {"groups": groups}
        found: PrivateEstimator = model.fit(features, target, **more)
        return found

    def __repr__(self) -> str:
        number = f"one of {len(self.models)} settings" if len(self.models) > 1 else "one setting"
        return f"SearchRun({number} of {type(self.models[0]).__name__}, {self.budget.promise!r}, {self.metric})"


def _at(fitting: Fitting, budget: Budget) -> Fitting:
    """The same, at another price."""
    return replace(fitting, payment=replace(fitting.payment, price=Price(budget)))
