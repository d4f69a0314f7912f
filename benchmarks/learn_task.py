"""What Privet and its peer are asked alike in benchmarks/learn.py: splits, scores, times; runs in both environments."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from learn_data import Dataset
from sklearn.cluster import KMeans
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

EPSILONS = (0.1, 0.5, 1.0, 3.0, 10.0)
LIMIT = 20  # seconds that one fit may take
LATE = 3  # fits that may be late before a cell is given up

Make = Callable[[Dataset, float, int], Any]  # an unfitted model for a data set, an ε and a seed


@dataclass
class Figures:
    """Scores of one cell, one for each seed, and how long fits took."""

    scores: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failed: str = ""

    @property
    def mean(self) -> float:
        """That of the scores."""
        return float(np.mean(self.scores)) if self.scores else float("nan")

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return float(np.std(self.scores, ddof=1) / np.sqrt(len(self.scores))) if len(self.scores) > 1 else 0.0


def unit_rows(data: Dataset) -> Any:  # noqa: ANN401 - an array
    """Columns mapped to [0, 1] by their bounds."""
    return (data.rows - data.lower) / (data.upper - data.lower)


def short_rows(data: Dataset) -> Any:  # noqa: ANN401 - an array
    """Rows of length at most 1, by public numbers alone."""
    if data.norm is not None:
        return unit_rows(data) / data.norm
    return (2 * unit_rows(data) - 1) / np.sqrt(data.rows.shape[1])


ROWS: dict[str, Callable[[Dataset], Any]] = {"raw": lambda data: data.rows, "unit": unit_rows, "short": short_rows}


def measure(data: Dataset, kind: str, form: str, make: Callable[[int], Any], seeds: int) -> Figures:
    """Fit and score on 70/30 splits.

    Args:
        data: the rows.
        kind: "classes", "numbers", "clusters", "components" or "scale": what is learned, and so how it is scored.
        form: of the rows, see ROWS.
        make: an unfitted model for a seed.
        seeds: how many splits.
    """
    rows, found = ROWS[form](data), Figures()
    late = 0
    for seed in range(seeds):
        labels = data.target if data.classes is not None else None
        train, test, wanted, truth = train_test_split(
            rows, data.target, test_size=0.3, random_state=seed, stratify=labels
        )
        model = make(seed)
        try:
            signal.alarm(LIMIT)
            with threadpool_limits(1):  # one core for each
                begun = time.process_time()  # of the processor: other programs must not count
                model.fit(train, wanted) if kind in {"classes", "numbers"} else model.fit(train)
                taken = time.process_time() - begun
            signal.alarm(0)
            found.scores.append(score(kind, model, train, test, truth, seed))
            found.seconds.append(taken)
        except Exception as problem:  # noqa: BLE001 - whatever a peer raises is told on the page
            signal.alarm(0)
            found.failed = f"{type(problem).__name__}: {problem}"[:200]
            late += 1
            if late >= LATE:
                break
    return found


def score(kind: str, model: Any, train: Any, test: Any, truth: Any, seed: int) -> float:  # noqa: ANN401, PLR0913, PLR0917 - arrays
    """Accuracy, R², how much wider clusters are, the share of variance, or how far means are off in deviations."""
    if kind == "classes":
        return float(np.mean(np.asarray(model.predict(test)) == truth))
    if kind == "numbers":
        return float(r2_score(truth, model.predict(test)))
    if kind == "components":
        centered = test - test.mean(axis=0)
        return float(((centered @ model.components_.T) ** 2).sum() / (centered**2).sum())
    if kind == "scale":
        deviation = train.std(axis=0)
        known = deviation > 0
        return float(np.mean(np.abs(model.mean_ - train.mean(axis=0))[known] / deviation[known]))
    best = KMeans(len(model.cluster_centers_), n_init=3, random_state=seed).fit(train).cluster_centers_
    return _spread(test, model.cluster_centers_) / _spread(test, best)


def _spread(rows: Any, centers: Any) -> float:  # noqa: ANN401 - arrays
    return float(((rows[:, None, :] - np.asarray(centers)[None]) ** 2).sum(axis=-1).min(axis=1).mean())


def _late(*_: object) -> None:
    raise TimeoutError(f"a fit did not end within {LIMIT} s")


signal.signal(signal.SIGALRM, _late)
