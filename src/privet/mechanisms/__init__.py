"""Mechanisms: one file each, with its proof."""

from privet.mechanisms.discrete_gaussian import DiscreteGaussian
from privet.mechanisms.discrete_laplace import DiscreteLaplace
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace

__all__ = ["DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Laplace"]
