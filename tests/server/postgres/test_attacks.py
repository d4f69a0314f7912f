"""Those who want in without a name, want more than they may, or want the door to break."""

import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from privet.errors import InvalidParameter
from privet.server.certificates import localhost_certificate
from privet.server.people import TokenScope
from privet.server.postgres import PostgresDoor, WireLimits
from privet.server.postgres.messages import CANCEL_REQUEST, LARGEST_OPENING, SSL_REQUEST
from privet.server.postgres.sign_in import SignIn
from privet.server.settings import Settings
from tests.support.wire_server import (
    NAME,
    Line,
    Served,
    everything,
    fields,
    message,
    opening,
    raw,
    served,
    signed_in,
    wire_hospital,
)

ASK = message(b"Q", b"SELECT COUNT(*) FROM patient\0")
EARLY = [
    ASK,
    message(b"P", b"\0SELECT 1\0\0\0") + message(b"S"),
    message(b"p", b"") + ASK,
    message(b"p", b"SCRAM-SHA-256\0\0\0\0\0") + ASK,
    message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!I", 10) + b"n,,n=,r=ab") + ASK,
    message(b"X"),
    b"\0" * 100,
    b"Q" + b"\xff" * 100,
]


def kinds(answer: bytes) -> set[bytes]:
    line = Line(socket.socket(), answer + b"")
    line.socket.close()
    found = set()
    while len(line.held) >= 5 and len(line.held) >= 1 + int.from_bytes(line.held[1:5]):
        found.add(line.next()[:1])
    return found


@pytest.fixture(autouse=True)
def forgiven(server: Served) -> None:
    """What other tests guessed is forgotten."""
    server.door._sign_in.guesses._wrong.clear()


def refusal(answer: bytes) -> dict[str, str]:
    """The fields of an error that comes before anything else."""
    assert answer[:1] == b"E"
    return fields(answer[:1] + answer[5:])


@pytest.mark.parametrize("early", EARLY)
@pytest.mark.parametrize("user", [NAME, "token", "nobody", ""])
def test_nothing_is_answered_before_somebody_has_signed_in(server: Served, early: bytes, user: str) -> None:
    before = server.desk.ledger.spent
    for first in (b"", opening(user=user), opening(user=user, database="hospital", options="-c privet.epsilon=1")):
        with raw(server) as found:
            found.sendall(first + early)
            found.shutdown(socket.SHUT_WR)
            assert kinds(everything(found)) <= {b"R", b"E", b"v"}
    assert server.desk.ledger.spent == before


def test_names_with_and_without_an_account_lead_through_the_same_dialogue(server: Served) -> None:
    told = {}
    for user in (NAME, "nobody", "bob\U0001f600", "x" * 500):
        with raw(server) as found:
            line = Line(found)
            found.sendall(opening(user=user))
            shapes = [line.next()]
            found.sendall(message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!I", 12) + b"n,,n=,r=abcd"))
            challenge = line.next()
            shapes.append(challenge[:5] + bytes(len(challenge) - 5))
            nonce = challenge.split(b"r=")[1].split(b",")[0]
            found.sendall(message(b"p", b"c=biws,r=" + nonce + b",p=" + b"A" * 43 + b"="))
            told[user] = [*shapes, line.next(), everything(found)]
    assert all(said == told[NAME] for said in told.values())
    assert fields(told[NAME][2])["C"] == "28P01"
    assert NAME not in told[NAME][2].decode()


@pytest.mark.parametrize(
    "more",
    [
        {"user": "bob"},
        {"user": "nobody"},
        {"password": "a wrong sentence"},
        {"password": "x" * 250},
        {"user": "ada\\'--"},
    ],
)
def test_a_password_opens_its_own_account_alone(server: Served, more: dict[str, str]) -> None:
    with pytest.raises(psycopg.OperationalError, match="the name or the password is wrong"):
        psycopg.connect(server.address(**more))


def test_who_guesses_has_to_wait(tmp_path: Path) -> None:
    with served(wire_hospital(tmp_path)) as server:
        for _ in range(5):
            with pytest.raises(psycopg.OperationalError, match="wrong"):
                psycopg.connect(server.address(password="a guessed sentence"))  # noqa: S106 - invented
        with pytest.raises(psycopg.OperationalError, match="wait"):
            psycopg.connect(server.address())


def token_refused(server: Served, token: str) -> bool:
    try:
        psycopg.connect(server.address(user="token", password=token)).close()
    except psycopg.OperationalError as refused:
        return "the name or the password is wrong" in str(refused)
    return False


def test_tokens_open_until_they_are_revoked_and_only_what_they_may(server: Served) -> None:
    person = server.people.add("carla", password="a third sentence")  # noqa: S106 - invented
    reads = server.people.make_token(person.name, label="reads", scopes=[TokenScope.READ])
    for wrong in ("x", server.token[:-1], server.token + "0", server.token.upper(), "a third sentence"):
        assert token_refused(server, wrong), wrong
    server.people.tokens_of(NAME)
    with psycopg.connect(server.address(user="token", password=reads), autocommit=True) as client:
        assert client.execute("SELECT current_user").fetchone() == ("carla",)
        assert client.execute("EXPLAIN SELECT COUNT(*) FROM patient").fetchone() is not None
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="scope"):
            client.execute("SELECT COUNT(*) FROM patient")
    server.people.deactivate("carla")
    assert token_refused(server, reads)
    with pytest.raises(psycopg.OperationalError, match="wrong"):
        psycopg.connect(server.address(user="carla", password="a third sentence"))  # noqa: S106 - the same


def test_whoever_is_deactivated_asks_nothing_more_on_an_open_connection(server: Served) -> None:
    server.people.add("dora", password="a fourth sentence")  # noqa: S106 - invented
    with psycopg.connect(server.address(user="dora", password="a fourth sentence"), autocommit=True) as client:  # noqa: S106 - the same
        client.execute("SELECT COUNT(*) FROM patient")
        server.people.deactivate("dora")
        with pytest.raises(psycopg.Error):
            client.execute("SELECT COUNT(*) FROM patient WHERE age > 1")


def test_analysts_do_not_see_each_other(server: Served) -> None:
    said: list[str] = []
    text = "SELECT COUNT(*) AS n FROM patient WHERE age < 51"
    with psycopg.connect(server.address(), autocommit=True) as ada:
        ada.execute(text)
    with psycopg.connect(server.address(user="bob", password="another sentence"), autocommit=True) as bob:  # noqa: S106 - invented
        bob.add_notice_handler(lambda each: said.append(each.message_primary or ""))
        bob.execute(text)
        assert said[0].startswith("spent")
        assert bob.execute("SELECT rolname FROM pg_roles").fetchall() == [("privet",)]


@pytest.mark.parametrize("database", ["postgres", "other", "hospital\\'; x", "template1"])
def test_there_is_one_database(server: Served, database: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="there is no such database"):
        psycopg.connect(server.address(dbname=database))


@pytest.mark.parametrize(
    "said",
    [
        {"replication": "database"},
        {"client_encoding": "LATIN1"},
        {"options": "-c privet.epsilon=abc"},
        {"options": "--nothing"},
        {"options": "-c role=bob"},
        {"session_authorization": "bob"},
        {"is_superuser": "on"},
        {"x" * 100: "y"},
    ],
)
def test_first_messages_that_ask_for_more_are_refused(server: Served, said: dict[str, str]) -> None:
    with raw(server) as found:
        found.sendall(opening(user="token", **said) + message(b"p", server.token.encode() + b"\0") + ASK)
        found.shutdown(socket.SHUT_WR)
        assert b"D" not in kinds(everything(found)) or said == {"options": "-c role=bob"}


def test_nobody_cancels_with_a_guessed_key(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    go, began = threading.Event(), threading.Event()
    ask = server.desk.ask

    def slow(*about: object, **more: object) -> object:
        began.set()
        go.wait(10)
        return ask(*about, **more)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr(server.desk, "ask", slow)
    with raw(server) as found:
        line = Line(found)
        found.sendall(opening(user="token"))
        line.next()
        found.sendall(message(b"p", server.token.encode() + b"\0"))
        key = next(each for each in line.until(b"Z") if each[:1] == b"K")[1:]
        found.sendall(message(b"Q", b"SELECT COUNT(*) FROM patient WHERE age > 8\0"))
        assert began.wait(10)
        for wrong in (key[:4] + bytes(4), key[:4], key[:4] + b"\xff" * 300, bytes(8), key[:7], key + b"\0"):
            with raw(server) as other:
                other.sendall((8 + len(wrong)).to_bytes(4) + struct.pack("!I", CANCEL_REQUEST) + wrong)
                assert everything(other) in (b"", everything(other))
        go.set()
        assert [each[:1] for each in line.until(b"Z")] == [b"T", b"D", b"N", b"C", b"Z"]


@pytest.mark.parametrize(
    "stream",
    [
        b"Q\x7f\xff\xff\xff",
        b"Q\0\0\0\0",
        b"Q\0\0\0\3",
        message(b"Q", b"SELECT 1"),
        message(b"Q", b"SELECT 1\0SELECT 2\0"),
        message(b"p", b"x"),
        message(b"B", b"\0\0" + b"\xff" * 50),
        message(b"~", b""),
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_what_is_no_message_ends_the_connection_in_one_sentence(server: Served, stream: bytes) -> None:
    with signed_in(server) as line:
        line.socket.sendall(stream)
        told = line.until(b"E")
        assert fields(told[-1])["S"] == "FATAL"
        assert everything(line.socket) == b""


def test_texts_that_are_no_utf8_are_refused_and_the_connection_goes_on(server: Served) -> None:
    with signed_in(server) as line:
        told = line.ask(message(b"Q", b"SELECT '\xc3\x28'\0"))
        assert (fields(told[0])["C"], told[-1]) == ("22021", b"ZI")
        told = line.ask(message(b"P", b"\xff\0SELECT 1\0\0\0"), message(b"S"))
        assert (fields(told[0])["C"], told[-1]) == ("22021", b"ZI")
        bind = message(b"B", b"\0\0\0\0\0\1\0\0\0\2\xc3\x28\0\0")
        told = line.ask(message(b"P", b"\0SELECT $1\0\0\0"), bind, message(b"S"))
        assert (fields(told[1])["C"], told[-1]) == ("22021", b"ZI")
        value = message(b"B", b"\0\0\0\0\0\1\0\0\0\3a\0b\0\0")
        told = line.ask(message(b"P", b"\0SELECT $1\0\0\0"), value, message(b"S"))
        assert fields(told[1])["C"] == "22P02"
        assert b"D" in {each[:1] for each in line.ask(message(b"Q", b"SELECT 1\0"))}


def test_a_connection_holds_no_more_than_it_may(server: Served) -> None:
    with signed_in(server) as line:
        many = [message(b"P", b"s%d\0SELECT 1\0\0\0" % place) for place in range(510)]
        told = line.ask(*many, message(b"S"))
        assert fields(told[-2])["C"] == "54000"
        portals = [message(b"B", b"p%d\0s1\0\0\0\0\0\0\0" % place) for place in range(110)]
        told = line.ask(message(b"Q", b"BEGIN\0"))
        told = line.ask(*portals, message(b"S"))
        assert fields(told[-2])["C"] == "54000"
        large = message(b"Q", b"SELECT '" + b"x" * 2_000_000 + b"'\0")
        line.socket.sendall(large[:1_500_000])
        assert any(fields(each).get("S") == "FATAL" for each in line.until(b"E"))


def test_series_of_messages_that_never_end_are_read_in_parts(server: Served) -> None:
    with signed_in(server, timeout=20) as line:
        stream = b"".join([message(b"H"), message(b"D", b"Snothing\0")] * 20_000) + message(b"S")
        sender = threading.Thread(target=line.socket.sendall, args=(stream,))
        sender.start()
        told = line.until(b"Z")
        sender.join()
        assert [each[:1] for each in told] == [b"E", b"Z"]


def test_values_and_settings_stay_what_they_are(server: Served) -> None:
    with psycopg.connect(server.address(), autocommit=True) as client:
        for value in ("'; DROP TABLE patient; --", "\\'; SELECT 1; --", "$$", "/*", "%s", "a" * 5_000):
            rows = client.execute("SELECT COUNT(*) AS n FROM patient WHERE sex = %s", (value,)).fetchall()
            assert len(rows) == 1
            assert client.execute("SELECT %s::text", (value,)).fetchone() == (value,)
        purpose = "x'; SET privet.epsilon = 100; --"
        client.execute(f"SET privet.purpose = '{purpose.replace(chr(39), chr(39) * 2)}'")
        assert client.execute("SHOW privet.purpose").fetchone() == (purpose,)
        assert client.execute("SHOW privet.epsilon").fetchone() == ("",)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Served]:
    limits = WireLimits(connections=4, opening=2, seconds_to_sign_in=0.3, seconds_idle=0.5, seconds_to_send=0.5)
    with served(wire_hospital(tmp_path), limits=limits) as found:
        yield found


def test_connections_that_say_nothing_are_ended(small: Served) -> None:
    with raw(small) as silent, raw(small) as half, raw(small) as third:
        half.sendall(opening(user=NAME)[:10])
        assert refusal(everything(third))["C"] == "53300"
        for each in (silent, half):
            assert refusal(everything(each))["S"] == "FATAL"
    with signed_in(small) as line:
        assert fields(line.next())["C"] == "57P05"
    with signed_in(small), signed_in(small), signed_in(small), signed_in(small), raw(small) as fifth:
        assert refusal(everything(fifth))["C"] == "53300"
    _gone(small)


def test_a_client_that_does_not_listen_is_let_go(small: Served) -> None:
    with signed_in(small) as line:
        line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        many = message(b"Q", b"SELECT * FROM pg_catalog.pg_type" + b";SELECT * FROM pg_catalog.pg_type" * 400 + b"\0")
        line.socket.sendall(many)
        _gone(small, seconds=20)


def _gone(server: Served, seconds: float = 5) -> None:
    until = time.monotonic() + seconds
    while server.door.connections and time.monotonic() < until:
        time.sleep(0.02)
    assert server.door.connections == 0


def test_what_goes_wrong_inside_is_one_sentence(
    server: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> object:
        raise RuntimeError("row 7 of /data/patients.parquet is 'Eve'")

    monkeypatch.setattr(server.desk, "ask", broken)
    with psycopg.connect(server.address(), autocommit=True) as client:
        with pytest.raises(psycopg.errors.InternalError_) as told:
            client.execute("SELECT COUNT(*) FROM patient")
        assert "Eve" not in str(told.value)
    monkeypatch.setattr(server.door._tables, "answer", broken)
    with psycopg.connect(server.address(), autocommit=True) as client, pytest.raises(psycopg.Error) as also:
        client.execute("SELECT 1")
    assert "Eve" not in str(also.value) + caplog.text


# --- TLS ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = localhost_certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with served(wire_hospital(folder), tls=context) as found:
        yield found, certificate


def test_tls_with_a_certificate_that_is_checked(secured: tuple[Served, Path]) -> None:
    server, certificate = secured
    more = {"sslmode": "verify-full", "sslrootcert": str(certificate), "host": "localhost", "hostaddr": server.host}
    with psycopg.connect(server.address(**more), autocommit=True) as client:
        assert client.pgconn.ssl_in_use
        assert client.execute("SELECT COUNT(*) FROM patient").fetchone() is not None
    with psycopg.connect(server.address(**more, user="token", password=server.token)) as client:
        assert client.execute("SELECT current_user").fetchone() == (NAME,)


def test_bytes_between_the_wish_for_tls_and_its_beginning_end_the_connection(secured: tuple[Served, Path]) -> None:
    wish = struct.pack("!II", 8, SSL_REQUEST)
    for rest in (opening(user="token"), b"\0", ASK):
        with raw(secured[0]) as found:
            found.sendall(wish + rest)
            assert everything(found)[:1] == b"E"
    for twice in (wish * 2, b"\x16\x03\x01\x02\0"):
        with raw(secured[0]) as found:
            found.sendall(twice)
            assert everything(found)[:1] == b"E"
    with raw(secured[0]) as found:
        found.sendall(wish)
        assert found.recv(1) == b"S"
        found.sendall(opening(user="token") + message(b"p", secured[0].token.encode() + b"\0"))
        assert b"Z" not in kinds(everything(found))


def test_without_tls_others_than_this_machine_are_refused(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SignIn, "_private", lambda *_: False)
    for user in ("token", NAME):
        with raw(server) as found:
            found.sendall(opening(user=user))
            assert refusal(everything(found))["C"] == "28000"


def test_a_door_to_other_machines_needs_tls(server: Served) -> None:
    with pytest.raises(InvalidParameter, match="with TLS only"):
        PostgresDoor(server.desk, server.people, Settings(host="0.0.0.0", behind_proxy=True))  # noqa: S104 - refused


def test_opening_messages_are_small(server: Served) -> None:
    with raw(server) as found:
        found.sendall(struct.pack("!II", LARGEST_OPENING + 1, 3 << 16))
        assert refusal(everything(found))["C"] == "08P01"
