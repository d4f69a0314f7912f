"""A catalog as TOML text: what `catalog_from` reads back as the same catalog."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction

from privet.loss import ConcentratedGuarantee, Neighbors, Promise
from privet.loss.exact import shortest
from privet.query.catalog.catalog import Catalog
from privet.query.catalog.declared_table import DeclaredTable
from privet.query.catalog.toml_file import ROW
from privet.query.catalog.unit_path import path_text
from privet.query.plan.limits import ONE_ROW, ROWS_JOINED, Limits
from privet.query.scalars.dates import iso_date, iso_timestamp
from privet.query.scalars.facts import Facts, Type, Value

BARE = re.compile(r"[A-Za-z0-9_-]+")


def catalog_text(catalog: Catalog) -> str:
    """The catalog in the words of docs/catalog.md; frames are left out, for they are not in a file."""
    return "\n".join(_lines(catalog)) + "\n"


def _lines(catalog: Catalog) -> Iterator[str]:
    yield f"name = {text(catalog.name)}"
    if catalog.source:
        yield f"source = {text(catalog.source)}"
    yield f"unit = {text(_unit(catalog))}"
    if catalog.unit.neighbors is not Neighbors.ADD_REMOVE:
        yield f"neighbors = {text(catalog.unit.neighbors.name.lower())}"
    yield f"limit = {promise_text(catalog.limit)}"
    if catalog.budget is not None:
        yield f"budget = {promise_text(catalog.budget)}"
    if catalog.window is not None:
        yield f"window = {{ column = {text(catalog.window.column)}, length = {catalog.window.length} }}"
    if catalog.ledger is not None:
        yield f"ledger = {text(catalog.ledger)}"
    if catalog.anchor is not None:
        yield f"anchor = {text(catalog.anchor)}"
    for name, cap in catalog.analysts.items():
        yield f"\n[analysts.{word(name)}]"
        yield f"limit = {promise_text(cap)}"
    for table in catalog.tables.values():
        yield from _table(table)


def _unit(catalog: Catalog) -> str:
    if catalog.row_level:
        return ROW
    if catalog.window is None:
        return catalog.unit.name
    return re.sub(rf"'s {catalog.window.length} consecutive .*", "", catalog.unit.name)


def _table(table: DeclaredTable) -> Iterator[str]:
    yield f"\n[tables.{word(table.name)}]"
    if table.public:
        yield "public = true"
    if table.unit_column is not None and not table.unit_path:
        yield f"unit_column = {text(table.unit_column)}"
    if table.unit_column is not None and table.unit_path:
        yield f"unit_path = {text(path_text(table.unit_path, table.unit_column))}"
    yield from _limits(table.limits)
    if table.rows_joined_per_unit != ROWS_JOINED:
        yield f"rows_joined_per_unit = {table.rows_joined_per_unit}"
    if table.expected is not None:
        units = "" if table.expected.units is None else f", units = {table.expected.units}"
        yield f"expected = {{ rows = {table.expected.rows}{units} }}"
    if table.unique:
        yield f"unique = [{', '.join(map(text, sorted(table.unique)))}]"
    if table.files is not None:
        yield f"{'parquet' if table.files.lower().endswith(('.parquet', '.pq')) else 'csv'} = {text(table.files)}"
    if table.location is not None:
        yield f"location = {text(table.location)}"
    for name, facts in table.columns.items():
        yield f"columns.{word(name)} = {column_text(facts)}"


def _limits(limits: Limits) -> Iterator[str]:
    if limits.said or limits != ONE_ROW:
        for name, said in limits.words.items():
            yield f'{name} = "{said}"' if isinstance(said, str) else f"{name} = {said}"


def column_text(facts: Facts) -> str:
    """The words of one column.

    Example:
        >>> column_text(Facts(Type.INTEGER, nullable=False, low=Fraction(0), high=Fraction(110)))
        '{ type = "integer", bounds = [0, 110] }'
    """
    parts = [f'type = "{facts.type.value}"']
    if facts.low is not None and facts.high is not None:
        parts.append(f"bounds = [{_bound(facts.low, facts.type)}, {_bound(facts.high, facts.type)}]")
    if facts.values is not None:
        parts.append(f"values = [{', '.join(map(_value, facts.values))}]")
    if facts.other is not None:
        parts.append(f"other = {text(facts.other)}")
    if facts.longest is not None:
        parts.append(f"longest = {facts.longest}")
    if facts.nullable:
        parts.append("nullable = true")
    if facts.expected is not None:
        wide = facts.expected.deviation
        more = "" if wide is None else f", deviation = {_bound(wide, Type.REAL)}"
        parts.append(f"expected = {{ mean = {_bound(facts.expected.mean, Type.REAL)}{more} }}")
    if facts.sign is not None:
        parts.append(f"sign = {text(facts.sign)}")
    return "{ " + ", ".join(parts) + " }"


def promise_text(promise: Promise) -> str:
    """A promise, with exact numbers."""
    if isinstance(promise, ConcentratedGuarantee):
        return f'{{ rho = "{shortest(promise.rho)}" }}'
    delta = f', delta = "{shortest(promise.delta)}"' if promise.delta else ""
    return f'{{ epsilon = "{shortest(promise.epsilon)}"{delta} }}'


def text(value: str) -> str:
    """A text in quotes; JSON escapes as TOML does, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def word(name: str) -> str:
    """A name as a key: in quotes if it must be."""
    return name if BARE.fullmatch(name) else text(name)


def _bound(bound: Fraction, kind: Type) -> str:
    if kind is Type.DATE:
        return str(iso_date(int(bound)))
    if kind is Type.TIMESTAMP:
        return str(iso_timestamp(bound))
    return str(bound) if bound.denominator == 1 else text(shortest(bound))


def _value(value: Value) -> str:
    if isinstance(value, str):
        return text(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)
