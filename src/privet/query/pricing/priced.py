"""Priced: the mechanisms of a statement, and what they cost together."""

from dataclasses import dataclass, field
from typing import TypeAlias

from privet.core import Sensitivity
from privet.loss import Guarantee, PrivacyLoss
from privet.loss.privacy_loss import sum_of
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace, PartitionCounts, PartitionSelection, TwoRoundSelection
from privet.mechanisms.cap_choice import CapChoice
from privet.mechanisms.chosen_way import ChosenWay
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.query.aggregates.needs import Needs
from privet.query.measures.automatic_bounds import CERTAIN
from privet.query.measures.noise_margin import Noise
from privet.query.measures.request import Bounded
from privet.query.options import Options

Drawn: TypeAlias = Laplace | DiscreteLaplace | Gaussian | GroupedChoice | GroupedInterval | CapChoice | PartitionCounts
Naming: TypeAlias = PartitionSelection | PartitionCounts | TwoRoundSelection


@dataclass(frozen=True)
class PricedStage:
    """One aggregation with a mechanism for each of its draws.

    Args:
        name: of the stage.
        needs: its draws.
        sensitivities: of each draw.
        mechanisms: of each draw; of a count that is told with the names it is the selection.
        selection: names the groups, where they are private.
        units: how far one unit moves the counts of units by which groups are selected.
    """

    name: str
    needs: Needs
    sensitivities: tuple[Sensitivity, ...]
    mechanisms: tuple[Drawn, ...]
    selection: Naming | None
    units: Sensitivity

    @property
    def each_once(self) -> tuple[Drawn | Naming, ...]:
        """Every mechanism that is run, once, the selection first."""
        chosen = () if self.selection is None else (self.selection,)
        return (*chosen, *(each for each in self.mechanisms if not isinstance(each, PartitionCounts)))

    @property
    def loss(self) -> PrivacyLoss:
        """Of all draws, and the selection."""
        return sum_of(each.loss for each in self.each_once)

    @property
    def requests(self) -> tuple[Bounded, ...]:
        """What the engine may be asked for."""
        members = (self.needs.members,) if self.in_rounds and self.needs.members is not None else ()
        return (*members, self.needs.request, *self.needs.rankings)

    @property
    def in_rounds(self) -> bool:
        """Whether groups are named by who is in them, not by how many units are."""
        return isinstance(self.selection, TwoRoundSelection)

    def noise_of(self, place: int) -> Noise | None:
        """The noise of a draw, if it is added noise."""
        return noise_in(self.mechanisms[place])


@dataclass(frozen=True)
class PricedSearch:
    """The steps by which the bounds of an argument are found.

    Args:
        look: a count of rows in bins.
        middle: a median.
        again: a second count, in the same bins or in others.
    """

    look: PricedStage
    middle: PricedStage
    again: PricedStage

    @property
    def stages(self) -> tuple[PricedStage, ...]:
        """In order."""
        return self.look, self.middle, self.again

    @property
    def middle_off(self) -> float:
        """By how many rows the rank of the median may be off."""
        (mechanism,) = self.middle.mechanisms
        if not isinstance(mechanism, GroupedChoice):
            raise TypeError("a median is chosen")
        return float(mechanism.rank_margin(CERTAIN) / self.middle.needs.rankings[0].part)


@dataclass(frozen=True)
class Priced:
    """All paid stages of a statement.

    Args:
        options: what may be spent, and all else that was said.
        stages: in the order of the statement.
        loss: of everything together, which is what is reserved.
        choices: between ways of doing it, each with the errors that were compared: what `explain` tells of them.
    """

    options: Options
    stages: tuple[PricedStage, ...]
    loss: PrivacyLoss
    choices: tuple[ChosenWay, ...] = field(default=(), kw_only=True)

    @property
    def mechanisms(self) -> tuple[Drawn | Naming, ...]:
        """Of all stages: each is drawn once. Those that are set after a limit was found are not among them."""
        known = [stage for stage in self.stages if not stage.needs.aggregate.limits.automatic]
        return tuple(each for stage in known for each in stage.each_once)

    @property
    def promise(self) -> Guarantee | None:
        """What a ledger that counts ε and δ charges: what was asked, without its δ if nothing needs one."""
        promise = self.options.promise
        if not self.loss.parts or not isinstance(promise, Guarantee):
            return None
        pure = Guarantee(promise.epsilon)
        return pure if self.loss.meets(pure) else promise


def noise_in(mechanism: Drawn) -> Noise | None:
    """The noise that is added to numbers; None where places are chosen."""
    match mechanism:
        case GroupedChoice() | GroupedInterval() | CapChoice():
            return None
        case PartitionCounts():
            return mechanism.noise
        case _:
            return mechanism
