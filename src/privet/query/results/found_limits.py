"""Found limits: how much of each unit counts, where that was found with part of the budget, and how, in words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.loss.exact import readable
from privet.query.aggregates.cap_needs import limited_request
from privet.query.measures.automatic_caps import counts_groups, groups_expected
from privet.query.measures.request import Shape
from privet.query.pricing.caps import choice_in
from privet.query.pricing.priced import PricedStage
from privet.query.pricing.quote import Quote
from privet.query.results.notes import own_stages


@dataclass(frozen=True)
class FoundLimit:
    """A limit that was found for a part of a statement.

    Args:
        stage: of the statement: "answer", or the name of a CTE or subquery.
        what: is limited: "row", "group" or "distinct value".
        most: so many of each unit count.
        epsilon: what finding it cost, of all that was spent.
        units_above: so many units have more than that, at most, at the confidence of the answer. What their further
            rows would have added is not known: it is lost, and not in any interval.
    """

    stage: str
    what: str
    most: int
    epsilon: float
    units_above: int

    @property
    def facts(self) -> dict[str, Any]:
        """As JSON."""
        return dict(vars(self))


def found_limits(quote: Quote, answered: Mapping[str, PricedStage]) -> tuple[FoundLimit, ...]:
    """The limits that were found while a statement was answered."""
    return tuple(
        _found(name, quote.caps[name], answered[name], quote.options.confidence)
        for name in own_stages(quote)
        if name in quote.caps
    )


def _found(name: str, search: PricedStage, stage: PricedStage, confidence: float) -> FoundLimit:
    choice = choice_in(search)
    limits = stage.needs.aggregate.limits
    most = limits.rows_per_unit or limits.groups_per_unit or 1
    return FoundLimit(
        name, limited_thing(stage), most, float(choice.epsilon), choice.units_above(most, confidence=confidence)
    )


def limited_thing(stage: PricedStage) -> str:
    """What a found limit is a number of."""
    request = limited_request(stage.needs)
    if counts_groups(request):
        return "group"
    values = [measure.shape for measure in request.measures]
    return "distinct value" if values == [Shape.DISTINCT] else "row"


def cap_words(search: PricedStage, stage: PricedStage, *, whose: str, confidence: float) -> str:
    """How a limit will be found, or the limit that was."""
    what = limited_thing(stage)
    choice = choice_in(search)
    more = "of more, as many are chosen by a hash" if what != "row" or _samples(stage) else "more are weighted down"
    each = _in_each(stage, what)
    price = f"for ε {readable(Fraction(f'{float(choice.epsilon):.3g}'))}"
    if stage.needs.aggregate.limits.automatic:
        groups = groups_expected(stage.needs.aggregate)
        guess = ", a guess because they are private," if stage.needs.aggregate.selects else ""
        aim = f"{float(choice.goals[0]):.2g}"
        return (
            f"how many {what}s of each {whose} count is found first, {price}: near what about {aim} {whose}s exceed, "
            f"which suits {number(groups, 'group')}{guess} and this noise{each}; {more}"
        )
    found = _found("", search, stage, confidence)
    return (
        f"each {whose} counts for at most {number(found.most, what)} in all (found privately, {price}){each}; {more}; "
        f"at {100 * confidence:g} % at most {found.units_above:,} {whose}s have more, and what they lose is in no ±"
    )


def _samples(stage: PricedStage) -> bool:
    return any(each.sample for each in (stage.needs.request, *stage.needs.rankings))


def _in_each(stage: PricedStage, what: str) -> str:
    """How many rows count in each group, where groups are limited and rows counted."""
    limits = stage.needs.aggregate.limits
    counted = any(draw.measure.shape is not Shape.UNITS for draw in stage.needs.draws)
    return f", with {number(limits.cap, 'row')} in each" if what == "group" and counted else ""


def limits_of_facts(facts: Iterable[Mapping[str, Any]]) -> tuple[FoundLimit, ...]:
    """The limits that an answer was stored with."""
    return tuple(FoundLimit(**each) for each in facts)


def number(many: int, what: str) -> str:
    """So many of something.

    Example:
        >>> number(1, "row"), number(3, "row")
        ('1 row', '3 rows')
    """
    return f"{many:,} {what}" + ("s" if many > 1 else "")
