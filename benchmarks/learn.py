"""Models measured: `python benchmarks/learn.py` fits Privet's and diffprivlib's on the same splits of the same data.

`--data` (or PRIVET_DATA) is a folder of public data sets, see learn_data.py; without it those of scikit-learn are used.
`--write` makes docs/learn/accuracy.md of it; `--seeds` says how many splits, `--only` which models, `--cells` a file
that keeps what was measured, so that a run can be continued. The peer runs in an environment of its own in .peers/.
"""

import argparse
import json
import os
import subprocess
from dataclasses import asdict
from pathlib import Path

from learn_data import Dataset, bundled, from_folder, synthetic
from learn_models import PAIRS, Pair, suits
from learn_page import Cells, page
from learn_task import EPSILONS, Figures, measure
from peers import peer_python
from rich.console import Console

PAGE = Path(__file__).parents[1] / "docs" / "learn" / "accuracy.md"
SCRIPT = Path(__file__).with_name("learn_peers.py")
REQUIREMENTS = ["diffprivlib==0.6.6", "scikit-learn==1.6.1"]
LARGE = "100,000 x 20"  # for times, with a few fits


class Kept:
    """What was measured so far, in a file of lines."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.cells = path, Cells()
        for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
            who, model, data, epsilon, figures = json.loads(line)
            self.cells[who, model, data, epsilon] = Figures(**figures)

    def add(self, who: str, model: str, data: str, epsilon: float, figures: Figures) -> None:
        """Keep one cell."""
        self.cells[who, model, data, epsilon] = figures
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([who, model, data, epsilon, asdict(figures)]) + "\n")


def times_of(name: str, seeds: int) -> int:
    """How often a model is fitted to the data."""
    return min(seeds, 5) if name == LARGE else seeds


def measure_peer(  # noqa: PLR0913, PLR0917 - all that main knows
    pairs: list[Pair], sets: list[Dataset], folder: str, seeds: int, kept: Kept, console: Console
) -> None:
    """Every cell of the peer that is not there yet, in one process of its environment."""
    jobs = [
        [peer, kind, data.name, epsilon, times_of(data.name, seeds)]
        for peer, kind in dict.fromkeys((pair.peer, pair.kind) for pair in pairs)
        for data in sets
        if suits(next(pair for pair in pairs if (pair.peer, pair.kind) == (peer, kind)), data)
        for epsilon in ([1.0] if data.name == LARGE else EPSILONS)
        if ("diffprivlib", peer, data.name, epsilon) not in kept.cells
    ]
    if not jobs:
        return
    python = peer_python("learn", REQUIREMENTS, console)
    command = [python, str(SCRIPT)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        assert process.stdin is not None  # noqa: S101 - for types
        assert process.stdout is not None  # noqa: S101 - for types
        process.stdin.write(json.dumps([folder, jobs]))
        process.stdin.close()
        for number, line in enumerate(process.stdout, 1):
            model, data, epsilon, figures = json.loads(line)
            kept.add("diffprivlib", model, data, epsilon, Figures(**figures))
            console.print(f"diffprivlib {number}/{len(jobs)}: {model} on {data} at ε = {epsilon:g}", highlight=False)
    if process.returncode:
        raise SystemExit("privet: the peer's process failed: see above")


def measure_privet(pair: Pair, data: Dataset, seeds: int, kept: Kept, console: Console) -> None:
    """Every cell of a model and a data set that is not there yet, and scikit-learn's without privacy."""
    number = times_of(data.name, seeds)
    if pair.plain is not None and ("scikit-learn", pair.name, data.name, 0.0) not in kept.cells:
        found = measure(
            data, pair.kind, "short" if pair.kind == "components" else "raw", lambda _: pair.plainly(data), number
        )
        kept.add("scikit-learn", pair.name, data.name, 0.0, found)
    for epsilon in [1.0] if data.name == LARGE else EPSILONS:
        if ("Privet", pair.title, data.name, epsilon) not in kept.cells:
            found = measure(data, pair.kind, pair.form_for(data), lambda seed: pair.make(data, epsilon, seed), number)  # noqa: B023 - used at once
            kept.add("Privet", pair.title, data.name, epsilon, found)
            console.print(f"Privet: {pair.title} on {data.name} at ε = {epsilon:g}: {found.mean:.4g} {found.failed}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("PRIVET_DATA", ""), help="a folder of data sets")
    parser.add_argument("--seeds", type=int, default=20, help="how many 70/30 splits")
    parser.add_argument("--only", default="", help="models whose name begins so, divided by commas")
    parser.add_argument("--sets", default="", help="data sets of these names, divided by semicolons")
    parser.add_argument("--cells", type=Path, help="a file that keeps what was measured")
    parser.add_argument("--peer-only", action="store_true", help="measure the peer and stop")
    parser.add_argument("--write", action="store_true", help="write docs/learn/accuracy.md")
    said = parser.parse_args()
    console, kept = Console(), Kept(said.cells)
    pairs = [pair for pair in PAIRS if pair.name.startswith(tuple(said.only.split(",")))]
    sets = [*bundled(), *(from_folder(Path(said.data)) if said.data else [])]
    large = [synthetic(classes=True), synthetic(classes=False)]
    wanted = [data for data in [*sets, *large] if not said.sets or data.name in said.sets.split(";")]
    measure_peer(pairs, wanted, said.data, said.seeds, kept, console)
    if said.peer_only:
        return
    there = [pair for pair in pairs if pair.there]
    for pair in there:
        for data in wanted:
            if suits(pair, data):
                measure_privet(pair, data, said.seeds, kept, console)
    text = page(there, [data.name for data in wanted], kept.cells, seeds=said.seeds, large=LARGE)
    if said.write:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(text, encoding="utf-8")
    console.print(text, markup=False, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
