"""Models attacked: `python benchmarks/learn_audit.py` prints a proven lower bound of what each model leaks at ε = 1.

A model is fitted many times to two neighbors that are as far apart as its proof allows, and one number is read off it.
An event is chosen on some of the fits and tested on the others (`privet.audit`). `--trials` says how many fits of
each neighbor, `--only` which models, `--alpha` how often a bound may be wrong.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from privet import audit, learn
from privet.loss import Guarantee

Fitted = Any
ALPHA = 1e-6


@dataclass(frozen=True)
class Attack:
    """A model, two neighbors, and what is looked at.

    Args:
        model: its name in `privet.learn`.
        declared: what is public.
        rows: what both neighbors have.
        more: the one row that the second neighbor has besides.
        look: one number of a fitted model.
        labels: targets of the rows, and that of the row; None where there are none.
        epsilon: what is claimed.
    """

    model: str
    declared: dict[str, Any]
    rows: NDArray[Any]
    more: NDArray[Any]
    look: Callable[[Fitted], float]
    labels: tuple[NDArray[Any], Any] | None = None
    epsilon: float = 1.0

    def seen(self, trials: int, *, added: bool, halved: bool = False) -> NDArray[np.float64]:
        """What an observer sees of so many fits.

        Args:
            trials: how many.
            added: whether the row is there.
            halved: True to be the control: half of the noise that the claim needs.
        """
        rows = np.vstack([self.rows, self.more[None]]) if added else self.rows
        told = [rows]
        if self.labels is not None:
            told.append(np.append(self.labels[0], self.labels[1]) if added else self.labels[0])
        price = self.epsilon * (2 if halved else 1)
        model = getattr(learn, self.model)(epsilon=price, **self.declared)
        return np.array([self.look(model.fit(*told)) for _ in range(trials)], dtype=np.float64)


def attacks() -> Iterator[Attack]:
    """Few rows, so that one is seen well; the row that comes is at a corner of the bounds."""
    none, few = np.zeros((0, 1)), np.zeros((4, 1))
    one, corner = np.ones(1), np.ones(2)
    yes, no = np.full(4, "yes"), np.array([], dtype=str)
    classes = {"classes": ["no", "yes"]}
    wide = {"bounds": (-1, 1)}
    yield Attack("BetaBernoulli", {}, none, one, lambda model: float(model.counts_[0, 1]))
    yield Attack("StandardScaler", wide, few, one, lambda model: float(model.mean_[0]))
    yield Attack("GaussianNB", {**wide, **classes}, few, one, lambda model: float(model.class_count_[1]), (yes, "yes"))
    yield Attack("GaussianNB", {**wide, **classes}, few, one, lambda model: float(model.theta_[1, 0]), (yes, "yes"))
    cells = {**wide, **classes, "bins": 2}
    yield Attack("HistogramClassifier", cells, none, one, lambda model: float(model.cell_counts_[1, 1]), (no, "yes"))
    yield Attack("BinnedNB", cells, none, one, lambda model: float(model.class_count_[1]), (no, "yes"))
    sums = {**wide, "target_bounds": (-1, 1)}
    yield Attack("LinearRegression", sums, few, one, lambda model: float(model.coef_[0]), (np.zeros(4), 1.0))
    centers = {**wide, "n_clusters": 1}
    yield Attack("KMeans", centers, none, one, lambda model: float(model.cluster_centers_[0, 0]))
    yield Attack("PCA", wide, np.zeros((2, 2)), corner, lambda model: float(model.explained_variance_[0]))
    line = {**wide, **classes, "fit_intercept": False}
    for style in ("objective", "output"):
        said = {**line, "perturbation": style}
        yield Attack("LogisticRegression", said, none, one, lambda model: float(model.coef_[0, 0]), (no, "yes"))
    yield Attack("LinearSVC", line, none, one, lambda model: float(model.coef_[0, 0]), (no, "yes"))
    forest = {**wide, **classes, "n_estimators": 1, "max_depth": 1}
    told = lambda model: float(np.diff(model.predict_proba([[1.0]])[0])[0])  # noqa: E731 - a look
    yield Attack("RandomForestClassifier", forest, none, one, told, (no, "yes"))
    boosted = {**wide, **classes, "n_estimators": 1, "max_depth": 1, "penalty": 1e-6}
    scored = lambda model: float(np.ravel(model.decision_function([[1.0]]))[0])  # noqa: E731 - a look
    yield Attack("GradientBoostingClassifier", boosted, none, one, scored, (no, "yes"))


def audited(attack: Attack, trials: int, *, alpha: float = ALPHA, halved: bool = False) -> float:
    """Return a lower bound of ε that is wrong with probability alpha at most, by so many fits of each neighbor."""

    def fits(added: bool, count: int) -> NDArray[np.float64]:  # noqa: FBT001 - one of two neighbors
        return attack.seen(count, added=added, halved=halved)

    return audit.test(fits, pair=(True, False), claim=Guarantee(attack.epsilon), trials=trials, alpha=alpha).epsilon


def main() -> None:
    """Attack, and print a line for each."""
    parser = argparse.ArgumentParser(description="Attack models at ε = 1.")
    parser.add_argument("--trials", type=int, default=4000, help="fits of each neighbor")
    parser.add_argument("--alpha", type=float, default=ALPHA, help="how often a bound may be wrong")
    parser.add_argument("--only", default="", help="models whose names begin so")
    parser.add_argument("--halved", action="store_true", help="with half of the noise, to see that it is found")
    asked = parser.parse_args()
    console = Console()
    for attack in attacks():
        if attack.model.startswith(asked.only):
            start = time.perf_counter()
            found = audited(attack, asked.trials, alpha=asked.alpha, halved=asked.halved)
            said = " ".join(f"{name}={value}" for name, value in attack.declared.items() if name == "perturbation")
            console.print(
                f"{attack.model:28} {said:24} ε >= {found:.3f} of {attack.epsilon:g}"
                f"  ({asked.trials} fits each, α = {asked.alpha:g}, {time.perf_counter() - start:.0f} s)"
            )


if __name__ == "__main__":
    main()
