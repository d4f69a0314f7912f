"""Postprocessing: released numbers in, better numbers out, and the law of what error is left.

Here are projections on the simplex, isotonic fits, trees, hierarchies and workloads read off what was asked by least
squares, the strategies that are worth asking for them, weighted sums of noise, and how much samples of a population
differ. All of it is free, because it sees released numbers and public shapes only.

May import: errors, loss, noise, display, core, mechanisms.
Never touches: secrets, ledgers, random bits.
"""
