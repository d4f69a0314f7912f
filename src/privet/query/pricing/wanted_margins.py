"""Wanted margins: which released columns an analyst wants how sure, from the errors that were said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from privet.asking.wanted_error import Wanted, WantedError
from privet.errors import InvalidParameter
from privet.query.functions.weighted_sum import weighted_sum
from privet.query.measures.noise_margin import Floats, sum_margin
from privet.query.measures.readings import Average, Count, Linear, Quantile, Reading
from privet.query.options import Options
from privet.query.plan.statement import Aggregate, Statement
from privet.query.pricing.foreseen_margin import foreseen_margin
from privet.query.pricing.price import Stages
from privet.query.pricing.priced import PricedStage
from privet.query.scalars.expressions import Column
from privet.wording.nearest import nearest


@dataclass(frozen=True)
class Part:
    """A released column that a wanted one is computed from.

    Args:
        stage: the place of its stage among the paid ones.
        reading: of the column.
        factor: by which it is multiplied.
    """

    stage: int
    reading: Reading
    factor: float


@dataclass(frozen=True)
class WantedMargin:
    """One column of an answer that is to be so sure.

    Args:
        name: of the column.
        largest: what its margin may be.
        parts: what it is a weighted sum of.
        value: what it is expected to be, if that was said.
    """

    name: str
    largest: float
    parts: tuple[Part, ...]
    value: Fraction | None = None

    @property
    def each(self) -> float:
        """What the margin of each part, times its factor, may be so that their sum is about as sure as wanted."""
        return self.largest / sqrt(len(self.parts))

    def met(self, stages: Sequence[PricedStage], options: Options) -> bool:
        """Whether these mechanisms make it as sure as wanted."""
        margin = self.margin(stages, options)
        return margin is not None and margin <= self.largest

    def margin(self, stages: Sequence[PricedStage], options: Options) -> float | None:
        """How sure these mechanisms make it; None where that is not known."""
        confidence = options.confidence
        if len(self.parts) == 1:
            (part,) = self.parts
            stage = stages[part.stage]
            mechanism = stage.mechanisms[part.reading.draw]
            found = foreseen_margin(
                stage.needs, part.reading, mechanism, confidence, rows=options.rows, value=self.value
            )
            return None if found is None else abs(part.factor) * found
        weights: dict[tuple[int, int], Floats] = {}  # what is read off the same draw has the same noise
        for part in self.parts:
            if not isinstance(part.reading, Linear):
                return None
            draw = part.stage, part.reading.draw
            weights[draw] = weights.get(draw, 0.0) + part.factor * part.reading.weights
        noises = [(each, stages[stage].noise_of(draw)) for (stage, draw), each in weights.items()]
        known = [(each, noise) for each, noise in noises if noise is not None]
        return sum_margin(known, confidence) if len(known) == len(noises) else None


def wanted_margins(statement: Statement, stages: Stages, options: Options) -> tuple[WantedMargin, ...]:
    """Every column that is to be so sure.

    Args:
        statement: whose columns are named.
        stages: that are paid for.
        options: with the errors that were said.

    Raises:
        InvalidParameter: if a named column is none, or its margin cannot be told beforehand; and if none can.
    """
    wanted: Wanted | None = options.errors
    if wanted is None:
        return ()
    named = _named(statement, stages)
    if isinstance(wanted, Mapping):
        for name in wanted:
            if name not in named:
                raise InvalidParameter(
                    f"error must name paid columns of the answer, got {name!r}{nearest(name, named)}"
                )
        found = [_wanted(name, wanted[name], each, options) for name in wanted for each in named[name]]
    else:
        found = [
            _wanted(name, wanted, each, options)
            for name, all_of_name in named.items()
            for each in all_of_name
            if each is not None
        ]
    if not found:
        raise InvalidParameter("no column of this answer has a margin that is known beforehand: say what to spend")
    return tuple(found)


def _named(statement: Statement, stages: Stages) -> dict[str, list[tuple[Part, ...] | None]]:
    """By name: what each paid column of an answer is a weighted sum of; None if its margin is not known beforehand."""
    released = _released(stages)
    keys = {key.column for _, needs in stages for key in needs.aggregate.keys}
    named: dict[str, list[tuple[Part, ...] | None]] = {}
    for stage in statement.stages:
        if not isinstance(stage.source, Aggregate) or stage.report is not None:
            continue
        for column, expression in stage.output.items:
            linear = weighted_sum(expression)
            if linear is not None and (not linear.weights or linear.weights.keys() & keys):
                continue  # it is public, or what groups are called
            known = linear is not None and linear.weights.keys() <= released.keys()  # which no window of the answer is
            parts = [Part(*released[each], w) for each, w in linear.weights.items() if w] if linear and known else None
            if getattr(expression, "column", None) in keys:
                continue
            named.setdefault(column.name, []).append(_foreseeable(parts))
    return named


def _released(stages: Stages) -> dict[Column, tuple[int, Reading]]:
    """Each released column: the place of its stage, and how it is read."""
    return {each.column: (place, each) for place, (_, needs) in enumerate(stages) for each in needs.readings}


def _foreseeable(parts: list[Part] | None) -> tuple[Part, ...] | None:
    if not parts:
        return None
    kinds: tuple[type, ...] = (Linear, Average, Quantile) if len(parts) == 1 else (Linear,)
    return tuple(parts) if all(isinstance(part.reading, kinds) for part in parts) else None


def _wanted(name: str, error: WantedError, parts: tuple[Part, ...] | None, options: Options) -> WantedMargin:
    if parts is None:
        raise InvalidParameter(
            f"the margin of {name!r} depends on the data, so no error of it can be kept: name the columns that it is "
            "computed from, or say what to spend"
        )
    first = parts[0].reading
    if isinstance(first, Average) and options.rows is None:
        raise InvalidParameter(
            f"the margin of the average {name!r} depends on how many rows are averaged: say how many you expect in a "
            "group, such as rows=1000; or name other columns in error"
        )
    counted = options.rows if all(isinstance(part.reading, Count) for part in parts) else None
    size = None if counted is None else counted * abs(Fraction(sum(part.factor for part in parts)))
    margin = error.margin(size or None)
    if margin is None:
        expected = f"rows=1000, or '{error} of 1000'" if isinstance(first, Count) else f"'{error} of 40000'"
        raise InvalidParameter(
            f"the error of {name!r} is a percentage of what is not known yet: say what you expect, such as {expected}"
        )
    return WantedMargin(name, float(margin), parts, error.size if isinstance(first, Average) else None)
