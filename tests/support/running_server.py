"""A real server, started as its owner starts it: `privet serve` in a process of its own, with analysts who may ask."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from privet.core import Ledger
from privet.server.people import People
from privet.server.people.password import Work

PASSWORD = "a password of many letters"  # noqa: S105 - of invented people
READY = 90.0  # seconds that a server has to come up, on a machine that is busy
TOWNS = ("Bern", "Chur", "Genf")
CATALOG = """\
name = "people"
unit = "person"
limit = {{ epsilon = "{limit}" }}
{ledger}
[tables.patient]
parquet = "patient.parquet"
unit_column = "pid"
columns.pid = {{ type = "integer" }}
columns.age = {{ type = "integer", bounds = [0, 110] }}
columns.town = {{ type = "text", values = ["Bern", "Chur", "Genf"] }}
"""


@dataclass
class RunningServer:
    """A server that runs.

    Args:
        folder: with its catalog.
        process: the first of its processes.
        port: of HTTP.
        postgres_port: of the PostgreSQL wire; None if that door is closed.
        tokens: of analysts, by name.
        ledger: the journal's address.
        alone: whether there is one process.
    """

    folder: Path
    process: subprocess.Popen[bytes]
    port: int
    postgres_port: int | None
    ledger: str
    alone: bool = True
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def catalog(self) -> Path:
        """Its catalog."""
        return self.folder / "people.toml"

    def workers(self) -> list[int]:
        """The processes that answer: the children of the first, where there are several; else it is the first."""
        if self.alone:
            return [self.process.pid]
        while not (found := children(self.process.pid)):
            time.sleep(0.05)
        return found

    def memory(self) -> int:
        """Bytes of all its processes together."""
        return sum(map(resident, {self.process.pid, *self.workers()}))

    def wait(self) -> None:
        """Until it answers."""
        end = time.monotonic() + READY
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server has ended: {self.log()}")
            try:
                if asked(self.port, "GET", "/readyz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"the server does not answer: {self.log()}")

    def log(self) -> str:
        """What it has logged."""
        return (self.folder / "log").read_text(encoding="utf-8")[-3000:]

    def open_ledger(self) -> Ledger:
        """Its ledger, as its owner opens it."""
        return Ledger.open(self.ledger)


@contextmanager
def running_server(  # noqa: PLR0913 - what a server is, each by name
    folder: Path,
    *,
    analysts: Mapping[str, str | None],
    limit: str = "1000000",
    rows: int = 1000,
    ledger: str | None = None,
    people: str | None = None,
    postgres: bool = True,
    **settings: object,
) -> Iterator[RunningServer]:
    """Start a server, and stop it.

    Args:
        folder: a new one.
        analysts: names, and the cap on ε of each that has one.
        limit: on ε, of all together.
        rows: people in the table.
        ledger: the journal's address, if not a file beside the catalog.
        people: where accounts are, likewise.
        postgres: whether the PostgreSQL door is open.
        settings: as a file of settings says them.
    """
    folder.mkdir(exist_ok=True)
    made = _files(folder, rows=rows, limit=limit, ledger=ledger)
    address = people or f"sqlite:///{folder}/people.people.db"
    tokens = _accounts(address, analysts)
    port, postgres_port = free_port(), free_port()
    said = {
        "port": port,
        "postgres": postgres,
        "postgres_port": postgres_port,
        "people": address,
        "requests_per_minute": 10**6,
        "console": False,
        "statements_at_once": 16,
        "statements_per_person": 8,
        **settings,
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in said.items()]
    (folder / "settings.toml").write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-c", "from privet.cli import app; app()", "serve", "people.toml"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [*command, "--config", "settings.toml"],
            cwd=folder,
            stdout=log,
            stderr=log,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
        server = RunningServer(
            folder, process, port, postgres_port if postgres else None, made, "workers" not in said, tokens
        )
        try:
            server.wait()
            _caps(server, analysts)
            yield server
        finally:
            _stop(process)


def _files(folder: Path, *, rows: int, limit: str, ledger: str | None) -> str:
    each = range(rows)
    table = pa.table({"pid": list(each), "age": [n % 90 for n in each], "town": [TOWNS[n % 3] for n in each]})
    pa.parquet.write_table(table, folder / "patient.parquet")
    line = "" if ledger is None else f"ledger = {json.dumps(ledger)}"
    (folder / "people.toml").write_text(CATALOG.format(limit=limit, ledger=line), encoding="utf-8")
    return ledger or f"sqlite:///{folder}/people.ledger.db"


def _accounts(address: str, analysts: Mapping[str, str | None]) -> dict[str, str]:
    people = People.open(address, work=Work(16, 8, 1), iterations=4096)
    with closing(people):
        for name in analysts:
            people.add(name, password=PASSWORD)
        return {name: people.make_token(name, label="a test") for name in analysts}


def _caps(server: RunningServer, analysts: Mapping[str, str | None]) -> None:
    """Set as the owner sets them."""
    for name, cap in analysts.items():
        if cap is not None:
            command = ["-c", "from privet.cli import app; app()", "ledger", "cap", server.ledger, "--analyst", name]
            subprocess.run(  # noqa: S603 - our own command
                [sys.executable, *command, "--epsilon", cap, "--reason", "a test"], check=True, capture_output=True
            )


def _stop(process: subprocess.Popen[bytes]) -> None:
    """As its owner stops it; and if that takes too long, as nobody should."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def asked(
    port: int, method: str, path: str, *, body: Mapping[str, Any] | None = None, **headers: str
) -> tuple[int, dict[str, Any]]:
    """One request over a connection of its own: its status, and what came if that is JSON."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        return sent(connection, method, path, body=body, **headers)


def sent(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    *,
    body: Mapping[str, Any] | None = None,
    **headers: str,
) -> tuple[int, dict[str, Any]]:
    """One request over a connection that stays open."""
    heads = {name.replace("_", "-"): value for name, value in headers.items()}
    text = None if body is None else json.dumps(body)
    connection.request(method, path, body=text, headers={"content-type": "application/json", **heads})
    response = connection.getresponse()
    content = response.read()
    found = json.loads(content) if re.search(r"\bjson\b", response.headers.get("content-type", "")) else {}
    return response.status, found


def children(process: int) -> list[int]:
    """The processes that a process has started and that run privet: not those that multiprocessing keeps for itself."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                parent = int((each / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
                words = (each / "cmdline").read_text(encoding="utf-8")
            except (OSError, ValueError):
                continue
            if parent == process and "spawn_main" in words:
                found.append(int(each.name))
    return found


def resident(process: int) -> int:
    """Bytes of memory of a process; 0 if it is gone."""
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(r"VmRSS:\s+(\d+) kB", text)
    return 0 if found is None else 1024 * int(found[1])
