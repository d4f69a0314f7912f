"""Pricing: mechanisms for every number of a plan, and one composed price: a `Quote`. Nothing is charged.

May import: aggregates, options, catalog, measures, functions, plan, scalars; asking, errors, core, loss,
mechanisms, wording.
Never touches: rows, engines, ledgers.
"""
