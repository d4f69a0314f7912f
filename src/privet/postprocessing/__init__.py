"""Postprocessing: released numbers in, better numbers out, and the law of what error is left.

Here are projections on the simplex, isotonic fits, trees and hierarchies made consistent by least squares, and
weighted sums of noise. All of it is free, because it sees released numbers only.

May import: errors, loss, noise, display, core, mechanisms.
Never touches: secrets, ledgers, random bits.
"""
