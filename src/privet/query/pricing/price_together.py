"""price_together: the price of a statement in which counts under several conditions may be answered together."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from privet.loss import ConcentratedGuarantee, Neighbors
from privet.mechanisms.chosen_way import ChosenWay
from privet.mechanisms.least_noise import expected_error, standard_deviation
from privet.query.aggregates.joint_counts import joint_counts
from privet.query.measures.noise_margin import Noise
from privet.query.measures.readings import Linear
from privet.query.options import Options
from privet.query.pricing.price import Stages, price
from privet.query.pricing.priced import Priced, PricedStage
from privet.query.scalars.expressions import Column

OF_NORMAL = math.sqrt(2 / math.pi)  # the mean absolute error beside the standard deviation


@dataclass(frozen=True)
class Asked:
    """What is to be priced: see `price`."""

    stages: Stages
    options: Options
    neighbors: Neighbors
    copies: int
    weights: Mapping[Column, Fraction]
    rounds: bool = True

    def priced(self, stages: Stages, *, gaussian: bool | None) -> Priced:
        """The price of these stages, with one kind of noise or the better one."""
        return price(
            stages,
            self.options,
            neighbors=self.neighbors,
            copies=self.copies,
            weights=self.weights,
            gaussian=gaussian,
            rounds=self.rounds,
        )


def price_together(asked: Asked) -> Priced:
    """Mechanisms that keep the promise, with what is asked of cells for each kind of noise compared.

    Privacy: what is chosen depends on public numbers only, and each way keeps the promise (`price`).
    """
    ways = {gaussian: _joined(asked, gaussian=gaussian) for gaussian in _kinds(asked.options)}
    if not any(needs.joined for stages in ways.values() for _, needs in stages):
        stages = next(iter(ways.values()), asked.stages)
        return asked.priced(stages, gaussian=None)
    priced = {_name(gaussian): asked.priced(stages, gaussian=gaussian) for gaussian, stages in ways.items()}
    noise = ChosenWay.least("noise", {name: typical_error_of(each) for name, each in priced.items()})
    best = priced[noise.way]
    naming = [each for each in best.choices if each.what != noise.what]
    choices = [*((noise,) if noise.beside else ()), *naming, *strategies_of(best)]
    return replace(best, choices=tuple(choices))


def _kinds(options: Options) -> tuple[bool, ...]:
    """Whether noise may be normal, and whether it may be Laplace's; none where counts stay apart.

    Intervals for a population need to know which rows count in which number, so that counts are not mixed there.
    """
    if options.population:
        return ()
    if isinstance(options.promise, ConcentratedGuarantee):
        return (True,)
    return (False, True) if options.promise.delta else (False,)


def _joined(asked: Asked, *, gaussian: bool) -> Stages:
    return [(name, joint_counts(needs, gaussian=gaussian, weights=asked.weights)) for name, needs in asked.stages]


def _name(gaussian: bool) -> str:  # noqa: FBT001 - a key of a mapping
    return "Gaussian" if gaussian else "Laplace"


def typical_error_of(priced: Priced) -> float:
    """The geometric mean of the expected errors: of draws, and of columns where many are read off one draw."""
    errors = [error for stage in priced.stages for error in _errors(stage)]
    logs = [math.log(error) if error else -math.inf for error in errors]
    return math.exp(sum(logs) / len(logs)) if logs else 0.0


def _errors(stage: PricedStage) -> list[float]:
    found = []
    for place, draw in enumerate(stage.needs.draws):
        noise = stage.noise_of(place)
        if noise is None:
            continue
        if draw.joint is None:
            found.append(expected_error(noise))
        else:
            found += [_error(each, noise) for each in stage.needs.readings if each.draw == place]
    return found


def _error(reading: object, noise: Noise) -> float:
    """The expected error of a column that is a weighted sum: nearly normal, if it is of several numbers."""
    if not isinstance(reading, Linear):
        raise TypeError("counts are weighted sums")
    weights = reading.weights
    used = weights[abs(weights) > abs(weights).max() / 1e6]
    if len(used) == 1:
        return float(abs(used[0])) * expected_error(noise)
    return float(math.sqrt((weights**2).sum())) * standard_deviation(noise) * OF_NORMAL


def strategies_of(priced: Priced) -> list[ChosenWay]:
    """What was chosen for counts that are answered together, with the root mean squared errors that were compared."""
    found = []
    for stage in priced.stages:
        for place, draw in enumerate(stage.needs.draws):
            noise = stage.noise_of(place)
            if draw.joint is None or noise is None:
                continue
            mine = [each.weights for each in stage.needs.readings if each.draw == place and isinstance(each, Linear)]
            squares = [float((weights**2).sum()) for weights in mine]
            error = standard_deviation(noise) * math.sqrt(sum(squares) / len(squares))
            chosen = draw.joint.chosen
            beside = {name: times * error for name, times in chosen.others}
            found.append(ChosenWay(f"answering {len(mine)} counts", chosen.name, error, beside, unit="rows"))
    return found
