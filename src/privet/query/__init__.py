"""SQL and dataframes: private answers from tables.

From a statement to an answer: `session.py` → `sql/` (what does it mean, is it allowed) → `plan.py` (typed nodes)
→ `measures.py` (which whole numbers it needs) → `pricing.py` (mechanisms and price) → the ledger → `backends/` (exact
bounded sums) → mechanisms → `answer.py`.
"""
