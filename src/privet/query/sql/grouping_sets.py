"""Grouping sets: what ROLLUP, CUBE and GROUPING SETS stand for: several groupings of the same rows.

Each is answered by itself and pays for itself: subtotals that were added up from noisy groups would have the noise of
all of them. What one unit contributes is bounded in each, so their prices add up as those of several questions do.
"""

import itertools
from collections.abc import Sequence

from sqlglot import exp

from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import refuse

MOST = 32  # groupings of one statement
Sets = list[list[exp.Expr]]


def sets_of(group: exp.Group | None) -> Sets | None:
    """The keys of each grouping; None if there is one, as GROUP BY usually says.

    Example:
        >>> import sqlglot
        >>> group = sqlglot.parse_one("SELECT 1 FROM t GROUP BY a, ROLLUP (b, c)").args["group"]
        >>> [[key.sql() for key in keys] for keys in sets_of(group) or []]
        [['a', 'b', 'c'], ['a', 'b'], ['a']]
    """
    if group is None:
        return None
    several = (exp.Rollup, exp.Cube, exp.GroupingSets)
    words = {"rollup": exp.Rollup, "cube": exp.Cube}
    elements: list[Sets] = [_element(node) for node in group.expressions]
    found = any(isinstance(node, several) for node in group.expressions)
    for word, kind in words.items():
        for node in group.args.get(word) or []:
            found = True
            if node.expressions:
                elements.append(_element(node))
            else:  # GROUP BY a, b WITH ROLLUP
                elements = [_element(kind(expressions=group.expressions))]
    elements += [_element(node) for node in group.args.get("grouping_sets") or []]
    if not found and not group.args.get("grouping_sets"):
        return None
    if _product(elements) > MOST:
        raise refuse(
            group, f"there are at most {MOST} groupings in a statement", "name fewer, or ask several statements"
        )
    return [_different(itertools.chain(*chosen)) for chosen in itertools.product(*elements)]


def _product(elements: list[Sets]) -> int:
    total = 1
    for each in elements:
        total = min(total * len(each), MOST + 1)
    return total


def _element(node: exp.Expr) -> Sets:
    """The groupings that one element of GROUP BY stands for."""
    if isinstance(node, exp.Rollup):
        keys = _lists(only(node, "expressions").expressions)
        return [list(itertools.chain(*keys[:count])) for count in range(len(keys), -1, -1)]
    if isinstance(node, exp.Cube):
        keys = _lists(only(node, "expressions").expressions)
        if len(keys) > MOST.bit_length():
            raise refuse(node, f"there are at most {MOST} groupings in a statement", "name fewer")
        counts = range(len(keys), -1, -1)
        return [list(itertools.chain(*some)) for count in counts for some in itertools.combinations(keys, count)]
    if isinstance(node, exp.GroupingSets):
        parts = only(node, "expressions").expressions
        return list(itertools.chain(*(_element(part) for part in parts)))
    return _lists([node])


def _lists(nodes: Sequence[exp.Expr]) -> Sets:
    """Each key, or the keys that parentheses hold together."""
    found: Sets = []
    for node in nodes:
        if isinstance(node, exp.Tuple):
            found.append(list(only(node, "expressions").expressions))
        else:
            found.append([node.this if isinstance(node, exp.Paren) else node])
    return found


def _different(nodes: "itertools.chain[exp.Expr]") -> list[exp.Expr]:
    kept: list[exp.Expr] = []
    for node in nodes:
        if node not in kept:
            kept.append(node)
    return kept
