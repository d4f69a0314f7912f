"""Least budget: the smallest promise, and the shares of it, that make every column as sure as was wanted."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from privet.asking.least_amount import least_amount, short_amounts
from privet.loss import ConcentratedGuarantee, ExponentialCurve, GaussianCurve, Guarantee, PrivacyLoss, Promise
from privet.mechanisms import Gaussian
from privet.query.options import Options
from privet.query.pricing.foreseen_margin import foreseen_margin
from privet.query.pricing.naming import counted_by_naming
from privet.query.pricing.price import Stages, laplace_for
from privet.query.pricing.priced import Drawn
from privet.query.pricing.split import Share
from privet.query.pricing.wanted_margins import Part, WantedMargin
from privet.query.scalars.expressions import Column

Place: TypeAlias = tuple[int, int]  # a draw: of which stage, and which of its draws


@dataclass(frozen=True)
class Budgeted:
    """A promise and how it is divided.

    Args:
        amount: of ε or ρ, not rounded yet.
        promise: makes a promise of an amount.
        weights: of released columns and private keys, in parts of the amount.
        gaussian: whether numbers have Gaussian noise.
    """

    amount: float
    promise: Callable[[Fraction], Promise]
    weights: Mapping[Column, Fraction]
    gaussian: bool

    @property
    def promises(self) -> Iterator[Promise]:
        """From the least on, each with an amount of four digits."""
        return map(self.promise, short_amounts(self.amount))


@dataclass
class Demand:
    """What each draw needs so that the columns read off it are as sure as wanted.

    Args:
        stages: that are paid for.
        shares: their draws and selections.
        wanted: the columns.
        options: with confidence and expected rows.
    """

    stages: Stages
    shares: Sequence[Share]
    wanted: Sequence[WantedMargin]
    options: Options
    draws: dict[Place, Share] = field(init=False)
    goals: dict[Place, list[tuple[WantedMargin, Part]]] = field(init=False)

    def __post_init__(self) -> None:
        counted: dict[int, int] = {}
        self.draws, self.goals = {}, {}
        for share in self.shares:
            if share.draw is not None:
                self.draws[share.stage, counted.setdefault(share.stage, 0)] = share
                counted[share.stage] += 1
        for each in self.wanted:
            for part in each.parts:
                self.goals.setdefault((part.stage, part.reading.draw), []).append((each, part))

    def strength(self, place: Place, noise: Callable[[Fraction, Share], Drawn]) -> float | None:
        """The least strength of a draw's noise, whatever is made of it, at which its columns are sure; None if free."""
        goals = self.goals.get(place)
        if not goals:
            return None
        needs, share = self.stages[place[0]][1], self.draws[place]

        def excess(strength: float) -> float:
            mechanism = noise(_typed(strength), share)
            found = 0.0
            for each, part in goals:
                margin = foreseen_margin(
                    needs, part.reading, mechanism, self.options.confidence, rows=self.options.rows, value=each.value
                )
                found = max(found, (math.inf if margin is None else margin) * abs(part.factor) / each.each)
            return found

        return least_amount(excess, ", ".join(dict.fromkeys(each.name for each, _ in goals)))

    def readers(self, place: Place) -> list[Column]:
        """The columns that are read off a draw."""
        return [each.column for each in self.stages[place[0]][1].readings if each.draw == place[1]]

    @property
    def selections(self) -> int:
        """How many stages select their groups."""
        return sum(share.draw is None for share in self.shares)

    def budgeted(
        self, strengths: Mapping[Place, float], promise: Callable[[Fraction], Promise], *, gaussian: bool
    ) -> Budgeted:
        """The sum of what draws need, with as much for a selection of groups as for a column on average.

        Where groups are named by a count that is needed anyway, naming them needs nothing more.
        """
        weights: dict[Column, Fraction] = {}
        for place, strength in strengths.items():
            readers = self.readers(place)
            weights |= dict.fromkeys(readers, _typed(strength) / len(readers))
        total = sum(weights.values(), Fraction(0))
        each = total / len(weights) if weights else total
        counted = {self.shares[place].stage for place in counted_by_naming(self.shares)}
        for stage, (_, needs) in enumerate(self.stages):
            if needs.aggregate.selects:
                more = Fraction(0) if stage in counted else each
                total += more
                weights |= {key.column: more for key in needs.aggregate.keys if key.domain is None}
        return Budgeted(float(total), promise, weights, gaussian)

    def filled(self, found: Mapping[Place, float | None]) -> dict[Place, float]:
        """A draw that nobody wants to be sure gets what the least of the others has for each column."""
        each = [value / len(self.readers(place)) for place, value in found.items() if value is not None]
        return {
            place: min(each, default=0.0) * len(self.readers(place)) if value is None else value
            for place, value in found.items()
        }

    def ranked(self, place: Place) -> bool:
        """Whether a draw chooses a place."""
        draw = self.draws[place].draw
        return draw is not None and draw.chooses


def least_budgets(demand: Demand, promise: Promise) -> list[Budgeted]:
    """Every way to divide a promise by need, the cheapest first.

    Args:
        demand: what draws need.
        promise: of which kind, with its δ; its ε or ρ is what is found.

    Laplace noise needs ε_i for draw i and Σ ε_i in all. Gaussian noise needs μ_i, and √Σ μ_i² in all, whose ε at the δ
        is divided among the draws by μ_i². So each column is just as sure as wanted, and none pays for a stricter one.
    """
    if isinstance(promise, ConcentratedGuarantee):
        return [_concentrated(demand)]
    delta = promise.delta
    pure = demand.filled({place: demand.strength(place, laplace_for) for place in demand.draws})
    ways = [demand.budgeted(pure, lambda epsilon: Guarantee(epsilon, delta), gaussian=False)]
    if delta and any(not demand.ranked(place) for place in demand.draws):
        ways.append(_gaussian(demand, pure, delta))
    return sorted(ways, key=lambda way: way.amount)


def _gaussian(demand: Demand, pure: Mapping[Place, float], delta: Fraction) -> Budgeted:
    numbers = [place for place in demand.draws if not demand.ranked(place)]
    squares = demand.filled({place: _squared(demand.strength(place, _gaussian_for)) for place in numbers})
    mine = delta / 2 if demand.selections else delta
    total = sum(squares.values())
    epsilon = PrivacyLoss.of(GaussianCurve(_typed(math.sqrt(total)))).epsilon(mine)
    strengths = {place: epsilon * squares[place] / total if place in squares else pure[place] for place in demand.draws}
    return demand.budgeted(strengths, lambda found: Guarantee(found, delta), gaussian=True)


def _concentrated(demand: Demand) -> Budgeted:
    found = {}
    for place in demand.draws:
        if demand.ranked(place):
            epsilon = demand.strength(place, laplace_for)
            found[place] = None if epsilon is None else PrivacyLoss.of(ExponentialCurve(_typed(epsilon))).zcdp()
        else:
            square = _squared(demand.strength(place, _gaussian_for))
            found[place] = None if square is None else square / 2
    return demand.budgeted(demand.filled(found), ConcentratedGuarantee, gaussian=True)


def _gaussian_for(strength: Fraction, share: Share) -> Gaussian:
    """Gaussian noise of μ = `strength`."""
    return Gaussian(share.moves.l2, share.moves.l2 / strength)


def _squared(number: float | None) -> float | None:
    return None if number is None else number * number


def _typed(number: float) -> Fraction:
    """A fraction of few digits: exact arithmetic goes on with it."""
    return Fraction(f"{number:.9g}")
