# ruff: noqa: E501 - each macro stands on one line
"""Functions: those that questions about tables may call, and what becomes of them."""

from collections.abc import Mapping

from sqlglot import exp

OURS = "privet_"  # how our own begin, so that none of the engine's is meant
MACROS: Mapping[str, str] = {  # name and parameters, and what it gives
    "version()": "'{version}'",
    "current_database()": "'{database}'",
    "current_schema()": "'public'",
    "current_schemas(x)": "CASE WHEN x THEN ['pg_catalog', 'public'] ELSE ['public'] END",
    "current_setting(x, y := true)": "CAST(NULL AS VARCHAR)",
    "set_config(x, y, z)": "CAST(y AS VARCHAR)",
    "pg_get_userbyid(x)": "'privet'",
    "pg_encoding_to_char(x)": "'UTF8'",
    "pg_table_is_visible(x)": "true",
    "pg_type_is_visible(x)": "true",
    "pg_function_is_visible(x)": "true",
    "pg_collation_is_visible(x)": "true",
    "pg_relation_is_publishable(x)": "false",
    "pg_is_in_recovery()": "false",
    "pg_is_other_temp_schema(x)": "false",
    "pg_my_temp_schema()": "0::UINTEGER",
    "pg_backend_pid()": "0",
    "pg_advisory_unlock_all()": "CAST(NULL AS VARCHAR)",
    "pg_try_advisory_lock(x)": "true",
    "pg_get_expr(x, y, z := false)": "CAST(x AS VARCHAR)",
    "pg_get_indexdef(x, y := 0, z := false)": "CAST(NULL AS VARCHAR)",
    "pg_get_constraintdef(x, y := false)": "CAST(NULL AS VARCHAR)",
    "pg_get_viewdef(x, y := false)": "CAST(NULL AS VARCHAR)",
    "pg_get_ruledef(x, y := false)": "CAST(NULL AS VARCHAR)",
    "pg_get_triggerdef(x, y := false)": "CAST(NULL AS VARCHAR)",
    "pg_get_partkeydef(x)": "CAST(NULL AS VARCHAR)",
    "pg_get_functiondef(x)": "CAST(NULL AS VARCHAR)",
    "pg_get_function_result(x)": "CAST(NULL AS VARCHAR)",
    "pg_get_function_arguments(x)": "CAST(NULL AS VARCHAR)",
    "pg_get_function_identity_arguments(x)": "CAST(NULL AS VARCHAR)",
    "pg_get_statisticsobjdef_columns(x)": "CAST(NULL AS VARCHAR)",
    "pg_get_serial_sequence(x, y)": "CAST(NULL AS VARCHAR)",
    "pg_get_keywords()": "CAST(NULL AS VARCHAR)",
    "pg_size_pretty(x)": "CAST(NULL AS VARCHAR)",
    "pg_table_size(x)": "CAST(NULL AS BIGINT)",
    "pg_total_relation_size(x)": "CAST(NULL AS BIGINT)",
    "pg_relation_size(x, y := '')": "CAST(NULL AS BIGINT)",
    "pg_database_size(x)": "CAST(NULL AS BIGINT)",
    "pg_tablespace_location(x)": "CAST(NULL AS VARCHAR)",
    "pg_stat_get_numscans(x)": "0",
    "pg_postmaster_start_time()": "TIMESTAMP '2000-01-01'",
    "has_table_privilege(x, y, z := '')": "true",
    "has_schema_privilege(x, y, z := '')": "true",
    "has_database_privilege(x, y, z := '')": "true",
    "has_column_privilege(x, y, z, a := '')": "true",
    "has_any_column_privilege(x, y, z := '')": "true",
    "has_function_privilege(x, y, z := '')": "false",
    "pg_has_role(x, y, z := '')": "true",
    "txid_current()": "CAST(0 AS BIGINT)",
    "txid_current_if_assigned()": "CAST(NULL AS BIGINT)",
    "inet_server_addr()": "CAST(NULL AS VARCHAR)",
    "inet_server_port()": "CAST(NULL AS INTEGER)",
    "inet_client_addr()": "CAST(NULL AS VARCHAR)",
    "inet_client_port()": "CAST(NULL AS INTEGER)",
    "quote_ident(x)": "CASE WHEN regexp_full_match(x, '[a-z_][a-z0-9_]*') THEN x ELSE '\"' || replace(x, '\"', '\"\"') || '\"' END",
    "quote_literal(x)": "'''' || replace(CAST(x AS VARCHAR), '''', '''''') || ''''",
    "_pg_expandarray(x)": "{{'x': list_extract(x, 1), 'n': 1}}",
    "json_build_object(a, b, c := '', d := '', e := '', f := '', g := '', h := '', i := '', j := '', k := '', l := '', m := '', n := '')": "CAST(NULL AS VARCHAR)",
    "generate_subscripts(x, y)": "unnest(range(1, len(x) + 1))",
    "array_upper(x, y)": "CASE WHEN len(x) > 0 THEN len(x) END",
    "array_lower(x, y)": "CASE WHEN len(x) > 0 THEN 1 END",
    "array_to_string(x, y, z := '')": "list_aggregate(CAST(x AS VARCHAR[]), 'string_agg', y)",
    "format_type(x, y)": (
        "(SELECT CASE WHEN privet_w.word IS NOT NULL THEN privet_w.word ELSE privet_t.typname END FROM pg_catalog__pg_type privet_t "
        "LEFT JOIN (VALUES {words}) AS privet_w(oid, word) ON privet_w.oid = privet_t.oid WHERE privet_t.oid = x)"
    ),
    "to_regtype(x)": "(SELECT privet_t.oid FROM pg_catalog__pg_type privet_t WHERE privet_t.typname = CAST(x AS VARCHAR))",
    "to_regclass(x)": "(SELECT privet_c.oid FROM pg_catalog__pg_class privet_c WHERE privet_c.relname = CAST(x AS VARCHAR))",
    "regclass(x)": (
        "COALESCE((SELECT privet_c.relname FROM pg_catalog__pg_class privet_c WHERE CAST(privet_c.oid AS VARCHAR) = CAST(x AS VARCHAR)), "
        "CAST(x AS VARCHAR))"
    ),
    "regoid(x)": "(SELECT privet_c.oid FROM pg_catalog__pg_class privet_c WHERE privet_c.relname = list_extract(string_split(CAST(x AS VARCHAR), '.'), -1) OR CAST(privet_c.oid AS VARCHAR) = CAST(x AS VARCHAR))",
    "format(x, y, z := '')": "CASE WHEN z = '' THEN y ELSE y || '.' || z END",
    "regnamespace(x)": "(SELECT privet_c.nspname FROM pg_catalog__pg_namespace privet_c WHERE CAST(privet_c.oid AS VARCHAR) = CAST(x AS VARCHAR))",
    "obj_description(x, y := 'pg_class')": (
        "(SELECT privet_d.description FROM pg_catalog__pg_description privet_d WHERE privet_d.objoid = x AND privet_d.objsubid = 0 AND y = 'pg_class')"
    ),
    "shobj_description(x, y)": "CAST(NULL AS VARCHAR)",
    "col_description(x, y)": (
        "(SELECT privet_d.description FROM pg_catalog__pg_description privet_d WHERE privet_d.objoid = x AND privet_d.objsubid = y)"
    ),
}
NAMES = {name.partition("(")[0] for name in MACROS}
PASSED = {"string_agg", "bool_and", "bool_or", "array_agg", "lower", "upper", "length", "char_length", "btrim", "ltrim"}
PASSED |= {"rtrim", "position", "strpos", "left", "right", "abs", "array_length", "generate_series", "unnest", "now"}
NODES: tuple[type[exp.Expr], ...] = (
    exp.And,
    exp.Or,
    exp.Cast,
    exp.TryCast,
    exp.If,
    exp.Case,
    exp.Array,
    exp.RegexpLike,
    exp.RegexpILike,
    exp.ArrayAgg,
    exp.Explode,
    exp.Unnest,
    exp.Count,
    exp.Min,
    exp.Max,
    exp.Sum,
    exp.Exists,
    exp.Nullif,
    exp.Coalesce,
    exp.Substring,
    exp.Trim,
    exp.Replace,
    exp.RowNumber,
    exp.GroupConcat,
    exp.ExplodingGenerateSeries,
    exp.GenerateSeries,
    exp.LogicalAnd,
    exp.LogicalOr,
    exp.Lower,
    exp.Upper,
    exp.Length,
    exp.StrPosition,
    exp.SplitPart,
    exp.Left,
    exp.Right,
    exp.Abs,
    exp.ArrayConcat,
    exp.ArraySize,
    exp.Concat,
    exp.CurrentTimestamp,
    exp.CurrentDate,
    exp.Any,
)
ASKERS: tuple[type[exp.Expr], ...] = (exp.CurrentUser, exp.SessionUser, exp.CurrentRole)
INSTEAD: Mapping[type[exp.Expr], str] = {  # what the parser has its own node for, and is one of ours
    exp.CurrentSchema: "current_schema",
    exp.CurrentSchemas: "current_schemas",
    exp.CurrentDatabase: "current_database",
    exp.CurrentVersion: "version",
}


def macros(*, version: str, database: str) -> list[str]:
    """The statements that make our functions."""
    words = ", ".join(f"({number}, '{word}')" for number, word in LONG_WORDS.items())
    said = {"version": version, "database": database, "words": words}
    safe = {name: text if name == "words" else text.replace("'", "''") for name, text in said.items()}
    return [f"CREATE MACRO {OURS}{name} AS ({text.format(**safe)})" for name, text in MACROS.items()]


LONG_WORDS: Mapping[int, str] = {
    16: "boolean",
    20: "bigint",
    21: "smallint",
    23: "integer",
    700: "real",
    701: "double precision",
    1042: "character",
    1043: "character varying",
    1083: "time without time zone",
    1114: "timestamp without time zone",
    1184: "timestamp with time zone",
    18: '"char"',
    1005: "smallint[]",
    1007: "integer[]",
    1016: "bigint[]",
    1009: "text[]",
}
