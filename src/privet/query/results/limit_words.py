"""Limits for people: how much of each unit is used, which groups are shown, and what is clipped."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from privet.core import Unit
from privet.loss.exact import readable
from privet.mechanisms import PartitionCounts, PromisedSelection, TwoRoundSelection
from privet.query.catalog import DeclaredTable
from privet.query.measures.assumed_data import lost_share
from privet.query.measures.overflow import counts_rows
from privet.query.measures.request import Shape
from privet.query.plan.bounds_in_force import bounds_in_force
from privet.query.plan.limits import ONE_ROW, Limits
from privet.query.plan.relations import Few, Filter, Project, Relation, Table, sources
from privet.query.pricing.cut_off import has_condition, rows_of_unit, rows_that_count
from privet.query.pricing.priced import Naming, PricedStage
from privet.query.pricing.quote import Quote
from privet.query.results.found_limits import cap_words
from privet.query.results.notes import own_stages
from privet.query.results.price_words import ROW

LITTLE = 0.01  # of the rows: it is not worth telling that so few are left out
DEFAULT = '; nobody declared a limit: if many have more, rows_per_unit="auto" finds one'


def limits_in_force(
    quote: Quote,
    *,
    whose: str,
    tables: Mapping[str, DeclaredTable],
    answered: Mapping[str, PricedStage] | None = None,
) -> tuple[str, ...]:
    """What each unit's data is held to in a statement, each once.

    Args:
        quote: of the statement.
        whose: limits hold for each of these.
        tables: what is declared of them, which tells how much is probably left out.
        answered: its stages as they were answered, with the limits that were found.
    """
    said = [f"where bounds are found, {held(ONE_ROW, keys=True, whose=whose)}"] if quote.searches else []
    for name, planned in own_stages(quote).items():
        stage = planned if answered is None else answered[name]
        if name in quote.caps:
            said.append(cap_words(quote.caps[name], stage, whose=whose, confidence=quote.options.confidence))
        else:
            said += _limits_of(stage, whose, tables)
        said += [
            f"before rows are joined, at most {rows:,} of each {whose} are taken, chosen by a hash"
            for rows in _joined(stage.needs.aggregate.source)
        ]
    return tuple(dict.fromkeys(said))


def _limits_of(stage: PricedStage, whose: str, tables: Mapping[str, DeclaredTable]) -> Iterator[str]:
    needs = stage.needs
    keys = bool(needs.aggregate.keys)
    limits = needs.aggregate.limits
    requests = [each for each in (needs.request, *needs.rankings) if counts_rows(each)]
    if requests and not holds_nobody(stage, whose):
        sampled = any(each.sample for each in requests)
        yield held(limits, keys=keys, whose=whose, sampled=sampled) + _left_out(stage, tables)
    elif not requests and keys and needs.request.cap_groups:
        many = number(needs.request.groups, "group")
        unsaid = "" if limits.said else DEFAULT
        yield f"each {whose} counts in at most {many}; of more, as many are chosen by a hash{unsaid}"
    if any(draw.measure.shape is Shape.DISTINCT for draw in needs.draws):
        yield f"of each {whose} at most {number(limits.cap, 'distinct value')} count{'' if limits.cap > 1 else 's'}"


def _left_out(stage: PricedStage, tables: Mapping[str, DeclaredTable]) -> str:
    """How much of all rows that probably leaves out, or what to do where nobody chose the limit."""
    aggregate = stage.needs.aggregate
    each = rows_of_unit(aggregate.source, tables)
    if each is None:
        return "" if aggregate.limits.said else DEFAULT
    share = lost_share(each, rows_that_count(aggregate))
    most = "at most " if has_condition(aggregate.source) else "about "
    return f"; so {most}{100 * share:.2g} % of the rows do not count" if share > LITTLE else ""


def holds_nobody(stage: PricedStage, whose: str) -> bool:
    """Whether no unit can have more than counts: each is a row, and comes as it is stored."""
    aggregate = stage.needs.aggregate
    return aggregate.limits.rows == 1 and whose == ROW and _is_stored(aggregate.source)


def _is_stored(relation: Relation) -> bool:
    """Whether rows are those of one table, each once at most."""
    return isinstance(relation, Table) or (isinstance(relation, Filter | Project) and _is_stored(relation.source))


def _joined(relation: Relation) -> Iterator[int]:
    if isinstance(relation, Few):
        yield relation.rows
    for source in sources(relation):
        yield from _joined(source)


def held(limits: Limits, *, keys: bool, whose: str, sampled: bool = False) -> str:
    """What each unit's data is held to, in words."""
    more = "of more, as many are chosen by a hash" if sampled else "more are weighted down"
    if limits.rows_per_unit is not None:
        return f"each {whose} counts for at most {number(limits.rows_per_unit, 'row')} in all; {more}"
    each = number(limits.rows_per_group or 1, "row")
    if not keys:
        return f"each {whose} counts for at most {each}; {more}"
    many = number(limits.groups_per_unit or 1, "group")
    return f"each {whose} counts in at most {many}, for at most {each} in each; {more}"


def number(many: int, what: str) -> str:
    """So many of something.

    Example:
        >>> number(1, "row"), number(3, "row")
        ('1 row', '3 rows')
    """
    return f"{many} {what}" + ("s" if many > 1 else "")


def hidden_by(selection: Naming, *, unit: Unit) -> str:
    """What a selection hides in expectation, in words."""
    if isinstance(selection, PartitionCounts):
        return _counted_by(selection, unit.name)
    if isinstance(selection, PromisedSelection) and selection.groups_per_unit == 1:
        selection = selection.alone
    if isinstance(selection, TwoRoundSelection):
        return _weighed_by(selection, unit.name)
    seldom, half, mostly = (selection.units_for(Fraction(*share)) for share in ((1, 20), (1, 2), (19, 20)))
    name = unit.name
    alone = readable(Fraction(f"{float(selection.probability(1)):.3g}"))
    return (
        f"groups are private: one of {half} {name}s or more is shown with probability 50 % or more, of {mostly} or "
        f"more with 95 % or more, of fewer than {seldom} with less than 5 %, of a single {name} with {alone}"
    )


def _counted_by(selection: PartitionCounts, name: str) -> str:
    bound = selection.largest_error
    alone = readable(Fraction(f"{float(selection.delta):.3g}"))
    return (
        f"groups are private: names and counts are one release. A group is shown if its noisy count of {name}s is "
        f"above {bound}: one of more {name}s than that with probability 50 % or more, of more than {2 * bound} always, "
        f"of a single {name} with {alone} or less"
    )


def _weighed_by(selection: TwoRoundSelection, name: str) -> str:
    half, mostly = (selection.units_for(share) for share in (0.5, 0.95))
    spread = selection.units_for(0.5, groups=selection.groups_per_unit)
    alone = readable(Fraction(f"{float(selection.delta):.3g}"))
    return (
        f"groups are private, and named in two rounds; in the second {name}s leave out what is named and what is "
        f"hopeless. One of about {half} {name}s that are in no other group is shown with probability 50 %, of {mostly} "
        f"with 95 %; of {name}s that are in {selection.groups_per_unit} groups, none of them left out, it takes "
        f"{spread}; one of a single {name} is shown with probability {alone} or less"
    )


def clipped_in(quote: Quote) -> dict[str, tuple[str, str]]:
    """The bounds in force in a statement, by what is clipped to them."""
    aggregates = [stage.needs.aggregate for stage in own_stages(quote).values()]
    return {clip.name: clip.ends for clip in bounds_in_force(aggregates)}


def clipped_words(clips: Iterable[str]) -> str:
    """What happens to values beyond their bounds, in words; "" if there are no bounds.

    Example:
        >>> clipped_words(["age [0, 110]", "income [0, 250000]"])
        'values outside their bounds count as the nearest bound: age [0, 110], income [0, 250000]'
    """
    listed = ", ".join(clips)
    return f"values outside their bounds count as the nearest bound: {listed}" if listed else ""
