"""Explain: what privacy means and costs, in pictures."""

from privet.explain.chart import Chart

__all__ = ["Chart"]
