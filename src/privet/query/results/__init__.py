"""Results: what a reader is given: answers, explanations, receipts, and the notes beside them.

May import: options, answering, backends, pricing, aggregates, catalog, measures, plan, functions, scalars;
    errors, core, display, loss, mechanisms, wording.
Never touches: rows, secrets.
"""
