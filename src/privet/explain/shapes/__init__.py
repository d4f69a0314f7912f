"""Shapes: density, distribution and quantiles of every law of noise, for pictures and lessons; nothing draws here."""

from privet.explain.shapes.shape import Shape
from privet.explain.shapes.shape_of import shape_of
from privet.explain.shapes.smooth_shapes import CauchyShape, GaussianShape, LaplaceShape, StaircaseShape
from privet.explain.shapes.whole_shapes import DiscreteLaplaceShape, RoundedShape, TableShape

__all__ = [
    "CauchyShape",
    "DiscreteLaplaceShape",
    "GaussianShape",
    "LaplaceShape",
    "RoundedShape",
    "Shape",
    "StaircaseShape",
    "TableShape",
    "shape_of",
]
