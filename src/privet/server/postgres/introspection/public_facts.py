"""PublicFacts: what pg_catalog and information_schema say about a catalog: names, types, what its owner declared."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from privet.query.catalog import Catalog, DeclaredTable
from privet.query.scalars.facts import Facts, Type
from privet.server.postgres.introspection.relations import filled, known_types

FIRST_TABLE = 16_384  # the first number that PostgreSQL gives to users' tables
CATALOG, PUBLIC, INFORMATION, OWNER, DATABASE, HEAP = 11, 2_200, 13_000, 10, 5, 2
ROLE = "privet"  # who owns the tables, as clients are told
CLASS = 1_259  # the number of pg_class itself
SYSTEM: Mapping[str, int] = {
    "pg_class": CLASS,
    "pg_type": 1_247,
    "pg_attribute": 1_249,
    "pg_proc": 1_255,
    "pg_database": 1_262,
    "pg_authid": 1_260,
    "pg_constraint": 2_606,
    "pg_namespace": 2_615,
    "pg_index": 2_610,
    "pg_attrdef": 2_604,
    "pg_description": 2_609,
    "pg_am": 2_601,
    "pg_trigger": 2_620,
    "pg_rewrite": 2_618,
    "pg_operator": 2_617,
    "pg_extension": 3_079,
}
NUMBERS: Mapping[Type, int] = {  # of types; bigint, double precision, …
    Type.BOOLEAN: 16,
    Type.INTEGER: 20,
    Type.REAL: 701,
    Type.TEXT: 25,
    Type.DATE: 1_082,
    Type.TIMESTAMP: 1_114,
}
WORDS: Mapping[Type, str] = {
    Type.BOOLEAN: "boolean",
    Type.INTEGER: "bigint",
    Type.REAL: "double precision",
    Type.TEXT: "text",
    Type.DATE: "date",
    Type.TIMESTAMP: "timestamp without time zone",
}
SIZES: Mapping[Type, int] = {Type.BOOLEAN: 1, Type.TEXT: -1, Type.DATE: 4}
MOST_VALUES = 20  # that are told of a column


@dataclass(frozen=True)
class PublicFacts:
    """What is told of a catalog.

    Args:
        catalog: the public facts.

    Privacy: names and declarations only, which whoever may ask may know; nothing here has seen a row.
    """

    catalog: Catalog

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each table."""
        return {name: FIRST_TABLE + place for place, name in enumerate(self.catalog.tables)}

    def relations(self) -> Iterator[tuple[str, pa.Table]]:
        """The relations that say something, and what."""
        found: dict[str, list[dict[str, object]]] = {
            "pg_catalog.pg_class": list(self._classes()),
            "pg_catalog.pg_attribute": list(self._attributes()),
            "pg_catalog.pg_description": list(self._descriptions()),
            "pg_catalog.pg_type": list(map(_type_row, known_types())),
            "pg_catalog.pg_namespace": [
                {"oid": number, "nspname": name, "nspowner": OWNER}
                for name, number in (("pg_catalog", CATALOG), ("public", PUBLIC), ("information_schema", INFORMATION))
            ],
            "pg_catalog.pg_am": [{"oid": HEAP, "amname": "heap", "amhandler": "heap_tableam_handler", "amtype": "t"}],
            "pg_catalog.pg_database": [self._database()],
            "pg_catalog.pg_roles": [
                {"oid": OWNER, "rolname": ROLE, "rolinherit": True, "rolcanlogin": True, "rolconnlimit": -1}
            ],
            "pg_catalog.pg_user": [{"usename": ROLE, "usesysid": OWNER}],
            "pg_catalog.pg_settings": [{"name": "max_index_keys", "setting": "32", "vartype": "integer"}],
            "pg_catalog.pg_tables": [
                {"schemaname": "public", "tablename": name, "tableowner": ROLE} for name in self.catalog.tables
            ],
            "information_schema.schemata": [
                {"catalog_name": self.catalog.name, "schema_name": name, "schema_owner": ROLE}
                for name in ("pg_catalog", "public", "information_schema")
            ],
            "information_schema.tables": [self._table(name) for name in self.catalog.tables],
            "information_schema.columns": list(self._columns()),
            "information_schema.information_schema_catalog_name": [{"catalog_name": self.catalog.name}],
            "information_schema.enabled_roles": [{"role_name": ROLE}],
            "information_schema.table_privileges": [self._privilege(name) for name in self.catalog.tables],
        }
        for name, rows in found.items():
            yield name, filled(name, rows)

    def _classes(self) -> Iterator[dict[str, object]]:
        for name, number in self.numbers.items():
            yield {
                "oid": number,
                "relname": name,
                "relnamespace": PUBLIC,
                "relowner": OWNER,
                "relam": HEAP,
                "relkind": "r",
                "relpersistence": "p",
                "relreplident": "d",
                "relnatts": len(self.catalog.tables[name].columns),
                "reltuples": -1.0,
                "relispopulated": True,
            }

    def _attributes(self) -> Iterator[dict[str, object]]:
        for name, number in self.numbers.items():
            for place, (column, facts) in enumerate(self.catalog.tables[name].columns.items(), 1):
                yield {
                    "attrelid": number,
                    "attname": column,
                    "atttypid": NUMBERS[facts.type],
                    "attlen": SIZES.get(facts.type, 8),
                    "attnum": place,
                    "atttypmod": -1,
                    "attnotnull": not facts.nullable,
                    "attidentity": "",
                    "attgenerated": "",
                    "attislocal": True,
                    "attstattarget": -1,
                    "attstorage": "x" if facts.type is Type.TEXT else "p",
                    "attalign": "d",
                    "attcompression": "",
                    "attcollation": 100 if facts.type is Type.TEXT else 0,
                }

    def _descriptions(self) -> Iterator[dict[str, object]]:
        for name, number in self.numbers.items():
            table = self.catalog.tables[name]
            yield {"objoid": number, "classoid": CLASS, "objsubid": 0, "description": self._about(table)}
            for place, (column, facts) in enumerate(table.columns.items(), 1):
                if said := about_column(column, facts, table):
                    yield {"objoid": number, "classoid": CLASS, "objsubid": place, "description": said}

    def _about(self, table: DeclaredTable) -> str:
        if table.public:
            return "public: its rows may be read"
        ask = f"SELECT COUNT(*) FROM {table.name}"  # noqa: S608 - it is shown, not run
        return f"private: ask for aggregates, such as {ask}; protects each {self.catalog.unit.name}"

    def _database(self) -> dict[str, object]:
        return {
            "oid": DATABASE,
            "datname": self.catalog.name,
            "datdba": OWNER,
            "encoding": 6,
            "datcollate": "C",
            "datctype": "C",
            "datlocprovider": "c",
            "datallowconn": True,
            "datconnlimit": -1,
        }

    def _table(self, name: str) -> dict[str, object]:
        return {
            "table_catalog": self.catalog.name,
            "table_schema": "public",
            "table_name": name,
            "table_type": "BASE TABLE",
            "is_insertable_into": "NO",
            "is_typed": "NO",
        }

    def _privilege(self, name: str) -> dict[str, object]:
        said = {"grantor": ROLE, "grantee": ROLE, "privilege_type": "SELECT"}
        return {**self._table(name), **said, "is_grantable": "NO", "with_hierarchy": "YES"}

    def _columns(self) -> Iterator[dict[str, object]]:
        for name, table in self.catalog.tables.items():
            for place, (column, facts) in enumerate(table.columns.items(), 1):
                yield {
                    **self._table(name),
                    "column_name": column,
                    "ordinal_position": place,
                    "is_nullable": "YES" if facts.nullable else "NO",
                    "data_type": WORDS[facts.type],
                    "udt_catalog": self.catalog.name,
                    "udt_schema": "pg_catalog",
                    "udt_name": next(
                        each["typname"] for each in known_types() if each["oid"] == str(NUMBERS[facts.type])
                    ),
                    "dtd_identifier": str(place),
                    "is_self_referencing": "NO",
                    "is_identity": "NO",
                    "is_generated": "NEVER",
                    "is_updatable": "NO",
                    "numeric_precision": {Type.INTEGER: 64, Type.REAL: 53}.get(facts.type),
                    "numeric_precision_radix": 2 if facts.type.numeric else None,
                    "numeric_scale": 0 if facts.type is Type.INTEGER else None,
                }


def about_column(name: str, facts: Facts, table: DeclaredTable) -> str:
    """What is declared of a column, in words.

    Example:
        >>> from fractions import Fraction
        >>> age = Facts(Type.INTEGER, low=Fraction(0), high=Fraction(110))
        >>> about_column("age", age, DeclaredTable("patient", {"age": age}))
        'from 0 to 110'
    """
    if name == table.unit_column and not table.unit_path:
        return "whose row it is: COUNT(DISTINCT …) only"
    if facts.values is not None:
        shown = ", ".join("NULL" if each is None else str(each) for each in facts.values[:MOST_VALUES])
        return f"one of {shown}{', …' if len(facts.values) > MOST_VALUES else ''}"
    if facts.type.numeric and facts.low is not None and facts.high is not None:
        return f"from {float(facts.low):g} to {float(facts.high):g}"
    return ""


def _type_row(said: Mapping[str, str]) -> dict[str, object]:
    """A row of pg_type."""
    row: dict[str, object] = {
        "typnamespace": CATALOG,
        "typowner": OWNER,
        "typisdefined": True,
        "typalign": "i",
        "typstorage": "p",
    }
    texts = {"typname", "typtype", "typcategory", "typdelim", "typinput", "typoutput", "typreceive", "typsend"}
    for name, value in said.items():
        row[name] = value if name in texts else value == "t" if value in "tf" else int(value)
    return row
