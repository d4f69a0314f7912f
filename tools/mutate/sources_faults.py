# ruff: noqa: INP001, E501 - a script, not a package; old texts stand as they are in the source
"""The faults of reading files and frames: one person's line, type or text that changes another's."""

from fault import Fault

LINES = ("tests/query/backends/duckdb/test_csv_lines.py",)
FRAMES = ("tests/query/catalog/test_frame_columns.py",)
SIZES = ("tests/query/plan/test_join_size.py",)
CONVERT = ("tests/cli/test_convert.py",)
FILES = ("tests/query/test_bad_input.py",)

SOURCES = (
    Fault("CSV: quotes reach over lines", "query/backends/duckdb/csv_lines.py", "quote = '', escape = ''", "quote = '\"', escape = '\"'", LINES),
    Fault("CSV: a line that fails fails all", "query/backends/duckdb/csv_lines.py", "ignore_errors = true", "ignore_errors = false", LINES),
    Fault("CSV: quotes anywhere", "query/backends/duckdb/csv_lines.py", "regexp_full_match(line, '{field}(?:{comma}{field})*')", "contains(line, '{field[0]}')", LINES),
    Fault("CSV: lines of any number of fields", "query/backends/duckdb/csv_lines.py", "WHERE len(f) = {len(header)}", "WHERE len(f) > 0", LINES),
    Fault("CSV: the first file's order for all", "query/backends/duckdb/csv_lines.py", "alike.setdefault(tuple(header), [])", "alike.setdefault(tuple(first), [])", LINES),
    Fault("CSV: further first lines are not looked at", "query/backends/duckdb/csv_lines.py", "if sorted(header) != sorted(first):", "if False:", LINES),
    Fault("Parquet: broken texts fail all", "query/backends/duckdb/parquet_files.py", "utf8_validation = 'replace'", "utf8_validation = 'strict'", FRAMES),
    Fault("Parquet: mended units are somebody else", "query/backends/duckdb/parquet_files.py", 'kind == "VARCHAR" and each.casefold() in folded', 'kind == "BLOB" and each.casefold() in folded', FRAMES),
    Fault("Parquet: types of files are mixed", "query/backends/duckdb/parquet_files.py", "if seen.setdefault(key, _kind(column)) != _kind(column):", "if False:", FRAMES),
    Fault("Parquet: milliseconds", "query/backends/duckdb/parquet_files.py", '"timeUnit=milliseconds" in str(column.logical_type)', '"timeUnit=never" in str(column.logical_type)', FRAMES),
    Fault("files: another file is read", "query/backends/duckdb/engine.py", "if stamps_of(self._stamps) != self._stamps:", "if False:", FILES),
    Fault("frames: whole numbers of pandas are whole", "query/catalog/frame_columns.py", "FrameColumn(name, Type.REAL, Type.INTEGER, told, partial(", 'FrameColumn(name, Type.REAL if kind == "f" else Type.INTEGER, Type.INTEGER, told, partial(', FRAMES),
    Fault("frames: whole numbers of pandas are not rounded alike", "query/catalog/frame_columns.py", "pa.array(series.to_numpy(np.float64), from_pandas=True)", "pa.array(series.to_numpy(), from_pandas=True)", FRAMES),
    Fault("frames: rounded ids", "query/catalog/frame_columns.py", "(np.abs(known) >= EXACT).any()", "(np.abs(known) >= EXACT**2).any()", FRAMES),
    Fault("frames: broken texts are handed on", "query/catalog/frame_columns.py", "        large.validate(full=True)", "        large.validate()", FRAMES),
    Fault("frames: broken units are mended", "query/catalog/frame_columns.py", "return None if key else raw.decode(errors=BROKEN)", "return raw.decode(errors=BROKEN)", FRAMES),
    Fault("frames: objects guess their type", "query/catalog/frame_columns.py", 'FrameColumn(name, None, None, "Python objects"', 'FrameColumn(name, Type.TEXT, Type.TEXT, "Python objects"', FRAMES),
    Fault("frames: far timestamps are handed on", "query/catalog/frame_columns.py", "(moments >= low) & (moments <= high)", "~np.isnat(moments)", FRAMES),
    Fault("frames: a missing flag is seen", "query/catalog/frame_columns.py", "FrameColumn(name, None, None, told, as_declared", "FrameColumn(name, Type.BOOLEAN, Type.BOOLEAN, told, as_declared", FRAMES),
    Fault("frames: flags are what pandas says", "query/catalog/frame_columns.py", "if declared is None or declared is own:", "if True:", FRAMES),
    Fault("frames: objects are texts", "query/catalog/frame_columns.py", "objects_as(series.tolist(), declared or Type.TEXT, key=key)", "objects_as(series.tolist(), Type.TEXT, key=key)", FRAMES),
    Fault("frames: infinite objects are nothing", "query/catalog/frame_objects.py", "return None if math.isnan(number) else number", "return number if math.isfinite(number) else None", FRAMES),
    Fault("frames: moments of units are rounded", "query/catalog/frame_columns.py", "pa.array(between.astype(int) != 0)", "pa.array(between.astype(int) != between.astype(int))", FRAMES),
    Fault("frames: objects of units are rounded", "query/catalog/frame_objects.py", "if -EXACT < value < EXACT", "if -LONG < value < LONG", FRAMES),
    Fault("units: long ids are cut", "query/printing/dialect.py", "LEFT({text}, {LONGEST_UNIT}) || {self.fingerprint(text)}", "LEFT({text}, {LONGEST_UNIT})", SIZES),
    Fault("units: long ids lose their last letters", "query/backends/duckdb/dialect.py", "SHA256({text})", "SHA256(LEFT({text}, 900))", SIZES),
    Fault("units: long ids are not shortened", "query/printing/catalog_tables.py", "dialect.short_unit(unit) if is_text", "unit if is_text", SIZES),
    Fault("units: far moments on a path", "query/backends/duckdb/dialect.py", "in {Type.DATE, Type.TIMESTAMP}:", "in {Type.DATE}:", ("tests/query/scalars/test_unit_types.py",)),
    Fault("convert: what is not declared is left out", "query/catalog/convert.py", "if (first := pc.index(", "if False and (first := pc.index(", CONVERT),
    Fault("convert: stray quotes are read", "query/catalog/convert.py", "elif whole.fullmatch(row) is None:", "elif False:", CONVERT),
    Fault("convert: a file is replaced", "query/catalog/convert.py", "if out.exists() and (not force or", "if out.exists() and (False or", CONVERT),
    Fault("convert: half a file is left", "query/catalog/convert.py", "        part.unlink(missing_ok=True)", "        pass", CONVERT),
    Fault("draft: ids that are refused", "query/drafting/draft.py", "if exact is not kind and not FRACTIONS", "if exact is None and not FRACTIONS", ("tests/query/drafting/test_draft.py",)),
)  # fmt: skip
