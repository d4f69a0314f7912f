"""Display: what a notebook or page shows: charts, and cards of HTML.

May import: errors, wording.
Never touches: data, prices, files but the one a chart is saved to.
"""

from privet.display.card import Card, Column, Gauge
from privet.display.chart import Chart

__all__ = ["Card", "Chart", "Column", "Gauge"]
