"""Quote: a statement, with what is said about it, becomes stages with mechanisms and one price. Nothing is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.loss.exact import Exact, exact, shortest
from privet.query.aggregates.cap_needs import cap_needs, settled
from privet.query.aggregates.clipping_report import reported
from privet.query.aggregates.needs import Needs, middle_needs, needs_of
from privet.query.aggregates.searches import searched
from privet.query.catalog import Catalog
from privet.query.catalog.spark_source import is_spark
from privet.query.measures.automatic_bounds import SHARES
from privet.query.options import Options
from privet.query.plan.limits import Limits
from privet.query.plan.merge import merged
from privet.query.plan.statement import Aggregate, Search, Stage, Statement
from privet.query.plan.unit_local import check_search, check_unit_local
from privet.query.pricing.caps import aimed, cap_weights, refuse_together
from privet.query.pricing.least_budget import Demand, least_budgets
from privet.query.pricing.price import Stages, price
from privet.query.pricing.price_together import Asked, price_together
from privet.query.pricing.priced import Priced, PricedSearch, PricedStage
from privet.query.pricing.split import shares_of, weight_of
from privet.query.pricing.wanted_margins import wanted_margins
from privet.query.scalars.expressions import Column, columns_in

MOST_GROUPS = 100_000  # answered at once
REPORTING = Fraction(1, 10)  # of what is spent, where clipping is reported
BOUNDS = "bounds"  # what the stage of a search is called
CAP = "cap"  # what the stage is called in which a limit is found


@dataclass(frozen=True)
class Quote(Priced):
    """A statement that can be paid for and answered: what is priced, and what it is for.

    Args:
        statement: with the limits that were asked for.
        by_name: the paid stages that a stage of the statement is released by.
        searches: of bounds that are paid for, and where.
        caps: of limits that are found first: where they are paid for, by the stage of the statement that they are for.
    """

    statement: Statement
    by_name: Mapping[str, PricedStage]
    searches: Mapping[Search, PricedSearch] = field(default_factory=dict)
    caps: Mapping[str, PricedStage] = field(default_factory=dict)


def quote_statement(statement: Statement, catalog: Catalog, options: Options) -> Quote:
    """Find the mechanisms of every stage.

    Args:
        statement: what is asked.
        catalog: whose neighbors and window hold.
        options: what may be spent on it, and how.
    """
    limited = _reported(_limited(statement, options.limits), catalog, options)
    return _quoted(limited, catalog, options, _weights(limited, options.weights or {}))


def quote_batch(
    statements: Sequence[Statement], catalog: Catalog, options: Options, *, shares: Sequence[Fraction]
) -> Quote:
    """Find mechanisms for several statements at once, which share what they can.

    Args:
        statements: what is asked.
        catalog: whose neighbors and window hold.
        options: what may be spent on all together, and how.
        shares: how much of it is each statement's, in proportion. Its columns divide it evenly; numbers that several
            statements read bring all their shares together.
    """
    whole = merged([_reported(_limited(each, options.limits), catalog, options) for each in statements])
    by_column: dict[Column, Fraction] = {}
    for part, share in zip(whole.parts, shares, strict=True):
        for column in part.columns:
            by_column[column] = by_column.get(column, Fraction(0)) + share / len(part.columns)
    return _quoted(whole, catalog, options, by_column)


def _quoted(statement: Statement, catalog: Catalog, options: Options, by_column: dict[Column, Fraction]) -> Quote:
    automatic_bounds = options.automatic_bounds
    statement = settled(statement, row_level=catalog.row_level)
    if automatic_bounds is not None:
        statement = searched(statement)
    if automatic_bounds is not None or statement.parts or options.clipping:
        check_unit_local(statement)
    names: dict[Aggregate, str] = {}  # an aggregation that several stages share is paid for once
    for stage in statement.stages:
        if isinstance(stage.source, Aggregate):
            names.setdefault(stage.source, stage.name)
    shown = {stage.source for stage in statement.stages if stage.name in statement.answers}
    paid = [
        (name, needs_of(aggregate, quantiles_within=options.quantiles_within if aggregate in shown else None))
        for aggregate, name in names.items()  # what a later stage reads is shown without ends, so none are paid for
    ]
    for _, needs in paid:
        _refuse_many_groups(needs)
    by_column = by_column | _report_weights(statement, paid, by_column)
    copies = 1 if catalog.window is None else catalog.window.length
    caps = _caps(statement, paid, options)
    for needs, search in caps:
        by_column = by_column | cap_weights(needs, search, by_column)
    searches = [search for _, needs in paid for search in needs.aggregate.searches]
    bounds = [(BOUNDS, needs) for search in searches for needs in _search_needs(search)]
    first = [*((CAP, search) for _, search in caps), *bounds]
    if automatic_bounds is not None and searches:
        total = sum((weight_of(needs, by_column) for _, needs in [*paid, *first[: len(caps)]]), Fraction(0))
        each = total * automatic_bounds / (1 - automatic_bounds) / len(searches)
        shares = zip((needs for _, needs in bounds), SHARES * len(searches), strict=True)
        by_column = by_column | {needs.readings[0].column: each * share for needs, share in shares}
    if options.errors is not None and paid:
        options, priced = _as_sure_as_wanted(statement, paid, options, catalog, copies)
    else:
        asked = Asked(
            [*first, *paid],
            options,
            neighbors=catalog.unit.neighbors,
            copies=copies,
            weights=by_column,
            rounds=not is_spark(catalog),  # no list of units passes its driver
        )
        priced = price_together(asked)
    stages = dict(zip(names, priced.stages[len(first) :], strict=True))
    chosen = {
        needs.aggregate: aimed(search, stages[needs.aggregate])
        for (needs, _), search in zip(caps, priced.stages, strict=False)
    }
    found = priced.stages[len(caps) : len(first)]
    by_name = {stage.name: stages[stage.source] for stage in statement.stages if isinstance(stage.source, Aggregate)}
    return Quote(
        options,
        (*chosen.values(), *found, *stages.values()),
        priced.loss,
        statement,
        by_name,
        {search: PricedSearch(*found[3 * place : 3 * place + 3]) for place, search in enumerate(searches)},
        {stage.name: chosen[each] for stage in statement.stages for each in chosen if each is stage.source},
        choices=priced.choices,
    )


def _caps(statement: Statement, paid: Stages, options: Options) -> list[tuple[Needs, Needs]]:
    """What finding a limit needs, for each aggregation whose limit is found first."""
    refuse_together(paid, error=options.errors is not None)
    caps = [(needs, cap_needs(needs)) for _, needs in paid if needs.aggregate.limits.automatic]
    for _, search in caps:
        check_search(search.aggregate, statement)
    return caps


def _search_needs(search: Search) -> tuple[Needs, Needs, Needs]:
    """Those of the steps of a search; any bins and bounds stand for those that will be found."""
    return needs_of(search.bins), middle_needs(search.middle), needs_of(search.again)


def _as_sure_as_wanted(
    statement: Statement, paid: Stages, options: Options, catalog: Catalog, copies: int
) -> tuple[Options, Priced]:
    """The least promise at which every column is as sure as was wanted; what is returned was checked."""
    neighbors = catalog.unit.neighbors
    wanted = wanted_margins(statement, paid, options)
    demand = Demand(paid, shares_of(paid, neighbors, copies, {}), wanted, options)
    promise = options.promise
    if isinstance(promise, ConcentratedGuarantee) and demand.selections and options.delta:
        promise = Guarantee(1, options.delta)  # no ρ prices a selection
        options = replace(options, delta=None)
    for found_way in least_budgets(demand, promise):
        way = found_way
        if reports := _report_weights(statement, paid, way.weights):  # nobody wants these to be sure
            weights = {**way.weights, **reports}
            way = replace(way, weights=weights, amount=float(sum(weight_of(needs, weights) for _, needs in paid)))
        for found in way.promises:
            said = replace(options, promise=found)
            priced = price(
                paid,
                said,
                neighbors=neighbors,
                copies=copies,
                weights=way.weights,
                gaussian=way.gaussian,
                rounds=False,  # what naming costs beside numbers that are as sure as wanted is known for the others
            )
            if all(each.met(priced.stages, said) for each in wanted):
                return said, priced
    raise InvalidParameter("no promise was found that makes the columns as sure as that: allow a larger error")


def _reported(statement: Statement, catalog: Catalog, options: Options) -> Statement:
    return reported(statement, row_level=catalog.row_level) if options.clipping else statement


def _report_weights(
    statement: Statement, paid: Sequence[tuple[str, Needs]], by_column: Mapping[Column, Fraction]
) -> dict[Column, Fraction]:
    """Those of the columns that report on clipping: together they get a public share of what is spent."""
    stages = {stage.source for stage in statement.stages if stage.report is not None}
    columns = [column for _, needs in paid if needs.aggregate in stages for column, _ in needs.aggregate.items]
    own = sum((weight_of(needs, by_column) for _, needs in paid if needs.aggregate not in stages), Fraction(0))
    return {column: own * REPORTING / (1 - REPORTING) / len(columns) for column in columns}


def _limited(statement: Statement, limits: Limits | None) -> Statement:
    if limits is None:
        return statement
    stages = [
        replace(stage, source=replace(stage.source, limits=_instead(stage.source.limits, limits)))
        if isinstance(stage.source, Aggregate)
        else stage
        for stage in statement.stages
    ]
    return replace(statement, stages=tuple(stages))


def _instead(declared: Limits, said: Limits) -> Limits:
    """What was said, and what was not as it is declared."""
    numbers = declared if said == Limits(bounding=said.bounding) else said
    return replace(numbers, bounding=said.bounding or declared.bounding)


def _refuse_many_groups(needs: Needs) -> None:
    if needs.aggregate.selects:
        return
    number = 1
    for key in needs.aggregate.keys:
        number *= len(key.domain or ())
    if number > MOST_GROUPS:
        raise InvalidParameter(
            f"GROUP BY has {number:,} groups, more than {MOST_GROUPS:,}: group by fewer columns, or by coarser ones"
        )


def _weights(statement: Statement, weights: Mapping[str, Exact]) -> dict[Column, Fraction]:
    """The weights by released column; a name stands for all released columns that it is computed from."""
    named: dict[str, set[Column]] = {}
    for stage in statement.stages:
        if isinstance(stage.source, Aggregate):
            _name_columns(stage, stage.source, named)
    by_column: dict[Column, Fraction] = {}
    for name, weight in weights.items():
        number = exact(weight, f"the weight of {name!r}")
        if number <= 0:
            raise InvalidParameter(f"the weight of {name!r} must be > 0, got {shortest(number)}: leave the column out")
        if name not in named:
            known = ", ".join(sorted(named)) or "there are none"
            raise InvalidParameter(f"weights must name paid columns of the answer ({known}), got {name!r}")
        by_column |= dict.fromkeys(named[name], number)
    return by_column


def _name_columns(stage: Stage, aggregate: Aggregate, named: dict[str, set[Column]]) -> None:
    """What the names of a stage stand for: aggregates, and keys if they are private."""
    keys = {key.column for key in aggregate.keys if key.domain is None}
    paid = keys | {column for column, _ in aggregate.items}
    for column in paid:
        named.setdefault(column.name, set()).add(column)
    for column, expression in stage.output.items:
        if found := columns_in(expression) & paid:
            named.setdefault(column.name, set()).update(found)
