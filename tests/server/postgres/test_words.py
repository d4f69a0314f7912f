"""Statements are cut where they end, and told apart by their words."""

import pytest

from privet.server.postgres.kinds import Kind, kind_of, unqualified
from privet.server.postgres.sqlstates import Refusal
from privet.server.postgres.words import words_of, written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1; SELECT 2", ["SELECT 1", "SELECT 2"]),
        (" ; ;; ", []),
        ("-- only ; this\n/* and ; /* this; */ ; */", []),
        ("SELECT ';' ; SELECT \"a;b\"", ["SELECT ';'", 'SELECT "a;b"']),
        ("SELECT 'it''s;' || E'\\';' ; x", ["SELECT 'it''s;' || E'\\';'", "x"]),
        ("SELECT $$;$$; SELECT $a$;$$;$a$", ["SELECT $$;$$", "SELECT $a$;$$;$a$"]),
        ("SELECT a FROM t -- ; x\n WHERE b;", ["SELECT a FROM t -- ; x\n WHERE b"]),
        ("SELECT $1; SELECT a$b;", ["SELECT $1", "SELECT a$b"]),
    ],
)
def test_statements_are_cut_at_semicolons_that_stand_alone(text: str, expected: list[str]) -> None:
    assert [each.text for each in written(text)] == expected


@pytest.mark.parametrize("text", ["SELECT 'x", 'SELECT "x', "SELECT /* x", "SELECT $$x", "SELECT $a$ $b$"])
def test_what_is_opened_and_never_closed_is_refused(text: str) -> None:
    with pytest.raises(Refusal):
        words_of(text)


def test_long_texts_are_cut_in_one_pass() -> None:
    assert len(words_of("'" + "''" * 200_000 + "'")) == 1
    with pytest.raises(Refusal):
        words_of("(" * 60_000)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT COUNT(*) FROM patient", Kind.QUESTION),
        ("SELECT COUNT(*) FROM public.Patient", Kind.QUESTION),
        ("select * from patient", Kind.QUESTION),
        ("SELECT * FROM patient LIMIT 0", Kind.TABLES),
        ("SELECT * FROM patient WHERE 1=0", Kind.TABLES),
        ("SELECT * FROM patient WHERE age > 3 OR 1=0 LIMIT 1", Kind.QUESTION),
        ("SELECT sex FROM patient WHERE 1=0 GROUP BY sex", Kind.QUESTION),
        ("SELECT COUNT(*) FROM unknown", Kind.QUESTION),
        ("SELECT 1", Kind.TABLES),
        ("SELECT 'from patient'", Kind.TABLES),
        ("SELECT * FROM pg_class", Kind.TABLES),
        ("SELECT * FROM information_schema.tables", Kind.TABLES),
        ("SELECT c.relname FROM pg_catalog.pg_class c, patient", Kind.TABLES),
        ("WITH t AS (SELECT COUNT(*) AS n FROM patient) SELECT n FROM t", Kind.QUESTION),
        ("EXPLAIN (FORMAT JSON) SELECT 1", Kind.EXPLAIN),
        ("COPY (SELECT 1) TO STDOUT (FORMAT binary)", Kind.COPY),
        ("begin", Kind.COMMAND),
        ("SHOW ALL", Kind.COMMAND),
    ],
)
def test_kinds(text: str, kind: Kind) -> None:
    assert kind_of(written(text)[0], {"patient"}).kind is kind


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("INSERT INTO patient VALUES (1)", "25006"),
        ("DROP TABLE patient", "25006"),
        ("COPY patient TO STDOUT", "25006"),
        ("COPY patient FROM STDIN", "25006"),
        ("COPY (DELETE FROM patient) TO STDOUT", "25006"),
        ("COPY (SELECT 1) TO '/tmp/x'", "25006"),
        ("COPY (SELECT 1) TO STDOUT (DELIMITER 'x')", "0A000"),
        ("EXPLAIN ANALYZE SELECT 1", "0A000"),
        ("EXPLAIN (ANALYZE) SELECT 1", "0A000"),
        ("EXPLAIN DELETE FROM patient", "42601"),
        ("DECLARE c CURSOR FOR SELECT 1", "0A000"),
        ("CALL f()", "0A000"),
        ("hello", "42601"),
    ],
)
def test_nothing_else_is_taken(text: str, state: str) -> None:
    with pytest.raises(Refusal) as refused:
        kind_of(written(text)[0], {"patient"})
    assert refused.value.state == state


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('SELECT "public"."patient"."sex" FROM "public"."patient"', 'SELECT "patient"."sex" FROM "patient"'),
        ("SELECT COUNT(*) FROM hospital.public.Patient p", "SELECT COUNT(*) FROM Patient p"),
        ("SELECT COUNT(*) FROM public . patient -- public.patient", "SELECT COUNT(*) FROM patient"),
        ("SELECT 'public.patient' FROM public.patient", "SELECT 'public.patient' FROM patient"),
        ("SELECT COUNT(*) FROM public.nothing", "SELECT COUNT(*) FROM public.nothing"),
        ("SELECT COUNT(*) FROM other.public.patient", "SELECT COUNT(*) FROM other.public.patient"),
        ("SELECT public.patient FROM public", "SELECT patient FROM public"),
        ("SELECT COUNT(*) FROM patient", "SELECT COUNT(*) FROM patient"),
    ],
)
def test_the_schema_that_tools_write_is_left_out(text: str, expected: str) -> None:
    assert unqualified(written(text)[0], {"patient"}, "hospital").text == expected
