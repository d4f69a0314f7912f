"""Remote: how questions and answers travel between a server and `privet.connect("https://…")`.

May import: results, options, pricing, catalog, scalars; errors, core, loss, mechanisms, wording.
Never touches: engines, ledgers, secrets.
"""
