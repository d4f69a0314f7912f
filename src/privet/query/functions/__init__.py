"""Functions: the scalars of a query, one rule each. Each is total, and each tells what is known about its result.

May import: scalars; errors.
Never touches: rows, engines, the parser.
"""

from privet.query.functions.calling import call
from privet.query.functions.casts import cast
from privet.query.functions.evaluate import evaluate
from privet.query.functions.function_table import FUNCTIONS
from privet.query.functions.substitute import substitute

__all__ = ["FUNCTIONS", "call", "cast", "evaluate", "substitute"]
