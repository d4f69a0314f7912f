-- refused: SELECT * FROM patient: a star over a private table shows its rows; aggregate them: COUNT(*), SUM, AVG, …
SELECT * FROM patient
-- refused: LIMIT 5: which rows are kept would depend on other units; leave it out, or aggregate first
SELECT * FROM visit LIMIT 5
-- refused: SELECT age FROM patient: this shows rows of units, not an aggregate; aggregate them: COUNT(*), SUM, AVG, …
SELECT age FROM patient
-- refused: SELECT CASE WHEN age > 90 THEN 1 ELSE 0 END FROM patient: this shows rows of units, not an aggregate; aggregate them: COUNT(*), SUM, AVG, …
SELECT CASE WHEN age > 90 THEN 1 ELSE 0 END FROM patient
-- refused: SELECT v.* FROM visit AS v: a star over a private table shows its rows; aggregate them: COUNT(*), SUM, AVG, …
SELECT v.* FROM visit v
-- refused: SELECT * FROM patient: a star over a private table shows its rows; aggregate them: COUNT(*), SUM, AVG, …
FROM patient
-- refused: SELECT pid FROM patient: the unit's own column cannot be shown or grouped by; use COUNT(DISTINCT …), or group by another
SELECT pid FROM patient
-- refused: SELECT DISTINCT pid FROM visit: the unit's own column cannot be shown or grouped by; use COUNT(DISTINCT …), or group by another
SELECT DISTINCT pid FROM visit
-- refused: SELECT pid, COUNT(*) FROM visit GROUP BY pid: the unit's own column cannot be shown or grouped by; use COUNT(DISTINCT …), or group by another
SELECT pid, COUNT(*) FROM visit GROUP BY pid
-- refused: SELECT COUNT(*) FROM visit GROUP BY pid: this shows rows of units, not an aggregate; aggregate them: COUNT(*), SUM, AVG, …
SELECT COUNT(*) FROM visit GROUP BY pid
-- refused: SELECT pid, clinic, COUNT(*) FROM visit GROUP BY pid, clinic: the unit's own column cannot be shown or grouped by; use COUNT(DISTINCT …), or group by another
SELECT pid, clinic, COUNT(*) FROM visit GROUP BY pid, clinic
-- refused: pid + age: a group made from the unit's column is about one unit; group by another column
SELECT pid + age, COUNT(*) FROM patient GROUP BY 1
-- refused: pid % 10: a group made from the unit's column is about one unit; group by another column
SELECT pid % 10, COUNT(*) FROM patient GROUP BY 1
-- refused: SELECT k, COUNT(*) FROM (SELECT pid AS k, age FROM patient) GROUP BY k: the unit's own column cannot be shown or grouped by; use COUNT(DISTINCT …), or group by another
SELECT k, COUNT(*) FROM (SELECT pid AS k, age FROM patient) GROUP BY k
-- refused: k: what is made of the unit's column cannot be grouped by; within a unit group by its own column, and across units by another
SELECT k, COUNT(*) FROM (SELECT CAST(pid AS VARCHAR) || 'x' AS k FROM patient) GROUP BY k
-- refused: k: what is made of the unit's column cannot be grouped by; within a unit group by its own column, and across units by another
SELECT k, COUNT(*) FROM (SELECT pid, MIN(pid + 1) AS k FROM visit GROUP BY pid) GROUP BY k
-- refused: zip: the column is neither in GROUP BY nor inside an aggregate; add it to GROUP BY or aggregate it
SELECT 3, sex, zip, AVG(age) FROM patient GROUP BY sex
-- refused: age: the column is neither in GROUP BY nor inside an aggregate; add it to GROUP BY or aggregate it
SELECT age, COUNT(*) FROM patient
-- refused: age: the column is neither in GROUP BY nor inside an aggregate; add it to GROUP BY or aggregate it
SELECT sex, COUNT(*) FROM patient GROUP BY sex HAVING age > 3
-- refused: age: the column is neither in GROUP BY nor inside an aggregate; add it to GROUP BY or aggregate it
SELECT sex, COUNT(*) FROM patient GROUP BY sex ORDER BY age
-- refused: age: the column is neither in GROUP BY nor inside an aggregate; add it to GROUP BY or aggregate it
SELECT age + 1, COUNT(*) FROM patient GROUP BY age + 2
-- refused: MODE(cost): one unit could decide it; write SELECT x, COUNT(*) AS n … GROUP BY x ORDER BY n DESC LIMIT 1
SELECT MODE(cost) FROM visit
-- refused: FIRST(cost): no private mechanism answers this aggregate; use COUNT, SUM, AVG, MEDIAN, MIN, MAX, …
SELECT FIRST(cost) FROM visit
-- refused: ANY_VALUE(cost): any value is that of a single row; write MIN, MAX or MEDIAN, or add it to GROUP BY
SELECT ANY_VALUE(cost) FROM visit
-- refused: ARG_MAX(cost, day): no private mechanism answers this aggregate; use COUNT, SUM, AVG, MEDIAN, MIN, MAX, …
SELECT ARG_MAX(cost, day) FROM visit
-- refused: LISTAGG(note, ','): it would show values of single rows; count them: SELECT x, COUNT(*) … GROUP BY x
SELECT STRING_AGG(note, ',') FROM visit
-- refused: ARRAY_AGG(cost): it would show values of single rows; count them: SELECT x, COUNT(*) … GROUP BY x
SELECT ARRAY_AGG(cost) FROM visit
-- refused: ARRAY_AGG(cost): it would show values of single rows; count them: SELECT x, COUNT(*) … GROUP BY x
SELECT LIST(cost) FROM visit
-- refused: CORR(cost, clinic): CORR takes numbers, got text; CAST it first, or COUNT it
SELECT CORR(cost, clinic) FROM visit
-- refused: VAR(cost, stay): it takes one argument; write AVG(x)
SELECT VAR(cost, stay) FROM visit
-- refused: CORR(cost, weight) needs bounds: declare visit.weight as [lower, upper] in the catalog, write CLIP(weight, lower, upper), or pass automatic_bounds="auto" to pay for finding them
SELECT CORR(cost, weight) FROM visit
-- refused: BOOL_OR(stay > 3): no private mechanism answers this aggregate; one unit would decide it; count the rows: COUNT_IF(x)
SELECT BOOL_OR(stay > 3) FROM visit
-- refused: BOOL_AND(stay): BOOL_AND takes a condition, got integer; write BOOL_AND(x > 0)
SELECT COUNT(*) FROM (SELECT pid FROM visit GROUP BY pid HAVING BOOL_AND(stay))
-- refused: ARG_MIN(cost, day) OVER (PARTITION BY pid): it has no form OVER a window; use GROUP BY in a subquery, or FIRST_VALUE(x) OVER (…)
SELECT AVG(c) FROM (SELECT ARG_MIN(cost, day) OVER (PARTITION BY pid) AS c FROM visit)
-- refused: FIRST_VALUE(cost): which row comes first is not said; write FIRST_VALUE(x) OVER (PARTITION BY … ORDER BY …), or ARG_MIN(x, y)
SELECT AVG(c) FROM (SELECT pid, FIRST_VALUE(cost) AS c FROM visit GROUP BY pid)
-- refused: FIRST_VALUE(cost) OVER (PARTITION BY pid): a frame is of ROWS, within an order; add ORDER BY to the window
SELECT AVG(c) FROM (SELECT FIRST_VALUE(cost) OVER (PARTITION BY pid) AS c FROM visit)
-- refused: k + 1: a group made from the unit's column is about one unit; group by another column
SELECT k + 1, COUNT(*) FROM (SELECT pid, ARG_MIN(stay, pid) AS k FROM visit GROUP BY pid) GROUP BY k + 1
-- refused: QUANTILE_CONT(cost, [0.25, 0.5]): a list of quantiles stands by itself in SELECT; write each one: QUANTILE_CONT(cost, 0.9)
SELECT 1 + QUANTILE_CONT(cost, [0.25, 0.5]) FROM visit
-- refused: QUANTILE_DISC(cost, 0.5): quantiles that are no estimates are not the same on every engine; write QUANTILE_CONT(x, 0.5), which lies between two values
SELECT AVG(m) FROM (SELECT pid, QUANTILE_DISC(cost, 0.5) AS m FROM visit GROUP BY pid)
-- refused: MEDIAN(day): quantiles that are no estimates are of numbers; write MEDIAN(DATE_DIFF('day', DATE '2000-01-01', day))
SELECT COUNT(*) FROM (SELECT pid, MEDIAN(day) AS m FROM visit GROUP BY pid) WHERE m > DATE '2023-01-01'
-- refused: QUANTILE_CONT(cost, 1.5): a quantile takes a literal between 0 and 1; write QUANTILE_CONT(cost, 0.9)
SELECT QUANTILE_CONT(cost, 1.5) FROM visit
-- refused: QUANTILE_CONT(cost, stay): a quantile takes a literal between 0 and 1; write QUANTILE_CONT(cost, 0.9)
SELECT QUANTILE_CONT(cost, stay) FROM visit
-- refused: SUM(DISTINCT cost): no mechanism adds up distinct values; leave DISTINCT out, or write COUNT(DISTINCT x)
SELECT SUM(DISTINCT cost) FROM visit
-- refused: COUNT(DISTINCT clinic, day): one expression can be counted distinctly; count each one, or concatenate them
SELECT COUNT(DISTINCT clinic, day) FROM visit
-- refused: cost ORDER BY day: this clause is not supported; see docs/sql.md for what is
SELECT SUM(cost ORDER BY day) FROM visit
-- refused: COUNT(*): an aggregate cannot hold another one; compute the inner one in a subquery with GROUP BY
SELECT SUM(COUNT(*)) FROM visit
-- refused: SUM(cost): an aggregate cannot hold another one; compute the inner one in a subquery with GROUP BY
SELECT AVG(SUM(cost)) FROM visit GROUP BY clinic
-- refused: COUNT(*): an aggregate cannot stand here; use HAVING, or compute it in a subquery
SELECT COUNT(*) FROM visit WHERE COUNT(*) > 3
-- refused: COUNT(*): an aggregate cannot stand here; use HAVING, or compute it in a subquery
SELECT COUNT(*) FROM visit GROUP BY COUNT(*)
-- refused: SUM(weight) needs bounds: declare visit.weight as [lower, upper] in the catalog, write CLIP(weight, lower, upper), or pass automatic_bounds="auto" to pay for finding them
SELECT SUM(weight) FROM visit
-- refused: AVG(cost * weight) needs bounds: declare visit.weight as [lower, upper] in the catalog, write CLIP(cost * weight, lower, upper), or pass automatic_bounds="auto" to pay for finding them
SELECT AVG(cost * weight) FROM visit
-- refused: SUM(1 / cost) needs bounds: write CLIP(1 / cost, lower, upper), or pass automatic_bounds="auto" to pay for finding them
SELECT SUM(1 / cost) FROM visit
-- refused: SUM(LN(cost)) needs bounds: write CLIP(LN(cost), lower, upper), or pass automatic_bounds="auto" to pay for finding them
SELECT SUM(LN(cost)) FROM visit
-- refused: STDDEV(weight) needs bounds: declare visit.weight as [lower, upper] in the catalog, write CLIP(weight, lower, upper), or pass automatic_bounds="auto" to pay for finding them
SELECT STDDEV(weight) FROM visit
-- refused: MAX(vid) needs bounds: declare visit.vid as [lower, upper] in the catalog, write CLIP(vid, lower, upper), or pass automatic_bounds="auto" to pay for finding them
SELECT MAX(vid) FROM visit
-- refused: MEDIAN(LENGTH(note)) needs bounds: write CLIP(LENGTH(note), lower, upper), or pass automatic_bounds="auto" to pay for finding them
SELECT MEDIAN(LENGTH(note)) FROM visit
-- refused: SUM(CAST(zip AS INT)) needs bounds: write CLIP(CAST(zip AS INT), lower, upper), or pass automatic_bounds="auto" to pay for finding them
SELECT SUM(CAST(zip AS INTEGER)) FROM patient
-- refused: SUM(pid) needs bounds: write CLIP(pid, lower, upper), or pass automatic_bounds="auto" to pay for finding them
SELECT SUM(pid) FROM patient
-- refused: CLIP(weight, 0, stay): CLIP takes two literal numbers, the lower bound first: CLIP(x, 0, 100)
SELECT SUM(CLIP(weight, 0, stay)) FROM visit
-- refused: CLIP(weight, 100, 0): CLIP takes two literal numbers, the lower bound first: CLIP(x, 0, 100)
SELECT SUM(CLIP(weight, 100, 0)) FROM visit
-- refused: CLIP(weight, 0, (SELECT MAX(beds) FROM clinic)): CLIP takes two literal numbers, the lower bound first: CLIP(x, 0, 100)
SELECT SUM(CLIP(weight, 0, (SELECT MAX(beds) FROM clinic))) FROM visit
-- refused: SUM(note): SUM takes numbers, got text; CAST it first, or COUNT it
SELECT SUM(note) FROM visit
-- refused: MIN(note): MIN takes numbers, got text; CAST it first, or COUNT it
SELECT MIN(note) FROM visit
-- refused: AVG(day): AVG takes numbers, got date; CAST it first, or COUNT it
SELECT AVG(day) FROM visit
-- refused: RANK() OVER (ORDER BY cost): a window must stay within one unit; add pid to PARTITION BY
SELECT COUNT(*) FROM (SELECT RANK() OVER (ORDER BY cost) AS k FROM visit)
-- refused: ROW_NUMBER() OVER (PARTITION BY clinic ORDER BY cost): a window must stay within one unit; add pid to PARTITION BY
SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY clinic ORDER BY cost) AS k FROM visit)
-- refused: SUM(cost) OVER (): a window must stay within one unit; add pid to PARTITION BY
SELECT AVG(m) FROM (SELECT SUM(cost) OVER () AS m FROM visit)
-- refused: SUM(cost) OVER (PARTITION BY pid + 0): a window must stay within one unit; add pid to PARTITION BY
SELECT AVG(m) FROM (SELECT SUM(cost) OVER (PARTITION BY pid + 0) AS m FROM visit)
-- refused: ROW_NUMBER() OVER (PARTITION BY pid): a frame is of ROWS, within an order; add ORDER BY to the window
SELECT AVG(m) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY pid) AS m FROM visit)
-- refused: HAVING RANK() OVER (ORDER BY COUNT(*)) = 1: a window function cannot stand here; use QUALIFY instead of HAVING
SELECT sex FROM patient GROUP BY sex HAVING RANK() OVER (ORDER BY COUNT(*)) = 1
-- refused: SUM(SUM(COUNT(*)) OVER ()) OVER (): a window cannot hold another one; compute the inner one in a CTE
SELECT sex, SUM(SUM(COUNT(*)) OVER ()) OVER () FROM patient GROUP BY sex
-- refused: COUNT(DISTINCT COUNT(*)) OVER (): windows are over all rows; leave DISTINCT out
SELECT sex, COUNT(DISTINCT COUNT(*)) OVER () FROM patient GROUP BY sex
-- refused: age: the column is neither in GROUP BY nor inside an aggregate; add it to GROUP BY or aggregate it
SELECT sex, SUM(age) OVER () FROM patient GROUP BY sex
-- refused: SUM(sex) OVER (): SUM takes numbers, got text; CAST it first
SELECT sex, COUNT(*), SUM(sex) OVER () FROM patient GROUP BY sex
-- refused: SUM(COUNT(*)) OVER (ORDER BY sex RANGE BETWEEN 1 PRECEDING AND CURRENT ROW): a frame is of ROWS, within an order; write ORDER BY … ROWS BETWEEN 2 PRECEDING AND CURRENT ROW, or leave the frame out
SELECT sex, SUM(COUNT(*)) OVER (ORDER BY sex RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM patient GROUP BY sex
-- refused: QUALIFY COUNT(*) > 10: QUALIFY is about windows, and there is none; use HAVING
SELECT sex, COUNT(*) FROM patient GROUP BY sex QUALIFY COUNT(*) > 10
-- refused: RANK() OVER (ORDER BY COUNT(*)): a window function cannot stand here; aggregate in a subquery first, and write the window around it
SELECT AVG(r) FROM (SELECT pid, RANK() OVER (ORDER BY COUNT(*)) AS r FROM visit GROUP BY pid)
-- refused: SELECT SUM(cost) OVER (PARTITION BY pid) FROM visit WINDOW w AS (PARTITION BY pid): this shows rows of units, not an aggregate; aggregate them: COUNT(*), SUM, AVG, …
SELECT SUM(cost) OVER w FROM visit WINDOW w AS (PARTITION BY pid)
-- refused: pid: the column is neither in GROUP BY nor inside an aggregate; add it to GROUP BY or aggregate it
SELECT COUNT(*) FROM visit QUALIFY ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day) = 1
-- refused: ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day): a window function cannot stand here; compute it in a subquery and use its column
SELECT COUNT(*) FROM visit WHERE ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day) = 1
-- refused: WITH RECURSIVE: how far one unit's rows spread would be unbounded; leave RECURSIVE out
WITH RECURSIVE t AS (SELECT pid FROM visit UNION ALL SELECT pid FROM t) SELECT COUNT(*) FROM t
-- refused: , visit: rows of two units would be paired; add WHERE patient.pid = visit.pid
SELECT COUNT(*) FROM patient, visit
-- refused: CROSS JOIN visit: rows of two units would be paired; add WHERE patient.pid = visit.pid
SELECT COUNT(*) FROM patient CROSS JOIN visit
-- refused: JOIN visit AS v ON TRUE: rows of two units would be paired; add AND p.pid = v.pid
SELECT COUNT(*) FROM patient p JOIN visit v ON TRUE
-- refused: JOIN visit AS v ON p.age = v.stay: rows of two units would be paired; add AND p.pid = v.pid
SELECT COUNT(*) FROM patient p JOIN visit v ON p.age = v.stay
-- refused: JOIN visit AS b ON a.pid = b.pid OR a.cost = b.cost: rows of two units would be paired; add AND a.pid = b.pid
SELECT COUNT(*) FROM visit a JOIN visit b ON a.pid = b.pid OR a.cost = b.cost
-- refused: JOIN visit AS b ON a.pid < b.pid: rows of two units would be paired; add AND a.pid = b.pid
SELECT COUNT(*) FROM visit a JOIN visit b ON a.pid < b.pid
-- refused: JOIN visit AS b ON NOT (a.pid = b.pid): rows of two units would be paired; add AND a.pid = b.pid
SELECT COUNT(*) FROM visit a JOIN visit b ON NOT (a.pid = b.pid)
-- refused: JOIN visit AS b ON a.pid = b.pid + 0: rows of two units would be paired; add AND a.pid = b.pid
SELECT COUNT(*) FROM visit a JOIN visit b ON a.pid = b.pid + 0
-- refused: JOIN visit AS b ON a.pid = a.pid: rows of two units would be paired; add AND a.pid = b.pid
SELECT COUNT(*) FROM visit a JOIN visit b ON a.pid = a.pid
-- refused: , visit AS v: rows of two units would be paired; add AND p.pid = v.pid
SELECT COUNT(*) FROM patient p, visit v WHERE p.pid = v.pid OR age > 3
-- refused: JOIN visit AS b USING (clinic): rows of two units would be paired; add pid to USING
SELECT COUNT(*) FROM visit a JOIN visit b USING (clinic)
-- refused: LEFT JOIN: public rows without a partner belong to nobody and do not count; group by a column of the public table, or put the private table on the left
SELECT COUNT(*) FROM clinic LEFT JOIN visit USING (clinic)
-- refused: LEFT JOIN: public rows without a partner belong to nobody and do not count; group by a column of the public table, or put the private table on the left
SELECT COUNT(*) FROM visit RIGHT JOIN clinic USING (clinic)
-- refused: FULL JOIN clinic USING (clinic): public rows without a partner belong to nobody and do not count; group by a column of the public table, or put the private table on the left
SELECT COUNT(*) FROM visit FULL JOIN clinic USING (clinic)
-- refused: SEMI JOIN clinic USING (clinic): this clause is not supported; use JOIN, LEFT JOIN, FULL JOIN or CROSS JOIN
SELECT COUNT(*) FROM visit SEMI JOIN clinic USING (clinic)
-- refused: ANTI JOIN clinic USING (clinic): this clause is not supported; use JOIN, LEFT JOIN, FULL JOIN or CROSS JOIN
SELECT COUNT(*) FROM visit ANTI JOIN clinic USING (clinic)
-- refused: ASOF JOIN clinic ON visit.stay >= clinic.beds: this clause is not supported; use JOIN, LEFT JOIN, FULL JOIN or CROSS JOIN
SELECT COUNT(*) FROM visit ASOF JOIN clinic ON visit.stay >= clinic.beds
-- refused: POSITIONAL JOIN clinic: this clause is not supported; use JOIN, LEFT JOIN, FULL JOIN or CROSS JOIN
SELECT COUNT(*) FROM visit POSITIONAL JOIN clinic
-- refused: LATERAL (SELECT 1): this clause is not supported; leave it out
SELECT COUNT(*) FROM visit, LATERAL (SELECT 1)
-- refused: visit.note = patient.age: = needs arguments of one type, got integer and text; CAST one of them
SELECT COUNT(*) FROM visit JOIN patient ON visit.pid = patient.pid AND visit.note = patient.age
-- refused: EXISTS(SELECT 1 FROM patient WHERE age > 100): it would be asked of all units at once; compare pid with the pid outside in its WHERE
SELECT COUNT(*) FROM visit WHERE EXISTS (SELECT 1 FROM patient WHERE age > 100)
-- refused: clinic IN (SELECT clinic FROM visit WHERE cost > 10): a list from a private table can only be of units; write pid IN (SELECT pid FROM …), or compare pid with the pid outside in its WHERE
SELECT COUNT(*) FROM visit WHERE clinic IN (SELECT clinic FROM visit WHERE cost > 10)
-- refused: pid IN (SELECT age FROM patient): a list from a private table can only be of units; write pid IN (SELECT pid FROM …), or compare pid with the pid outside in its WHERE
SELECT COUNT(*) FROM visit WHERE pid IN (SELECT age FROM patient)
-- refused: pid + 1 IN (SELECT pid FROM patient): a list from a private table can only be of units; write pid IN (SELECT pid FROM …), or compare pid with the pid outside in its WHERE
SELECT COUNT(*) FROM visit WHERE pid + 1 IN (SELECT pid FROM patient)
-- refused: pid IN (SELECT pid, age FROM patient): a list after IN has one column; select one column
SELECT COUNT(*) FROM visit WHERE pid IN (SELECT pid, age FROM patient)
-- refused: clinic IN (SELECT clinic FROM visit): it would be asked of all units at once; aggregate the private table in a CTE first
SELECT COUNT(*) FROM clinic WHERE clinic IN (SELECT clinic FROM visit)
-- refused: (SELECT beds FROM clinic): a subquery used as a value must have one column and one row; aggregate it without GROUP BY
SELECT COUNT(*) FROM visit WHERE cost > ANY (SELECT beds FROM clinic)
-- refused: (SELECT AVG(cost) FROM visit AS w WHERE w.clinic = v.clinic): it would be asked of all units at once; add AND w.pid = v.pid to its WHERE
SELECT COUNT(*) FROM visit v WHERE cost > (SELECT AVG(cost) FROM visit w WHERE w.clinic = v.clinic)
-- refused: (SELECT cost FROM visit): this shows rows of units, not an aggregate; aggregate them: COUNT(*), SUM, AVG, …
SELECT COUNT(*) FROM visit WHERE cost > (SELECT cost FROM visit)
-- refused: (SELECT beds FROM clinic): a subquery used as a value must have one column and one row; aggregate it without GROUP BY
SELECT COUNT(*) FROM visit WHERE stay > (SELECT beds FROM clinic)
-- refused: (SELECT MIN(beds), MAX(beds) FROM clinic): a subquery used as a value must have one column and one row; aggregate it without GROUP BY
SELECT COUNT(*) FROM visit WHERE stay > (SELECT MIN(beds), MAX(beds) FROM clinic)
-- refused: (SELECT COUNT(*) FROM visit GROUP BY clinic): a subquery used as a value must have one column and one row; aggregate it without GROUP BY
SELECT COUNT(*) FROM visit WHERE cost > (SELECT COUNT(*) FROM visit GROUP BY clinic)
-- refused: (SELECT age FROM patient WHERE pid = 3): this shows rows of units, not an aggregate; aggregate them: COUNT(*), SUM, AVG, …
SELECT (SELECT age FROM patient WHERE pid = 3)
-- refused: SELECT pid FROM visit UNION ALL SELECT NULL: its parts must be all private or all public; add the unit's column to each part, or aggregate it
SELECT COUNT(*) FROM (SELECT pid FROM visit UNION ALL SELECT NULL)
-- refused: SELECT clinic FROM visit UNION ALL SELECT clinic FROM clinic: its parts must be all private or all public; add the unit's column to each part, or aggregate it
SELECT COUNT(*) FROM (SELECT clinic FROM visit UNION ALL SELECT clinic FROM clinic)
-- refused: SELECT cost FROM visit UNION SELECT age FROM patient: only rows that carry their unit can be made distinct here; write UNION ALL, or select the unit's column too
SELECT COUNT(*) FROM (SELECT cost FROM visit UNION SELECT age FROM patient)
-- refused: SELECT cost FROM visit UNION ALL SELECT age, sex FROM patient: its parts have different numbers of columns; select as many in each
SELECT COUNT(*) FROM (SELECT cost FROM visit UNION ALL SELECT age, sex FROM patient)
-- refused: SELECT cost FROM visit UNION ALL SELECT sex FROM patient: cost is real in one part and text in another
SELECT COUNT(*) FROM (SELECT cost FROM visit UNION ALL SELECT sex FROM patient)
-- refused: SELECT clinic FROM visit INTERSECT SELECT clinic FROM clinic: its parts must be all private or all public; add the unit's column to each part, or aggregate it
SELECT clinic FROM visit INTERSECT SELECT clinic FROM clinic
-- refused: SELECT pid FROM visit EXCEPT SELECT pid FROM patient: this shows rows of units, not an aggregate; aggregate them: COUNT(*), SUM, AVG, …
SELECT pid FROM visit EXCEPT SELECT pid FROM patient
-- refused: SELECT age FROM patient UNION ALL SELECT stay FROM visit: this shows rows of units, not an aggregate; aggregate them: COUNT(*), SUM, AVG, …
SELECT age FROM patient UNION ALL SELECT stay FROM visit
-- refused: SELECT COUNT(*) FROM visit UNION ALL SELECT cost FROM visit: its parts must be all private or all public; add the unit's column to each part, or aggregate it
SELECT COUNT(*) FROM visit UNION ALL SELECT cost FROM visit
-- refused: LIMIT 10: which rows are kept would depend on other units; leave it out, or aggregate first
SELECT COUNT(*) FROM (SELECT * FROM visit LIMIT 10)
-- refused: LIMIT 10: which rows are kept would depend on other units; leave it out, or aggregate first
SELECT COUNT(*) FROM (SELECT * FROM visit ORDER BY cost LIMIT 10 OFFSET 3)
-- refused: LIMIT 5: which rows are kept would depend on other units; leave it out, or aggregate first
SELECT AVG(n) FROM (SELECT pid, COUNT(*) AS n FROM visit GROUP BY pid LIMIT 5)
-- refused: LIMIT 1 + 1: it takes a literal whole number from 0; write LIMIT 10
SELECT COUNT(*) FROM visit LIMIT 1 + 1
-- refused: PERCENT: this clause is not supported; leave it out
SELECT COUNT(*) FROM visit LIMIT 10%
-- refused: 2 NULLS FIRST: NULLs always come last; leave NULLS FIRST out
SELECT sex, COUNT(*) FROM patient GROUP BY sex ORDER BY 2 NULLS FIRST
-- refused: 5: there is no such place in SELECT; write a number from 1 to 2
SELECT sex, COUNT(*) FROM patient GROUP BY sex ORDER BY 5
-- refused: 0: there is no such place in SELECT; write a number from 1 to 2
SELECT sex, COUNT(*) FROM patient GROUP BY 0
-- refused: TABLESAMPLE RESERVOIR (100 ROWS): which rows are drawn would not be known to the price; leave it out; answers are over all rows
SELECT COUNT(*) FROM visit TABLESAMPLE RESERVOIR (100 ROWS)
-- refused: TABLESAMPLE SYSTEM (10 PERCENT): which rows are drawn would not be known to the price; leave it out; answers are over all rows
SELECT COUNT(*) FROM visit USING SAMPLE 10%
-- refused: LOCK: this clause is not supported; leave it out
SELECT COUNT(*) FROM visit FOR UPDATE
-- refused: PIVOT(SUM(cost) FOR clinic IN ('A')): this clause is not supported; leave it out
SELECT /*+ FULL(visit) */ COUNT(*) FROM visit PIVOT (SUM(cost) FOR clinic IN ('A'))
-- refused: UNPIVOT(x FOR y IN (cost, stay)): this clause is not supported; leave it out
SELECT * FROM visit UNPIVOT (x FOR y IN (cost, stay))
-- refused: (sex): this clause is not supported; leave it out
SELECT DISTINCT ON (sex) sex, COUNT(*) FROM patient GROUP BY sex
-- refused: pid: this clause is not supported; leave it out
SELECT * EXCLUDE (pid) FROM patient
-- refused: pid: this clause is not supported; leave it out
SELECT COUNT(* EXCLUDE (pid)) FROM patient
-- refused: COLUMNS('a.*'): this function is not among those that can be made total; see docs/sql.md for those that are
SELECT COLUMNS('a.*') FROM patient
-- refused: READ_CSV('secret.csv'): only tables of the catalog can be read; name a table of the catalog
SELECT COUNT(*) FROM read_csv('secret.csv')
-- refused: READ_PARQUET('secret.parquet'): only tables of the catalog can be read; name a table of the catalog
SELECT COUNT(*) FROM read_parquet('secret.parquet')
-- refused: "secret.csv": there is no such table in the catalog; there are clinic, icd, lab, patient, visit
SELECT COUNT(*) FROM 'secret.csv'
-- refused: RANGE(0, 10): only tables of the catalog can be read; name a table of the catalog
SELECT COUNT(*) FROM range(10)
-- refused: DUCKDB_TABLES(): only tables of the catalog can be read; name a table of the catalog
SELECT COUNT(*) FROM duckdb_tables()
-- refused: information_schema.tables: the catalog knows no such schema; leave it out: tables are named as in the catalog
SELECT COUNT(*) FROM information_schema.tables
-- refused: nothing: there is no such table in the catalog; there are clinic, icd, lab, patient, visit
SELECT COUNT(*) FROM nothing
-- refused: "PATIENT": there is no such table in the catalog; did you mean patient?
SELECT COUNT(*) FROM "PATIENT"
-- refused: nothing: there is no such column here; there are clinic, cost, day, note, pid, stay, vid, weight
SELECT COUNT(nothing) FROM visit
-- refused: x.cost: there is no such column here; there is no table x, only visit
SELECT COUNT(x.cost) FROM visit
-- refused: JOIN lab AS l ON l.vid = v.vid: rows of two units would be paired; add AND p.pid = l.pid
SELECT COUNT(pid) FROM patient p JOIN visit v ON p.pid = v.pid JOIN lab l ON l.vid = v.vid
-- refused: clinic: this name could be several columns; write c.clinic or v.clinic
SELECT COUNT(clinic) FROM visit v JOIN clinic c ON v.stay = c.beds
-- refused: , visit: two tables are called visit; give one an alias: FROM visit AS v
SELECT COUNT(*) FROM visit, visit
-- refused: RANDOM(): an answer must be the same whenever the rows are; leave it out; noise is added anyway
SELECT RANDOM()
-- refused: RANDOM(): an answer must be the same whenever the rows are; leave it out; noise is added anyway
SELECT COUNT(*) FROM visit WHERE RANDOM() < 0.1
-- refused: NOW(): an answer must not depend on when it is asked; write the date: DATE '2024-12-31'
SELECT COUNT(*) FROM visit WHERE day < NOW()
-- refused: CURRENT_DATE: an answer must not depend on when it is asked; write the date: DATE '2024-12-31'
SELECT COUNT(*) FROM visit WHERE CURRENT_DATE > day
-- refused: REGEXP_MATCHES(note, '(a+)+$'): the pattern repeats a group without an end; write {1,100}
SELECT COUNT(*) FROM visit WHERE REGEXP_MATCHES(note, '(a+)+$')
-- refused: REGEXP_MATCHES(note, 'a.*b.*c'): the pattern can match in too many ways; split it into conditions, or make repetitions differ from what follows
SELECT COUNT(*) FROM visit WHERE REGEXP_MATCHES(note, 'a.*b.*c')
-- refused: REGEXP_MATCHES(note, 'flu'): PostgreSQL looks for the pattern, and DuckDB compares it with the whole text; write REGEXP_MATCHES(x, 'pattern') or REGEXP_FULL_MATCH(x, 'pattern')
SELECT COUNT(*) FROM visit WHERE note ~ 'flu'
-- refused: REGEXP_REPLACE(note, 'a', 'b'): engines do not agree whether the first piece is replaced or all; write REGEXP_REPLACE(x, 'pattern', 'new', 'g')
SELECT REGEXP_REPLACE(note, 'a', 'b'), COUNT(*) FROM visit GROUP BY 1
-- refused: note SIMILAR TO 'a.*': engines read its pattern differently; write LIKE, or REGEXP_FULL_MATCH(x, 'pattern')
SELECT COUNT(*) FROM visit WHERE note SIMILAR TO 'a.*'
-- refused: note LIKE clinic: LIKE takes a literal text without backslashes
SELECT COUNT(*) FROM visit WHERE note LIKE clinic
-- refused: note LIKE 'a!b' ESCAPE '!': LIKE … ESCAPE '!' needs %, _ or ! after each !, and no \
SELECT COUNT(*) FROM visit WHERE note LIKE 'a!b' ESCAPE '!'
-- refused: HASH(pid): this function is not among those that can be made total; see docs/sql.md for those that are
SELECT COUNT(*) FROM visit WHERE HASH(pid) % 2 = 0
-- refused: GETENV('HOME'): this function is not among those that can be made total; see docs/sql.md for those that are
SELECT SUM(GETENV('HOME')) FROM visit
-- refused: ERROR('x'): this function is not among those that can be made total; see docs/sql.md for those that are
SELECT COUNT(*) FROM visit WHERE ERROR('x') IS NULL
-- refused: MY_FUNCTION(cost): this function is not among those that can be made total; see docs/sql.md for those that are
SELECT my_function(cost) FROM visit
-- refused: note[1]: this clause is not supported; see docs/sql.md for what is
SELECT COUNT(*) FROM visit WHERE note[1] = 'f'
-- refused: [1, 2]: this function is not among those that can be made total; see docs/sql.md for those that are
SELECT [1, 2]
-- refused: {'a': 1}: this function is not among those that can be made total; see docs/sql.md for those that are
SELECT {'a': 1}
-- refused: ?: it has no value; pass params={…}, a mapping of names to values, or a list for ?
SELECT COUNT(*) FROM visit WHERE cost > ?
-- refused: $1: it has no value; pass params={…}, a mapping of names to values, or a list for ?
SELECT COUNT(*) FROM visit WHERE cost > $1
-- refused: $x: it has no value; pass params={…}, a mapping of names to values, or a list for ?
SELECT COUNT(*) FROM visit WHERE cost > :x
-- refused: note = 3: = needs arguments of one type, got integer and text; CAST one of them
SELECT COUNT(*) FROM visit WHERE note = 3
-- refused: cost: WHERE takes a condition; write a comparison
SELECT COUNT(*) FROM visit WHERE cost
-- refused: day > 'yesterday': > compares a date with a text that is none; write DATE '2024-12-31'
SELECT COUNT(*) FROM visit WHERE day > 'yesterday'
-- refused: CAST('2024-02-30' AS DATE): this is no date; write dates as DATE '2024-12-31'
SELECT COUNT(*) FROM visit WHERE day > DATE '2024-02-30'
-- refused: cost IN (stay, 3): IN takes a list of literals or a subquery; NULL is none of them
SELECT COUNT(*) FROM visit WHERE cost IN (stay, 3)
-- refused: cost IN (3, NULL): IN takes a list of literals or a subquery; NULL is none of them
SELECT COUNT(*) FROM visit WHERE cost IN (3, NULL)
-- refused: CAST(cost AS STRUCT(a INT)): there is no such type; use one of boolean, integer, real, text, date, timestamp
SELECT CAST(cost AS STRUCT(a INTEGER)) FROM visit
-- refused: CAST(stay AS DECIMAL(38, 10)[]): there is no such type; use one of boolean, integer, real, text, date, timestamp
SELECT SUM(CAST(stay AS DECIMAL(38, 10)[])) FROM visit
-- refused: DATE_TRUNC('DECADE', day): dates can be cut to a year, quarter, month, week, day, hour, minute or second; use one of these
SELECT DATE_TRUNC('decade', day), COUNT(*) FROM visit GROUP BY 1
-- refused: EXTRACT(JULIAN FROM day): there is no such part of a date; use one of century, day, dayofmonth, dayofweek, dayofyear, decade, dow, doy, epoch, hour, isodow, isoyear, minute, month, quarter, second, week, weekday, weekofyear, year
SELECT EXTRACT(julian FROM day), COUNT(*) FROM visit GROUP BY 1
-- refused: INTERVAL '1 month 2 days': an interval is one whole number and one unit; write d + INTERVAL 1 MONTH + INTERVAL 2 DAY, or a smaller unit
SELECT COUNT(*) FROM visit WHERE day + INTERVAL '1 month 2 days' > DATE '2024-01-01'
-- refused: INTERVAL '1.5 MONTHS': an interval is one whole number and one unit; write d + INTERVAL 1 MONTH + INTERVAL 2 DAY, or a smaller unit
SELECT COUNT(*) FROM visit WHERE day + INTERVAL '1.5 months' > DATE '2024-01-01'
-- refused: INTERVAL '3' MILLISECONDS: there is no such unit of time; use one of second, minute, hour, day, week, month, quarter, year, decade
SELECT COUNT(*) FROM visit WHERE day + INTERVAL 3 MILLISECONDS > DATE '2024-01-01'
-- refused: AGE(day): an age in years, months and days is no number; write DATE_DIFF('year', birth, DATE '2024-12-31')
SELECT COUNT(*) FROM visit WHERE AGE(day) > 3
-- refused: DATE_ADD: dialects order its arguments differently; write d + INTERVAL 3 MONTH
SELECT COUNT(*) FROM visit WHERE DATE_ADD('month', 3, day) > DATE '2024-01-01'
-- refused: STRFTIME(day, '%c'): %c has no one meaning on every engine; use %Y %y %m %d %H %M %S %j %V %G %u %w %a %A %b %B %F %T %%
SELECT STRFTIME(day, '%c'), COUNT(*) FROM visit GROUP BY 1
-- refused: TO_CHAR(day, 'Month'): part of the format has no one meaning on every engine; use YYYY, YY, MM, DDD, DD, HH24, MI, SS, IYYY, IW
SELECT TO_CHAR(day, 'Month'), COUNT(*) FROM visit GROUP BY 1
-- refused: REPEAT(note, stay): REPEAT takes a literal number of times from 0 to 100; write REPEAT(name, 3)
SELECT REPEAT(note, stay), COUNT(*) FROM visit GROUP BY 1
-- refused: REPLACE(note, clinic, 'x'): REPLACE takes a text and two literal texts: one that is not empty, and one of at most 100 letters for it
SELECT REPLACE(note, clinic, 'x'), COUNT(*) FROM visit GROUP BY 1
-- refused: LPAD(note, 1001, 'x'): LPAD takes a text and literals: a length from 0 to 1,000, and letters to fill it with
SELECT LPAD(note, 1001, 'x'), COUNT(*) FROM visit GROUP BY 1
-- refused: TRUNC(cost, 2): only whole numbers are cut off to; write ROUND(x, 2), or DATE_TRUNC('month', day)
SELECT AVG(TRUNC(cost, 2)) FROM visit
-- refused: WIDTH_BUCKET(cost, 10, 0, 5): WIDTH_BUCKET takes a number and literals: a lower end, a higher one, and 1 to 10,000 buckets; write WIDTH_BUCKET(age, 0, 100, 10)
SELECT WIDTH_BUCKET(cost, 10, 0, 5), COUNT(*) FROM visit GROUP BY 1
-- refused: ROUND(cost, stay): ROUND takes a literal number of digits from -12 to 12
SELECT SUM(ROUND(cost, stay)) FROM visit
-- refused: SUM(cost) FILTER(WHERE cost): FILTER takes a condition; write FILTER (WHERE cost > 100)
SELECT SUM(cost) FILTER (WHERE cost) FROM visit
-- refused: 1e999: the number is too large; write one below 1e308
SELECT 1e999
-- refused: a: two queries of WITH have this name; rename one
WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a
-- refused: a(x, y) AS (SELECT 1): there are 1 columns to name, not 2; name as many
WITH a(x, y) AS (SELECT 1) SELECT x FROM a
-- refused: nothing: there is no such table in the catalog; there are clinic, icd, lab, patient, visit
WITH bad AS (SELECT * FROM nothing) SELECT COUNT(*) FROM visit
-- refused: RANK() OVER (ORDER BY cost): a window must stay within one unit; add pid to PARTITION BY
WITH bad AS (SELECT RANK() OVER (ORDER BY cost) FROM visit) SELECT COUNT(*) FROM patient
-- refused: m AS MATERIALIZED (SELECT 1): this clause is not supported; leave it out
WITH m AS MATERIALIZED (SELECT 1) SELECT * FROM m
-- refused: SELECT * FROM patient: only one statement is answered at a time; send them one by one
SELECT 1; SELECT * FROM patient
-- refused: COPY: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
COPY patient TO 'out.csv'
-- refused: INSERT: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
INSERT INTO clinic VALUES ('E', 'East', 3)
-- refused: UPDATE: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
UPDATE patient SET age = 0
-- refused: DELETE: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
DELETE FROM patient
-- refused: CREATE: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
CREATE TABLE t AS SELECT * FROM patient
-- refused: DROP: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
DROP TABLE patient
-- refused: ALTER: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
ALTER TABLE patient ADD COLUMN x INTEGER
-- refused: ATTACH: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
ATTACH 'other.db'
-- refused: DETACH: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
DETACH other
-- refused: PRAGMA: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
PRAGMA database_list
-- refused: SET: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
SET threads = 1
-- refused: EXPLAIN: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
EXPLAIN SELECT COUNT(*) FROM visit
-- refused: EXPLAIN: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
EXPLAIN ANALYZE SELECT COUNT(*) FROM visit
-- refused: SUMMARIZE: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
SUMMARIZE patient
-- refused: DESCRIBE: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
DESCRIBE patient
-- refused: SHOW: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
SHOW TABLES
-- refused: CALL: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
CALL pragma_version()
-- refused: LOAD: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
LOAD httpfs
-- refused: INSTALL: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
INSTALL httpfs
-- refused: EXPORT DATABASE 'x': this cannot be read as SQL; check the spelling here
EXPORT DATABASE 'x'
-- refused: BEGIN: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
BEGIN TRANSACTION
-- refused: VACUUM: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
VACUUM
-- refused: USE: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
USE other
-- refused: VALUES: only a SELECT is answered, one at a time; send one SELECT or WITH … SELECT
VALUES (1)
-- refused: SELECT COUNT(*) FROM: this cannot be read as SQL; check the spelling here
SELECT COUNT(*) FROM
-- refused: SELEC COUNT(: this cannot be read as SQL; check the spelling here
SELEC COUNT(*) FROM visit
-- refused: visit WHERE (cost > 3: this cannot be read as SQL; check the spelling here
SELECT COUNT(*) FROM visit WHERE (cost > 3
-- refused: EXISTS(SELECT 1 FROM visit AS v WHERE v.stay = p.age): it would be asked of all units at once; add AND v.pid = p.pid to its WHERE
SELECT COUNT(*) FROM patient p WHERE EXISTS (SELECT 1 FROM visit v WHERE v.stay = p.age)
-- refused: (SELECT AVG(q.age) FROM patient AS q WHERE q.sex = p.sex): it would be asked of all units at once; add AND q.pid = p.pid to its WHERE
SELECT COUNT(*) FROM patient p WHERE p.age > (SELECT AVG(q.age) FROM patient q WHERE q.sex = p.sex)
-- refused: w.day > v.day: a subquery is tied to the statement around it by = in its WHERE only; join the two on the unit
SELECT COUNT(*) FROM visit v WHERE EXISTS (SELECT 1 FROM visit w WHERE w.pid = v.pid AND w.day > v.day)
-- refused: EXISTS(SELECT 1 FROM visit AS v WHERE v.clinic = c.clinic): it would be asked of all units at once; aggregate the private table in a CTE first
SELECT COUNT(*) FROM clinic c WHERE EXISTS (SELECT 1 FROM visit v WHERE v.clinic = c.clinic)
-- refused: GROUP BY v.clinic: EXISTS of a unit's rows asks of rows, before they are grouped, numbered or left out; leave it out, or compare an aggregate: (SELECT COUNT(*) …) > 3
SELECT COUNT(*) FROM patient p WHERE EXISTS (SELECT 1 FROM visit v WHERE v.pid = p.pid GROUP BY v.clinic HAVING COUNT(*) > 3)
-- refused: (SELECT stay FROM visit AS v WHERE v.pid = p.pid): a subquery used as a value must have one column and one row; aggregate it, such as (SELECT COUNT(*) …) or (SELECT MAX(x) …)
SELECT COUNT(*) FROM patient p WHERE (SELECT stay FROM visit v WHERE v.pid = p.pid) > 3
-- refused: (p.pid, p.age) IN (SELECT pid, stay FROM visit): a list after IN is of one column; write EXISTS with a condition for each column
SELECT COUNT(*) FROM patient p WHERE (p.pid, p.age) IN (SELECT pid, stay FROM visit)
-- refused: EXISTS(SELECT 1 FROM clinic AS c WHERE c.clinic = v.clinic): a subquery cannot stand here; use it in WHERE, or join its table
SELECT COUNT(*) FROM patient p JOIN visit v ON p.pid = v.pid AND EXISTS (SELECT 1 FROM clinic c WHERE c.clinic = v.clinic)
-- refused: (SELECT COUNT(*) FROM visit AS v WHERE v.pid + 0 = p.pid): it would be asked of all units at once; add AND v.pid = p.pid to its WHERE
SELECT COUNT(*) FROM patient p WHERE age > (SELECT COUNT(*) FROM visit v WHERE v.pid + 0 = p.pid)
-- refused: v.pid IS NULL: public rows without a partner belong to nobody and do not count; count the partners by the public table's column in a CTE, and compare its answer
SELECT c.clinic, COUNT(*) FROM clinic c LEFT JOIN visit v USING (clinic) WHERE v.pid IS NULL GROUP BY c.clinic
-- refused: LEFT JOIN: public rows without a partner belong to nobody and do not count; group by a column of the public table, or put the private table on the left
SELECT v.clinic, COUNT(*) FROM clinic c LEFT JOIN visit v ON c.clinic = v.clinic GROUP BY v.clinic
-- refused: SUM(cost) OVER (PARTITION BY pid ORDER BY stay RANGE BETWEEN 2 PRECEDING AND CURRENT ROW): a frame is of ROWS, within an order; write ORDER BY … ROWS BETWEEN 2 PRECEDING AND CURRENT ROW, or leave the frame out
SELECT AVG(m) FROM (SELECT SUM(cost) OVER (PARTITION BY pid ORDER BY stay RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS m FROM visit)
-- refused: LAG(cost, stay) OVER (PARTITION BY pid ORDER BY day): how many rows is a literal whole number, at most 1,000,000; write it: LAG(x, 2)
SELECT AVG(m) FROM (SELECT LAG(cost, stay) OVER (PARTITION BY pid ORDER BY day) AS m FROM visit)
-- refused: DISTINCT ON (clinic): only rows that carry their unit can be made distinct here; add visit.pid to DISTINCT ON
SELECT AVG(stay) FROM (SELECT DISTINCT ON (clinic) clinic, stay FROM visit)
-- refused: ROW_NUMBER() OVER (ORDER BY day): a window must stay within one unit; add pid to PARTITION BY
SELECT COUNT(*) FROM (SELECT pid FROM visit QUALIFY ROW_NUMBER() OVER (ORDER BY day) = 1)
-- refused: SUM(stay) OVER w: there is no window w; define it: WINDOW w AS (…)
SELECT COUNT(*) FROM (SELECT SUM(stay) OVER w FROM visit WINDOW v AS (PARTITION BY pid))
-- refused: SELECT clinic FROM visit INTERSECT SELECT clinic FROM visit: only rows that carry their unit can be made distinct here; select the unit's column in both, or write EXISTS
SELECT COUNT(*) FROM (SELECT clinic FROM visit INTERSECT SELECT clinic FROM visit)
-- refused: SELECT clinic FROM visit EXCEPT SELECT clinic FROM clinic: its parts must be all private or all public; add the unit's column to each part, or aggregate it
SELECT COUNT(*) FROM (SELECT clinic FROM visit EXCEPT SELECT clinic FROM clinic)
-- refused: AVG(age): several groupings are ordered by columns of SELECT; add it to SELECT
SELECT sex, COUNT(*) FROM patient GROUP BY ROLLUP (sex) ORDER BY AVG(age)
-- refused: GROUP BY CUBE (clinic, stay, day, cost, note, vid): there are at most 32 groupings in a statement; name fewer, or ask several statements
SELECT COUNT(*) FROM visit GROUP BY CUBE (clinic, stay, day, cost, note, vid)
-- refused: GROUP BY ROLLUP (pid): the unit's own column cannot be shown or grouped by; group by the unit in every grouping, or in none
SELECT pid, COUNT(*) FROM visit GROUP BY ROLLUP (pid)
-- refused: age: the column is neither in GROUP BY nor inside an aggregate; GROUPING takes keys of GROUP BY
SELECT sex, GROUPING(age) FROM patient GROUP BY sex
-- refused: UNNEST([1, 2]) AS u(x): lists cannot be unfolded yet; declare a table with one row for each element
SELECT COUNT(*) FROM visit CROSS JOIN UNNEST([1, 2]) AS u(x)
-- refused: SUM(NULL): NULL is no value, so that SUM is NULL whatever the rows are; leave it out
SELECT SUM(NULL) FROM visit
-- refused: SUBSTRING(note, -3, 2): SUBSTRING from the end takes no length; write LEFT(RIGHT(name, 3), 2)
SELECT SUBSTR(note, -3, 2), COUNT(*) FROM visit GROUP BY 1
-- refused: CAST('1e400' AS DOUBLE): this is no real; write one below 1e308
SELECT COUNT(*) FROM visit WHERE cost < CAST('1e400' AS DOUBLE)
-- refused: WHERE age > 3: it stands after GROUP BY sex; write it before that
SELECT COUNT(*) FROM patient GROUP BY sex WHERE age > 3
-- refused: GROUP BY sex: it stands after HAVING COUNT(*) > 2; write it before that
SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM patient HAVING COUNT(*) > 2 GROUP BY sex)
