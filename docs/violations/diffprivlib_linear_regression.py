# pip install privet diffprivlib==0.6.6 "scikit-learn<1.8"
import numpy as np
from diffprivlib.models import LinearRegression

from privet import audit


def coefficient(rows):
    model = LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 1), fit_intercept=False)
    return np.round(model.fit(rows, np.ones(len(rows))).coef_, 3)  # rounded: the last bits of floats are another matter


rows = np.array([[0.01], [0.01]])
neighbor = np.array([[1.0], [0.01]])
print(audit.test(coefficient, pair=(rows, neighbor), claim="epsilon=1", trials=5_000))
