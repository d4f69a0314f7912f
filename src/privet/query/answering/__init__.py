"""Answering: a quote is charged (`charge.py`), run (`run.py`) and made a table. Every number leaves through the ledger.

May import: second_price, backends, printing, pricing, aggregates, catalog, measures, plan, functions, scalars;
errors, core, wording.
Never touches: random bits, the text of an analyst.
"""
