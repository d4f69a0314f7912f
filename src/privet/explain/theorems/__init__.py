"""The theorems of the field by name, for teaching and comparison; what Privet charges is `PrivacyLoss`."""

from privet.explain.theorems.comparison import (
    Comparison,
    CompositionBound,
    compare_composition,
    compare_composition_of,
)
from privet.explain.theorems.composition import (
    advanced_composition,
    basic_composition,
    improved_composition,
    optimal_composition,
    renyi_composition,
    renyi_composition_ferrari,
    renyi_composition_standard,
    zcdp_composition,
    zcdp_composition_standard,
)
from privet.explain.theorems.conversion import (
    pure_to_renyi,
    pure_to_zcdp,
    pure_to_zcdp_standard,
    renyi_to_delta,
    renyi_to_epsilon,
    renyi_to_epsilon_standard,
    zcdp_to_epsilon,
    zcdp_to_epsilon_standard,
)
from privet.explain.theorems.events import event_bounds, weak_triangle
from privet.explain.theorems.group import group_delta, group_epsilon, group_renyi, group_zcdp
from privet.explain.theorems.mean_concentrated import (
    gaussian_to_mcdp,
    mcdp_to_epsilon,
    mcdp_to_renyi,
    pure_to_mcdp,
)
from privet.explain.theorems.notions import NotionComparison, Property, compare_notions
from privet.explain.theorems.renyi_curves import gaussian_curve, laplace_curve, response_curve
from privet.loss.gaussian_privacy import (
    gaussian_delta,
    gaussian_epsilon,
    gaussian_scale,
    gaussian_scale_classical,
    pure_to_gaussian,
)

__all__ = [
    "Comparison",
    "CompositionBound",
    "NotionComparison",
    "Property",
    "advanced_composition",
    "basic_composition",
    "compare_composition",
    "compare_composition_of",
    "compare_notions",
    "event_bounds",
    "gaussian_curve",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_scale",
    "gaussian_scale_classical",
    "gaussian_to_mcdp",
    "group_delta",
    "group_epsilon",
    "group_renyi",
    "group_zcdp",
    "improved_composition",
    "laplace_curve",
    "mcdp_to_epsilon",
    "mcdp_to_renyi",
    "optimal_composition",
    "pure_to_gaussian",
    "pure_to_mcdp",
    "pure_to_renyi",
    "pure_to_zcdp",
    "pure_to_zcdp_standard",
    "renyi_composition",
    "renyi_composition_ferrari",
    "renyi_composition_standard",
    "renyi_to_delta",
    "renyi_to_epsilon",
    "renyi_to_epsilon_standard",
    "response_curve",
    "weak_triangle",
    "zcdp_composition",
    "zcdp_composition_standard",
    "zcdp_to_epsilon",
    "zcdp_to_epsilon_standard",
]
