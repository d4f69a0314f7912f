"""Backends: the engines, one folder each, behind one interface (`backend.py`); `sql_engine.py` is what they share.

May import: printing, catalog, measures, plan, functions, scalars; errors, core, loss.
Never touches: noise, prices, ledgers.
"""
