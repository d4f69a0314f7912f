"""Read: from the text of a statement to its plan, or a refusal before anything is read or charged."""

from privet.query.catalog import Catalog
from privet.query.plan.domain import Lister
from privet.query.plan.relations import mentioned
from privet.query.plan.statement import Aggregate, Stage, Statement
from privet.query.plan.unit_local import check_unit_local
from privet.query.scalars.parameters import Parameters
from privet.query.sql.context import Context
from privet.query.sql.parameters import numbered, with_parameters
from privet.query.sql.parsing import parse
from privet.query.sql.quantile_lists import expanded
from privet.query.sql.queries import Queries
from privet.query.sql.refuse import because


def read(
    text: str, catalog: Catalog, *, values: Lister, automatic: bool = False, params: Parameters | None = None
) -> Statement:
    """The plan of a statement.

    Args:
        text: one SELECT, perhaps after WITH.
        catalog: the owner's declarations; nothing else is known.
        values: lists the distinct values of a public table's column, for keys taken from there.
        automatic: whether bounds that are missing will be searched for (`automatic_bounds.searched`).
        params: values for its ? and :names.

    Privacy: reads no private table; depends on the text, the catalog and public tables only.
    """
    context = Context(catalog, values, automatic=automatic)
    tree = expanded(with_parameters(parse(text if params is None else numbered(text)), params))
    try:
        Queries(context).answer(tree)
        statement = Statement(text, _used(context.stages))
        check_unit_local(statement)
    except RecursionError:
        raise because(text[:40], "too deep") from None
    return statement


def _used(stages: list[Stage]) -> tuple[Stage, ...]:
    """The stages that the last one needs, in order."""
    needed = {stages[-1].name}
    for stage in reversed(stages):
        if stage.name in needed:
            needed |= mentioned(stage.source.source if isinstance(stage.source, Aggregate) else stage.source)
    return tuple(stage for stage in stages if stage.name in needed)
