# pip install "privet[learn]": the same inputs, given to Privet's counterparts
import numpy as np

from privet import Neighbors, audit
from privet.learn import GaussianNB, KMeans, LinearRegression, LogisticRegression
from privet.mechanisms import Laplace

WORDS = {"epsilon": 1, "neighbors": Neighbors.REPLACE}
FAR, LABELS = np.array([[100.0], [101.0], [100.0], [101.0]]), [0, 1, 0, 1]
ZEROS, RARE = np.zeros((20, 1)), ["flu", "cold", "flu", "plague"]


def line(rows):
    model = LinearRegression(bounds=(0, 1), target_bounds=(0, 1), fit_intercept=False, **WORDS)
    return model.fit(rows, np.ones(len(rows))).coef_


def bayes(labels):
    model = GaussianNB(bounds=(100, 101), classes=[0, 1], **WORDS).fit(FAR, labels)
    return np.concatenate([model.theta_, model.var_], axis=None)


def logistic(rows):
    return LogisticRegression(norm=100, classes=[0, 1], fit_intercept=False, **WORDS).fit(rows, [0, 1]).coef_


def centers(rows):
    return KMeans(n_clusters=2, bounds=(0, 1), **WORDS).fit(rows).cluster_centers_


def classes(labels):
    return GaussianNB(bounds=(100, 101), classes=["cold", "flu"], **WORDS).fit(FAR, labels).classes_


for function, pair, trials in (
    (line, (np.array([[0.01], [0.01]]), np.array([[1.0], [0.01]])), 5_000),
    (bayes, (LABELS, [1, 1, 0, 1]), 5_000),
    (logistic, (np.array([[0.0], [0.0]]), np.array([[0.0], [100.0]])), 5_000),
    (centers, (ZEROS, np.array([[1.0]] + [[0.0]] * 19)), 4_000),
    (classes, (["flu", "cold", "flu", "cold"], RARE), 1_000),
):
    print(audit.test(function, pair=pair, claim="epsilon=1", trials=trials), "\n")
print(audit.test(Laplace(1, 1), pair=(0.0, 1.0), trials=50_000))
