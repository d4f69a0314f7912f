"""Asking: how anything is asked, whoever answers.

Here are the words for what may be spent (`budget.py`, `price.py`), who pays and under which key a retry finds its
answer (`payment.py`), who is protected (`protected_unit.py`), columns of any frame, declared bounds and those that are
found (`auto_bounds.py`), which rows count, and the noise for a price (`best_noise.py`).

May import: errors, loss, noise, core, mechanisms, postprocessing, wording.
Never touches: engines, formulas of one statistic.
"""
