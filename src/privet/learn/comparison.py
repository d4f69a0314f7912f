"""Comparison: how far private models are from one without privacy, by ε and by the number of rows, on public rows."""

import importlib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import train_test_split
from sklearn.utils import get_tags

from privet.display import Chart
from privet.errors import InvalidParameter
from privet.learn.private_estimator import PrivateEstimator
from privet.loss.exact import Exact, exact, shown, whole

Score: TypeAlias = Callable[[Any, Any, Any], float]  # of a fitted model, X and y
Distance: TypeAlias = Callable[[Any, Any, Any], float]  # of a private and a plain fitted model, and X
HELD_OUT = 0.3
EPSILONS = (0.1, 0.3, 1, 3, 10)
HOMES = (
    "linear_model",
    "ensemble",
    "svm",
    "naive_bayes",
    "cluster",
    "decomposition",
    "preprocessing",
    "neural_network",
)
SHARES = (0.05, 0.1, 0.2, 0.5, 1)


@dataclass(frozen=True)
class Cell:
    """What some fits gave, for one ε and one number of rows.

    Args:
        epsilon: what each fit cost.
        rows: how many rows each learned from.
        score, score_error: the mean score on rows held out, and its standard error.
        distance, distance_error: the same of the distance to the plain model.
        plain: the mean score of the plain model, of as many rows.
    """

    epsilon: float
    rows: int
    score: float
    score_error: float
    distance: float
    distance_error: float
    plain: float


@dataclass(frozen=True, repr=False)
class Comparison:
    """What `compare` and `learning_curve` found; it prints as a table and draws charts.

    Args:
        model: the private model's name.
        plain: the other's.
        cells: by ε and number of rows.
        repeats: how many fits each mean is of.

    Example:
        >>> import numpy as np
        >>> from privet.learn import GaussianNB, compare
        >>> rows = np.linspace(0, 1, 200).reshape(100, 2)
        >>> model = GaussianNB(bounds=(0, 1), classes=[False, True])
        >>> found = compare(model, rows, rows[:, 0] > 0.4, epsilons=[1], repeats=1)
        >>> found.model, found.plain, found.repeats
        ('GaussianNB', 'GaussianNB without privacy', 1)
    """

    model: str
    plain: str
    cells: tuple[Cell, ...]
    repeats: int

    def slope(self, epsilon: float) -> float:
        """How the distance falls with the number of rows: -1 where it is like 1/n, as noise on a sum is."""
        known = [each for each in self.cells if each.epsilon == epsilon and each.distance > 0]
        if len({each.rows for each in known}) < 2:  # noqa: PLR2004 - a line has two points
            raise InvalidParameter(
                f"a slope needs two numbers of rows at ε={epsilon:g}: ask learning_curve for more sizes"
            )
        return float(np.polyfit(np.log([each.rows for each in known]), np.log([each.distance for each in known]), 1)[0])

    def chart(self) -> Chart:
        """Scores with the plain model's beside them; over the number of rows if there are several, else over ε."""
        if len(self._sizes) > 1:
            return Chart.panels([self._over_rows("score"), self._over_rows("distance")])
        cells = sorted(self.cells, key=lambda each: each.epsilon)
        at = [each.epsilon for each in cells]
        lines = {self.model: (at, [each.score for each in cells]), self.plain: (at, [each.plain for each in cells])}
        title = f"{cells[0].rows:,} public rows"
        drawn = Chart.lines(lines, x="ε of a fit", y="score on rows held out", title=title, log_x=True)
        spans = {self.model: (at, [each.score for each in cells], [2 * each.score_error for each in cells])}
        return drawn + Chart.points(spans, x="", y="", log_x=True)

    def _over_rows(self, what: str) -> Chart:
        lines = {}
        for epsilon in sorted({each.epsilon for each in self.cells}):
            cells = sorted((each for each in self.cells if each.epsilon == epsilon), key=lambda each: each.rows)
            lines[f"ε={epsilon:g}"] = [each.rows for each in cells], [getattr(each, what) for each in cells]
        if what == "score":
            found = {each.rows: each.plain for each in self.cells}
            lines[self.plain] = list(found), list(found.values())
            return Chart.lines(lines, x="rows", y="score on rows held out", title=self.model, log_x=True)
        tiny = min((value for _, values in lines.values() for value in values if value > 0), default=1.0)
        lines = {name: (at, [max(value, tiny) for value in values]) for name, (at, values) in lines.items()}
        return Chart.lines(lines, x="rows", y=f"distance to {self.plain}", log_x=True, log_y=True)

    @property
    def _sizes(self) -> set[int]:
        return {each.rows for each in self.cells}

    def __repr__(self) -> str:
        head = f"{self.model} beside {self.plain}, on public rows; means of {self.repeats} fits ± standard error"
        lines = [head, f"{'ε':>8} {'rows':>9} {'score':>16} {'without privacy':>16} {'distance':>16}"]
        lines += [
            f"{each.epsilon:>8g} {each.rows:>9,} {each.score:>7.3f} ± {each.score_error:<6.3f} {each.plain:>16.3f}"
            f" {each.distance:>7.3g} ± {each.distance_error:<6.2g}"
            for each in self.cells
        ]
        return "\n".join(lines)


def compare(  # noqa: PLR0913 - what is compared and how, each by name
    model: PrivateEstimator,
    public_X: Any,  # noqa: ANN401, N803 - rows of any kind
    public_y: Any = None,  # noqa: ANN401 - targets of any kind
    *,
    plain: BaseEstimator | None = None,
    epsilons: Iterable[Exact] = EPSILONS,
    repeats: int = 10,
    score: Score | None = None,
    distance: Distance | None = None,
) -> Comparison:
    """Fit a model at several ε beside one without privacy, on public or invented rows, and say how far they are apart.

    Args:
        model: with all that it needs declared; its own price and its ledger are left out.
        public_X: rows that anybody may see; what is found is exact, and nothing is charged.
        public_y: their targets.
        plain: a model without privacy; by default scikit-learn's of the same name.
        epsilons: what fits shall cost.
        repeats: how many splits and fits each mean is of; 30 % of the rows are held out of each.
        score: of a fitted model, X and y; by default the model's own.
        distance: of the private and the plain model, and the X held out; by default the share of rows that are
            classified otherwise, or the root of the mean squared difference of predictions.

    Privacy: none of these rows is protected. For protected rows see `private_score`.

    Example:
        >>> import numpy as np
        >>> from privet.learn import GaussianNB, compare
        >>> rows = np.linspace(0, 1, 600).reshape(300, 2)
        >>> model = GaussianNB(bounds=(0, 1), classes=[False, True])
        >>> found = compare(model, rows, rows[:, 0] > 0.4, epsilons=[1000], repeats=2)
        >>> found.cells[0].rows, found.cells[0].distance < 0.2
        (210, True)
    """
    whole_set = _held_out(public_X, public_y, 0)[0]
    sizes = [_length(whole_set)]
    return learning_curve(
        model,
        public_X,
        public_y,
        plain=plain,
        epsilons=epsilons,
        sizes=sizes,
        repeats=repeats,
        score=score,
        distance=distance,
    )


def learning_curve(  # noqa: PLR0913 - what is compared and how, each by name
    model: PrivateEstimator,
    public_X: Any,  # noqa: ANN401, N803 - rows of any kind
    public_y: Any = None,  # noqa: ANN401 - targets of any kind
    *,
    plain: BaseEstimator | None = None,
    epsilons: Iterable[Exact] = (0.1, 1, 10),
    sizes: Iterable[int] | None = None,
    repeats: int = 10,
    score: Score | None = None,
    distance: Distance | None = None,
) -> Comparison:
    """`compare` for several numbers of rows: how fast private models come near the plain one.

    Args:
        model: as in `compare`, and so all but sizes.
        public_X: rows that anybody may see.
        public_y: their targets.
        plain: a model without privacy.
        epsilons: what fits shall cost.
        sizes: how many rows to learn from; by default shares of those that are not held out.
        repeats: how many fits each mean is of.
        score: of a fitted model, X and y.
        distance: of the private and the plain model, and the X held out.

    Example:
        >>> import numpy as np
        >>> from privet.learn import GaussianNB
        >>> rows = np.linspace(0, 1, 200).reshape(100, 2)
        >>> model = GaussianNB(bounds=(0, 1), classes=[False, True])
        >>> curve = learning_curve(model, rows, rows[:, 0] > 0.4, epsilons=[1], sizes=[20, 40], repeats=1)
        >>> [cell.rows for cell in curve.cells]
        [20, 40]
    """
    if not isinstance(model, PrivateEstimator):
        raise InvalidParameter(f"model must be one of privet.learn, got {type(model).__name__}")
    other = _plain(model) if plain is None else plain
    prices = [float(exact(each, "epsilon")) for each in epsilons]
    number = whole(repeats, "repeats")
    most = _length(_held_out(public_X, public_y, 0)[0])
    lengths = (
        sorted({max(2, round(share * most)) for share in SHARES})
        if sizes is None
        else [whole(n, "sizes") for n in sizes]
    )
    if not lengths or max(lengths) > most:
        raise InvalidParameter(f"sizes must be at most {most:,}, the rows that are not held out, got {shown(sizes)}")
    found: dict[tuple[float, int], list[tuple[float, float, float]]] = {}
    for repeat in range(number):
        train, test, wanted, truth = _held_out(public_X, public_y, repeat)
        for rows in lengths:
            few, few_wanted = _first(train, rows), None if wanted is None else _first(wanted, rows)
            exactly = clone(other).fit(few, few_wanted)
            best = _score(exactly, test, truth, score)
            for price in prices:
                said = {"epsilon": str(price), "rho": None, "risk": None, "ledger": None}
                private = clone(model).set_params(**said).fit(few, few_wanted)
                apart = _distance(private, exactly, test, distance)
                found.setdefault((price, rows), []).append((_score(private, test, truth, score), apart, best))
    cells = tuple(_cell(price, rows, np.array(each)) for (price, rows), each in sorted(found.items()))
    return Comparison(type(model).__name__, type(other).__name__ + " without privacy", cells, number)


def _cell(price: float, rows: int, found: Any) -> Cell:  # noqa: ANN401 - an array
    means = found.mean(axis=0)
    errors = found.std(axis=0, ddof=1) / math.sqrt(len(found)) if len(found) > 1 else np.zeros(3)
    return Cell(price, rows, *(float(each) for each in (means[0], errors[0], means[1], errors[1], means[2])))


def _plain(model: PrivateEstimator) -> BaseEstimator:
    """scikit-learn's model of the same name, with its own defaults."""
    name = type(model).__name__
    modules = (importlib.import_module(f"sklearn.{each}") for each in HOMES)
    kind = next((getattr(module, name) for module in modules if hasattr(module, name)), None)
    if kind is None:
        raise InvalidParameter(f"scikit-learn has no {name}: say plain=, a model without privacy to compare with")
    made: BaseEstimator = kind()
    shared = {"n_clusters", "n_components", "fit_intercept"} & made.get_params().keys() & model.get_params().keys()
    return made.set_params(**{each: getattr(model, each) for each in shared})


def _held_out(rows: Any, target: Any, seed: int) -> tuple[Any, Any, Any, Any]:  # noqa: ANN401 - rows of any kind
    if target is None:
        train, test = train_test_split(rows, test_size=HELD_OUT, random_state=seed)
        return train, test, None, None
    train, test, wanted, truth = train_test_split(rows, target, test_size=HELD_OUT, random_state=seed)
    return train, test, wanted, truth


def _length(rows: Any) -> int:  # noqa: ANN401 - rows of any kind
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def _first(rows: Any, number: int) -> Any:  # noqa: ANN401 - rows of any kind
    return rows.iloc[:number] if hasattr(rows, "iloc") else rows[:number]


def _score(model: Any, rows: Any, target: Any, score: Score | None) -> float:  # noqa: ANN401 - any fitted model and rows
    if score is not None:
        return float(score(model, rows, target))
    return float(model.score(rows, target)) if hasattr(model, "score") else math.nan


def _distance(private: Any, plain: Any, rows: Any, distance: Distance | None) -> float:  # noqa: ANN401 - any fitted models and rows
    if distance is not None:
        return float(distance(private, plain, rows))
    kind = get_tags(private).estimator_type
    if kind == "classifier":
        return float(np.mean(np.asarray(private.predict(rows)) != np.asarray(plain.predict(rows))))
    if kind == "regressor":
        return float(np.sqrt(np.mean((np.asarray(private.predict(rows)) - np.asarray(plain.predict(rows))) ** 2)))
    raise InvalidParameter(
        f"how far {type(private).__name__} is from {type(plain).__name__} is for you to say: for example "
        "distance=lambda private, plain, rows: abs(private.mean_ - plain.mean_).max()"
    )
