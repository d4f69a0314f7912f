"""Linear regression beside the published AdaSSP table: 10-fold mean squared errors on UCI sets, same preparation.

    python benchmarks/learn_regression.py --data ../shared/data/uci_regression --repeats 3

Rows are z-scored and divided by their length, targets centered and divided by their largest size. That reads the
data and is not private: it is done here because the table was made so. What is compared comes afterwards.
"""

import argparse
import gzip
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privet.learn import LinearRegression

Floats = NDArray[np.float64]
DELTA = "1e-6"
PUBLISHED = {  # trivial, without privacy, and AdaSSP (Wang 2018, the repository's results) at ε = 0.1, 1, 10
    "airfoil": (0.1033, 0.0533, {0.1: 0.0912, 1: 0.0588, 10: 0.0534}),
    "bike": (0.1073, 0.0279, {0.1: 0.0472, 1: 0.0287, 10: 0.0279}),
    "protein": (0.1671, 0.1189, {0.1: 0.126, 1: 0.120, 10: 0.119}),
    "stock": (0.0583, 0.0131, {0.1: 0.0695, 1: 0.0384, 10: 0.0163}),
    "wine red": (0.0566, 0.0202, {0.1: 0.0627, 1: 0.0326, 10: 0.0205}),
}


def read(path: Path) -> Floats:
    """The numbers of a file, without columns that hold none."""
    with gzip.open(path, "rt") as file:
        lines = [line.split(",") if "," in line else line.split() for line in file.read().splitlines() if line]
    table = np.array([[number(each) for each in line] for line in lines])
    kept: Floats = table[:, ~np.isnan(table).all(axis=0)]
    return kept


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def sets(folder: Path) -> dict[str, tuple[Floats, Floats]]:
    """Features and target of each set, as the table has them."""
    airfoil = read(folder / "airfoil_self_noise.dat.txt.gz")
    bike = read(folder / "hour.csv.gz")
    protein = read(folder / "CASP.csv.gz")
    stock = read(folder / "stock.txt.gz")
    wine = read(folder / "winequality-red.csv.gz")
    return {
        "airfoil": (airfoil[:, :-1], airfoil[:, -1]),
        "bike": (bike[:, 1:-1], np.log(bike[:, -1])),
        "protein": (protein[:, 1:], np.log1p(protein[:, 0])),
        "stock": (np.delete(stock, 3, axis=1), stock[:, 3]),
        "wine red": (np.delete(wine, 10, axis=1), wine[:, 10]),
    }


def prepared(features: Floats, target: Floats) -> tuple[Floats, Floats]:
    spread = features.std(axis=0)
    rows = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1)
    centered = target - target.mean()
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), centered / np.abs(centered).max()


def error(rows: Floats, target: Floats, *, epsilon: float | None, repeats: int) -> tuple[float, float]:
    """The mean over folds and repeats, and its standard error over repeats; without privacy where ε is None."""
    found = []
    for seed in range(repeats):
        order = np.random.default_rng(seed).permutation(len(rows))
        folds = []
        for test in np.array_split(order, 10):
            train = np.setdiff1d(order, test)
            coefficients = line(rows[train], target[train], epsilon)
            folds.append(np.mean((target[test] - rows[test] @ coefficients) ** 2))
        found.append(float(np.mean(folds)))
    return float(np.mean(found)), float(np.std(found) / math.sqrt(len(found)))


def line(rows: Floats, target: Floats, epsilon: float | None) -> Floats:
    if epsilon is None:
        return np.asarray(np.linalg.lstsq(rows, target, rcond=None)[0])
    model = LinearRegression(norm=1, target_bounds=(-1, 1), fit_intercept=False, epsilon=epsilon, delta=DELTA)
    return np.asarray(model.fit(rows, target).coef_)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the UCI sets")
    parser.add_argument("--repeats", type=int, default=3, help="seeds of the folds; noise is new every time")
    options = parser.parse_args()
    print(f"δ = {DELTA}, {options.repeats} x 10 folds")
    print("| set | n x d | trivial | not private (published) | ε | Privet | AdaSSP, published |")
    print("|---|---|---|---|---|---|---|")
    for name, (features, target) in sets(options.data).items():
        trivial, plain, published = PUBLISHED[name]
        rows, values = prepared(features, target)
        exact, _ = error(rows, values, epsilon=None, repeats=options.repeats)
        for epsilon, theirs in published.items():
            ours, spread = error(rows, values, epsilon=epsilon, repeats=options.repeats)
            about = f"{name} | {len(rows)} x {rows.shape[1]} | {trivial} | {exact:.4f} ({plain}) | {epsilon}"
            print(f"| {about} | {ours:.4f} ± {spread:.4f} | {theirs} |")


if __name__ == "__main__":
    main()
