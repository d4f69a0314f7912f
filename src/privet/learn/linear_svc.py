"""LinearSVC: linear support vectors, with the corner of the hinge made round."""

from typing import Any, ClassVar, Unpack

from privet.errors import InvalidParameter
from privet.learn.linear_classifier import LinearClassifier
from privet.learn.priced import Priced, priced
from privet.loss.exact import Exact, exact, shown
from privet.mechanisms.linear_loss import HuberHinge, LinearLoss, SoftHinge

HINGES = {"soft": SoftHinge, "huber": HuberHinge}


class LinearSVC(LinearClassifier):
    """Linear support vectors; of more than two classes each against all others.

    Args:
        bounds: (lower, upper) of the features; or
        norm: the length to which rows are clipped.
        classes: the labels that y may hold.
        loss: "soft", the default, for h log(1 + exp((1 - margin) / h)); "huber" for a parabola between 1 - h and 1 + h.
        width: h, from 1/64 to 64: the corner of a plain hinge has no second derivative, and its noise no proof.
        perturbation, penalty, fit_intercept: see `LogisticRegression`.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Privacy: as promised by the price; no row is kept, and none is a "support vector" that could be looked at.
    Proof: as for `LogisticRegression`.

    Example:
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = LinearSVC(bounds=([4, 2, 1, 0], [8, 5, 7, 3]), classes=[0, 1, 2], epsilon=20, delta=1e-5)
        >>> bool(model.fit(X, y).score(X, y) > 0.6)
        True
    """

    _one_for_each_class: ClassVar[bool] = True

    @priced
    def __init__(  # noqa: PLR0913 - parameters of the model, each by name
        self,
        *,
        bounds: Any = None,  # noqa: ANN401 - refused in words
        norm: Any = None,  # noqa: ANN401 - refused in words
        classes: Any = None,  # noqa: ANN401 - any labels
        loss: str = "soft",
        width: Exact = 0.5,
        perturbation: str = "objective",
        penalty: Exact | None = None,
        fit_intercept: bool = True,
        **_: Unpack[Priced],
    ) -> None:
        self.bounds = bounds
        self.norm = norm
        self.classes = classes
        self.loss = loss
        self.width = width
        self.perturbation = perturbation
        self.penalty = penalty
        self.fit_intercept = fit_intercept

    def _row_loss(self, classes: int) -> LinearLoss:  # noqa: ARG002 - each class against all others
        """The chosen hinge."""
        if self.loss not in HINGES:
            raise InvalidParameter(f"loss must be one of {', '.join(HINGES)}, got {shown(self.loss)}")
        corner = exact(self.width, "width")
        return SoftHinge(corner, corner=1) if self.loss == "soft" else HuberHinge(corner)
