# ruff: noqa: E501, S608 - statements stand as they are asked; they go through our own parser
"""Plays: statements aimed at the edges of what engines compute, order, compare and write."""

from collections.abc import Mapping

from tests.support.observation import BATCH

KEYS: Mapping[str, str] = {  # expressions to group by
    "whole": "whole",
    "big": "big",
    "huge": "huge",
    "cents": "cents",
    "pay": "pay",
    "free": "free",
    "small": "small",
    "kind": "kind",
    "word": "word",
    "town": "town",
    "flag": "flag",
    "day": "day",
    "late": "late",
    "moment": "moment",
    "seen": "seen",
    "zero times": "0.0 * (pay - 150.5)",
    "negated": "-free",
    "rounded": "ROUND(free, 1)",
    "floor": "FLOOR(pay / 100)",
    "rest": "free % 1",
    "quotient": "1 / free",
    "whole quotient": "big // 2",
    "sum": "big + big",
    "huge sum": "huge + 1",
    "absolute": "ABS(big)",
    "text of real": "CAST(free AS VARCHAR)",
    "text of zero": "CAST(0 * pay AS VARCHAR)",
    "text of date": "CAST(late AS VARCHAR)",
    "text of moment": "CAST(seen AS VARCHAR)",
    "text of whole": "CAST(big AS VARCHAR)",
    "whole of real": "CAST(free AS BIGINT)",
    "whole of text": "CAST(word AS BIGINT)",
    "real of text": "CAST(word AS DOUBLE)",
    "date of text": "CAST(word AS DATE)",
    "date of moment": "CAST(moment AS DATE)",
    "late of moment": "CAST(seen AS DATE)",
    "moment of date": "CAST(day AS TIMESTAMP)",
    "month": "DATE_TRUNC('month', day)",
    "late month": "DATE_TRUNC('month', late)",
    "week of moment": "DATE_TRUNC('week', moment)",
    "late week": "DATE_TRUNC('week', seen)",
    "year": "YEAR(late)",
    "hour": "HOUR(seen)",
    "day later": "day + 1",
    "late later": "late + 1",
    "shifted": "day + CASE WHEN pay > 100 THEN NULL ELSE 0 END",
    "days between": "DATE_DIFF('day', DATE '2024-01-01', late)",
    "lower": "LOWER(word)",
    "upper town": "UPPER(town)",
    "trimmed": "TRIM(word)",
    "left": "LEFT(word, 2)",
    "substring": "SUBSTRING(word, 2, 2)",
    "length": "LENGTH(word)",
    "chain": "word || '-' || CAST(free AS VARCHAR) || CAST(big AS VARCHAR)",
    "concat": "CONCAT(word, flag, day, pay)",
    "chosen": "CASE WHEN pay > 0 THEN 0.0 ELSE -0.0 END",
    "coalesced": "COALESCE(free, -0.0)",
    "nullif": "NULLIF(word, 'BERN')",
    "nullif zero": "NULLIF(free, 1)",
    "greatest": "GREATEST(pay, -0.0)",
    "least": "LEAST(free, 0)",
    "clipped": "CLIP(free, -0.0, 1)",
    "compared": "word > 'C'",
    "town compared": "town = 'bern'",
    "like": "word LIKE '%ern_'",
    "sign": "SIGN(free)",
    "root": "SQRT(free)",
    "power": "POWER(free, 3)",
}
GROUPED = {f"key {name}": f"SELECT {key} AS k, COUNT(*) AS n FROM t GROUP BY {key}" for name, key in KEYS.items()}
ROUNDS = {  # named in two rounds, of up to nine groups of a unit
    f"rounds {name}": f"SELECT {KEYS[name]} AS k, COUNT(whole) AS n FROM t GROUP BY {KEYS[name]}"
    for name in (
        "word",
        "town",
        "free",
        "huge",
        "cents",
        "late",
        "seen",
        "flag",
        "zero times",
        "concat",
        "text of real",
    )
} | {"rounds of names": "SELECT word, free FROM t GROUP BY word, free"}
COUNTED = {
    f"distinct {name}": f"SELECT COUNT(DISTINCT {KEYS[name]}) AS n FROM t"
    for name in ("big", "huge", "free", "word", "town", "late", "seen", "zero times", "text of real", "lower", "cents")
}
CONDITIONS = {  # counted together, as cells that exclude each other
    "whole": ("big = 0", "big <= 0", "big > 5", "big IS NULL", "NOT big < 9", "big + big > 3"),
    "real": ("free = 0", "free < 0", "free >= 0", "free IS NULL", "free > 1e300", "NOT free < 1", "1 / free > 0"),
    "text": ("word = ''", "word < 'C'", "word >= 'C'", "word LIKE '%ern_'", "word IN ('BERN', 'bern')", "word IS NULL"),
    "town": ("town = 'bern'", "town <> 'bern'", "town > 'C'", "town IS NULL", "TRUE"),
    "time": ("late < DATE '2024-01-01'", "late = day", "seen >= TIMESTAMP '2024-01-01 00:00:00'", "late IS NULL"),
    "mixed": ("pay > 100 AND flag", "pay > 100", "flag", "NOT flag OR pay < 0", "kind = 'a' AND pay IS NULL"),
}
CELLS = {
    f"cells of {name}": f"SELECT {', '.join(f'COUNT(*) FILTER (WHERE {each}) AS n{place}' for place, each in enumerate(some))} FROM t"
    for name, some in CONDITIONS.items()
}
CELLS["cells by word"] = (
    "SELECT word, COUNT(*) FILTER (WHERE free < 0) AS a, COUNT(*) FILTER (WHERE free < 1) AS b, COUNT(free) AS c FROM t GROUP BY word"
)
WINDOW = (
    "SELECT {what} FROM (SELECT pay, whole, word, free, {function} OVER (PARTITION BY id ORDER BY {order}) AS k FROM t)"
)
WINDOWS = {
    "first of ties": WINDOW.format(what="SUM(whole) AS n", function="ROW_NUMBER()", order="pay") + " WHERE k = 1",
    "first of odd": WINDOW.format(what="SUM(whole) AS n", function="ROW_NUMBER()", order="free") + " WHERE k = 1",
    "first of towns": "SELECT SUM(whole) AS n FROM (SELECT whole, ROW_NUMBER() OVER (PARTITION BY id ORDER BY town) AS k FROM t) "
    "WHERE k = 1",
    "ranks": WINDOW.format(what="k, COUNT(*) AS n", function="RANK()", order="pay") + " GROUP BY k",
    "least in a unit": "SELECT CAST(m AS VARCHAR) AS k, COUNT(*) AS n FROM (SELECT id, MIN(pay) AS m FROM t GROUP BY id) GROUP BY 1",
    "most in a unit": "SELECT m, COUNT(*) AS n FROM (SELECT id, MAX(free) AS m FROM t GROUP BY id) GROUP BY m",
    "first town": "SELECT m, COUNT(*) AS n FROM (SELECT id, MIN(town) AS m FROM t GROUP BY id) GROUP BY m",
    "average in a unit": "SELECT m, COUNT(*) AS n FROM (SELECT id, AVG(free) AS m FROM t GROUP BY id) GROUP BY m",
    "median in a unit": "SELECT SUM(CLIP(m, -5000, 5000)) AS n FROM (SELECT id, MEDIAN(pay) AS m FROM t GROUP BY id)",
    "sum in a unit": "SELECT SUM(CLIP(m, -9, 9)) AS n FROM (SELECT id, SUM(big) AS m FROM t GROUP BY id)",
    "distinct rows": "SELECT k, COUNT(*) AS n FROM (SELECT DISTINCT id, free AS k FROM t) GROUP BY k",
    "distinct towns": "SELECT k, COUNT(*) AS n FROM (SELECT DISTINCT id, town AS k FROM t) GROUP BY k",
    "groups in a unit": "SELECT CAST(free AS VARCHAR) AS k, COUNT(*) AS n FROM (SELECT id, free FROM t GROUP BY id, free) GROUP BY 1",
}
WINDOWS |= {
    "far behind": WINDOW.format(what="k, COUNT(*) AS n", function="LAG(word, 2, 'none')", order="free") + " GROUP BY k",
    "two before": "SELECT SUM(CLIP(k, -9, 9)) AS n FROM (SELECT SUM(whole) OVER (PARTITION BY id ORDER BY pay ROWS BETWEEN 2 PRECEDING "
    "AND 1 PRECEDING) AS k FROM t)",
    "dense ranks": WINDOW.format(what="k, COUNT(*) AS n", function="DENSE_RANK()", order="town") + " GROUP BY k",
    "halves": WINDOW.format(what="k, SUM(whole) AS n", function="NTILE(2)", order="free") + " GROUP BY k",
    "qualified": "SELECT SUM(whole) AS n FROM (SELECT id, whole FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY free) = 1)",
    "first of each": "SELECT SUM(whole) AS n FROM (SELECT DISTINCT ON (id, word) whole FROM t ORDER BY pay)",
}
TIED = {
    "exists": "SELECT COUNT(*) AS n FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.id = t.id AND s.word = t.word)",
    "exists not": "SELECT COUNT(*) AS n FROM t WHERE NOT EXISTS (SELECT 1 FROM s WHERE s.id = t.id AND s.day = t.day)",
    "in own": "SELECT COUNT(*) AS n FROM t WHERE word NOT IN (SELECT s.word FROM s WHERE s.id = t.id)",
    "in towns": "SELECT COUNT(*) AS n FROM t WHERE town IN (SELECT u.word FROM t AS u WHERE u.id = t.id)",
    "in public": "SELECT COUNT(*) AS n FROM t WHERE town NOT IN (SELECT word FROM c)",
    "counted": "SELECT k, COUNT(*) AS n FROM (SELECT (SELECT COUNT(*) FROM s WHERE s.id = t.id AND s.word = t.word) AS k FROM t) GROUP BY k",
    "most of own": "SELECT COUNT(*) AS n FROM t WHERE free = (SELECT MAX(u.free) FROM t AS u WHERE u.id = t.id)",
    "looked up": "SELECT k, COUNT(*) AS n FROM (SELECT (SELECT region FROM c WHERE c.word = t.town) AS k FROM t) GROUP BY k",
    "except": "SELECT k, COUNT(*) AS n FROM (SELECT id, free AS k FROM t EXCEPT ALL SELECT id, pay FROM t) GROUP BY k",
    "intersect": "SELECT k, COUNT(*) AS n FROM (SELECT id, town AS k FROM t INTERSECT SELECT id, word FROM s) GROUP BY k",
    "public left": "SELECT c.word, COUNT(*) AS n FROM c LEFT JOIN t ON t.town = c.word GROUP BY c.word",
}
JOINED = {
    "joined": "SELECT COUNT(*) AS n, SUM(x) AS m FROM t JOIN s USING (id)",
    "three": "SELECT COUNT(*) AS n FROM s AS a JOIN s AS b USING (id) JOIN s AS c USING (id)",
    "by unit and word": "SELECT t.word, COUNT(*) AS n FROM t JOIN s ON t.id = s.id AND t.word = s.word GROUP BY t.word",
    "by unit and day": "SELECT COUNT(*) AS n FROM t JOIN s ON t.id = s.id AND t.day = s.day",
    "left": "SELECT COUNT(x) AS n, COUNT(*) AS m FROM t LEFT JOIN s ON t.id = s.id AND t.word = s.word",
    "both": "SELECT COUNT(*) AS n FROM (SELECT id FROM t UNION ALL SELECT id FROM s)",
    "people": "SELECT COUNT(DISTINCT id) AS n FROM (SELECT id FROM t UNION ALL SELECT id FROM s)",
    "sums of both": "SELECT SUM(v) AS n FROM (SELECT id, whole AS v FROM t UNION ALL SELECT id, x FROM s)",
    "path": "SELECT COUNT(*) AS n, SUM(y) AS m FROM p",
    "path by key": "SELECT y, COUNT(*) AS n FROM p GROUP BY y",
    "public": "SELECT region, COUNT(*) AS n FROM t JOIN c USING (word) GROUP BY region",
    "public town": "SELECT region, COUNT(*) AS n FROM t JOIN c ON t.town = c.word GROUP BY region",
    "public key": "SELECT c.word, COUNT(*) AS n FROM t JOIN c ON t.word = c.word GROUP BY c.word",
}
SUMMED = {
    "moments": "SELECT COUNT(*) AS n, SUM(pay) AS s, AVG(pay) AS a, STDDEV(pay) AS d, MEDIAN(pay) AS m FROM t",
    "wholes": "SELECT SUM(whole) AS s, AVG(whole) AS a, MIN(whole) AS l, MAX(whole) AS h FROM t",
    "huge": "SELECT SUM(CLIP(huge, -9, 9)) AS s, COUNT(huge) AS n FROM t",
    "cents": "SELECT SUM(cents) AS s, COUNT(cents) AS n FROM t",
    "days": "SELECT MIN(day) AS l, MEDIAN(day) AS m, MAX(moment) AS h FROM t",
    "clipped": "SELECT SUM(CLIP(big, -9, 9)) AS b, SUM(CLIP(free, -9, 9)) AS f, AVG(CLIP(small, 0, 1)) AS m FROM t",
    "lengths": "SELECT SUM(CLIP(LENGTH(word), 0, 9)) AS s FROM t",
    "conditions": "SELECT COUNT(*) FILTER (WHERE word LIKE '%n') AS a, COUNT(*) FILTER (WHERE LOWER(town) = 'bern') AS b FROM t",
    "town in": "SELECT COUNT(*) AS n FROM t WHERE town IN ('bern', 'x')",
    "word in": "SELECT COUNT(*) AS n FROM t WHERE word IN ('bern', 'x') AND word >= 'a' AND NOT STARTS_WITH(word, 'BE')",
    "guards": "SELECT SUM(CLIP(SQRT(LN(ABS(free) + 1) / (pay + 1)), 0, 9)) AS s FROM t",
    "dates guarded": "SELECT AVG(DATE_DIFF('day', day, CAST(moment AS DATE))) AS s, COUNT(late - 5) AS n FROM t",
    "found bounds": "SELECT SUM(free) AS s, AVG(big) AS a FROM t",
    "found limits": "SELECT kind, COUNT(*) AS n, AVG(pay) AS a FROM t WHERE free IS NOT NULL GROUP BY kind",
    "found limits of groups": "SELECT kind, COUNT(DISTINCT id) AS n FROM t GROUP BY kind",
    "found limits of values": "SELECT COUNT(DISTINCT free) AS n FROM t",
    "found limits of partners": "SELECT SUM(x) AS n FROM t JOIN s USING (id)",
    "report of sums": "SELECT SUM(pay) AS s, AVG(whole) AS a, MAX(moment) AS h FROM t",
    "report by key": "SELECT kind, day, COUNT(*) AS n, AVG(pay) AS s FROM t GROUP BY kind, day",
    "report of joins": "SELECT SUM(whole) AS n, SUM(x) AS m FROM t JOIN s USING (id)",
    "two keys": "SELECT kind, flag, COUNT(*) AS n, SUM(pay) AS s FROM t GROUP BY kind, flag",
    "mixed keys": "SELECT kind, word, free, COUNT(*) AS n FROM t GROUP BY kind, word, free",
    "two stages": "SELECT COUNT(*) AS n FROM t WHERE pay > (SELECT AVG(pay) FROM t)",
    "having": "SELECT day, COUNT(*) AS n FROM t GROUP BY day HAVING COUNT(*) > 3 ORDER BY n DESC",
    "intervals by key": "SELECT kind, MEDIAN(whole) AS m, MAX(pay) AS h FROM t GROUP BY kind",
    "intervals of days": "SELECT MIN(day) AS l, MEDIAN(moment) AS m, 2 * MEDIAN(pay) - 1 AS h FROM t",
    "quantiles by key": "SELECT kind, MEDIAN(whole) AS m FROM t GROUP BY kind",
}

SCALARS = {  # several functions of one kind in a statement: each could fail where others would not
    "shifted": "late + INTERVAL 1 MONTH; late - INTERVAL 9999 YEAR; seen + INTERVAL 1 HOUR; seen - INTERVAL 5 YEAR; late + INTERVAL 100000 DAY",
    "parts of times": "DATE_TRUNC('quarter', late); DATE_TRUNC('hour', seen); EXTRACT(week FROM late); EXTRACT(epoch FROM seen); LAST_DAY(late)",
    "between times": "DATE_DIFF('month', late, DATE '2024-01-31'); DATE_DIFF('hour', seen, TIMESTAMP '2024-01-01'); DATE_DIFF('week', late, day)",
    "written times": "STRFTIME(late, '%Y-%m-%d'); STRFTIME(seen, '%Y %b %H:%M:%S'); STRFTIME(late, '%A %j %y')",
    "read times": "STRPTIME(word, '%Y-%m-%d'); TRY_STRPTIME(word, '%d.%m.%Y'); CAST(word AS TIMESTAMP); TO_TIMESTAMP(free)",
    "padded": "LPAD(word, 1000, '*-'); RPAD(word, 3, '*'); LPAD(town, 0, 'x'); REPEAT(word, 100); RIGHT(town, 3); REVERSE(word)",
    "pieces": "SPLIT_PART(word, 'e', 2); SPLIT_PART(word, 'x', 1000); SPLIT_PART(town, 'bern', -1); REPLACE(word, 'x', 'yyyyy'); POSITION('e' IN town)",
    "patterns": "REGEXP_MATCHES(word, '^(b|B)[^r]*n$'); REGEXP_FULL_MATCH(town, '.*'); REGEXP_MATCHES(word, 'x{2,9}')",
    "pattern pieces": "REGEXP_EXTRACT(word, '([a-e])[f-z]', 1); REGEXP_REPLACE(word, '[^a]', '-', 'g'); REGEXP_REPLACE(town, 'x', '', 'g')",
    "buckets": "WIDTH_BUCKET(free, 0, 10, 5); WIDTH_BUCKET(small, -1e308, 1e308, 3); WIDTH_BUCKET(big, 0, 7, 10000)",
    "curves": "SIN(free); TAN(free); ASIN(free); ATAN2(free, pay); CBRT(free); EXP(free); LOG(2, free); DEGREES(free); COT(pay)",
    "cast": "CAST(free AS SMALLINT); CAST(huge AS UBIGINT); CAST(big AS TINYINT); CAST(word AS BOOLEAN); POWER(big, 9); big << 1; big % 7",
}
SUMMED |= {
    f"all {name}": f"SELECT {', '.join(f'COUNT(DISTINCT {each})' for each in listed.split('; '))} FROM t"
    for name, listed in SCALARS.items()
}
SUMMED |= {
    "constants": "SELECT SUM(0.5) AS s, AVG(CLIP(free, 2.5, 2.5)) AS a, STDDEV(CLIP(free, 7, 7.0000000001)) AS d FROM t"
}


def _texts(depth: int, times: int) -> str:
    query = "SELECT id, word AS s FROM t"
    for _ in range(depth):
        query = f"SELECT id, CONCAT({', '.join(['s'] * times)}) AS s FROM (SELECT id, s FROM ({query}) AS q GROUP BY id, s) AS q"
    return f"SELECT SUM(CLIP(LENGTH(s), 0, 1)) AS n FROM ({query}) AS q"


def _doubled(depth: int) -> str:
    query = "SELECT id, CASE WHEN LENGTH(word) > 10 THEN 'xxxxxxxx' ELSE '' END AS s FROM t"
    for _ in range(depth):
        query = f"SELECT id, s || s AS s FROM ({query}) AS q"
    return f"SELECT COUNT(s) AS n FROM ({query}) AS q WHERE s LIKE '%y%' OR LENGTH(s) > 1"


SELF_JOINS = {
    "self joins": "SELECT SUM(a.x) AS n FROM s AS a JOIN s AS b USING (id) JOIN s AS c USING (id) JOIN s AS d USING (id)",
}
HEAVY = {
    "repeated texts": _texts(2, 16),
    "doubled texts": _doubled(24),
    "many terms": f"SELECT {' || '.join(['word'] * 64)} AS k, COUNT(*) AS n FROM t GROUP BY 1",
    "zero byte": "SELECT COUNT(*) AS n FROM t WHERE word = 'be\0rn'",
}
BATCHES = {  # counts of the same rows under several conditions become one
    name: BATCH.join(each)
    for name, each in {
        "batch of wheres": [f"SELECT COUNT(*) AS n FROM t WHERE {each}" for each in CONDITIONS["whole"]],
        "batch of odd wheres": [f"SELECT COUNT(*) AS n FROM t WHERE {each}" for each in CONDITIONS["real"]],
        "batch of wheres of texts": [f"SELECT COUNT(*) AS n FROM t WHERE {each}" for each in CONDITIONS["text"]],
        "batch of groups": [
            "SELECT word, COUNT(*) AS n FROM t WHERE free > 1 GROUP BY word",
            "SELECT word, COUNT(*) AS n FROM t GROUP BY word",
            "SELECT kind, COUNT(*) AS n, AVG(pay) AS a FROM t GROUP BY kind",
        ],
        "batch of found bounds": [
            "SELECT AVG(free) AS a FROM t WHERE flag",
            "SELECT SUM(big) AS s, COUNT(*) AS n FROM t",
        ],
    }.items()
}
PLAYS: Mapping[str, str] = {
    **GROUPED,
    **ROUNDS,
    **COUNTED,
    **CELLS,
    **WINDOWS,
    **{f"tied {name}": text for name, text in TIED.items()},
    **{f"joined {name}": text for name, text in JOINED.items()},
    **SUMMED,
    **BATCHES,
}
