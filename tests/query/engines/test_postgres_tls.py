"""TLS to PostgreSQL: the right certificate leads to an answer; another does not, and nothing is spent."""

import datetime as dt
import shutil
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import privet
from privet.core import Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.query.backends.postgres.address import Address
from privet.query.backends.postgres.connection import connect
from privet.query.catalog import Catalog, DeclaredTable
from tests.support.engines import engine_of
from tests.support.hospital import number
from tests.support.on_postgres import Postgres
from tests.support.postgres import tls_server

psycopg = pytest.importorskip("psycopg")
SSL_REQUEST = bytes.fromhex("0000000804d2162f")
COUNT = "SELECT COUNT(*) AS n FROM people"
NO_TLS = "no PostgreSQL of the system (Debian: apt-get install postgresql), and the one from a wheel has no TLS"


# --- certificates that nobody else trusts ---


@dataclass(frozen=True)
class Certificates:
    """A folder with those of an authority (ca.pem), of a server called localhost, and of another authority."""

    folder: Path

    def __getitem__(self, name: str) -> Path:
        return self.folder / name


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder = tmp_path_factory.mktemp("certificates")
    own, other, its = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
    _write(folder / "ca.pem", _signed("authority", own, "authority", own))
    _write(folder / "other.pem", _signed("authority", other, "authority", other))
    _write(folder / "server.pem", _signed("localhost", its, "authority", own))
    secret = its.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.key").write_bytes(secret)
    return Certificates(folder)


def _write(file: Path, certificate: x509.Certificate) -> None:
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _signed(
    name: str, key: ec.EllipticCurvePrivateKey, issuer: str, by: ec.EllipticCurvePrivateKey
) -> x509.Certificate:
    def named(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    now = dt.datetime.now(dt.UTC)
    day = dt.timedelta(days=1)
    made = (
        x509.CertificateBuilder()
        .subject_name(named(name))
        .issuer_name(named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(x509.BasicConstraints(ca=key is by, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    )
    return made.sign(by, hashes.SHA256())


# --- servers that offer TLS ---


@contextmanager
def fronted(path: str, certificates: Certificates) -> Iterator[int]:
    """A port that speaks TLS and hands on to a server that does not, by its socket."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates["server.pem"], certificates["server.key"])
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def listen() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=hand_on, args=(client,), daemon=True).start()

        def hand_on(client: socket.socket) -> None:
            with client, suppress(OSError):
                if client.recv(8) != SSL_REQUEST:  # without TLS nobody is let in
                    return
                client.sendall(b"S")
                with context.wrap_socket(client, server_side=True) as inner, socket.socket(socket.AF_UNIX) as behind:
                    behind.connect(path)
                    back = threading.Thread(target=_copy, args=(behind, inner), daemon=True)
                    back.start()
                    _copy(inner, behind)
                    back.join()

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


@contextmanager
def _front(certificates: Certificates) -> Iterator[int]:
    found = engine_of("postgres")
    assert isinstance(found, Postgres)
    info = found.admin.info
    with fronted(f"{info.host}/.s.PGSQL.{info.port}", certificates) as port:
        yield port


@contextmanager
def _own(certificates: Certificates) -> Iterator[int]:
    with tls_server(certificates["server.pem"], certificates["server.key"]) as port:
        if port is None:
            pytest.skip(NO_TLS)
        yield port


@pytest.fixture(scope="module", params=[_front, _own], ids=["in front of a server", "of the server"])
def port(request: pytest.FixtureRequest, certificates: Certificates) -> Iterator[int]:
    with request.param(certificates) as found:
        place = f"postgresql://postgres@localhost:{found}/postgres?sslmode=require"
        with psycopg.connect(place, autocommit=True) as admin:
            admin.execute("CREATE SCHEMA tls; CREATE TABLE tls.people (id bigint, age integer)")
            admin.execute("INSERT INTO tls.people VALUES (1, 30), (2, 40)")
            yield found
            admin.execute("DROP SCHEMA tls CASCADE")


# --- asking ---


def catalog(port: int, folder: Path, *, host: str = "localhost", **words: str) -> Catalog:
    query = "&".join(f"{word}={quote(value, safe='')}" for word, value in words.items())
    source = f"postgresql://postgres@{host}:{port}/postgres?gssencmode=disable&{query}"
    table = DeclaredTable("people", {"age": number(0, 110)}, unit_column="id", location="tls.people")
    ledger = f"sqlite:///{folder}/ledger.db"
    return Catalog("clinic", Unit("person"), Guarantee(10, "1e-3"), {"people": table}, source=source, ledger=ledger)


def answered(catalog: Catalog) -> None:
    with privet.connect(catalog) as session:
        assert session.sql(COUNT, epsilon=1).table.num_rows == 1
    with connect(Address.of(catalog.source)) as connection:
        assert connection.pgconn.ssl_in_use


def refused(catalog: Catalog) -> None:
    with pytest.raises(InvalidParameter, match="check host, database, user, password and sslmode") as told:
        privet.connect(catalog)
    assert "certificate" not in str(told.value)  # as libpq would say it


def spent(folder: Path) -> float:
    with privet.Ledger.open(f"sqlite:///{folder}/ledger.db", dataset="clinic") as ledger:
        return float(ledger.spent.epsilon)


def test_a_certificate_named_in_the_address(port: int, certificates: Certificates, tmp_path: Path) -> None:
    right = {"sslmode": "verify-full", "sslrootcert": str(certificates["ca.pem"])}
    answered(catalog(port, tmp_path, **right))
    assert spent(tmp_path) == 1
    refused(catalog(port, tmp_path, **right | {"sslrootcert": str(certificates["other.pem"])}))
    refused(catalog(port, tmp_path, **right | {"sslrootcert": str(certificates["none.pem"])}))
    refused(catalog(port, tmp_path, host="127.0.0.1", **right))  # which is not the name in the certificate
    assert spent(tmp_path) == 1


def test_a_certificate_named_in_the_environment(
    port: int, certificates: Certificates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = catalog(port, tmp_path)
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    monkeypatch.setenv("PGSSLROOTCERT", str(certificates["ca.pem"]))
    answered(asked)
    monkeypatch.setenv("PGSSLROOTCERT", str(certificates["other.pem"]))
    refused(asked)
    assert spent(tmp_path) == 1


def test_another_certificate_while_a_session_is_open(port: int, certificates: Certificates, tmp_path: Path) -> None:
    """Connections that are opened again are held to it as the first was."""
    root = tmp_path / "root.pem"
    shutil.copy(certificates["ca.pem"], root)
    with privet.connect(catalog(port, tmp_path, sslmode="verify-full", sslrootcert=str(root))) as session:
        session.sql(COUNT, epsilon=1)
        shutil.copy(certificates["other.pem"], root)
        session._backend._pool._idle.pop().close()  # type: ignore[attr-defined] # as if the server had hung up
        with pytest.raises(InvalidParameter, match="cannot be reached"):
            session.sql(COUNT, epsilon=1)
        assert session.ledger.spent.epsilon == 1
        shutil.copy(certificates["ca.pem"], root)
        assert session.sql(COUNT, epsilon=1).table.num_rows == 1
