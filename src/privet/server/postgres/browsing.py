"""Browsing: who looks at rows is shown what to ask instead."""

from privet.query.catalog import Catalog
from privet.server.postgres.words import Written


def hint_for(statement: Written, catalog: Catalog | None) -> str:
    """A question that would be answered, about a table that the statement names; "" if it names none.

    Example:
        >>> from privet.server.postgres.words import written
        >>> hint_for(written("SELECT 1")[0], None)
        ''
    """
    named = {word.value.lower() for word in statement.words if word.kind in ("word", "name")}
    if catalog is None:
        return ""
    for name, table in catalog.tables.items():
        if name.lower() in named and not table.public:
            listed = (each for each, facts in table.columns.items() if facts.values and each != table.unit_column)
            key = next(listed, None)
            if key is None:
                return f"ask for an aggregate, such as SELECT COUNT(*) AS n FROM {name}"  # noqa: S608 - it is shown, not run
            return f"ask for an aggregate, such as SELECT {key}, COUNT(*) AS n FROM {name} GROUP BY {key}"  # noqa: S608 - the same
    return ""
