"""Exact noise, fast: the only room that draws random bits.

`Entropy` gives the bits, a `Law` turns them into whole numbers with exactly the stated distribution, and a `Lattice`
says what one whole step is worth.

May import: errors.
Never touches: data, losses.
"""

from privet.noise.bernoulli import BernoulliExpLaw, BernoulliLaw
from privet.noise.categorical import CategoricalLaw
from privet.noise.cauchy import CauchyLaw
from privet.noise.cube import CubeLaw
from privet.noise.entropy import BitSource, Entropy
from privet.noise.gaussian import DiscreteGaussianLaw, GaussianLaw
from privet.noise.laplace import DiscreteLaplaceLaw, LaplaceLaw
from privet.noise.lattice import Lattice
from privet.noise.law import Law
from privet.noise.rank import RankLaw
from privet.noise.run_counts import PoissonLaw, TruncatedNegativeBinomialLaw
from privet.noise.staircase import StaircaseLaw
from privet.noise.uniform import PermutationLaw, UniformLaw

__all__ = [
    "BernoulliExpLaw",
    "BernoulliLaw",
    "BitSource",
    "CategoricalLaw",
    "CauchyLaw",
    "CubeLaw",
    "DiscreteGaussianLaw",
    "DiscreteLaplaceLaw",
    "Entropy",
    "GaussianLaw",
    "LaplaceLaw",
    "Lattice",
    "Law",
    "PermutationLaw",
    "PoissonLaw",
    "RankLaw",
    "StaircaseLaw",
    "TruncatedNegativeBinomialLaw",
    "UniformLaw",
]
