# pip install privet diffprivlib==0.6.6 "scikit-learn<1.8"
import numpy as np
from diffprivlib.models import KMeans

from privet import audit


def centers(rows):
    return np.round(KMeans(n_clusters=2, epsilon=1, bounds=(0, 1)).fit(rows).cluster_centers_, 3)


rows = np.zeros((20, 1))
neighbor = np.array([[1.0]] + [[0.0]] * 19)
print(audit.test(centers, pair=(rows, neighbor), claim="epsilon=1", trials=4_000))
