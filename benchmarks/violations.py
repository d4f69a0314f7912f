"""True violations in released libraries: every script of docs/violations, in its peer's environment, and Privet's own.

    python benchmarks/violations.py [WORD]      all scripts, or those whose name holds the word

Writes what they print, with versions and times, to docs/violations/recorded/.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from peers import peer_python
from rich.console import Console

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "docs" / "violations"
PRIVET = ["numpy", "scipy", "cryptography", "python-flint", "duckdb>=2", "pyarrow", "sqlglot", "typer", "rich"]
ENVIRONMENTS = {
    "diffprivlib": ["diffprivlib==0.6.6", "scikit-learn<1.8"],
    "smartnoise": ["smartnoise-synth==1.0.8"],
}
TOLD = ("diffprivlib", "smartnoise-synth", "numpy", "scikit-learn")
VERSIONS = f"""
from importlib.metadata import version, PackageNotFoundError
for name in {TOLD}:
    try:
        print(name, version(name))
    except PackageNotFoundError:
        pass
"""


def main() -> None:
    """Run them one after the other."""
    console = Console()
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    (SCRIPTS / "recorded").mkdir(exist_ok=True)
    for script in sorted(SCRIPTS.glob("*.py")):
        if wanted in script.stem:
            with console.status(f"running {script.name}"):
                told = recorded(script, console)
            (SCRIPTS / "recorded" / f"{script.stem}.txt").write_text(told, encoding="utf-8")
            console.print(told, markup=False, highlight=False)


def recorded(script: Path, console: Console) -> str:
    """What a script prints, after the versions and before its time."""
    peer = script.stem.split("_")[0]
    known = ENVIRONMENTS.get(peer)
    python = sys.executable if known is None else peer_python(f"violations-{peer}", [*known, *PRIVET], console)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1"}
    versions = _printed(python, "-c", VERSIONS, environment=environment)
    start = time.perf_counter()
    said = _printed(python, str(script), environment=environment)
    seconds = time.perf_counter() - start
    return f"{', '.join(versions.splitlines())}\n\n{said.strip()}\n\n{seconds:.0f} s, one core of a shared machine\n"


def _printed(*command: str, environment: dict[str, str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603 - our own scripts
    if done.returncode:
        raise SystemExit(f"privet: {' '.join(command[:2])} failed:\n{done.stderr.strip()[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
