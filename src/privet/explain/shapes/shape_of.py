"""shape_of: the shape of a law of noise, or of the noise that a mechanism adds."""

import math
from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np

from privet.errors import InvalidParameter
from privet.explain.shapes.shape import Floats, Shape
from privet.explain.shapes.smooth_shapes import CauchyShape, GaussianShape, LaplaceShape, StaircaseShape
from privet.explain.shapes.whole_shapes import DiscreteLaplaceShape, RoundedShape, TableShape
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Staircase
from privet.noise import (
    BernoulliExpLaw,
    BernoulliLaw,
    CauchyLaw,
    CubeLaw,
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    GaussianLaw,
    LaplaceLaw,
    PoissonLaw,
    StaircaseLaw,
    TruncatedNegativeBinomialLaw,
    UniformLaw,
)

LONGEST = 1 << 22  # numbers in a table
FAR = 40  # scales beyond which nothing is left in float64; of a normal law, deviations


@singledispatch
def shape_of(law: Any) -> Shape:  # noqa: ANN401 - a law or a mechanism
    """The shape of a law (in lattice steps), or of the noise that a mechanism adds (in the answer's unit).

    Args:
        law: of `privet.noise`, or a Laplace, Gaussian, Staircase, DiscreteLaplace or DiscreteGaussian mechanism. That
            of a `CubeLaw` is of one coordinate; a coin's is of 0 and 1. Laws whose numbers come from rows, such as
            ranks, have no public shape.

    Example:
        >>> from privet.mechanisms import Laplace
        >>> shape_of(Laplace(l1_sensitivity=1, scale=2)), shape_of(BernoulliLaw(0.25)).density([0, 1]).tolist()
        (LaplaceShape(scale=2.0, center=0.0), [0.75, 0.25])
    """
    raise InvalidParameter(
        f"the shape of {type(law).__name__} is not known: give it a law of numbers from privet.noise, or a mechanism "
        "that adds Laplace, Gaussian or staircase noise"
    )


@shape_of.register
def _(law: LaplaceLaw) -> Shape:
    return RoundedShape(LaplaceShape(float(law.scale)))


@shape_of.register
def _(law: GaussianLaw) -> Shape:
    return RoundedShape(GaussianShape(float(law.scale)))


@shape_of.register
def _(law: CauchyLaw) -> Shape:
    return RoundedShape(CauchyShape(float(law.scale)))


@shape_of.register
def _(law: DiscreteLaplaceLaw) -> Shape:
    return DiscreteLaplaceShape(float(law.scale))


@shape_of.register
def _(law: DiscreteGaussianLaw) -> Shape:
    scale = float(law.scale)
    return _symmetric(lambda k: -k * k / (2 * scale * scale), FAR * scale)


@shape_of.register
def _(law: StaircaseLaw) -> Shape:
    drop, width, rise = float(law.drop), law.width, law.rise
    return _symmetric(lambda k: -drop * np.floor((np.abs(k) - rise) / width + 1), FAR * width * max(1, 1 / drop))


@shape_of.register
def _(law: CubeLaw) -> Shape:
    scale, width = float(law.scale), law.width
    reach = np.arange(_listed(FAR * scale + width * scale) + 1)
    logs = width * np.log(2 * reach + 1) - reach / scale
    each = np.exp(logs - logs.max()) / (2 * reach + 1)
    beyond = np.cumsum(each[::-1])[::-1]  # one coordinate is uniform between -m and m
    return TableShape.of([*beyond[:0:-1], *beyond], first=-len(reach) + 1)


@shape_of.register
def _(law: UniformLaw) -> Shape:
    return TableShape.of(np.ones(_listed(law.below)))


@shape_of.register
def _(law: BernoulliLaw) -> Shape:
    return TableShape.of([float(1 - law.probability), float(law.probability)])


@shape_of.register
def _(law: BernoulliExpLaw) -> Shape:
    return TableShape.of([-math.expm1(-float(law.exponent)), math.exp(-float(law.exponent))])


@shape_of.register
def _(law: PoissonLaw) -> Shape:
    mean = float(law.mean)
    counts = np.arange(_listed(mean + FAR * math.sqrt(mean) + FAR) + 1)
    logs = counts * math.log(mean) - np.concatenate(([0.0], np.cumsum(np.log(counts[1:]))))
    return TableShape.of(np.exp(logs - logs.max()))


@shape_of.register
def _(law: TruncatedNegativeBinomialLaw) -> Shape:
    stop, shape = float(law.stop), float(law.shape)
    if stop == 1:
        return TableShape.of([1.0], first=1)
    counts = np.arange(1, _listed(FAR / -math.log1p(-stop)) + 2)
    steps = np.log((counts[:-1] + shape) / (counts[:-1] + 1)) + math.log1p(-stop)
    logs = np.concatenate(([0.0], np.cumsum(steps)))
    return TableShape.of(np.exp(logs - logs.max()), first=1)


@shape_of.register
def _(noise: Laplace) -> Shape:
    return LaplaceShape(float(noise.scale))


@shape_of.register
def _(noise: Gaussian) -> Shape:
    return GaussianShape(float(noise.scale))


@shape_of.register
def _(noise: Staircase) -> Shape:
    return StaircaseShape(float(noise.epsilon), float(noise.sensitivity))


@shape_of.register
def _(noise: DiscreteLaplace) -> Shape:
    return DiscreteLaplaceShape(float(noise.scale))


@shape_of.register
def _(noise: DiscreteGaussian) -> Shape:
    scale = float(noise.scale)
    return _symmetric(lambda k: -k * k / (2 * scale * scale), FAR * scale)


def _symmetric(logs: Callable[[Floats], Floats], reach: float) -> TableShape:
    """The table of weights e^logs(k) for k from -reach to reach."""
    last = _listed(reach)
    places = np.arange(-last, last + 1, dtype=np.float64)
    return TableShape.of(np.exp(logs(places)), first=-last)


def _listed(numbers: float) -> int:
    """How many numbers a table needs; refuses one that is too long."""
    if numbers > LONGEST:
        raise InvalidParameter(
            f"a table of {numbers:.3g} numbers is too long to list, at most {LONGEST:,} are: ask for the shape of the "
            "mechanism, or of a law of a smaller scale"
        )
    return math.ceil(numbers)
