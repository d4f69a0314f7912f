"""What is published: a wheel and a source archive that hold all they need; and the wheel works where nothing else is.

Building takes half a minute and the clean environment a few more, so both are in the long form; what a wheel would hold
is compared with the tree in the short one.
"""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "privet"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WITHOUT_EXTRAS = """
import privet
print(privet.__version__, privet.count([1, 2, 3], epsilon=1).margin())
print(privet.describe(privet.Guarantee(1)))
try:
    privet.describe(privet.Guarantee(1)).chart().to_altair()
except privet.PrivetError as refused:
    print(refused)
"""
BOUND = re.compile(r"(<=?|==)\s*\d")


def run(*command: str | Path, folder: Path, **more: str) -> str:
    """What a command printed; the test fails with its last lines if it does."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), **more}
    done = subprocess.run(  # noqa: S603 - our own
        [str(part) for part in command], capture_output=True, text=True, check=False, cwd=folder, env=environment
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def tracked() -> set[str]:
    """Files of the package, as they will be installed."""
    inside = (path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {f"privet/{path.relative_to(SOURCE).as_posix()}" for path in inside}


def test_every_dependency_has_an_upper_end() -> None:
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    every = [*project["dependencies"], *(each for name in extras if name != "all" for each in extras[name])]
    foreign = [each for each in every if not each.startswith("privet[")]
    assert len(foreign) > 20
    assert [each for each in foreign if not BOUND.search(each.partition(";")[0])] == []


def test_versions_agree_and_the_changelog_has_a_place_for_the_next() -> None:
    version = PROJECT["project"]["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in citation
    assert f"license: {PROJECT['project']['license']}\n" in citation
    headings = re.findall("^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    released = re.search(r"^date-released: (.*)$", citation, re.MULTILINE)
    assert released is not None
    assert headings[:2] == ["Unreleased", f"{version} - {released[1]}"]


def test_the_page_on_installing_names_every_extra_and_what_it_brings() -> None:
    page = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    rows: dict[str, str] = {}
    for row in page.splitlines():
        if row.startswith("| "):
            rows |= dict.fromkeys(re.findall("`([a-z]+)`", row.split("|")[1]) or ["none"], row)
    extras = PROJECT["project"]["optional-dependencies"]
    assert set(extras) <= set(rows)
    brought = {name: each for name, each in extras.items() if name not in {"all", "docs", "dev"}}
    for name, packages in {"none": PROJECT["project"]["dependencies"], **brought}.items():
        for package in packages:
            word = re.split(r"[\[<>=]", package)[0]
            assert word == "privet" or word in rows[name], f"{word} of the extra {name}"
    assert f"=={'.'.join(PROJECT['project']['version'].split('.')[:2])}.*" in page


def test_what_is_read_beside_code_is_in_the_package() -> None:
    kinds = {Path(name).suffix for name in tracked()} - {".py", ""}
    assert {".js", ".html", ".css", ".typed"} <= kinds
    assert "privet/py.typed" in tracked()
    assert not any("test" in Path(name).name for name in tracked() if name.endswith(".html"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and a source archive, built as they are for publishing."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "venv", folder / "builder", folder=folder)
    run(folder / "builder" / "bin" / "pip", "install", "-q", "build>=1,<2", folder=folder, **_index())
    run(folder / "builder" / "bin" / "python", "-m", "build", "-o", folder, ROOT, folder=folder, **_index())
    return folder


def _index() -> dict[str, str]:
    """Where packages come from on this machine, if that is set."""
    return {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HOME", "XDG_"))}


@pytest.mark.soak
def test_wheel_and_archive_hold_the_package(built: Path) -> None:
    (wheel,) = built.glob("privet-*.whl")
    with zipfile.ZipFile(wheel) as found:
        names = {name for name in found.namelist() if name.startswith("privet/")}
        metadata = found.read(next(name for name in found.namelist() if name.endswith("METADATA"))).decode()
    assert names == tracked()
    assert "Requires-Dist: duckdb" in metadata
    assert "Provides-Extra: learn" in metadata
    (archive,) = built.glob("privet-*.tar.gz")
    with tarfile.open(archive) as held:
        inside = {name.partition("/")[2] for name in held.getnames()}
    assert {"pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff"} <= inside
    assert {f"src/{name}" for name in tracked()} <= inside


@pytest.mark.soak
def test_the_wheel_works_in_a_clean_environment_without_extras(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("privet-*.whl")
    run(sys.executable, "-m", "venv", tmp_path / "clean", folder=tmp_path)
    python = tmp_path / "clean" / "bin" / "python"
    pip = ("-m", "pip", "install", "-q", "--only-binary", ":all:")  # no compiler is needed
    run(python, *pip, wheel, folder=tmp_path, **_index())
    offline = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}  # nobody answers there
    command = tmp_path / "clean" / "bin" / "privet"
    said = run(command, "demo", "--folder", tmp_path / "hospital", folder=tmp_path, **offline)
    assert "±" in said
    told = run(python, "-c", WITHOUT_EXTRAS, folder=tmp_path, **offline)
    assert told.startswith(f"{PROJECT['project']['version']} 3.0\n")
    assert "46.3 %" in told
    assert "pip install 'privet[charts]'" in told
    run(python, *pip, f"{wheel}[charts,learn]", folder=tmp_path, **_index())
    drawn = "import privet; print(privet.describe(privet.Guarantee(1)).chart().save('a.png').stat().st_size)"
    assert int(run(python, "-c", drawn, folder=tmp_path, **offline)) > 10_000
    learned = "from privet.learn import GaussianNB; print(GaussianNB.__name__)"
    assert run(python, "-c", learned, folder=tmp_path, **offline).strip() == "GaussianNB"
