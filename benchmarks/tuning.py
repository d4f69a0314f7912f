"""Searches beside defaults: `python benchmarks/tuning.py --data FOLDER` asks what tuning is worth on Adult at ε = 1.

Each row is the mean accuracy on the official test rows, with its standard error, of models that learned from the first
32,561 rows at the same total price: with the default settings, and as searches over twenty settings. `--settings` says
what each setting would reach at the whole price if one had it, which only somebody with the test rows can know.

`--only` which models, `--repeats` how many fits of each row, `--data` the folder of the UCI files (or PRIVET_DATA).
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from learn_data import Dataset, adult
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.model_selection import ParameterGrid
from threadpoolctl import threadpool_limits

from privet import learn

PRICE: dict[str, Any] = {"epsilon": 1, "delta": "1e-6"}
LEARNED = 32_561  # rows of the official first part
SEARCHES: dict[str, dict[str, Any]] = {
    "20 geometric runs": {"mean_runs": 20},
    "20 logarithmic runs": {"mean_runs": 20, "runs": "logarithmic"},
    "5 geometric runs": {"mean_runs": 5},
}


@dataclass(frozen=True)
class Task:
    """A model and the settings that somebody might try who has not seen the data.

    Args:
        model: its class.
        declared: what is public besides bounds and classes.
        grid: twenty settings.
    """

    model: type[Any]
    declared: dict[str, Any]
    grid: dict[str, list[Any]]


TASKS = {
    "LogisticRegression": Task(
        learn.LogisticRegression,
        {},
        {
            "perturbation": ["objective", "gradient"],
            "penalty": [None, 1, 10, 100, 1000],
            "fit_intercept": [True, False],
        },
    ),
    "GradientBoostingClassifier": Task(
        learn.GradientBoostingClassifier,
        {},
        {"n_estimators": [100, 400], "max_depth": [1, 2, 3, 5, 7], "learning_rate": [0.1, 0.3]},
    ),
    "MLPClassifier": Task(
        learn.MLPClassifier,
        {"expected_rows": LEARNED},
        {"hidden_layer_sizes": [(16,), (64,), (128,), (32, 32)], "learning_rate": [None, 0.25, 0.5, 1.0, 2.0]},
    ),
}
Fitted = Callable[[], Any]


def makers(task: Task, data: Dataset, *, settings: bool) -> Iterator[tuple[str, Fitted]]:
    """What is measured: names, and what fits a model."""
    public = {"bounds": (data.lower, data.upper), "classes": data.classes, **task.declared}
    rows, target = data.rows[:LEARNED], data.target[:LEARNED]
    if settings:
        for each in ParameterGrid(task.grid):
            yield str(each), partial(task.model(**public, **PRICE, **each).fit, rows, target)
        return
    yield "default settings", partial(task.model(**public, **PRICE).fit, rows, target)
    for name, more in SEARCHES.items():
        search = learn.PrivateSearchCV(task.model(**public), task.grid, **PRICE, **more)
        yield name, partial(search.fit, rows, target)


def measured(data: Dataset, make: Fitted, repeats: int, words: str) -> tuple[list[float], list[float], str]:
    """Accuracies on the test rows, seconds, and what one fit of a search may cost."""
    rows, target = data.rows[LEARNED:], data.target[LEARNED:]
    found, seconds, one = [], [], ""
    for _ in track(range(repeats), words, console=Console(stderr=True), transient=True):
        begun = time.perf_counter()
        model = make()
        seconds.append(time.perf_counter() - begun)
        found.append(float(np.mean(model.predict(rows) == target)))
        one = f"{float(model.one_fit_.epsilon):.3f}" if hasattr(model, "one_fit_") else "1"
    return found, seconds, one


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("PRIVET_DATA"))
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--only", nargs="*", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--settings", action="store_true")
    asked = parser.parse_args()
    data = None if asked.data is None else adult(Path(asked.data))
    if data is None:
        sys.exit("Adult is not there: name its folder with --data")
    table = Table("model", "how", "accuracy", "± (s.e.)", "ε of a fit", "seconds", title="Adult at ε = 1, δ = 1e-6")
    with threadpool_limits(1):
        for name in asked.only:
            for how, make in makers(TASKS[name], data, settings=asked.settings):
                scores, seconds, one = measured(data, make, asked.repeats, f"{name}: {how}")
                error = np.std(scores, ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else float("nan")
                cells = (f"{100 * np.mean(scores):.2f} %", f"{100 * error:.2f}", one, f"{np.median(seconds):.1f}")
                table.add_row(name, how, *cells)
                Console(stderr=True).print(name, how, *cells)
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
