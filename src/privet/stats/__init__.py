"""Statistics of arrays and columns: one call, an answer with an error bar and a price."""

from privet.stats.asking import Asking
from privet.stats.count import count
from privet.stats.total import total

__all__ = ["Asking", "count", "total"]
