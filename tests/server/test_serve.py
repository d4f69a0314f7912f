"""`privet serve` as people start it: a process, its doors, and its end."""

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.request import urlopen

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import privet
from privet.cli import app as cli
from privet.cli.serve import app
from privet.server.people import People, Role
from privet.server.serve import listening, welcome
from privet.server.settings import Settings

pytestmark = pytest.mark.whole
CATALOG = """
name = "clinic"
unit = "person"
limit = { epsilon = "50", delta = "1e-3" }
[tables.patient]
parquet = "patient.parquet"
unit_column = "pid"
columns.pid = { type = "integer" }
columns.age = { type = "integer", bounds = [0, 110] }
"""
COUNT = "SELECT COUNT(*) AS n FROM patient"
PATIENCE = 90  # seconds that a busy machine may take


def write_clinic(folder: Path) -> Path:
    pq.write_table(pa.table({"pid": range(500), "age": [each % 90 for each in range(500)]}), folder / "patient.parquet")
    (folder / "clinic.toml").write_text(CATALOG)
    return folder / "clinic.toml"


def owner(*words: str, catalog: Path) -> str:
    """What a command of the owner prints."""
    done = CliRunner().invoke(cli, [*words, "--catalog", str(catalog)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


def page(address: str, certificate: Path) -> str:
    context = ssl.create_default_context(cafile=certificate)
    with urlopen(address, context=context, timeout=PATIENCE) as found:  # noqa: S310 - of this file
        return str(found.read().decode())


@contextmanager
def serving(catalog: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """The process, its address, and what it has said until it was there."""
    command = [sys.executable, "-c", "from privet.cli import app; app()", "serve", str(catalog), "--port", "0"]
    with subprocess.Popen(  # noqa: S603 - of this file
        [*command, "--postgres-port", "0", *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    ) as process:
        assert process.stderr is not None
        said: list[str] = []
        address = None
        try:
            while address is None:
                line = process.stderr.readline()
                assert line, said
                said.append(line)
                found = re.search(r"is served at (https?://\S+)", line)
                address = found[1] if found else None
            yield process, address, said
        finally:
            process.kill()


def test_from_nothing_to_an_answer_and_to_an_end(tmp_path: Path) -> None:
    catalog = write_clinic(tmp_path)
    with serving(catalog, "--dev") as (process, address, said):
        secret = re.search(r"/console/invitation\?code=(\S+)", "".join(said))
        assert secret is not None, "there is no owner yet"
        assert address.startswith("https://localhost:")
        assert "<html" in page(f"{address}/", tmp_path / "localhost.pem")
        owner("people", "add", "bob", "--agent", "--epsilon", "3", catalog=catalog)
        token = owner("token", "new", "bob", "--scope", "ask", "--days", "3", catalog=catalog)
        with privet.connect(address, token=token, certificate=tmp_path / "localhost.pem") as session:
            answer = session.sql(COUNT, epsilon=1)
            assert session.sql(COUNT, epsilon=1) == answer
            assert session.ledger.remaining.epsilon == 2
        wire = re.search(r"postgresql://NAME@([\d.]+):(\d+)/clinic", "".join(said))
        assert wire is not None
        with psycopg.connect(
            host=wire[1], port=int(wire[2]), dbname="clinic", user="token", password=token, sslmode="require"
        ) as connection:
            connection.execute("SET privet.epsilon = '1'")
            assert connection.execute(COUNT).fetchall()[0][0] == answer.rows[0]["n"], "asked before, at another door"
        people = People.open(f"sqlite:///{tmp_path / 'clinic.people.db'}")
        assert people.invited(secret[1]) is not None
        people.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    again = privet.connect(catalog, analyst="bob")
    assert again.ledger.remaining.epsilon == 2, "doors and sessions share one ledger"
    again.close()


@pytest.mark.soak
def test_several_processes_share_a_ledger_and_one_that_dies_comes_again(tmp_path: Path) -> None:
    catalog = write_clinic(tmp_path)
    with serving(catalog, "--workers", "2") as (process, address, _):
        owner("people", "add", "bob", "--agent", catalog=catalog)
        token = owner("token", "new", "bob", catalog=catalog)
        with privet.connect(address, token=token) as session:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            for place in range(6):
                session.sql(COUNT, epsilon=1, purpose=str(place))
                if place == 2:
                    for child in children:
                        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                            os.kill(int(child), signal.SIGKILL)
                            break
            assert session.ledger.remaining.epsilon == 50 - 6
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--host", "0.0.0.0"], "needs TLS"),  # noqa: S104 - refused
        (["--port", "70000"], "between 0 and 65535"),
        (["--answer-after", "x"], "seconds with commas"),
        (["--certificate", "a.pem"], "go together"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_sentence(tmp_path: Path, words: list[str], sentence: str) -> None:
    done = CliRunner().invoke(app, [str(write_clinic(tmp_path)), *words])
    assert done.exit_code == 1
    assert sentence in done.stderr


def test_who_lost_the_link_of_the_first_owner_gets_another_at_the_next_start(tmp_path: Path) -> None:
    settings = Settings(catalog=write_clinic(tmp_path), people="sqlite:///" + str(tmp_path / "people.db"))
    said: list[str] = []

    def invited() -> str:
        welcome(settings, said.append)
        return said[0].split("code=")[1].split(" ")[0] if "become the owner" in said[0] else ""

    first = invited()
    said.clear()
    second = invited()
    with closing(People.open(settings.people)) as people:
        people.add("bob", role=Role.ANALYST)  # not an owner
        assert people.invited(first) is None
        people.accept_invitation(second, "a long word of mine")
    said.clear()
    assert invited() == ""


def test_replies_do_not_wait_for_the_other_side() -> None:
    with closing(listening("127.0.0.1", 0)) as here:
        near = socket.create_connection(here.getsockname())
        accepted, _ = here.accept()
        with closing(near), closing(accepted):
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
