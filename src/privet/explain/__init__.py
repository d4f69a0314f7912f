"""Explain: what privacy means and costs: in words, in `charts/`, and in `theorems/`, the field's beside each other.

May import: errors, wording, display, noise, loss, core, mechanisms, postprocessing.
Never touches: data. Nothing is charged by a formula from here.
"""

from privet.display import Chart
from privet.explain.charts import belief_chart, conditional_chart, tradeoff_chart
from privet.explain.describe import describe
from privet.explain.description import Description

__all__ = ["Chart", "Description", "belief_chart", "conditional_chart", "describe", "tradeoff_chart"]
