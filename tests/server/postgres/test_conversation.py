"""What one client says and is told: answers, settings, transactions, errors, portals."""

import datetime as dt
import threading
import time
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from privet.server.desk import Asker
from privet.server.settings import Settings
from tests.support.wire_server import Line, Served, fields, message, opening, raw, served, signed_in, wire_hospital

COUNT = "SELECT COUNT(*) AS n FROM patient"
BY_SEX = "SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex"


def notices(client: psycopg.Connection) -> list[str]:
    found: list[str] = []
    client.add_notice_handler(lambda said: found.append(said.message_primary or ""))
    return found


def test_an_answer_has_intervals_and_says_what_it_cost_and_a_repeat_is_free(client: psycopg.Connection) -> None:
    said = notices(client)
    client.execute("SET privet.epsilon = '0.25'")
    first = client.execute(BY_SEX)
    assert first.description is not None
    assert [column.name for column in first.description] == ["sex", "n", "n_low", "n_high"]
    rows = first.fetchall()
    assert [row[0] for row in rows] == ["F", "M"]
    assert all(row[2] <= row[1] <= row[3] for row in rows)
    assert client.execute(BY_SEX).fetchall() == rows
    assert said[0].startswith("spent ε=0.25, δ=0 per patient; ε=")
    assert said[1].startswith("repeated: free; ε=")
    assert said[0].partition(";")[2] == said[1].partition(";")[2]


def test_bi_tools_write_the_schema_and_comments_and_get_the_same_answer(client: psycopg.Connection) -> None:
    plain = client.execute("SELECT patient.blood, COUNT(*) AS n FROM patient GROUP BY patient.blood").fetchall()
    said = notices(client)
    tool = '/* a tool */ SELECT "public"."patient"."blood", COUNT(*) AS "n" FROM "public"."patient" '
    found = client.execute(f'{tool} GROUP BY "public"."patient"."blood" LIMIT 2000')
    assert [column.name for column in found.description or ()] == ["blood", "n", "n_low", "n_high"]
    assert len(found.fetchall()) == len(plain)
    client.execute('-- dashboard 7\nSELECT patient.blood, COUNT(*) AS n FROM "public".patient GROUP BY patient.blood')
    assert [each.partition(" ")[0].rstrip(":") for each in said] == ["spent", "repeated"]


def test_intervals_can_be_left_out_and_notices_be_silent(client: psycopg.Connection) -> None:
    said = notices(client)
    client.execute("SET client_min_messages = warning; SET privet.intervals = off; SET privet.epsilon = 2")
    found = client.execute(BY_SEX)
    assert [column.name for column in found.description or ()] == ["sex", "n"]
    assert said == []


def test_parameters_are_values_in_text_and_in_binary(client: psycopg.Connection) -> None:
    text = "SELECT COUNT(*) AS n FROM visit WHERE day >= %s AND cost < %s AND clinic <> %s"
    values = (dt.date(2024, 3, 1), 4000.5, "x' OR '1'='1")
    found = client.execute(text, values, binary=True).fetchone()
    assert found == client.execute(text, values).fetchone()
    assert client.execute(f"{COUNT} WHERE sex = %b", ("x' OR '1'='1",)).fetchone() is not None


def test_explain_costs_nothing_and_tells_the_price(client: psycopg.Connection, server: Served) -> None:
    before = server.desk.ledger.spent
    lines = [row[0] for row in client.execute(f"EXPLAIN {COUNT}")]
    assert lines[0].startswith("this costs ε 1 per patient")
    assert any("±" in line for line in lines)
    assert '"price"' in client.execute(f"EXPLAIN (FORMAT JSON) {COUNT}").fetchone()[0]  # type: ignore[index] # one row
    assert server.desk.ledger.spent == before


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        ("SELECT * FROM patient", "0A000", "GROUP BY sex"),
        ("SELECT age FROM patient LIMIT 10", "0A000", "GROUP BY sex"),
        ("DELETE FROM patient", "25006", "EXPLAIN"),
        ("SELECT COUNT(*) FROM nothing", "0A000", ""),
        ("SET privet.epsilom = 1", "42704", ""),
        ("SET privet.epsilon = 'x'", "22023", "0.1"),
        ("SET privet.intervals = maybe", "22023", ""),
        ("SET privet.rows_per_unit = '1; x'", "22023", ""),
        ("SET client_encoding = latin1", "22023", ""),
        ("SET ROLE bob", "42501", ""),
        ("SET SESSION AUTHORIZATION bob", "42501", ""),
        ("SHOW nothing", "42704", ""),
        ("SELECT set_config('privet.epsilon', '0.1', false)", "0A000", ""),
        ("SELECT current_setting('privet.epsilon')", "0A000", ""),
        ("COPY patient FROM STDIN", "25006", ""),
        ("SELECT 'x", "42601", ""),
        ("SELECT $1", "42P02", ""),
        ("SAVEPOINT x", "25P01", ""),
    ],
)
def test_refusals_have_a_state_a_hint_and_leave_the_connection_whole(
    client: psycopg.Connection, text: str, state: str, said: str
) -> None:
    with pytest.raises(psycopg.Error) as refused:
        client.execute(text)
    assert refused.value.sqlstate == state
    assert said in (refused.value.diag.message_hint or "")
    assert client.execute("SELECT 1").fetchone() == (1,)


def test_a_setting_of_privet_is_not_changed_by_a_parameter_of_a_function(client: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="SET and SHOW alone"):
        client.execute("SELECT set_config(%s, '0.1', false)", ("privet.epsilon",))


def test_what_does_not_fit_the_budget_is_refused_with_a_hint(client: psycopg.Connection, server: Served) -> None:
    before = server.desk.ledger.spent
    client.execute("SET privet.epsilon = 1000000")
    with pytest.raises(errors.ConfigurationLimitExceeded) as refused:
        client.execute(f"{COUNT} WHERE age > 1")
    assert "smaller epsilon" in (refused.value.diag.message_hint or "")
    assert server.desk.ledger.spent == before


def test_a_key_belongs_to_one_question(client: psycopg.Connection) -> None:
    client.execute("SET privet.key = 'k1'")
    first = client.execute(f"{COUNT} WHERE age > 2").fetchone()
    assert client.execute(f"{COUNT} WHERE age > 2").fetchone() == first
    with pytest.raises(errors.UniqueViolation):
        client.execute(f"{COUNT} WHERE age > 3")


def test_asking_afresh_costs_again(client: psycopg.Connection) -> None:
    said = notices(client)
    client.execute("SET privet.fresh = on")
    client.execute(f"{COUNT} WHERE age > 4")
    client.execute(f"{COUNT} WHERE age > 4")
    assert [each.split(" ")[0] for each in said] == ["spent", "spent"]


def test_transactions_take_back_what_was_set_and_nothing_else(server: Served) -> None:
    with psycopg.connect(server.address()) as client:
        client.execute("SET privet.epsilon = 0.5")
        client.commit()
        with client.transaction():
            client.execute("SET LOCAL privet.epsilon = 0.25")
            assert client.execute("SHOW privet.epsilon").fetchone() == ("0.25",)
        assert client.execute("SHOW privet.epsilon").fetchone() == ("0.5",)
        client.execute("SET privet.epsilon = 0.125")
        client.rollback()
        assert client.execute("SHOW privet.epsilon").fetchone() == ("0.5",)
        with pytest.raises(errors.FeatureNotSupported):
            client.execute("SELECT * FROM patient")
        assert client.info.transaction_status.name == "INERROR"
        with pytest.raises(errors.InFailedSqlTransaction):
            client.execute("SELECT 1")
        client.rollback()
        with client.transaction(), client.transaction():
            assert client.execute("SELECT 1").fetchone() == (1,)
        assert client.info.transaction_status.name == "IDLE"


def test_settings_come_with_the_connection(server: Served) -> None:
    options = "-c privet.epsilon=0.0625 -c privet.purpose=weekly\\\\ report"
    with psycopg.connect(server.address(options=options), autocommit=True) as client:
        said = notices(client)
        client.execute(f"{COUNT} WHERE age > 5")
        assert said[0].startswith("spent ε=0.0625")
        client.execute("SET privet.epsilon = 1; RESET ALL")
        assert client.execute("SHOW privet.epsilon").fetchone() == ("0.0625",)
        assert client.execute("SHOW privet.purpose").fetchone() == ("weekly report",)
    assert any(entry.purpose == "weekly report" for entry in server.desk.ledger.entries)


def test_several_statements_in_one_message_stop_at_the_first_error(server: Served) -> None:
    with signed_in(server) as line:
        told = line.ask(message(b"Q", b"SELECT 1; SELECT 2; SELECT * FROM patient; SELECT 3\0"))
        assert [each[:1] for each in told] == [b"T", b"D", b"C", b"T", b"D", b"C", b"E", b"Z"]
        assert [each[:1] for each in line.ask(message(b"Q", b" ; -- nothing\n\0"))] == [b"I", b"Z"]


def test_rows_are_fetched_in_parts_and_errors_last_until_sync(server: Served) -> None:
    parse = message(b"P", b"s\0SELECT blood, COUNT(*) AS n FROM patient GROUP BY blood\0\0\0")
    bind = message(b"B", b"p\0s\0\0\0\0\0\0\0")
    fetch = message(b"E", b"p\0\0\0\0\4")
    with signed_in(server) as line:
        begun = message(b"Q", b"BEGIN\0")
        line.ask(begun)
        told = line.ask(parse, bind, message(b"D", b"Pp\0"), fetch, fetch, message(b"S"))
        assert [each[:1] for each in told] == [b"1", b"2", b"T", *[b"D"] * 4, b"N", b"s", b"D", b"D", b"C", b"Z"]
        assert told[-1] == b"ZT"
        wrong = line.ask(message(b"E", b"none\0\0\0\0\0"), parse, bind, message(b"S"))
        assert [each[:1] for each in wrong] == [b"E", b"Z"]
        assert fields(wrong[0])["C"] == "34000"
        assert wrong[-1] == b"ZE"
        assert line.ask(message(b"Q", b"ROLLBACK\0"))[-1] == b"ZI"
        again = line.ask(parse, message(b"S"))
        assert fields(again[0])["C"] == "42P05"
        closed = line.ask(message(b"C", b"Ss\0"), parse, message(b"D", b"Ss\0"), message(b"S"))
        assert [each[:1] for each in closed] == [b"3", b"1", b"t", b"T", b"Z"]


def test_a_described_answer_has_the_described_columns(server: Served) -> None:
    text = b"SELECT sex, COUNT(*) AS n, MEDIAN(age) AS middle FROM patient WHERE age > $1 GROUP BY sex"
    with signed_in(server) as line:
        first = line.ask(message(b"P", b"\0" + text + b"\0\0\0"), message(b"D", b"S\0"), message(b"S"))
        assert first[1] == b"t\0\1" + (20).to_bytes(4)
        value = b"\0\0\0\1\0\0\0\x0240\0\0"
        bind = message(b"B", b"\0\0" + value)
        second = line.ask(
            message(b"P", b"\0" + text + b"\0\0\0"),
            bind,
            message(b"D", b"P\0"),
            message(b"E", b"\0\0\0\0\0"),
            message(b"S"),
        )
        assert first[2] == second[2]


def test_copies_come_as_text_csv_and_binary(client: psycopg.Connection) -> None:
    client.execute("SET privet.epsilon = 3")
    expected = client.execute(BY_SEX).fetchall()
    with client.cursor() as cursor:
        with cursor.copy(f"COPY ({BY_SEX}) TO STDOUT") as copy:
            assert [tuple(row) for row in copy.rows()] == [tuple(map(str, row)) for row in expected]
        with cursor.copy(f"COPY ({BY_SEX}) TO STDOUT (FORMAT csv, HEADER)") as copy:
            lines = b"".join(copy).decode().splitlines()
        assert lines == ["sex,n,n_low,n_high", *(",".join(map(str, row)) for row in expected)]
        with cursor.copy(f"COPY ({BY_SEX}) TO STDOUT (FORMAT binary)") as copy:
            copy.set_types(["text", "int8", "int8", "int8"])
            assert list(copy.rows()) == expected


def test_canceling_stops_waiting_and_the_answer_is_kept(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    go, began = threading.Event(), threading.Event()
    ask = server.desk.ask

    def slow(*about: object, **more: object) -> object:
        began.set()
        go.wait(10)
        return ask(*about, **more)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr(server.desk, "ask", slow)
    text = f"{COUNT} WHERE age > 6"
    with psycopg.connect(server.address(), autocommit=True) as client:
        said = notices(client)

        def cancel() -> None:
            began.wait(10)
            client.cancel_safe()

        canceler = threading.Thread(target=cancel)
        canceler.start()
        with pytest.raises(errors.QueryCanceled, match="stays spent"):
            client.execute(text)
        canceler.join()
        go.set()
        until = time.monotonic() + 10
        while not any(each.text == text for each in server.desk.history(_asker(server))) and time.monotonic() < until:
            time.sleep(0.01)
        client.execute(text)
        assert said[0].startswith("repeated: free")


@pytest.mark.parametrize(("minor", "told", "length"), [(0, b"K", 9), (2, b"K", 37), (1, b"v", 9), (9999, b"v", 37)])
def test_minor_versions_of_the_protocol(server: Served, minor: int, told: bytes, length: int) -> None:
    with raw(server) as found:
        line = Line(found)
        first = bytearray(opening(user="token", **({"_pq_.wish": "x"} if minor == 9999 else {})))
        first[6:8] = minor.to_bytes(2)
        found.sendall(bytes(first) + message(b"p", server.token.encode() + b"\0"))
        came = line.until(b"Z")
        assert told in {each[:1] for each in came}
        assert next(len(each) for each in came if each[:1] == b"K") == length
        if minor == 9999:
            assert came[0] == b"v" + (3 << 16 | 2).to_bytes(4) + (1).to_bytes(4) + b"_pq_.wish\0"


def test_answers_and_refusals_leave_at_public_steps(tmp_path: Path) -> None:
    settings = Settings(postgres_port=0, answer_after=(0.2,))
    with (
        served(wire_hospital(tmp_path), settings=settings) as paced,
        psycopg.connect(paced.address(), autocommit=True) as client,
    ):
        for text in (COUNT, COUNT, "SELECT age FROM patient", f"EXPLAIN {COUNT}"):
            began = time.monotonic()
            try:
                client.execute(text)
            except errors.FeatureNotSupported:
                assert text.startswith("SELECT age")
            assert time.monotonic() - began >= 0.2


def test_a_clients_own_limit_of_time_holds(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    monkeypatch.setattr(server.desk, "ask", lambda *_, **__: go.wait(10))
    with psycopg.connect(server.address(), autocommit=True) as client:
        client.execute("SET statement_timeout = '20ms'")
        with pytest.raises(errors.QueryCanceled):
            client.execute(f"{COUNT} WHERE age > 7")
        go.set()


def _asker(server: Served) -> Asker:
    found = server.people.active("ada")
    assert found is not None
    return Asker.of(found, "postgres")
