"""Commands are imported when they are run, and what is wrong with a command line is one sentence."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from privet.cli import app
from privet.cli.main import COMMANDS

LOADED = """
import sys
from typer.testing import CliRunner
from privet.cli import app
done = CliRunner().invoke(app, ["--help"])
print(done.exit_code, *sorted(name for name in ("duckdb", "pyarrow", "sqlglot", "privet.query") if name in sys.modules))
"""
RUN = "from privet.cli import app; app(['train', 'people.csv'])"


def test_help_waits_for_no_engine() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)  # noqa: S603 - our own
    assert done.stdout == "0\n"


def test_a_missing_extra_is_one_sentence() -> None:
    program = f"import sys; sys.modules['sklearn'] = None\n{RUN}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)  # noqa: S603 - our own
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "pip install 'privet[learn]'" in done.stderr


def test_help_names_every_command() -> None:
    done = CliRunner().invoke(app, ["--help"])
    assert all(name in done.output for name in COMMANDS)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("ledgr", "did you mean 'ledger'?"),
        ("--nope", "no such option: --nope; see `privet --help`"),
        ("ask", "missing argument"),
        ("ask x.toml SELECT --nope", "no such option: --nope; see `privet ask --help`"),
        ("catalog nope", "no such command 'nope'; see `privet catalog --help`"),
        ("ledger cap x.db", "missing option '--reason'; see `privet ledger cap --help`"),
        ("demo --patients many", "see `privet demo --help`"),
    ],
)
def test_a_wrong_command_line_is_one_sentence(typed: str, says: str) -> None:
    done = CliRunner().invoke(app, typed.split())
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("privet: ")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr.lower()


@pytest.mark.parametrize("typed", ["", "catalog", "ledger"])
def test_nothing_typed_gives_the_help(typed: str) -> None:
    done = CliRunner().invoke(app, typed.split())
    assert "Usage: " in done.output
