"""Models: scikit-learn estimators that learn from protected rows, one a file.

`PrivateEstimator` is what all share: parameters about privacy, one payment before the rows are touched, one receipt.
Everything a model keeps is computed from numbers that left through a ledger.

May import: errors, loss, noise, core, display, mechanisms, wording, postprocessing, asking.
Never touches: drawing noise, SQL.
"""

try:
    import sklearn  # noqa: F401 - asked for here, so that one sentence says what is missing
except ModuleNotFoundError:  # pragma: no cover - the tests have it
    raise ModuleNotFoundError("privet.learn needs scikit-learn: install it with pip install 'privet[learn]'") from None

from privet.learn.bayesian_linear_regression import BayesianLinearRegression
from privet.learn.beta_bernoulli import BetaBernoulli
from privet.learn.binned_nb import BinnedNB
from privet.learn.canaries import Canaries
from privet.learn.categorical_nb import CategoricalNB
from privet.learn.comparison import Comparison, compare, learning_curve
from privet.learn.dirichlet_categorical import DirichletCategorical
from privet.learn.functional_regression import FunctionalRegression
from privet.learn.gamma_poisson import GammaPoisson
from privet.learn.gaussian_nb import GaussianNB
from privet.learn.gradient_boosting_classifier import GradientBoostingClassifier
from privet.learn.gradient_boosting_regressor import GradientBoostingRegressor
from privet.learn.histogram_classifier import HistogramClassifier
from privet.learn.histogram_density import HistogramDensity
from privet.learn.k_means import KMeans
from privet.learn.kernel_svc import KernelSVC
from privet.learn.linear_regression import LinearRegression
from privet.learn.linear_svc import LinearSVC
from privet.learn.logistic_regression import LogisticRegression
from privet.learn.mlp_classifier import MLPClassifier
from privet.learn.mlp_regressor import MLPRegressor
from privet.learn.model_receipt import ModelReceipt
from privet.learn.normal_inverse_gamma import NormalInverseGamma
from privet.learn.normal_mean import NormalMean
from privet.learn.posterior import Posterior
from privet.learn.principal_components import PCA
from privet.learn.private_choice import PrivateChoice, private_choice
from privet.learn.private_estimator import PrivateClassifier, PrivateEstimator, PrivateRegressor
from privet.learn.private_score import PrivateScore
from privet.learn.private_search_cv import PrivateSearchCV
from privet.learn.private_transformer import PrivateTransformer
from privet.learn.random_features_classifier import RandomFeaturesClassifier
from privet.learn.random_forest_classifier import RandomForestClassifier
from privet.learn.random_forest_regressor import RandomForestRegressor
from privet.learn.ridge import Ridge
from privet.learn.sample_and_aggregate_classifier import SampleAndAggregateClassifier
from privet.learn.sample_and_aggregate_regressor import SampleAndAggregateRegressor
from privet.learn.standard_scaler import StandardScaler

__all__ = [
    "PCA",
    "BayesianLinearRegression",
    "BetaBernoulli",
    "BinnedNB",
    "Canaries",
    "CategoricalNB",
    "Comparison",
    "DirichletCategorical",
    "FunctionalRegression",
    "GammaPoisson",
    "GaussianNB",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistogramClassifier",
    "HistogramDensity",
    "KMeans",
    "KernelSVC",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MLPClassifier",
    "MLPRegressor",
    "ModelReceipt",
    "NormalInverseGamma",
    "NormalMean",
    "Posterior",
    "PrivateChoice",
    "PrivateClassifier",
    "PrivateEstimator",
    "PrivateRegressor",
    "PrivateScore",
    "PrivateSearchCV",
    "PrivateTransformer",
    "RandomFeaturesClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Ridge",
    "SampleAndAggregateClassifier",
    "SampleAndAggregateRegressor",
    "StandardScaler",
    "compare",
    "learning_curve",
    "private_choice",
]
