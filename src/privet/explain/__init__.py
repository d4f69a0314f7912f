"""Explain: what privacy means and costs: in words, in `charts/`, and in `theorems/`, the field's beside each other.

`shapes/` has density, distribution and quantiles of every law of noise.

May import: errors, wording, display, noise, loss, core, mechanisms, postprocessing.
Never touches: data. Nothing is charged by a formula from here.
"""

from privet.display import Chart
from privet.explain.charts import (
    accuracy_chart,
    basis_chart,
    belief_chart,
    bernstein_chart,
    budget_chart,
    composition_chart,
    conditional_chart,
    delta_chart,
    family_chart,
    neighbor_chart,
    neighbor_ratio,
    notion_chart,
    people_chart,
    renyi_chart,
    tradeoff_chart,
    trust_chart,
)
from privet.explain.choice import Choice
from privet.explain.choose import choose, delta_for
from privet.explain.describe import describe
from privet.explain.description import Description
from privet.explain.elastic import ElasticCount, elastic_count
from privet.explain.exchangeable import ExchangeableBeliefs, exchangeable_beliefs
from privet.explain.shapes import Shape, shape_of
from privet.explain.truncated import TruncatedLaplace, truncated_laplace
from privet.explain.trust import trust_models

__all__ = [
    "Chart",
    "Choice",
    "Description",
    "ElasticCount",
    "ExchangeableBeliefs",
    "Shape",
    "TruncatedLaplace",
    "accuracy_chart",
    "basis_chart",
    "belief_chart",
    "bernstein_chart",
    "budget_chart",
    "choose",
    "composition_chart",
    "conditional_chart",
    "delta_chart",
    "delta_for",
    "describe",
    "elastic_count",
    "exchangeable_beliefs",
    "family_chart",
    "neighbor_chart",
    "neighbor_ratio",
    "notion_chart",
    "people_chart",
    "renyi_chart",
    "shape_of",
    "tradeoff_chart",
    "truncated_laplace",
    "trust_chart",
    "trust_models",
]
