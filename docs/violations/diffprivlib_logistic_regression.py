# pip install privet diffprivlib==0.6.6 "scikit-learn<1.8"
import numpy as np
from diffprivlib.models import LogisticRegression

from privet import audit


def coefficient(rows):
    model = LogisticRegression(epsilon=1, data_norm=100, fit_intercept=False)
    return np.round(model.fit(rows, [0, 1]).coef_, 3)


rows = np.array([[0.0], [0.0]])
neighbor = np.array([[0.0], [100.0]])
print(audit.test(coefficient, pair=(rows, neighbor), claim="epsilon=1", trials=10_000))
