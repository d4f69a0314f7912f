"""Answering: a quote is charged, run and made a table. Every number leaves through the ledger."""
