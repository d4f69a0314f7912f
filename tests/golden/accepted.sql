-- count
SELECT COUNT(*) FROM visit
-- count_one
SELECT COUNT(1) FROM visit
-- count_empty_parentheses
SELECT COUNT() FROM visit
-- count_column
SELECT COUNT(cost), COUNT(*) FROM visit
-- count_units
SELECT COUNT(DISTINCT pid) FROM visit
-- count_units_of_path
SELECT COUNT(DISTINCT pid) FROM lab
-- count_units_filtered
SELECT COUNT(DISTINCT pid) FILTER (WHERE cost > 100) FROM visit
-- count_distinct
SELECT COUNT(DISTINCT clinic) FROM visit
-- count_distinct_expression
SELECT COUNT(DISTINCT UPPER(clinic)) FROM visit
-- count_distinct_by_private_group
SELECT clinic, COUNT(DISTINCT stay) FROM visit GROUP BY clinic
-- count_if
SELECT COUNT_IF(age > 50) FROM patient
-- sum
SELECT SUM(cost) FROM visit
-- sum_whole
SELECT SUM(stay) FROM visit
-- sum_condition
SELECT SUM(age > 50) FROM patient
-- average
SELECT AVG(age) FROM patient
-- mean
SELECT MEAN(age) FROM patient
-- moments
SELECT COUNT(age), SUM(age), AVG(age), VARIANCE(age), STDDEV(age) FROM patient
-- spreads
SELECT VAR_SAMP(age), VAR_POP(age), STDDEV_SAMP(age), STDDEV_POP(age) FROM patient
-- median
SELECT MEDIAN(age) FROM patient
-- percentile
SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY cost) FROM visit
-- percentile_descending
SELECT PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY cost DESC) FROM visit
-- quantile
SELECT QUANTILE_CONT(cost, 0.25), QUANTILE_CONT(cost, 0.75) FROM visit
-- extremes
SELECT MIN(age), MAX(age) FROM patient
-- extremes_of_dates
SELECT MIN(day), MEDIAN(day), MAX(day) FROM visit
-- filter
SELECT COUNT(*) FILTER (WHERE cost > 100) FROM visit
-- filters_nested
SELECT COUNT(*) FILTER (WHERE cost < 100), COUNT(*) FILTER (WHERE cost < 1000), COUNT(cost), COUNT(*) FROM visit
-- filters_of_texts
SELECT COUNT(*) FILTER (WHERE note = 'fever'), COUNT(*) FILTER (WHERE note < 'g'), COUNT_IF(note IS NULL), COUNT_IF(note LIKE 'f%') FROM visit
-- filters_by_group
SELECT clinic, COUNT(*) FILTER (WHERE stay > 2), COUNT(*) FILTER (WHERE stay > 5 OR cost = 0), COUNT(*) FROM visit GROUP BY clinic
-- filter_average
SELECT AVG(cost) FILTER (WHERE stay > 0), AVG(cost) FROM visit
-- sum_case
SELECT SUM(CASE WHEN age > 80 THEN 1 ELSE 0 END) FROM patient
-- sum_case_without_else
SELECT SUM(CASE WHEN cost > 100 THEN cost END) FROM visit
-- sum_case_capped
SELECT SUM(CASE WHEN cost > 100 THEN 100 ELSE cost END) FROM visit
-- average_case_of_text
SELECT AVG(CASE sex WHEN 'F' THEN 1 ELSE 0 END) FROM patient
-- sum_product_and_logarithm
SELECT SUM(age * cost + LN(age + 2)) FROM patient JOIN visit USING (pid)
-- sum_square
SELECT SUM(age * age), SUM(POWER(age, 2)), SUM(age ** 2) FROM patient
-- sum_division_by_whole
SELECT SUM(1 / (age - 40)) FROM patient
-- sum_division
SELECT SUM(cost / (stay + 1)) FROM visit
-- sum_whole_division
SELECT SUM(age // 10), SUM(age % 10), SUM(MOD(age, 7)) FROM patient
-- sum_functions
SELECT SUM(SQRT(cost)), SUM(EXP(age / 100)), SUM(LOG10(age + 1)), SUM(ABS(age - 50)) FROM patient JOIN visit USING (pid)
-- sum_logarithm_with_nulls
SELECT SUM(LN(cost + 1)), AVG(LOG(cost + 1)), AVG(LOG2(cost + 1)) FROM visit
-- sum_rounded
SELECT SUM(ROUND(cost)), SUM(ROUND(cost, 1)), SUM(FLOOR(cost)), SUM(CEIL(cost)), SUM(SIGN(cost)) FROM visit
-- sum_negative
SELECT SUM(-age), SUM(-5 * age) FROM patient
-- sum_clip
SELECT SUM(CLIP(weight, 0, 200)) FROM visit
-- sum_clip_computed_bounds
SELECT SUM(CLIP(weight, 0, 2 * 100)) FROM visit
-- sum_least_greatest
SELECT SUM(LEAST(GREATEST(weight, 0), 200)) FROM visit
-- sum_coalesce
SELECT SUM(COALESCE(cost, 0)) FROM visit
-- sum_nullif
SELECT SUM(NULLIF(cost, 0)) FROM visit
-- sum_if
SELECT SUM(IF(age > 17, 1, 0)) FROM patient
-- sum_cast
SELECT SUM(CAST(cost AS INTEGER)), AVG(age::DOUBLE), AVG(TRY_CAST(age AS REAL)) FROM visit JOIN patient USING (pid)
-- average_of_text_read
SELECT AVG(CLIP(CAST(zip AS INTEGER), 0, 9999)) FROM patient
-- average_length
SELECT AVG(CLIP(LENGTH(note), 0, 100)) FROM visit
-- average_days
SELECT AVG(DATE '2024-12-31' - day), AVG(DATE_DIFF('day', DATE '2024-01-01', day)) FROM visit
-- where_narrows
SELECT SUM(cost) FROM visit WHERE cost > 20 AND cost < 90
-- where_bounds_column_without
SELECT SUM(weight) FROM visit WHERE weight BETWEEN 30 AND 200
-- where_or
SELECT COUNT(*) FROM patient WHERE age < 18 OR age > 65
-- where_in
SELECT COUNT(*) FROM patient WHERE sex IN ('F') AND zip NOT IN ('1010', '1020')
-- where_null
SELECT COUNT(*) FROM visit WHERE cost IS NULL OR note IS NOT NULL
-- where_like
SELECT COUNT(*) FROM visit WHERE note LIKE 'f%' AND note NOT LIKE '%r' AND note ILIKE 'F_v%'
-- where_starts_with
SELECT COUNT(*) FROM visit WHERE STARTS_WITH(note, 'fe')
-- where_date
SELECT COUNT(*) FROM visit WHERE day >= '2024-03-01' AND day < DATE '2024-03-01' + INTERVAL 30 DAY
-- where_boolean
SELECT COUNT(*) FROM patient WHERE smoker AND NOT (age > 50)
-- where_is_true
SELECT COUNT(*) FROM patient WHERE smoker IS TRUE OR smoker IS NOT FALSE
-- where_distinct_from
SELECT COUNT(*) FROM patient WHERE blood IS DISTINCT FROM 'A'
-- where_true
SELECT COUNT(*) FROM patient WHERE TRUE
-- where_contradiction
SELECT COUNT(*), SUM(cost) FROM visit WHERE cost > 90 AND cost < 20
-- where_one_unit
SELECT COUNT(*) FROM visit WHERE pid = 7
-- group_by_declared
SELECT sex, COUNT(*) FROM patient GROUP BY sex
-- group_by_boolean
SELECT smoker, COUNT(*) FROM patient GROUP BY smoker
-- group_by_range
SELECT age, COUNT(*) FROM patient GROUP BY age
-- group_by_private
SELECT clinic, COUNT(*) FROM visit GROUP BY clinic
-- group_by_private_average
SELECT clinic, AVG(cost) AS pay FROM visit GROUP BY clinic
-- group_by_two
SELECT sex, smoker, COUNT(*), AVG(age) FROM patient GROUP BY sex, smoker
-- group_by_mixed
SELECT sex, zip, COUNT(*) FROM patient GROUP BY sex, zip
-- group_by_ordinal
SELECT CEIL(cost / 100), COUNT(*) FROM visit GROUP BY 1
-- group_by_alias
SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM patient GROUP BY decade ORDER BY decade
-- group_by_expression
SELECT age // 10, COUNT(*) FROM patient GROUP BY age // 10
-- group_by_all
SELECT sex, age > 50 AS old, COUNT(*) FROM patient GROUP BY ALL
-- group_by_other_bucket
SELECT blood, COUNT(*) FROM patient GROUP BY blood
-- group_by_case
SELECT CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'old' END AS stage, COUNT(*) FROM patient GROUP BY stage
-- group_by_month
SELECT MONTH(day), COUNT(*) FROM visit GROUP BY MONTH(day)
-- group_by_month_start
SELECT DATE_TRUNC('month', day) AS month, SUM(cost) FROM visit GROUP BY month ORDER BY month
-- group_by_weekday
SELECT EXTRACT(dow FROM day), ISODOW(day), COUNT(*) FROM visit GROUP BY 1, 2
-- group_by_date_part
SELECT DATE_PART('quarter', day), YEAR(day), COUNT(*) FROM visit GROUP BY 1, 2
-- group_by_day
SELECT day, COUNT(*) FROM visit GROUP BY day
-- group_by_text_functions
SELECT LOWER(sex), SUBSTRING(zip, 1, 2), LEFT(zip, 1), COUNT(*) FROM patient GROUP BY ALL
-- group_by_concatenation
SELECT sex || '-' || blood, CONCAT(sex, smoker), COUNT(*) FROM patient GROUP BY ALL
-- group_by_public_column
SELECT region, AVG(cost) FROM visit JOIN clinic USING (clinic) GROUP BY region
-- group_by_public_key
SELECT clinic, COUNT(*) FROM visit JOIN clinic USING (clinic) GROUP BY clinic
-- group_by_joined_key
SELECT v.clinic, COUNT(*) FROM visit v JOIN clinic c ON v.clinic = c.clinic GROUP BY v.clinic
-- group_by_narrowed
SELECT age, COUNT(*) FROM patient WHERE age BETWEEN 60 AND 70 GROUP BY age
-- group_by_without_aggregate
SELECT sex FROM patient GROUP BY sex
-- distinct
SELECT DISTINCT age, sex FROM patient
-- distinct_over_released
SELECT DISTINCT COUNT(*) > 1 AS many FROM patient GROUP BY sex
-- having_key
SELECT sex, COUNT(*) FROM patient GROUP BY sex HAVING NOT (sex = 'F')
-- having_aggregate
SELECT clinic, COUNT(*) FROM visit GROUP BY clinic HAVING COUNT(*) > 2 AND AVG(cost) < 1000
-- having_alias
SELECT clinic, COUNT(*) AS n FROM visit GROUP BY clinic HAVING n > 2
-- having_without_group
SELECT COUNT(*) FROM visit HAVING COUNT(*) > 3
-- order_limit
SELECT age, COUNT(*) FROM patient GROUP BY age ORDER BY 2 DESC, age LIMIT 20 OFFSET 1
-- order_by_hidden
SELECT clinic FROM visit GROUP BY clinic ORDER BY COUNT(*) DESC
-- fetch
SELECT age, COUNT(*) AS n FROM patient GROUP BY age ORDER BY n DESC FETCH FIRST 3 ROWS ONLY
-- released_case
SELECT sex, CASE WHEN COUNT(*) > 10 THEN 'large' ELSE 'small' END FROM patient GROUP BY sex
-- released_arithmetic
SELECT sex, SUM(age) / COUNT(*) AS mean, ROUND(100 * AVG(age), 1) FROM patient GROUP BY sex
-- released_literal
SELECT 3, 'all' AS who, AVG(age) FROM patient
-- released_twice
SELECT COUNT(*), COUNT(*) + 1, COUNT(*) FROM patient
-- quoted_unicode
SELECT "sex" AS "Größe", COUNT(*) FROM PATIENT GROUP BY 1
-- case_of_names
SELECT Sex, count(*) FROM Patient AS P WHERE p.AGE > 10 GROUP BY P.sex
-- cte_shadows_table
WITH visit AS (SELECT pid, cost FROM visit) SELECT SUM(cost) FROM visit
-- cte_renames
WITH v(who, price) AS (SELECT pid, cost FROM visit) SELECT SUM(price), COUNT(DISTINCT who) FROM v
-- cte_star
WITH v AS (SELECT * FROM visit WHERE cost > 10) SELECT clinic, COUNT(*) FROM v GROUP BY clinic
-- cte_unused
WITH unused AS (SELECT sex, COUNT(*) FROM patient GROUP BY sex) SELECT COUNT(*) FROM visit
-- cte_chain
WITH a AS (SELECT pid, cost FROM visit WHERE cost > 1), b AS (SELECT pid, cost * 2 AS twice FROM a) SELECT AVG(twice) FROM b
-- subquery
SELECT AVG(x) FROM (SELECT cost / 10 AS x FROM visit) AS t
-- subquery_renames
SELECT AVG(t.x) FROM (SELECT cost FROM visit) AS t(x)
-- subquery_ordered
SELECT COUNT(*) FROM (SELECT cost FROM visit ORDER BY cost)
-- per_unit_count
SELECT AVG(n) FROM (SELECT pid, COUNT(*) AS n FROM visit GROUP BY pid)
-- per_unit_sum
SELECT AVG(total), MEDIAN(total) FROM (SELECT pid, SUM(cost) AS total FROM visit GROUP BY pid)
-- per_unit_extremes
SELECT AVG(high - low) FROM (SELECT pid, MIN(cost) AS low, MAX(cost) AS high FROM visit GROUP BY pid)
-- per_unit_having
SELECT COUNT(*) FROM (SELECT pid FROM visit GROUP BY pid HAVING COUNT(*) >= 2)
-- per_unit_histogram
SELECT n, COUNT(*) FROM (SELECT pid, COUNT(*) AS n FROM visit GROUP BY pid) GROUP BY n
-- per_unit_and_key
SELECT clinic, AVG(n) FROM (SELECT pid, clinic, COUNT(*) AS n FROM visit GROUP BY pid, clinic) GROUP BY clinic
-- per_unit_distinct
SELECT COUNT(*) FROM (SELECT DISTINCT pid, clinic FROM visit)
-- window_first_visit
SELECT AVG(cost) FROM (SELECT cost, ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day, vid) AS k FROM visit) WHERE k = 1
-- window_gap
SELECT AVG(CLIP(gap, 0, 366)) FROM (SELECT day - LAG(day) OVER (PARTITION BY pid ORDER BY day, vid) AS gap FROM visit)
-- window_share
SELECT AVG(cost / total) FROM (SELECT cost, SUM(cost) OVER (PARTITION BY pid) AS total FROM visit) WHERE total > 1
-- window_running
SELECT MAX(so_far) FROM (SELECT SUM(stay) OVER (PARTITION BY pid ORDER BY day, vid) AS so_far FROM visit)
-- window_rank_filter
SELECT k, COUNT(*) FROM (SELECT RANK() OVER (PARTITION BY pid ORDER BY cost DESC) AS k FROM visit WHERE cost IS NOT NULL) WHERE k <= 3 GROUP BY k
-- join_public_left
SELECT COUNT(*), COUNT(region) FROM visit v LEFT JOIN clinic c USING (clinic)
-- join_public_right
SELECT COUNT(*) FROM clinic c RIGHT JOIN visit v ON c.clinic = v.clinic
-- join_public_first
SELECT region, SUM(cost) FROM clinic c JOIN visit v ON c.clinic = v.clinic AND beds > 10 GROUP BY region
-- join_public_unequal
SELECT COUNT(*) FROM visit JOIN clinic ON visit.stay > clinic.beds
-- join_public_comma
SELECT region, COUNT(*) FROM visit, clinic WHERE visit.clinic = clinic.clinic GROUP BY region
-- join_cross_literal
SELECT COUNT(*) FROM visit CROSS JOIN (SELECT 1 AS k)
-- join_values
SELECT label, COUNT(*) FROM visit JOIN (VALUES ('A', 'first'), ('B', 'second')) AS t(clinic, label) USING (clinic) GROUP BY label
-- join_units
SELECT AVG(cost) FROM patient p JOIN visit v ON p.pid = v.pid AND p.age > 10 AND (v.day > DATE '2024-01-01' OR p.sex = 'F')
-- join_units_using
SELECT sex, AVG(cost) FROM patient JOIN visit USING (pid) GROUP BY sex
-- join_units_comma
SELECT COUNT(*) FROM patient p, visit v WHERE p.pid = v.pid AND age > 20
-- join_units_left
SELECT COUNT(*), COUNT(v.vid), COUNT(DISTINCT v.pid) FROM patient p LEFT JOIN visit v ON p.pid = v.pid
-- join_units_full
SELECT COUNT(*), COUNT(DISTINCT p.pid) FROM patient p FULL OUTER JOIN visit v ON p.pid = v.pid
-- join_units_full_using
SELECT COUNT(DISTINCT pid) FROM patient FULL JOIN visit USING (pid)
-- join_self
SELECT COUNT(*) FROM visit a JOIN visit b ON a.pid = b.pid AND a.day < b.day
-- join_three
SELECT region, sex, COUNT(*) FROM patient p JOIN visit v ON p.pid = v.pid JOIN clinic c ON v.clinic = c.clinic GROUP BY region, sex
-- join_path
SELECT chapter, AVG(result) FROM lab JOIN icd USING (code) GROUP BY chapter
-- join_path_to_unit
SELECT sex, AVG(result) FROM lab JOIN patient ON lab.pid = patient.pid GROUP BY sex
-- join_per_unit
SELECT sex, AVG(n) FROM patient JOIN (SELECT pid, COUNT(*) AS n FROM visit GROUP BY pid) AS v USING (pid) GROUP BY sex
-- semi_join
SELECT COUNT(*) FROM visit WHERE pid IN (SELECT pid FROM patient WHERE sex = 'F')
-- anti_join
SELECT COUNT(*) FROM patient WHERE pid NOT IN (SELECT pid FROM visit WHERE cost > 100)
-- semi_join_or
SELECT COUNT(*) FROM patient WHERE age > 80 OR pid IN (SELECT pid FROM visit)
-- in_public
SELECT COUNT(*) FROM visit WHERE clinic IN (SELECT clinic FROM clinic WHERE beds > 15)
-- not_in_public
SELECT SUM(cost) FROM visit WHERE clinic NOT IN (SELECT clinic FROM clinic WHERE region = 'South')
-- union_all
SELECT COUNT(*), COUNT(DISTINCT pid) FROM (SELECT pid FROM visit UNION ALL SELECT pid FROM patient)
-- union_all_hidden_unit
SELECT AVG(x) FROM (SELECT cost AS x FROM visit UNION ALL SELECT age FROM patient)
-- union_of_units
SELECT COUNT(*) FROM (SELECT pid FROM visit UNION SELECT pid FROM patient)
-- union_of_answers
SELECT 'visits' AS what, COUNT(*) AS n FROM visit UNION ALL SELECT 'patients', COUNT(*) FROM patient ORDER BY n DESC
-- two_stages
WITH m AS (SELECT AVG(cost) AS a, STDDEV(cost) AS s FROM visit) SELECT AVG((cost - a) / s) FROM visit, m WHERE s > 1
-- stage_then_rows
WITH m AS (SELECT AVG(age) AS a FROM patient) SELECT COUNT(*) FROM patient, m WHERE age > a
-- scalar_subquery
SELECT COUNT(*) FROM patient WHERE age > (SELECT AVG(age) FROM patient)
-- scalar_subquery_released
SELECT sex, COUNT(*) FROM patient GROUP BY sex HAVING COUNT(*) > (SELECT 100 * COUNT(*) FROM visit)
-- scalar_subquery_public
SELECT COUNT(*) FROM visit WHERE stay > (SELECT MAX(beds) FROM clinic)
-- stage_of_stage
WITH s AS (SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex) SELECT MAX(n), SUM(n) FROM s
-- stage_joined_public
WITH c AS (SELECT clinic, COUNT(*) AS n FROM visit GROUP BY clinic) SELECT region, SUM(n) FROM c JOIN clinic USING (clinic) GROUP BY region
-- stage_window
WITH s AS (SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex) SELECT sex, n / SUM(n) OVER (PARTITION BY 1) FROM s
-- public_only
SELECT region, COUNT(*), MAX(beds) FROM clinic GROUP BY region ORDER BY 2 DESC
-- public_rows
SELECT * FROM clinic ORDER BY beds LIMIT 2
-- public_beside_private
SELECT region, (SELECT COUNT(*) FROM visit) AS visits FROM clinic
-- literals
SELECT 1 AS one, 'a' || 'b' AS two, 3 / 2 AS three
-- values
SELECT x, y FROM (VALUES (1, 'a'), (2, NULL)) AS t(x, y)
-- comments_and_semicolon
/* patients */ SELECT COUNT(*) -- all of them
FROM patient;
-- from_first
FROM patient SELECT COUNT(*)
-- parentheses
(SELECT COUNT(*) FROM patient)
-- correlation
SELECT CORR(cost, stay), REGR_COUNT(cost, stay) FROM visit
-- covariances
SELECT COVAR_SAMP(cost, stay), COVAR_POP(stay, cost) FROM visit
-- regression_by_group
SELECT clinic, REGR_SLOPE(cost, stay), REGR_INTERCEPT(cost, stay) FROM visit GROUP BY clinic
-- regression_filter
SELECT REGR_SLOPE(cost, stay) FILTER (WHERE cost < 4000), CORR(cost, stay) FROM visit
-- per_unit_correlation
SELECT AVG(r), AVG(CLIP(slope, -100, 100)) FROM (SELECT pid, CORR(cost, stay) AS r, REGR_SLOPE(cost, stay) AS slope FROM visit GROUP BY pid)
-- per_unit_covariance
SELECT AVG(c), SUM(n) FROM (SELECT pid, COVAR_POP(cost, stay) AS c, CLIP(REGR_COUNT(cost, stay), 0, 20) AS n FROM visit GROUP BY pid)
-- per_unit_truth
SELECT COUNT(*) FROM (SELECT pid FROM visit GROUP BY pid HAVING BOOL_OR(cost > 100) AND NOT BOOL_AND(stay > 0))
-- per_unit_chosen
SELECT AVG(first), AVG(last) FROM (SELECT pid, ARG_MIN(cost, vid) AS first, ARG_MAX(stay, vid) AS last FROM visit GROUP BY pid)
-- per_unit_first_text
SELECT first, COUNT(*) FROM (SELECT pid, MIN(clinic) AS first FROM visit GROUP BY pid) GROUP BY first
-- per_unit_last_text
SELECT COUNT(*) FROM (SELECT pid, MAX(note) AS last FROM visit GROUP BY pid) WHERE last > 'b'
-- window_first_value
SELECT AVG(c) FROM (SELECT FIRST_VALUE(cost) OVER (PARTITION BY pid ORDER BY day, vid) AS c FROM visit)
-- natural_join
SELECT region, COUNT(*) FROM visit NATURAL JOIN clinic GROUP BY region
-- schema
SELECT COUNT(*) FROM main.visit
-- top
SELECT TOP 3 sex, COUNT(*) AS n FROM patient GROUP BY sex ORDER BY n DESC
-- parenthesized_joins
SELECT COUNT(*) FROM ((SELECT pid FROM patient) AS a JOIN (SELECT pid, stay FROM visit) AS b ON a.pid = b.pid)
-- having_named_like_a_column
SELECT clinic, SUM(stay) AS stay FROM visit GROUP BY clinic HAVING stay > 3
-- share_of_all_groups
SELECT sex, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS percent FROM patient GROUP BY sex
-- rank_of_groups
SELECT clinic, RANK() OVER (ORDER BY COUNT(*) DESC) AS place, DENSE_RANK() OVER (ORDER BY COUNT(*) DESC), ROW_NUMBER() OVER (ORDER BY clinic) FROM visit GROUP BY clinic
-- running_total_of_groups
SELECT stay, SUM(COUNT(*)) OVER (ORDER BY stay) AS so_far, AVG(COUNT(*)) OVER (ORDER BY stay ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS smooth FROM visit WHERE stay IN (1, 2, 3) GROUP BY stay
-- change_between_groups
SELECT sex, COUNT(*) - LAG(COUNT(*), 1, 0) OVER (ORDER BY sex) AS change, LEAD(COUNT(*)) OVER (ORDER BY sex) FROM patient GROUP BY sex
-- qualified_groups
SELECT clinic, COUNT(*) AS n FROM visit GROUP BY clinic QUALIFY RANK() OVER (ORDER BY n DESC) <= 2
-- windows_within_parts
SELECT sex, age // 30 AS band, COUNT(*) * 1.0 / SUM(COUNT(*)) OVER (PARTITION BY sex) AS share, NTILE(2) OVER (ORDER BY COUNT(*)), FIRST_VALUE(COUNT(*)) OVER (PARTITION BY sex ORDER BY age // 30) FROM patient GROUP BY sex, band HAVING COUNT(*) > 0
-- window_in_a_stage
WITH s AS (SELECT sex, COUNT(*) * 1.0 / SUM(COUNT(*)) OVER () AS share FROM patient GROUP BY sex) SELECT MAX(share) FROM s
-- exists_tied
SELECT COUNT(*) FROM patient p WHERE EXISTS (SELECT 1 FROM visit v WHERE v.pid = p.pid AND v.cost > 100)
-- not_exists
SELECT sex, COUNT(*) FROM patient p WHERE NOT EXISTS (SELECT * FROM visit v WHERE v.pid = p.pid AND v.stay > 3) GROUP BY sex
-- exists_by_two_columns
SELECT COUNT(*) FROM visit v WHERE EXISTS (SELECT 1 FROM visit w WHERE w.pid = v.pid AND w.stay = v.stay + 1)
-- exists_of_nulls
SELECT COUNT(*) FROM visit v WHERE NOT EXISTS (SELECT 1 FROM visit w WHERE w.pid = v.pid AND w.cost = v.cost)
-- exists_of_public_rows
SELECT COUNT(*) FROM visit v WHERE EXISTS (SELECT 1 FROM clinic c WHERE c.clinic = v.clinic AND c.beds > 15)
-- exists_limited
SELECT COUNT(*) FILTER (WHERE a), COUNT(*) FILTER (WHERE b) FROM (SELECT pid, EXISTS (SELECT 1 FROM visit v WHERE v.pid = p.pid LIMIT 0) AS a, EXISTS (SELECT COUNT(*) FROM visit v WHERE v.pid = p.pid AND v.cost > 4900 LIMIT 1) AS b FROM patient p)
-- exists_at_all
SELECT COUNT(*) FROM visit WHERE EXISTS (SELECT 1 FROM clinic WHERE beds > 15) AND NOT EXISTS (SELECT 1 FROM clinic WHERE beds > 1500)
-- exists_in_exists
SELECT COUNT(*) FROM patient p WHERE EXISTS (SELECT 1 FROM visit v WHERE v.pid = p.pid AND NOT EXISTS (SELECT 1 FROM lab l WHERE l.vid = v.vid AND l.pid = v.pid))
-- exists_of_an_aggregate
SELECT COUNT(*) FROM patient p WHERE EXISTS (SELECT COUNT(*) FROM visit v WHERE v.pid = p.pid)
-- exists_in_select
SELECT SUM(CASE WHEN EXISTS (SELECT 1 FROM visit v WHERE v.pid = p.pid) THEN 1 ELSE 0 END) FROM patient p
-- in_tied
SELECT COUNT(*) FROM visit v WHERE v.stay IN (SELECT w.stay FROM visit w WHERE w.pid = v.pid AND w.clinic = 'A')
-- not_in_tied_nulls
SELECT COUNT(*) FROM visit v WHERE v.cost NOT IN (SELECT w.cost FROM visit w WHERE w.pid = v.pid AND w.clinic = 'A')
-- in_tied_is_unknown
SELECT COUNT(*) FROM visit v WHERE (v.cost IN (SELECT w.cost FROM visit w WHERE w.pid = v.pid AND w.clinic = 'A')) IS NULL
-- not_in_public_with_null
SELECT COUNT(*) FROM visit WHERE clinic NOT IN (SELECT c FROM (VALUES ('A'), (NULL)) AS t(c))
-- in_public_with_null
SELECT COUNT(*) FROM visit WHERE clinic IN (SELECT c FROM (VALUES ('A'), (NULL)) AS t(c))
-- null_not_in_nothing
SELECT COUNT(*) FROM visit WHERE note NOT IN (SELECT clinic FROM clinic WHERE beds > 1000)
-- null_not_in_something
SELECT COUNT(*) FROM visit WHERE note NOT IN (SELECT clinic FROM clinic)
-- value_tied_count_of_none
SELECT COUNT(*) FROM patient p WHERE (SELECT COUNT(*) FROM visit v WHERE v.pid = p.pid AND v.stay > 5) = 0
-- value_tied_sum_of_none
SELECT COUNT(*) FROM patient p WHERE (SELECT SUM(v.stay) FROM visit v WHERE v.pid = p.pid AND v.clinic = 'D') IS NULL
-- value_tied_arithmetic
SELECT AVG((SELECT COUNT(*) + COALESCE(MAX(stay), -1) FROM visit v WHERE v.pid = p.pid)) FROM patient p
-- value_tied_same_table
SELECT COUNT(*) FROM visit v WHERE v.cost < (SELECT MAX(w.cost) FROM visit w WHERE w.pid = v.pid)
-- value_tied_by_two_columns
SELECT COUNT(*) FROM visit v WHERE (SELECT COUNT(*) FROM visit w WHERE w.pid = v.pid AND w.clinic = v.clinic) > 1
-- value_looked_up
SELECT COUNT(*) FROM visit v WHERE (SELECT region FROM clinic c WHERE c.clinic = v.clinic) = 'South'
-- public_left_join
SELECT c.clinic, COUNT(v.vid) FROM clinic c LEFT JOIN visit v ON c.clinic = v.clinic GROUP BY c.clinic
-- public_left_join_condition
SELECT c.region, SUM(v.stay), COUNT(DISTINCT v.pid) FROM clinic c LEFT JOIN visit v ON c.clinic = v.clinic AND v.stay > 9 GROUP BY c.region
-- public_right_join
SELECT clinic, COUNT(vid) FROM visit RIGHT JOIN (SELECT DISTINCT clinic FROM clinic) USING (clinic) GROUP BY clinic
-- public_left_join_of_two
SELECT k, AVG(age) FROM (VALUES (1), (2), (99)) AS d(k) LEFT JOIN visit v ON v.stay = d.k LEFT JOIN patient p ON p.pid = v.pid GROUP BY k
-- text_pieces
SELECT SPLIT_PART(note, 'e', 1), RIGHT(note, 1), COUNT(*) FROM visit GROUP BY 1, 2
-- text_exchanged
SELECT COUNT(*) FROM visit WHERE CONTAINS(REPLACE(note, 'e', '..'), '.') OR ENDS_WITH(LPAD(note, 2, 'x'), 'x')
-- text_places
SELECT COUNT(*) FROM visit WHERE STRPOS(note, 'e') > 1 OR RPAD(LTRIM(note, 'fab'), 3, '-') = REVERSE('-fu') OR note LIKE '!%%' ESCAPE '!'
-- text_joined_with
SELECT CONCAT_WS('/', sex, smoker, REPEAT(blood, 2)) AS k, COUNT(*) FROM patient GROUP BY k
-- quarters
SELECT DATE_TRUNC('quarter', day) AS quarter, COUNT(*) FROM visit GROUP BY quarter
-- weeks_and_days
SELECT ISOYEAR(day) AS y, WEEK(day) AS w, DAYNAME(day) AS d, COUNT(*) FROM visit GROUP BY 1, 2, 3
-- months_as_texts
SELECT STRFTIME(day, '%Y-%m') AS month, COUNT(*) FROM visit GROUP BY month ORDER BY month
-- later_months
SELECT COUNT(*) FROM visit WHERE day + INTERVAL 13 MONTH > DATE '2025-01-15' OR LAST_DAY(day) = day - INTERVAL (stay) DAY
-- later_hours
SELECT COUNT(*) FROM visit WHERE DATE_TRUNC('hour', day + INTERVAL 90 MINUTE) < TIMESTAMP '2024-01-20 01:00:00'
-- differences_in_parts
SELECT AVG(DATE_DIFF('month', day, DATE '2025-03-01')), AVG(DATE_DIFF('week', DATE '2023-01-01', day)), AVG(DATE_DIFF('minute', day, TIMESTAMP '2025-01-01 00:00:30')) FROM visit
-- dates_read
SELECT COUNT(*) FROM visit WHERE STRPTIME(STRFTIME(day, '%d.%m.%Y'), '%d.%m.%Y') > MAKE_DATE(2024, 1, 15)
-- buckets
SELECT WIDTH_BUCKET(cost, 0, 1000, 4) AS b, COUNT(*) FROM visit GROUP BY b
-- angles
SELECT AVG(SIN(cost)), AVG(ATAN2(cost, stay + 1)), AVG(CBRT(cost)), AVG(TRUNC(cost / 7)) FROM visit
-- bits_and_conditions
SELECT SUM(age >> 1), SUM(age << 1), COUNT_IF(smoker = 1), COUNT_IF(age BETWEEN SYMMETRIC 60 AND 30) FROM patient
-- lag_far_with_default
SELECT SUM(k) FROM (SELECT pid, LAG(stay, 2, 30) OVER (PARTITION BY pid ORDER BY day, vid) AS k FROM visit)
-- lead_far
SELECT COUNT(k) FROM (SELECT pid, LEAD(stay, 1) OVER (PARTITION BY pid ORDER BY day, vid) AS k FROM visit)
-- frame_of_rows
SELECT SUM(CLIP(k, 0, 60)) FROM (SELECT pid, SUM(stay) OVER (PARTITION BY pid ORDER BY day, vid ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS k FROM visit)
-- frame_before
SELECT COUNT(k), AVG(CLIP(k, 0, 30)) FROM (SELECT MAX(stay) OVER (PARTITION BY pid ORDER BY day, vid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS k FROM visit)
-- frame_counted
SELECT k, COUNT(*) FROM (SELECT COUNT(*) OVER (PARTITION BY pid ORDER BY day, vid ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS k FROM visit) WHERE k <= 3 GROUP BY k
-- qualify
SELECT AVG(stay) FROM (SELECT pid, stay FROM visit QUALIFY ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day DESC, vid) = 1)
-- qualify_alias
SELECT AVG(stay) FROM (SELECT pid, stay, ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day, vid) AS place FROM visit QUALIFY place <= 2)
-- qualify_distinct
SELECT COUNT(*) FROM (SELECT DISTINCT pid, clinic FROM visit QUALIFY COUNT(*) OVER (PARTITION BY pid) > 1)
-- distinct_on
SELECT SUM(stay) FROM (SELECT DISTINCT ON (pid) pid, stay FROM visit ORDER BY pid, day, vid)
-- named_window
SELECT COUNT(*) FROM (SELECT DENSE_RANK() OVER w AS k, NTILE(2) OVER w AS half FROM visit WINDOW w AS (PARTITION BY pid ORDER BY day, vid)) WHERE k = 2 AND half = 1
-- order_by_all
SELECT sex, COUNT(*) AS n FROM patient GROUP BY ALL ORDER BY ALL
-- intersect_units
SELECT COUNT(*) FROM (SELECT pid FROM visit INTERSECT SELECT pid FROM lab)
-- except_units
SELECT COUNT(*) FROM (SELECT pid FROM patient EXCEPT SELECT pid FROM visit)
-- except_nulls
SELECT COUNT(*) FROM (SELECT pid, cost FROM visit EXCEPT SELECT pid, cost FROM visit WHERE stay > 9)
-- intersect_nulls
SELECT COUNT(*), COUNT(cost) FROM (SELECT pid, cost FROM visit INTERSECT SELECT pid, cost FROM visit WHERE stay > 9)
-- except_all
SELECT COUNT(*) FROM (SELECT pid, cost FROM visit EXCEPT ALL SELECT pid, cost FROM visit WHERE stay > 9)
-- intersect_all
SELECT COUNT(*) FROM (SELECT pid, clinic FROM visit INTERSECT ALL SELECT pid, clinic FROM visit WHERE stay > 3)
-- except_then_union
SELECT COUNT(*) FROM (SELECT pid FROM visit EXCEPT SELECT pid FROM lab UNION ALL SELECT pid FROM lab)
-- quantile_list
SELECT QUANTILE_CONT(cost, [0.25, 0.75]) AS q, sex FROM visit JOIN patient USING (pid) GROUP BY 2 ORDER BY 2
-- quantile_forms
SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY cost), QUANTILE_DISC(cost, 0.25), QUANTILE(cost, 0.75) FILTER (WHERE stay > 0) FROM visit
-- approximate_forms
SELECT APPROX_QUANTILE(cost, 0.5), APPROX_COUNT_DISTINCT(clinic), APPROX_COUNT_DISTINCT(pid) FROM visit
-- median_of_timestamps
SELECT EXTRACT(year FROM MEDIAN(CAST(day AS TIMESTAMP))) AS y, MAX(CAST(day AS TIMESTAMP)) > TIMESTAMP '2024-01-01 00:00:00' AS late FROM visit
-- rollup
SELECT sex, age > 40 AS old, COUNT(*) AS n FROM patient GROUP BY ROLLUP (sex, old) ORDER BY sex, n DESC
-- cube
SELECT sex, smoker, COUNT(*), SUM(age), GROUPING(sex, smoker) AS g FROM patient GROUP BY CUBE (sex, smoker) HAVING COUNT(*) > 1
-- grouping_sets
SELECT sex, COUNT(*) FROM patient GROUP BY GROUPING SETS ((sex), ())
-- rollup_beside_a_key
SELECT sex, age > 40 AS old, COUNT(*) FROM patient GROUP BY sex, ROLLUP (old)
-- rollup_within_units
SELECT SUM(CLIP(n, 0, 9)) FROM (SELECT pid, clinic, COUNT(*) AS n FROM visit GROUP BY pid, ROLLUP (clinic))
-- rollup_named_all
SELECT CASE WHEN GROUPING(sex) = 1 THEN 'all' ELSE sex END AS who, COUNT(*) AS n FROM patient GROUP BY ROLLUP (sex)
-- value_of_a_unique_row
SELECT COUNT(*) FROM visit v WHERE stay < (SELECT beds FROM clinic WHERE clinic = 'A')
-- pattern_found
SELECT COUNT(*) FROM visit WHERE REGEXP_MATCHES(note, '^[a-f].*e') OR REGEXP_FULL_MATCH(note, '(flu|cough)') OR note ~ '^[^a]+$'
-- pattern_pieces
SELECT REGEXP_EXTRACT(note, '([a-e])[f-z]', 1) AS e, REGEXP_REPLACE(note, '[aeiou]', '*', 'g') AS r, COUNT(*) FROM visit GROUP BY 1, 2
-- constants
SELECT SUM(2.5), AVG(0.1), SUM(-7), COUNT(*) FROM visit
-- constants_where_a_condition_holds
SELECT clinic, SUM(CASE WHEN cost > 100 THEN 0.5 END) AS s, AVG(CLIP(cost, 0.1, 0.4)) AS a, STDDEV(CLIP(cost, 7, 7)) AS d FROM visit GROUP BY clinic
-- numbers_said_by_texts
SELECT COUNT(*), SUM(CAST(stay AS UINT64)) FROM visit WHERE stay > '1' AND cost < '150.5' AND stay IN ('2', '3.5', '4')
-- text_from_its_end
SELECT SUBSTR(clinic, -1) AS c, COUNT(*) FROM visit GROUP BY 1
