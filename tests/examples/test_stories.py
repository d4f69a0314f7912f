"""Every script of `examples/` runs as a reader would run it, and prints what its story says."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import telling

pytestmark = pytest.mark.whole

EXAMPLES = Path(__file__).parents[2] / "examples"
PLAIN = {"telling.py", "private_table.py", "audit_in_ci.py"}  # how stories are told; and two with tests of their own
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py") if path.name not in PLAIN)

# What each story must print: figures that do not depend on the noise.
FIGURES: dict[str, tuple[str, ...]] = {
    "auction.py": ("0.280129", "0.247213", "0.192530", "0.288913", "0.011276", "0.009705", "0.622603", "12.4%"),
    "census.py": ("60,827", "add up to their states: True", "states to the nation: True", "scale=3"),
    "central_and_local.py": ("1.4142", "95.9517", "68 times"),
    "classroom.py": ("ln 3 = 1.098612", "2 · 0.4 - 0.5 = 0.3", "1,537", "865"),
    "cholesterol.py": ("0.200000", "0.118022", "0.220494", "0.318365", "0.170409"),
    "differencing.py": ("37", "187,500", "0.15", "wider than everything"),
    "gaussian_lecture.py": ("1.013591e+12", "1,006,772", "802,689", "7.493638", "5.974598", "1.160334", "0.126937"),
    "height.py": ("e^ε = 2.7183", "1.1331 times", "0.0606", "Terry is not in the study"),
    "laplace_lecture.py": ("180,000", "200,000", "1,800", "27.333333"),
    "laplace_pictures.py": ("2.718282", "1.648721", "1.000000", "0.606531", "0.367879", "at 0 is 0.5"),
    "linkage.py": ("8 ratings, ± 14 days, 2 of them wrong", "2 ratings, ± 3 days", "exact counts", "1.000", "0.462"),
    "membership.py": ("exact counts", "0.462117", "2013"),
    "phones.py": ("day 31: a period costs ε=1, and 0 of the lifetime's", "ε = 4.000 in all", "affine_response"),
    "reconstruction.py": ("512", "170.7", "42.67", "answers 3 questions", "'question 4' requests ε=0.333333333"),
    "thesis_bernstein.py": ("2.228e+00", "2.476e-01", "8.928e-02", "9.920e-03", "9.084e-04", "1.009e-04",
                            "0.5625 + 0.3750", "2.360e-2", "1.337", "random DP"),
    "thesis_gaussian.py": ("8.68722e-04", "2.89574e-04", "8.68722e-03", "2.89574e-03", "4.34361e-02", "1.44787e-02",
                           "3.18570e-02", "1.22316e-02", "0.0347", "0.3466", "1.904e-4"),
    "thesis_laplace.py": ("1e-06", "5e-07", "2e-07", "1e-04", "5e-05", "2e-05", "1e-02", "5e-03", "2e-03",
                          "182 scales", "10^79", "7.532e-6"),
    "thesis_renyi.py": ("0.041802", "0.371410", "1.079433", "0.455907", "0.289242", "0.156033", "2.000000", "0.888889",
                        "0.320000", "1.02"),
    "what_epsilon_means.py": ("0.462117", "0.049958", "23.2%", "73.1%", "2.7183"),
}  # fmt: skip
PICTURES: dict[str, tuple[str, ...]] = {
    "auction.py": ("auction",),
    "census.py": ("census",),
    "central_and_local.py": ("central-and-local",),
    "cholesterol.py": ("cholesterol",),
    "classroom.py": ("classroom",),
    "height.py": ("height",),
    "laplace_pictures.py": ("laplace-neighbors", "laplace-family"),
    "linkage.py": ("linkage",),
    "membership.py": ("membership",),
    "phones.py": ("phones",),
    "reconstruction.py": ("reconstruction",),
    "thesis_bernstein.py": ("figure-4.2", "figure-4.3"),
    "thesis_gaussian.py": ("figure-4.1",),
    "thesis_laplace.py": ("table-4.4",),
    "thesis_renyi.py": ("figure-3.1",),
    "what_epsilon_means.py": ("what-epsilon-means",),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_story_prints_its_figures_and_draws_its_pictures(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = PICTURES.get(script, ())
    monkeypatch.setattr(sys, "argv", [script, *(["--out", str(tmp_path)] if drawn else [])])
    runpy.run_path(str(EXAMPLES / script), run_name="__main__")
    printed = capsys.readouterr().out
    for figure in FIGURES[script]:
        assert re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", printed), f"{figure} is missing in:\n{printed}"
    expected = {f"{name}.{ending}" for name in drawn for ending in ("svg", "png")}
    assert {path.name for path in tmp_path.iterdir()} == expected
    assert all(path.stat().st_size > 1000 for path in tmp_path.iterdir())
    assert max(map(len, printed.replace(str(tmp_path), "").splitlines())) <= 110


@pytest.mark.parametrize(
    ("margin", "printed"), [(0.0719, "0.072"), (3.0, "3"), (6.04, "6.1"), (599_146.2, "599,147"), (99.1, "100")]
)
def test_margins_are_never_rounded_down(margin: float, printed: str) -> None:
    assert telling.rounded_up(margin) == printed
    assert float(printed.replace(",", "")) >= margin


def test_every_story_has_figures_and_stands_in_the_list() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert set(FIGURES) == set(SCRIPTS)
    assert all(f"`{script}`" in listed for script in SCRIPTS)


def test_r175_the_story_without_a_script_is_told_in_the_docs() -> None:
    """It is doctested with the other pages; here are the facts it must hold."""
    page = (EXAMPLES.parent / "docs" / "stories" / "australian-billing.md").read_text(encoding="utf-8")
    assert "2,985,511" in page
    assert "examples/linkage.py" in page
    assert "docs/stories/australian-billing.md" in (EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_without_the_extra_a_story_is_told_without_its_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setattr(sys, "argv", ["cholesterol.py", "--out", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / "cholesterol.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "0.220494" in printed
    assert "pip install 'privet[charts]'" in printed
    assert not list(tmp_path.iterdir())


def test_a_reader_runs_one_from_anywhere(tmp_path: Path) -> None:
    """As a program of its own, with warnings as errors; its pictures go to a folder that it names."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / "cholesterol.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)  # noqa: S603 - our own script
    assert done.returncode == 0, done.stderr
    named = re.search(r"picture: (\S+)\.\{svg,png\}", done.stdout)
    assert named is not None
    assert Path(f"{named[1]}.svg").is_file()
    assert not list(tmp_path.iterdir())
