# pip install privet diffprivlib==0.6.6 "scikit-learn<1.8"
import numpy as np
from diffprivlib.models import GaussianNB

from privet import audit

ROWS = np.array([[0.0], [1.0], [0.0], [1.0]])


def classes(labels):
    return GaussianNB(epsilon=1, bounds=(0, 1)).fit(ROWS, labels).classes_


labels, neighbor = ["flu", "cold", "flu", "cold"], ["flu", "cold", "flu", "plague"]
print(audit.test(classes, pair=(labels, neighbor), claim="epsilon=1", trials=1_000))
