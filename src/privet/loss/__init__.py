"""The currency: how much a computation reveals about one privacy unit."""

from privet.loss.calibration import calibrated_scale
from privet.loss.combined import Mixture, Tabulated, WorstOf
from privet.loss.concentrated import Concentrated, RenyiBound
from privet.loss.curve import LossCurve
from privet.loss.finite import FiniteCurve, KaryResponseCurve, RandomizedResponseCurve
from privet.loss.gaussian import DiscreteGaussianCurve, GaussianCurve
from privet.loss.guarantee import Guarantee
from privet.loss.laplace import DiscreteLaplaceCurve, LaplaceCurve
from privet.loss.neighbors import Neighbors
from privet.loss.privacy_loss import PrivacyLoss
from privet.loss.pure import Approximate, Exponential, PermuteAndFlip
from privet.loss.rule_choice import best_rule, compare_rules
from privet.loss.rules import EpsilonSum, GaussianSum, RenyiSum, SpendingRule, ZcdpSum, rule_from_json
from privet.loss.shuffled import ShuffledCurve, ShuffledKaryCurve

__all__ = [
    "Approximate",
    "Concentrated",
    "DiscreteGaussianCurve",
    "DiscreteLaplaceCurve",
    "EpsilonSum",
    "Exponential",
    "FiniteCurve",
    "GaussianCurve",
    "GaussianSum",
    "Guarantee",
    "KaryResponseCurve",
    "LaplaceCurve",
    "LossCurve",
    "Mixture",
    "Neighbors",
    "PermuteAndFlip",
    "PrivacyLoss",
    "RandomizedResponseCurve",
    "RenyiBound",
    "RenyiSum",
    "ShuffledCurve",
    "ShuffledKaryCurve",
    "SpendingRule",
    "Tabulated",
    "WorstOf",
    "ZcdpSum",
    "best_rule",
    "calibrated_scale",
    "compare_rules",
    "rule_from_json",
]
