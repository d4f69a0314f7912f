"""The models that benchmarks/learn.py compares: Privet's, the peer's and scikit-learn's, and which data each gets."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from learn_data import Dataset
from learn_peers import clusters_of, components_of
from sklearn import decomposition, ensemble, linear_model, naive_bayes, preprocessing, svm

from privet import learn

DELTA = "1e-6"


@dataclass(frozen=True)
class Pair:
    """A model of Privet beside one of the peer.

    Args:
        name: Privet's class.
        kind: what is learned, see `learn_task.measure`.
        peer: the peer's class; it may be another that does the same.
        plain: scikit-learn's, without privacy; None where the score is a distance to it.
        delta: beside ε, where Privet's model is asked for one; the peer's models have none.
        form: of the rows that Privet gets.
        norm: whether Privet is told the length of rows instead of bounds, where the data has a public one.
        more: parameters.
    """

    name: str
    kind: str
    peer: str
    plain: Callable[[], Any] | None
    delta: str = "0"
    form: str = "raw"
    norm: bool = False
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """How the model is called on the page."""
        return self.name + (f", δ = {self.delta}" if self.delta != "0" else "")

    @property
    def there(self) -> bool:
        """Whether Privet has it."""
        return hasattr(learn, self.name)

    def form_for(self, data: Dataset) -> str:
        """Rows within [0, 1] where their length is public, else as `form` says."""
        return "unit" if self.norm and data.norm is not None else self.form

    def make(self, data: Dataset, epsilon: float, _: int) -> Any:  # noqa: ANN401 - a model
        """An unfitted model of Privet's."""
        said: dict[str, Any] = {"epsilon": str(epsilon), "delta": self.delta, **self.more}
        if self.norm and data.norm is not None:
            said["norm"] = data.norm
        elif self.form == "raw":
            said["bounds"] = (data.lower, data.upper)
        elif self.form == "unit":
            said["bounds"] = (0, 1)
        else:
            end = 1 / np.sqrt(data.rows.shape[1])
            said["bounds"] = (-end, end)
        if self.kind == "classes":
            said["classes"] = data.classes
        if self.kind == "numbers":
            said["target_bounds"] = data.target_bounds
        if self.kind == "clusters":
            said["n_clusters"] = clusters_of(data)
        if self.kind == "components":
            said["n_components"] = components_of(data)
        return getattr(learn, self.name)(**said)

    def plainly(self, data: Dataset) -> Any:  # noqa: ANN401 - scikit-learn's
        """scikit-learn's model; of components as many."""
        if self.plain is None:
            return None
        model = self.plain()
        return model.set_params(n_components=components_of(data)) if self.kind == "components" else model


def logistic() -> Any:  # noqa: ANN401 - scikit-learn's
    """With rows scaled, as everybody does."""
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 - here alone

    return make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression(max_iter=1000))


def support() -> Any:  # noqa: ANN401 - scikit-learn's
    """With rows scaled, as everybody does."""
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 - here alone

    return make_pipeline(preprocessing.StandardScaler(), svm.LinearSVC())


def forest() -> Any:  # noqa: ANN401 - scikit-learn's
    """Of as many trees as the peer's."""
    return ensemble.RandomForestClassifier(n_estimators=10, random_state=0)


PAIRS = (
    Pair("LogisticRegression", "classes", "LogisticRegression", logistic, norm=True),
    Pair("LogisticRegression", "classes", "LogisticRegression", logistic, delta=DELTA, norm=True),
    Pair("LinearSVC", "classes", "LogisticRegression", support, delta=DELTA, norm=True),
    Pair("GaussianNB", "classes", "GaussianNB", naive_bayes.GaussianNB),
    Pair("GaussianNB", "classes", "GaussianNB", naive_bayes.GaussianNB, delta=DELTA),
    Pair("RandomForestClassifier", "classes", "RandomForestClassifier", forest),
    Pair("RandomForestClassifier", "classes", "RandomForestClassifier", forest, delta=DELTA),
    Pair("GradientBoostingClassifier", "classes", "RandomForestClassifier", forest, delta=DELTA),
    Pair("LinearRegression", "numbers", "LinearRegression", linear_model.LinearRegression),
    Pair("LinearRegression", "numbers", "LinearRegression", linear_model.LinearRegression, delta=DELTA),
    Pair("Ridge", "numbers", "LinearRegression", linear_model.LinearRegression, delta=DELTA),
    Pair("KMeans", "clusters", "KMeans", None, form="unit"),
    Pair("KMeans", "clusters", "KMeans", None, delta=DELTA, form="unit"),
    Pair("PCA", "components", "PCA", decomposition.PCA, form="short"),
    Pair("PCA", "components", "PCA", decomposition.PCA, delta=DELTA, form="short"),
    Pair("StandardScaler", "scale", "StandardScaler", None),
    Pair("StandardScaler", "scale", "StandardScaler", None, delta=DELTA),
)
LOWER_IS_BETTER = ("clusters", "scale")
SCORES = {
    "classes": "Accuracy on the test rows",
    "numbers": "R² on the test rows",
    "clusters": "Squared distance of test rows to centers, over that to centers found without privacy (least is best)",
    "components": "Share of the test rows' variance that the components hold",
    "scale": "How far the means are from the exact ones, in standard deviations (0 is best)",
}


def suits(pair: Pair, data: Dataset) -> bool:
    """Whether a model is asked about a data set; clusters and components are looked for in sets with classes."""
    if pair.kind == "numbers":
        return data.target_bounds is not None
    if pair.kind == "scale":
        return len(data.rows) < 5_000 and data.name in {"iris", "wine", "breast cancer", "digits", "diabetes"}
    if data.name == "adult, numbers":  # marks are not normal: naive Bayes is asked about both
        return pair.name == "GaussianNB"
    return data.classes is not None and (pair.kind == "classes" or data.name != "adult")
