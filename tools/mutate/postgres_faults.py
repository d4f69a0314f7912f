# ruff: noqa: INP001 - a script, not a package; old texts stand as they are in the source
"""Faults of PostgreSQL: errors that tell about rows, meanings that are another engine's, settings that are not ours."""

from fault import Fault

EDGE = ("tests/query/engines/test_functions.py",)
GOLDEN = ("tests/query/engines/test_golden.py",)
SERVER = ("tests/query/engines/test_postgres.py",)
WEIGHED = ("tests/query/engines/test_postgres_weighing.py",)
FALLS = ("tests/query/engines/test_postgres_faults.py",)
DRAWN = ("tests/query/engines/test_postgres_snapshot.py",)
SET = ("tests/query/engines/test_postgres_settings.py",)
KINDS = ("tests/query/engines/test_postgres_kinds.py",)
BLOCKS = ("tests/query/printing/test_weight_blocks.py",)
TLS = ("tests/query/engines/test_postgres_tls.py",)
ROOM = "query/backends/postgres/"

POSTGRES: tuple[Fault, ...] = (
    Fault(
        "postgres: a product that is too small raises an error",
        ROOM + "float_arithmetic.py",
        'f"WHEN {LARGER} < {_two(-575)} THEN {NOTHING} "',
        '""',
        EDGE,
    ),
    Fault(
        "postgres: a sum that is too large raises an error",
        ROOM + "float_arithmetic.py",
        ">= {_two(1022)} ",
        ">= {_two(1023)} ",
        EDGE,
    ),
    Fault(
        "postgres: halves go to even numbers",
        ROOM + "float_arithmetic.py",
        'NEAREST = "TRUNC({a}) + CASE WHEN ABS({a} - TRUNC({a})) >= 0.5 THEN SIGN({a}) ELSE 0 END"',
        'NEAREST = "ROUND({a})"',
        EDGE,
    ),
    Fault(
        "postgres: February has 29 days in every year",
        ROOM + "text_values.py",
        "THEN '29' ELSE '28' END",
        "THEN '29' ELSE '29' END",
        EDGE,
    ),
    Fault(
        "postgres: NULL is placed as the lowest value",
        ROOM + "dialect.py",
        'held = f"CASE WHEN {text} < {low} THEN {low} WHEN {text} > {high} THEN {high} ELSE {text} END"',
        'held = f"LEAST(GREATEST({text}, {low}), {high})"',
        GOLDEN,
    ),
    Fault(
        "postgres: a value very near to 0 raises an error where steps are wide",
        ROOM + "dialect.py",
        "if step <= 1:",
        "if step:",
        GOLDEN,
    ),
    Fault(
        "postgres: groups are hashed otherwise",
        ROOM + "dialect.py",
        "MD5('privet|' ||",
        "MD5('other|' ||",
        GOLDEN,
    ),
    Fault(
        "postgres: the role's search path is used",
        ROOM + "connection.py",
        '    "search_path": "pg_catalog, pg_temp",',
        '    "row_security": "on",',
        SERVER,
    ),
    Fault(
        "postgres: a statement may write",
        ROOM + "connection.py",
        '    "default_transaction_read_only": "on",',
        '    "default_transaction_read_only": "off",',
        SERVER,
    ),
    Fault(
        "postgres: rows of two parts at one place are one unit",
        ROOM + "table_schemas.py",
        "c.relkind = 'r' AND NOT c.relhassubclass",
        "c.relkind IN ('r', 'p')",
        SERVER,
    ),
    Fault(
        "postgres: a unit is another with every zero behind the point",
        ROOM + "dialect.py",
        'f"TRIM_SCALE({exact})" if kind',
        "exact if kind",
        SERVER,
    ),
    Fault(
        "postgres: a password is written into a draft",
        ROOM + "address.py",
        "{user.partition(':')[0]}{at}",
        "{user}{at}",
        SERVER,
    ),
    Fault(
        "postgres: what an address says about certificates is lost",
        ROOM + "address.py",
        'f"{place}?{rest}" if rest else place',
        "place",
        TLS,
    ),
    Fault(
        "postgres: a connection that was lost is noticed after the charge",
        ROOM + "engine.py",
        "        self._pool.check()\n",
        "",
        FALLS,
    ),
    Fault(
        "postgres: Ctrl-C leaves the statement running",
        ROOM + "engine.py",
        "self._running.cancel_safe(timeout=CANCEL_TIMEOUT)",
        "self._running.info",
        FALLS,
    ),
    Fault(
        "postgres: tables released by one statement are seen by another",
        ROOM + "engine.py",
        "twin._inline, twin._running = {}, None",
        "twin._running = None",
        SERVER,
    ),
    Fault(
        "postgres: units below 0 share blocks with others",
        ROOM + "dialect.py",
        'return f"({unit} >> 4)"',
        'return f"({unit} / 16)"',
        WEIGHED,
    ),
    Fault(
        "postgres: sums are narrower than what they may be",
        ROOM + "dialect.py",
        "SMALL = 1 << 30",
        "SMALL = 1 << 40",
        WEIGHED,
    ),
    Fault(
        "postgres: a value far away is not brought nearer",
        ROOM + "dialect.py",
        "if most is None or most > far else text",
        "if most is None else text",
        WEIGHED,
    ),
    Fault(
        "postgres: units are counted in a hash table",
        ROOM + "dialect.py",
        "ORDER BY {unit}{self.fence}",
        "{self.fence}",
        WEIGHED,
    ),
    Fault(
        "postgres: a quotient by a power of two is half as large",
        ROOM + "dialect.py",
        ">> {number.bit_length() - 1})",
        ">> {number.bit_length()})",
        WEIGHED,
    ),
    Fault(
        "postgres: units far apart are put into blocks",
        ROOM + "close_units.py",
        "return FEW <= span <= int(row[0])",
        "return FEW <= span",
        WEIGHED,
    ),
    Fault(
        "blocks: a row whose unit has no weight raises an error",
        "query/printing/weight_blocks.py",
        "WHEN code > 0 THEN {context",
        "ELSE {context",
        (*WEIGHED, "tests/query/printing/test_weight_blocks.py"),
    ),
    Fault(
        "postgres: only one process works for a statement",
        ROOM + "literals.py",
        "FENCE = \" OFFSET '0'\"",
        'FENCE = " OFFSET 0"',
        WEIGHED,
    ),
    # --- one snapshot of rows ---
    Fault(
        "postgres: rows of a view are drawn for each scan",
        ROOM + "table_schemas.py",
        "AND d.relam <> 2",
        "AND d.relam NOT IN (0, 2)",
        DRAWN,
    ),
    Fault(
        "postgres: policies draw rows for each scan",
        ROOM + "table_schemas.py",
        "NOT pg_catalog.row_security_active(c.oid) AND",
        "",
        DRAWN,
    ),
    Fault(
        "postgres: foreign parts of a table are fetched for each scan",
        ROOM + "table_schemas.py",
        " UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i JOIN parts ON i.inhparent = part",
        "",
        DRAWN,
    ),
    Fault(
        "postgres: casts of the database's own run for each scan",
        ROOM + "table_schemas.py",
        "    steady = steady and not any(computed for *_, computed in columns)\n",
        "",
        DRAWN,
    ),
    Fault(
        "printing: rows that may be drawn are not kept",
        "query/printing/relation_tables.py",
        "                self.steady = self.steady and read.steady\n",
        "",
        DRAWN,
    ),
    Fault(
        "printing: a table on the way to the unit may be drawn twice",
        "query/printing/catalog_tables.py",
        "for name in (self._table.name, *self._way()))",
        "for name in (self._table.name,))",
        DRAWN,
    ),
    Fault(
        "duckdb: views and computed columns are drawn for each scan",
        "query/backends/duckdb/engine.py",
        "        return row is None or row[0] > 0\n",
        "        return False\n",
        DRAWN,
    ),
    # --- what is free ---
    Fault(
        "engines: explanations follow what is known of rows",
        "query/backends/sql_engine.py",
        "        return self._printed(request, close_units=False)\n",
        "        return self._printed(request, close_units=self._close_units)\n",
        (*DRAWN, *BLOCKS),
    ),
    Fault(
        "engines: the price of blocks is not computed a second time",
        "query/backends/sql_engine.py",
        "        return tuple(dict.fromkeys((shown, *packed)))\n",
        "        return (shown,)\n",
        DRAWN,
    ),
    # --- settings ---
    Fault(
        "postgres: settings of a role stay",
        ROOM + "connection.py",
        "    connection.execute(BUILT_WITH, (FREE, list(PINNED)))\n",
        "",
        SET,
    ),
    Fault(
        "postgres: defaults of connections are free to set",
        ROOM + "connection.py",
        '    "|recursive_worktable_factor|',
        '    "|array_nulls|recursive_worktable_factor|',
        SET,
    ),
    Fault(
        "postgres: a role's search path stays after tables were found",
        ROOM + "connection.py",
        "    connection.execute(f\"SET search_path = {PINNED['search_path']}\")\n",
        "",
        SET,
    ),
    # --- kinds of columns ---
    Fault(
        "postgres: a decimal very near to 0 raises an error",
        ROOM + "dialect.py",
        'for each in (digits, scale or "0"))',
        "for each in (digits,))",
        KINDS,
    ),
    Fault(
        "postgres: NaN of a limited decimal counts",
        ROOM + "dialect.py",
        'return self.number(f"CAST({text} AS DOUBLE PRECISION)") if small',
        'return f"CAST({text} AS DOUBLE PRECISION)" if small',
        KINDS,
    ),
    Fault(
        "postgres: texts are equal as their collation says",
        ROOM + "literals.py",
        """return f'(CAST({text} AS TEXT) COLLATE "C")'""",
        """return f"CAST({text} AS TEXT)\"""",
        KINDS,
    ),
)
