"""Aggregates: COUNT, SUM, AVG and their kin, one rule each (`table.py`), and what a statement's need (`needs.py`).

May import: measures, plan, functions, scalars; errors, postprocessing.
Never touches: rows, engines, the parser.
"""

from privet.query.aggregates.rule import AggregateRule
from privet.query.aggregates.table import NAMES, RULES, bounded_arguments, rule_of

__all__ = ["NAMES", "RULES", "AggregateRule", "bounded_arguments", "rule_of"]
