# pip install privet diffprivlib==0.6.6 "scikit-learn<1.8"
from diffprivlib.mechanisms import Gaussian, Laplace, Snapping

from privet import audit

laplace = Laplace(epsilon=1, sensitivity=1)
gaussian = Gaussian(epsilon=0.5, delta=1e-5, sensitivity=1)
snapping = Snapping(epsilon=1, sensitivity=1, lower=-10, upper=10)  # made against this very attack: not flagged
for mechanism in (laplace, gaussian, snapping):
    print(audit.test(mechanism, pair=(0.0, 1.0), trials=50_000))
