"""Plans: what a statement means, as typed nodes; how they are built, merged and checked.

May import: functions, scalars; errors.
Never touches: engines, prices, the parser.
"""
