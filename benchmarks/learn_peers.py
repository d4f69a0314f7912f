"""Runs inside the peer's environment: fits diffprivlib's models and prints one line of JSON for each cell."""

import json
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from learn_data import Dataset, bundled, from_folder, synthetic
from learn_task import Make, measure

warnings.filterwarnings("ignore")  # those about privacy: bounds, norms and classes are all said


def makers() -> dict[str, tuple[str, Make]]:
    """The form of rows that each model gets, and the model, as its documentation would have it."""
    from diffprivlib import models  # type: ignore[import-not-found]  # noqa: PLC0415

    def logistic(_: Dataset, epsilon: float, seed: int) -> Any:  # noqa: ANN401 - theirs
        return models.LogisticRegression(epsilon=epsilon, data_norm=1.0, max_iter=1000, random_state=seed)

    def linear(data: Dataset, epsilon: float, seed: int) -> Any:  # noqa: ANN401 - theirs
        ends = data.lower, data.upper
        return models.LinearRegression(epsilon=epsilon, bounds_X=ends, bounds_y=data.target_bounds, random_state=seed)

    def bayes(_: Dataset, epsilon: float, seed: int) -> Any:  # noqa: ANN401 - theirs
        return models.GaussianNB(epsilon=epsilon, bounds=(0.0, 1.0), random_state=seed)

    def forest(data: Dataset, epsilon: float, seed: int) -> Any:  # noqa: ANN401 - theirs
        return models.RandomForestClassifier(
            n_estimators=10, epsilon=epsilon, bounds=(0.0, 1.0), classes=data.classes, random_state=seed
        )

    def clusters(data: Dataset, epsilon: float, seed: int) -> Any:  # noqa: ANN401 - theirs
        return models.KMeans(clusters_of(data), epsilon=epsilon, bounds=(0.0, 1.0), random_state=seed)

    def components(data: Dataset, epsilon: float, seed: int) -> Any:  # noqa: ANN401 - theirs
        end = 1 / np.sqrt(data.rows.shape[1])
        return models.PCA(components_of(data), epsilon=epsilon, data_norm=1.0, bounds=(-end, end), random_state=seed)

    def scale(_: Dataset, epsilon: float, seed: int) -> Any:  # noqa: ANN401 - theirs
        return models.StandardScaler(epsilon=epsilon, bounds=(0.0, 1.0), random_state=seed)

    return {
        "LogisticRegression": ("short", logistic),
        "LinearRegression": ("raw", linear),
        "GaussianNB": ("unit", bayes),
        "RandomForestClassifier": ("unit", forest),
        "KMeans": ("unit", clusters),
        "PCA": ("short", components),
        "StandardScaler": ("unit", scale),
    }


def clusters_of(data: Dataset) -> int:
    """How many clusters are looked for."""
    return len(data.classes or range(5))


def components_of(data: Dataset) -> int:
    """How many components are looked for."""
    return {"iris": 2, "wine": 3, "breast cancer": 3, "digits": 10}.get(data.name, 5)


def main() -> None:
    """Jobs are on the standard input: [[model, kind, data, epsilon, seeds], …] with the folder of data before them."""
    folder, jobs = json.load(sys.stdin)
    sets = [*bundled(), *(from_folder(Path(folder)) if folder else [])]
    known = {(data.name, data.target_bounds is None): data for data in sets}
    made = makers()
    for model, kind, name, epsilon, seeds in jobs:
        if name == "100,000 x 20":
            data = known.setdefault((name, kind != "numbers"), synthetic(classes=kind != "numbers"))
        else:
            data = known[name, kind != "numbers" and (name, True) in known]
        form, make = made[model]
        figures = measure(data, kind, form, lambda seed: make(data, epsilon, seed), seeds)  # noqa: B023 - used at once
        print(json.dumps([model, name, epsilon, asdict(figures)]), flush=True)


if __name__ == "__main__":
    main()
