"""Scalars: values of one row, their types, what is publicly known of them (`facts.py`), and expressions.

May import: no layer; errors.
Never touches: rows, engines, the parser.
"""
