"""Printing: relations and requests as SQL, in the words of a `Dialect`. No text of an analyst is printed.

May import: aggregates, catalog, measures, plan, functions, scalars; errors.
Never touches: connections, prices, the parser.
"""

from privet.query.printing.dialect import Dialect
from privet.query.printing.outputs import print_output
from privet.query.printing.relation_tables import print_relation
from privet.query.printing.request_statement import print_request
from privet.query.printing.table_locations import Source, Sources

__all__ = ["Dialect", "Source", "Sources", "print_output", "print_relation", "print_request"]
