"""Sampling: how far released numbers would lie apart if other units of the same population had been asked.

What units and rows add to variances, and how much of that is known, is in `postprocessing/sampling.py`. Of MEAN's two
numbers, u and S - u with u from 0 to S, the squares add up to at most S times the numbers themselves, with nothing in
common: as if all rows lay at their bounds, which is the largest variance that the mean and the bounds allow. SPREAD
tells the variance: rows are then taken as two points that have the released mean and variance, the latter at the upper
end of its interval. A lone SUM of numbers of one sign has squares of at most its bound times itself. Where rows are
weighted down to c, all this holds likewise.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtri

from privet.postprocessing.sampling import largest_variance, rows_at_most, sum_of_squares
from privet.query.measures.noise_margin import Floats, Noise
from privet.query.measures.ratio_interval import proportion
from privet.query.measures.readings import Variance
from privet.query.measures.request import Bounded, Measure, Shape
from privet.query.measures.simulated_noise import shuffles
from privet.query.scalars.expressions import Call, Column, Expression, Literal, facts_of
from privet.query.scalars.facts import Facts, Type

SEED = b"privet: simulated sampling"
DISTINCT = "how many values a population has cannot be told from those of a sample"
SIGNED = "without the number of rows nothing is known of their squares; ask for COUNT(x) beside SUM(x)"
JOINT = 'how far correlations and slopes of samples vary is not computed; ask for interval="data"'


@dataclass(frozen=True)
class Sampled:
    """Some draws of one aggregation, as those of a sample.

    Args:
        request: with the limits on a unit's rows.
        measures: of each draw; None for those that are not used.
        noises: of each draw.
        together: whether numbers of different groups are added up or compared.
        stages: how many aggregations of the same units are computed with.
        counted: the draws off which nothing but a number of rows is read.
    """

    request: Bounded
    measures: tuple[Measure | None, ...]
    noises: tuple[Noise | None, ...]
    together: bool = False
    stages: int = 1
    counted: frozenset[int] = frozenset()

    @property
    def used(self) -> list[Measure]:
        """Of the draws that are used."""
        return [measure for measure in self.measures if measure is not None]

    @property
    def times(self) -> int:
        """How often the variance of rows is taken: units have several rows, in several groups, draws and stages."""
        limits = self.request.limits
        rows = limits.rows if self.together and self.request.keys else limits.cap
        if all(measure.shape is Shape.UNITS for measure in self.used):
            rows = self.request.groups if self.together else 1
        return rows * self.stages * (1 if self.nested or self.apart else len(self.used))

    @property
    def apart(self) -> bool:
        """Whether no row counts in two of the draws."""
        conditions = [measure.condition for measure in self.used]
        return all(a is not None and b is not None and disjoint(a, b) for a, b in combinations(conditions, 2))

    @property
    def nested(self) -> bool:
        """Whether one draw counts all rows, and the others some of them, each row at most once."""
        counts = [each for place, each in enumerate(self.measures) if each is not None and self._row(place)]
        some = [each.condition for each in counts if each.condition is not None]
        fits = len(counts) == len(self.used) == len(some) + 1
        return fits and all(disjoint(a, b) for a, b in combinations(some, 2))

    def _row(self, place: int) -> int:
        """What stands for one row in all numbers of a draw together, where every row counts; else 0."""
        measure = self.measures[place]
        if measure is None:
            return 0
        if measure.shape is Shape.ROWS and measure.argument is None:
            return self.request.part
        power = {Shape.MEAN: 1, Shape.SPREAD: 2}.get(measure.shape, 0)
        every = measure.argument is not None and not facts_of(measure.argument).nullable
        return measure.span.steps**power if power and every and place in self.counted else 0

    def noise(self, numbers: tuple[Floats, ...], levels: int, first: int, *, apart: bool) -> list[Floats]:
        """For each draw, replicates × rows × cells by which another sample might differ.

        Args:
            numbers: of each draw.
            levels: how many replicates.
            first: how many numbers the statement has before these.
            apart: whether each row has a sample of its own.
        """
        found = []
        normal = ndtri((np.arange(levels) + 0.5) / levels)
        for place, cells in enumerate(numbers):
            many = cells.size if apart else cells.shape[1]
            orders = shuffles(first + many, levels, seed=SEED)[first:]
            points = normal[orders].T.reshape(levels, *(cells.shape if apart else (1, cells.shape[1])))
            first += many
            measure = self.measures[place]
            found.append(np.zeros(1) if measure is None else self._moved(measure, place, cells, points))
        return self._within(found, numbers) if self.nested else found

    def _within(self, found: list[Floats], numbers: tuple[Floats, ...]) -> list[Floats]:
        """All rows are those of the other draws and the rest."""
        whole = next(place for place, each in enumerate(self.measures) if each is not None and each.condition is None)
        others = [place for place, each in enumerate(self.measures) if each is not None and place != whole]
        rows = [np.maximum(each.sum(axis=1) / (self._row(place) or 1), 0.0) for place, each in enumerate(numbers)]
        every = rows_at_most(rows[whole])
        rest = rows_at_most(rows[whole] - sum(rows[place] for place in others))
        inside = sum(found[place].sum(axis=2) / self._row(place) for place in others)
        moved = np.zeros_like(found[whole])
        moved[:, :, 0] = found[whole].sum(axis=2) * np.sqrt(rest / every) + inside * self._row(whole)
        found[whole] = moved
        return found

    def _moved(self, measure: Measure, place: int, cells: Floats, points: Floats) -> Floats:
        """One draw: standard normal points made as wide as samples differ."""
        wide = float(np.sqrt(self.times))
        if (row := self._row(place)) and cells.shape[1] > 1:
            rows = rows_at_most(cells.sum(axis=1) / row)
            moved = np.zeros(np.broadcast_shapes(points.shape, (1, *cells.shape)))
            moved[:, :, 0] = points[:, :, 0] * np.sqrt(rows) * row * wide
            return moved
        if measure.shape is Shape.SPREAD:
            return self._two_points(measure, self.noises[place], cells, points) * wide
        size = {Shape.ROWS: self.request.part, Shape.MEAN: measure.span.steps}.get(measure.shape, 1)
        if measure.shape is Shape.SUM:
            size = max(abs(measure.span.first), abs(measure.span.last))
            cells = np.abs(cells)
        return np.asarray(points * np.sqrt(sum_of_squares(cells, size)) * wide)

    @staticmethod
    def _two_points(measure: Measure, noise: Noise | None, cells: Floats, points: Floats) -> Floats:
        """Rows at two places that have the released mean and variance."""
        square = float(measure.span.steps) ** 2
        mean = np.nan_to_num(np.clip(proportion(cells), 0.0, 1.0), nan=0.5)
        largest = largest_variance(mean)
        unit = float(measure.span.step * measure.span.steps) ** 2
        variance = largest
        if noise is not None:
            reading = Variance(Column("", Facts(Type.REAL)), 0, measure.shape, measure.span, sample=False)
            variance = np.minimum(reading.interval(cells, noise, 0.95)[1] / unit, largest)
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(largest > 0, np.sqrt(variance / largest), 1.0)
        rows = rows_at_most(cells.sum(axis=1) / square)
        moved = np.zeros((*np.broadcast_shapes(points.shape, (1, *cells.shape)),))
        for place, share, at in ((0, mean, mean + reach * (1 - mean)), (1, 1 - mean, mean - reach * mean)):
            shape = np.stack([at**2, 2 * at * (1 - at), (1 - at) ** 2], axis=1) * square
            moved += points[:, :, place, None] * (np.sqrt(rows * share)[:, None] * shape)
        return moved


def why_not(measures: list[Measure]) -> str:
    """Why draws tell nothing about a population, or ""."""
    for measure in measures:
        if measure.shape is Shape.DISTINCT:
            return DISTINCT
        if measure.shape is Shape.PRODUCTS:
            return JOINT
        if measure.shape is Shape.SUM and measure.span.first < 0 < measure.span.last:
            return SIGNED
    return ""


def disjoint(one: Expression, other: Expression) -> bool:
    """Whether no row meets both conditions, as far as they show it.

    Example:
        >>> from privet.query.functions import call
        >>> from privet.query.scalars.expressions import Reference
        >>> sex = Reference(Column("sex", Facts(Type.TEXT)))
        >>> f, m = (call("eq", sex, Literal(letter, Type.TEXT)) for letter in "fm")
        >>> disjoint(f, m), disjoint(f, f), disjoint(f, call("not", f))
        (True, False, True)
    """
    for a, b in ((one, other), (other, one)):
        if isinstance(a, Call) and a.function == "not" and a.arguments[0] == b:
            return True
        if isinstance(a, Call) and a.function == "and" and any(disjoint(part, b) for part in a.arguments):
            return True
    pair = [each for each in (one, other) if isinstance(each, Call) and each.function == "eq"]
    if len(pair) < 2:  # noqa: PLR2004 - both
        return False
    (x, v), (y, w) = (each.arguments for each in pair)
    return x == y and isinstance(v, Literal) and isinstance(w, Literal) and v.type is w.type and v.value != w.value
