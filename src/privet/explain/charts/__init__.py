"""Charts that explain: each from laws, losses and released numbers, never from data."""

from privet.explain.charts.beliefs import belief_chart
from privet.explain.charts.tradeoff import conditional_chart, tradeoff_chart

__all__ = ["belief_chart", "conditional_chart", "tradeoff_chart"]
