# pip install privet diffprivlib==0.6.6 "scikit-learn<1.8"
import numpy as np
from diffprivlib.models import GaussianNB

from privet import audit

ROWS = np.array([[100.0], [101.0], [100.0], [101.0]])


def learned(labels):
    model = GaussianNB(epsilon=1, bounds=(100, 101)).fit(ROWS, labels)
    return np.round(np.concatenate([model.class_count_, model.theta_, model.var_], axis=None), 3)


labels, neighbor = [0, 1, 0, 1], [1, 1, 0, 1]  # one row has another label
print(audit.test(learned, pair=(labels, neighbor), claim="epsilon=1", trials=5_000))
