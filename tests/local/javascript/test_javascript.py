"""The module for browsers and Node gives, for the same random bytes, the bytes that Python gives."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from privet.local import survey
from privet.local.javascript import MODULE
from tests.local.javascript.vectors import STORED, text, vectors

pytestmark = pytest.mark.whole
HERE = Path(__file__).parent
RIGHT = f"{sum(1 for _ in vectors())} vectors, 0 wrong"
PAGE = """<!doctype html><meta charset="utf-8"><body>waiting</body><script type="module">
const load = (code) => import(URL.createObjectURL(new Blob([code], {type: "text/javascript"})));
const [module, check, vectors] = %s;
try {
  const found = (await load(check)).check(await load(module), JSON.parse(vectors));
  document.body.textContent = found;
} catch (problem) {
  document.body.textContent = String(problem);
}
</script>"""


def found(*names: str) -> str:
    """Where a program is; tests that need one that is missing are left out, and say so."""
    for name in names:
        if (path := shutil.which(name)) is not None:
            return path
    pytest.skip(f"no {names[0]}: the JavaScript module was not run by it (Debian: apt-get install {names[-1]})")


def run(*command: str | Path, timeout: int = 240) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=timeout, check=False)  # noqa: S603 - our own


def test_python_gives_the_golden_reports() -> None:
    assert STORED.read_text(encoding="utf-8") == text()


def test_node_gives_the_golden_reports(tmp_path: Path) -> None:
    node = found("node", "nodejs")
    for source in (MODULE, HERE / "check.js"):
        shutil.copy(source, tmp_path / f"{source.stem}.mjs")
    (tmp_path / "run.mjs").write_text(
        'import { readFileSync } from "node:fs";\nimport * as privet from "./privet_local.mjs";\n'
        'import { check } from "./check.mjs";\n'
        'console.log(check(privet, JSON.parse(readFileSync(process.argv[2], "utf-8"))));\n',
        encoding="utf-8",
    )
    done = run(node, tmp_path / "run.mjs", STORED)
    assert done.stdout.strip() == RIGHT, done.stderr[-2000:]


def test_chromium_gives_the_golden_reports(tmp_path: Path) -> None:
    chromium = found("chromium", "chromium-browser", "google-chrome", "chromium")
    parts = [path.read_text(encoding="utf-8") for path in (MODULE, HERE / "check.js", STORED)]
    page = tmp_path / "page.html"
    page.write_text(PAGE % json.dumps(parts).replace("</", "<\\/"), encoding="utf-8")
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=60000")
    done = run(chromium, *options, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri())
    assert f"<body>{RIGHT}</body>" in done.stdout, (done.stdout[-300:], done.stderr[-500:])


def test_types_are_right(tmp_path: Path) -> None:
    """By TypeScript's compiler, from the npm registry; kept beside the Python that runs the tests."""
    place = Path(sys.prefix) / "typescript"
    compiler = place / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.exists():
        got = run(found("npm"), "install", "--prefix", place, "--no-audit", "--no-fund", "typescript@5")
        if got.returncode:
            pytest.skip("no TypeScript: the npm registry was not reached, and the module's types were not checked")
    copied = shutil.copy(MODULE, tmp_path)
    strict = ("--checkJs", "--noEmit", "--strict", "--target", "es2022", "--module", "es2022", "--lib", "es2022,dom")
    checked = run(found("node", "nodejs"), compiler, *strict, copied)
    assert checked.returncode == 0, checked.stdout


def test_surveys_say_what_devices_need() -> None:
    config = survey.ForcedResponse("2/3").config
    assert [each["weight"] for each in config["instructions"]] == [4, 1, 1]
    assert json.loads(json.dumps(config)) == config
