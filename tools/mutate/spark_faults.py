# ruff: noqa: INP001 - a script, not a package
"""The faults of Spark: what it is told, what it is not asked, and what it may lose."""

from fault import Fault

TOLD = ("tests/query/engines/test_spark_dialect.py",)
DIVIDED = ("tests/query/engines/test_on_spark.py::test_whole_numbers_are_exact_or_null",)
WIDE = ("tests/query/engines/test_on_spark.py::test_quotients_of_wide_numbers_are_exact",)
OPENED = ("tests/query/engines/test_spark_opening.py::test_a_frame_that_changes_is_refused",)
DRIVER = ("tests/query/engines/test_spark_driver.py",)
DIALECT = "query/backends/spark/dialect.py"
ENGINE = "query/backends/spark/engine.py"
SETTINGS = "query/backends/spark/settings.py"
SOURCES = "query/backends/spark/sources.py"
STEADY = "query/backends/spark/steady_plans.py"
STORED = "query/backends/spark/stored_files.py"
TABLES = "tests/query/engines/test_spark_tables.py"

SPARK = (
    Fault("spark: sums wrap around", DIALECT, "if most <= SAFE else", "if most <= SAFE << 20 else", TOLD),
    Fault(
        "spark: reals are written as Java writes them",
        DIALECT,
        "if source is Type.REAL and target is Type.TEXT:",
        "if source is Type.REAL and target is Type.TEXT and not text:",
        TOLD,
    ),
    Fault(
        "spark: units may be real numbers",
        DIALECT,
        "        if kind in REALS:\n            raise InvalidParameter(",
        "        if kind in REALS and not text:\n            raise InvalidParameter(",
        TOLD,
    ),
    Fault("spark: a number may be followed by a line", DIALECT, '+ r"\\z")', '+ "$")', TOLD),
    Fault(
        "spark: rows are units though nothing tells them apart",
        ENGINE,
        "        if catalog.row_level:\n",
        "        if catalog.row_level and catalog.frames:\n",
        TOLD,
    ),
    Fault(
        "spark: what fails raises an error",
        SETTINGS,
        '"spark.sql.ansi.enabled": "false"',
        '"spark.sql.ansi.enabled": "true"',
        TOLD,
    ),
    Fault(
        "spark: a statement waits for workers without end",
        "query/backends/spark/lost_workers.py",
        "        elif time.monotonic() - seen > patience:\n",
        "        elif time.monotonic() - seen > patience and done.is_set():\n",
        TOLD,
    ),
    Fault(
        "spark: an old Java will do",
        "query/backends/spark/java.py",
        "    if found is not None and version_of(found) >= OLDEST:\n",
        "    if found is not None:\n",
        TOLD,
    ),
    Fault(
        "spark: logarithms are Java's",
        "query/backends/spark/functions.py",
        '        "ln": _refused("LN"),\n',
        "",
        TOLD,
    ),
    Fault(
        "spark: a frame with a limit is believed",
        STEADY,
        '"SubqueryAlias", "Union", "View", "WithCTE"',
        '"SubqueryAlias", "Union", "View", "WithCTE", "GlobalLimit", "LocalLimit"',
        OPENED,
    ),
    Fault(
        "spark: Python in a frame is believed if it says that it is steady",
        STEADY,
        "    return kind in STEADY and bool(expression.deterministic())",
        "    return bool(expression.deterministic())",
        (f"{TABLES}::test_python_is_refused_wherever_it_stands",),
    ),
    Fault(
        "spark: expressions under others are not looked at",
        STEADY,
        "        waiting += _listed(expression.children())",
        "        waiting += []",
        (f"{TABLES}::test_only_what_is_known_is_believed",),
    ),
    Fault(
        "spark: sums of real numbers are believed in any order",
        STEADY,
        '"DATE", "STRING", "TIMESTAMP", "TIMESTAMP_NTZ"}',
        '"DATE", "STRING", "TIMESTAMP", "TIMESTAMP_NTZ", "DOUBLE"}',
        (f"{TABLES}::test_only_what_is_known_is_believed",),
    ),
    Fault(
        "spark: a frame of ANSI rules may fail on one row",
        STEADY,
        "    return not lenient and not _fits(old, new)",
        "    return False",
        (f"{TABLES}::test_only_what_is_known_is_believed",),
    ),
    Fault(
        "spark: a date beyond all timestamps fails",
        STEADY,
        '        return rules != ["try"]',
        "        return not lenient",
        (f"{TABLES}::test_only_what_is_known_is_believed",),
    ),
    Fault(
        "spark: a line is read because of another",
        STORED,
        "    if kept not in TYPED:",
        "    if not kept:",
        (f"{TABLES}::test_files_of_lines_and_hostile_options_are_refused",),
    ),
    Fault(
        "spark: options of a reader may leave out rows",
        STORED,
        'HARMLESS = {"path", ',
        'HARMLESS = {"path", "ignoremissingfiles", ',
        (f"{TABLES}::test_files_of_lines_and_hostile_options_are_refused",),
    ),
    Fault(
        "spark: names of folders decide types",
        STORED,
        '        if str(column.dataType().sql()) != "STRING":',
        '        if str(column.dataType().sql()) == "":',
        (f"{TABLES}::test_files_of_lines_and_hostile_options_are_refused",),
    ),
    Fault(
        "spark: a collation decides what is equal",
        SOURCES,
        'if kind.startswith("string collate ") else name',
        'if kind.startswith("string collating ") else name',
        (f"{TABLES}::test_texts_are_compared_letter_by_letter",),
    ),
    Fault(
        "spark: files may be written between two scans",
        ENGINE,
        "            rows = frame.collect()\n        if state_of(self._stored) != self._state:",
        "            rows = frame.collect()\n        if not self._state:",
        (f"{TABLES}::test_files_that_are_written_meanwhile_are_refused",),
    ),
    Fault(
        "spark: files that have changed are charged for",
        ENGINE,
        "        if state_of(self._stored) != self._state:\n            raise InvalidParameter(",
        "        if not self._state:\n            raise InvalidParameter(",
        (f"{TABLES}::test_files_that_are_written_meanwhile_are_refused",),
    ),
    Fault(
        "spark: only legacy settings of a cluster are forgotten",
        SETTINGS,
        'SQL = "spark.sql."',
        'SQL = "spark.sql.legacy."',
        (f"{TABLES}::test_what_a_cluster_sets_is_forgotten",),
    ),
    Fault(
        "spark: wide quotients are rounded",
        DIALECT,
        "CAST((({dividend}) - ({dividend}) % {divisor}) / {divisor} AS",
        "CAST(({dividend}) / {divisor} AS",
        WIDE,
    ),
    Fault(
        "spark: quotients of negative numbers are rounded toward 0",
        "query/backends/spark/functions.py",
        "({a}) DIV ({b}) - {less} END",
        "({a}) DIV ({b}) - 0 * {less} END",
        DIVIDED,
    ),
    Fault(
        "spark: units are broadcast where they are few",
        SETTINGS,
        '"spark.sql.autoBroadcastJoinThreshold": "-1"',
        '"spark.sql.autoBroadcastJoinThreshold": "10MB"',
        DRIVER,
    ),
    Fault(
        "spark: units are broadcast when they turn out to be few",
        SETTINGS,
        '"spark.sql.adaptive.autoBroadcastJoinThreshold": "-1"',
        '"spark.sql.adaptive.autoBroadcastJoinThreshold": "10MB"',
        DRIVER,
    ),
    Fault(
        "spark: units are gathered in a filter for scans",
        SETTINGS,
        '"spark.sql.optimizer.runtime.bloomFilter.enabled": "false"',
        '"spark.sql.optimizer.runtime.bloomFilter.enabled": "true"',
        TOLD,
    ),
    Fault(
        "spark: a private table is sent whole if it is small",
        "query/printing/relation_tables.py",
        "        if relation.owner is not None:\n            return False\n        while isinstance(",
        "        while isinstance(",
        TOLD,
    ),
    Fault(
        "spark: rows are moved by their group",
        "query/backends/spark/shared_rows.py",
        r'r"SELECT (u\d+(?:, u\d+)*)\b"',
        r'r"SELECT u\d+(?:, u\d+)*, (k\d+)\b"',
        TOLD,
    ),
    Fault(
        "spark: a Java is asked for a module that it lacks",
        "query/backends/spark/java.py",
        "return str(home) if has_vectors(home) or",
        "return str(home) if has_vectors(home) or home or",
        ("tests/query/engines/test_spark_master.py",),
    ),
)
