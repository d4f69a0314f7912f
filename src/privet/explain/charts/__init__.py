"""Charts that explain: each from laws, losses, ledgers and released numbers, never from data."""

from privet.explain.charts.accuracy import accuracy_chart, people_chart
from privet.explain.charts.beliefs import belief_chart
from privet.explain.charts.bernstein import basis_chart, bernstein_chart
from privet.explain.charts.budget import budget_chart
from privet.explain.charts.composition import composition_chart
from privet.explain.charts.neighbors import delta_chart, family_chart, neighbor_chart, neighbor_ratio
from privet.explain.charts.notions import notion_chart
from privet.explain.charts.renyi import renyi_chart
from privet.explain.charts.tradeoff import conditional_chart, tradeoff_chart
from privet.explain.charts.trust import trust_chart

__all__ = [
    "accuracy_chart",
    "basis_chart",
    "belief_chart",
    "bernstein_chart",
    "budget_chart",
    "composition_chart",
    "conditional_chart",
    "delta_chart",
    "family_chart",
    "neighbor_chart",
    "neighbor_ratio",
    "notion_chart",
    "people_chart",
    "renyi_chart",
    "tradeoff_chart",
    "trust_chart",
]
