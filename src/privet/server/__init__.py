"""The server: one dataset and its ledger behind a console, HTTP, the PostgreSQL wire and agents.

serve         starts all of it in one process
the doors     http, console, postgres, agents, collector, survey: none knows the others
desk          what every door shares: who asks, what was asked before, what waits for the owner
people        accounts, roles, tokens and sessions of browsers
settings      what whoever runs it says; with pace, metrics and certificates, which know nothing but it

May import: every room below.
Never touches: formulas.
"""
