"""`tools/setup`, behind every make target: each way it can fail ends in one sentence that says what to do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).parents[1] / "tools" / "setup"

FAKE_PYTHON = """#!/bin/sh
# Stands in for Python: old or new, with a pip that fails as told.
case "$*" in
    --version) echo "Python {version}" ;;
    -c*) exit {unsupported} ;;
    *"-m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && cp "$0" "$3/bin/pip" ;;
    *"pip install"*) echo "{message}" >&2; exit {status} ;;
esac
"""


def fake_python(folder: Path, *, version: str = "3.12.1", message: str = "", status: int = 0) -> Path:
    supported = version.startswith(("3.11", "3.12", "3.13"))
    path = folder / "python"
    path.write_text(FAKE_PYTHON.format(version=version, unsupported=int(not supported), message=message, status=status))
    path.chmod(0o755)
    return path


def setup(
    python: Path, directory: Path, kind: str = "run", *, path: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run it; with another PATH where it must find no browser and no apt but what stands there."""
    environment = os.environ | {"PYTHON": str(python)} | ({} if path is None else {"PATH": str(path)})
    command = [str(SETUP), str(directory), kind]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603


def test_success_leaves_a_mark_so_that_the_next_run_starts_at_once(tmp_path: Path) -> None:
    done = setup(fake_python(tmp_path), tmp_path / "venv", "dev", path=programs(tmp_path, "node", "chromium"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "venv" / ".ready-dev").exists()
    assert (tmp_path / "venv" / ".ready-run").exists()
    assert "privet: installing" in done.stdout


def programs(folder: Path, *names: str, apt: int | None = None) -> Path:
    """A folder with what the script itself needs, and programs of these names that do nothing."""
    path = folder / "programs"
    path.mkdir()
    for name in ("sh", "mkdir", "cp", "rm", "grep", "dirname"):
        (path / name).symlink_to(shutil.which(name) or name)
    does = dict.fromkeys(names, "exit 0") | {"id": "echo 0"}
    if apt is not None:
        does["apt-get"] = f'echo "$@" >>"{folder}/asked"; exit {apt}'
    for name, line in does.items():
        (path / name).write_text(f"#!/bin/sh\n{line}\n")
        (path / name).chmod(0o755)
    return path


def test_browser_and_node_are_installed_where_root_and_apt_are_there(tmp_path: Path) -> None:
    done = setup(fake_python(tmp_path), tmp_path / "venv", "dev", path=programs(tmp_path, "node", "npm", apt=0))
    assert done.returncode == 0, done.stderr
    assert "install --yes --no-install-recommends chromium" in (tmp_path / "asked").read_text()
    assert "left out" not in done.stdout


@pytest.mark.parametrize("apt", [None, 100])
def test_without_them_it_says_what_is_left_out(tmp_path: Path, apt: int | None) -> None:
    done = setup(fake_python(tmp_path), tmp_path / "venv", "dev", path=programs(tmp_path, apt=apt))
    assert done.returncode == 0, done.stderr
    assert "left out: tests that need nodejs chromium" in done.stdout


@pytest.mark.parametrize("version", ["3.8.10", "3.10.12", "2.7.18", "3.14.0"])
def test_an_unsupported_python(tmp_path: Path, version: str) -> None:
    done = setup(fake_python(tmp_path, version=version), tmp_path / "venv")
    assert done.returncode == 1
    assert f"needs Python 3.11, 3.12 or 3.13 and found 'Python {version}'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_no_python_at_all(tmp_path: Path) -> None:
    done = setup(tmp_path / "missing", tmp_path / "venv")
    assert done.returncode == 1
    assert "needs Python 3.11" in done.stderr


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = setup(fake_python(tmp_path), tmp_path / "file" / "venv")
    assert done.returncode == 1
    assert "make the folder writable or free disk space" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("WARNING: Retrying after connection broken by NewConnectionError", "could not reach the Python package index"),
        ("OSError: [Errno 28] No space left on device", "the disk is full or not writable"),
        ("error: subprocess-exited-with-error", "installation failed; the reason is at the end of"),
    ],
)
def test_an_installation_that_fails(tmp_path: Path, message: str, sentence: str) -> None:
    done = setup(fake_python(tmp_path, message=message, status=1), tmp_path / "venv")
    assert done.returncode == 1
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "venv" / ".ready-run").exists()
    assert message in (tmp_path / "venv" / "setup-run.log").read_text()
