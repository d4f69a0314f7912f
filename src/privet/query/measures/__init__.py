"""Measures: whole numbers that the engine adds up, how far one unit moves them, and what is read off them.

May import: plan, functions, scalars; errors, core, loss, mechanisms, postprocessing.
Never touches: rows, engines, the parser.
"""
