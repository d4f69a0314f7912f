"""`import privet`: every name is there, and nobody waits for what they do not use."""

import subprocess
import sys

import pytest

import privet

LOADED = "import sys; {}; print(*(name for name in {!r} if name in sys.modules))"


@pytest.mark.parametrize(
    ("work", "never"),
    [
        ("import privet", ["numpy", "scipy", "pyarrow", "privet.core"]),
        ("from privet import Ledger, mean", ["scipy.optimize", "scipy.integrate", "rich", "pyarrow", "duckdb"]),
        ("from privet import connect", ["scipy.optimize", "privet.query.backends.spark.engine", "psycopg", "typer"]),
    ],
)
def test_what_is_not_used_is_not_loaded(work: str, never: list[str]) -> None:
    text = LOADED.format(work, never)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)  # noqa: S603 - our own
    assert done.stdout.split() == []


def test_every_name_is_there() -> None:
    assert set(privet.__all__) <= set(dir(privet))
    for name in privet.__all__:
        assert getattr(privet, name).__name__ == name


def test_rooms_are_there_without_being_imported_by_name() -> None:
    text = "import privet; print(privet.loss.__name__, privet.stats.__name__)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)  # noqa: S603 - our own
    assert done.stdout.split() == ["privet.loss", "privet.stats"]


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'privet' has no attribute 'nope'"):
        getattr(privet, "nope")  # noqa: B009 - a type checker would refuse the other way
