"""The second price: the same price again, read off the engine's SQL. It computes nothing with the code of the first.

May import: backends, pricing, measures, catalog; errors, core, loss, mechanisms.
Never touches: rows, ledgers, the text of an analyst.
"""
