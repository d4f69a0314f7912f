"""The currency: how much a computation reveals about one privacy unit.

Here are `PrivacyLoss`, the curves it is made of, how it is priced, and the rules by which a ledger charges, with
every formula that a charge depends on. Theorems that are only compared are in `explain/theorems/`.

May import: errors.
Never touches: data, randomness, files, the clock.
"""

from privet.loss.amount import Amount
from privet.loss.calibration import calibrated_scale
from privet.loss.curve import LossCurve
from privet.loss.curves.best_of import BestOfCurve, BestOfPoissonCurve
from privet.loss.curves.combined import MixtureCurve, TabulatedCurve, WorstOfCurve
from privet.loss.curves.concentrated import ConcentratedCurve, RenyiBoundCurve
from privet.loss.curves.finite import FiniteCurve, KaryResponseCurve, RandomizedResponseCurve
from privet.loss.curves.gaussian import DiscreteGaussianCurve, GaussianCurve
from privet.loss.curves.laplace import DiscreteLaplaceCurve, LaplaceCurve, PermuteAndFlipCurve
from privet.loss.curves.naming import NamingCurve
from privet.loss.curves.pure import ApproximateCurve, ExponentialCurve
from privet.loss.curves.shuffled import ShuffledCurve, ShuffledKaryCurve, ShuffledResponseCurve
from privet.loss.divergences.divergence import (
    approximate_max_divergence,
    hockey_stick,
    max_divergence,
    renyi_divergence,
)
from privet.loss.divergences.f_divergence import FDivergence
from privet.loss.divergences.inference import (
    Tradeoff,
    posterior,
    posterior_bounds,
    smallest_error_sum,
    smallest_miss,
    tradeoff,
)
from privet.loss.guarantee import ConcentratedGuarantee, Guarantee, Promise
from privet.loss.neighbors import Neighbors
from privet.loss.privacy_loss import PrivacyLoss
from privet.loss.risk import Risk
from privet.loss.rule_choice import best_rule, compare_rules
from privet.loss.rules import EpsilonSum, GaussianSum, RenyiSum, SpendingRule, ZcdpSum, rule_from_json
from privet.loss.training import training_loss, training_scale

__all__ = [
    "Amount",
    "ApproximateCurve",
    "BestOfCurve",
    "BestOfPoissonCurve",
    "ConcentratedCurve",
    "ConcentratedGuarantee",
    "DiscreteGaussianCurve",
    "DiscreteLaplaceCurve",
    "EpsilonSum",
    "ExponentialCurve",
    "FDivergence",
    "FiniteCurve",
    "GaussianCurve",
    "GaussianSum",
    "Guarantee",
    "KaryResponseCurve",
    "LaplaceCurve",
    "LossCurve",
    "MixtureCurve",
    "NamingCurve",
    "Neighbors",
    "PermuteAndFlipCurve",
    "PrivacyLoss",
    "Promise",
    "RandomizedResponseCurve",
    "RenyiBoundCurve",
    "RenyiSum",
    "Risk",
    "ShuffledCurve",
    "ShuffledKaryCurve",
    "ShuffledResponseCurve",
    "SpendingRule",
    "TabulatedCurve",
    "Tradeoff",
    "WorstOfCurve",
    "ZcdpSum",
    "approximate_max_divergence",
    "best_rule",
    "calibrated_scale",
    "compare_rules",
    "hockey_stick",
    "max_divergence",
    "posterior",
    "posterior_bounds",
    "renyi_divergence",
    "rule_from_json",
    "smallest_error_sum",
    "smallest_miss",
    "tradeoff",
    "training_loss",
    "training_scale",
]
