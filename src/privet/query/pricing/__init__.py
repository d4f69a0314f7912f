"""Pricing: mechanisms for every number of a plan, and one composed price: a `Quote`. Nothing is charged.

May import: aggregates, options, catalog, measures, plan, scalars; errors, core, loss, mechanisms.
Never touches: rows, engines, ledgers.
"""
