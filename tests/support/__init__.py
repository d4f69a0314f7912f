"""What tests of several folders share. What only one folder needs stays beside its tests.

Which to use when:

| I test | use |
|---|---|
| that samples follow a law, or that a rate is met | `statistics`: states n and a false-alarm rate, and has controls |
| a loss or a theorem against the truth | `loss_oracle` (ball arithmetic), `exact_sums` (sums over all outcomes) |
| a mechanism | `tests/contracts/mechanism.py`; for smooth bounds also `smooth_pairs` |
| a journal | `tests/contracts/journal.py`; processes that spend at once are in `ledger_processes` |
| what an exception still holds | `reachable` |
| a statistic of arrays: which secret it hands over, how far it moves | `recording_ledger` |
| a part of `query/` that needs no SQL and no engine | `people`: a small table as plan nodes |
| what is printed for an engine | `bare_engine` |
| a statement on ordinary rows | `hospital` (schema and rows), `hospital_sessions` (sessions of it) |
| the exact answer of a statement, without noise | `exact_session` |
| what a plan means, in plain Python | `query_oracle` |
| a rule that holds for every plan, expression or row | `drawn_databases`, `drawn_expressions` (hypothesis) |
| that neighbors look alike | `neighbor_hospitals` (the worst rows) with `replaying_ledger` (keeps every secret) |
| that fits of neighbors look alike | `replayed_fits`, by `privet.audit` |
| all that an analyst can see, beyond answers | `observation`, by `privet.audit` |
| that the engines agree | `engines`, filled by `on_postgres` and `on_spark`; `nasty_values` is where they differ |
| a server | `postgres`, `spark`: real ones, started once |
| the PostgreSQL door | `wire_server`: one with a hospital behind it, and a raw socket |
| a page of docs/how-to that adds something to Privet | `how_to`: puts its code into a copy |
| that intervals hold for a population | `adult`: people to draw samples from |
| the whole server | `running_server` starts it, `load` asks, `settled` compares, `killed_postgres` kills |
| a door of the server | `desks`: a desk of invented people; `all_doors`: every door before one |
| statements that take long, or more memory than there is | `slow_catalogs` |
"""
