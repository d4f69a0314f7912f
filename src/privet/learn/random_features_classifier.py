"""RandomFeaturesClassifier: classes by a linear head on a public map of rows, trained by noisy steps."""

import math
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, Unpack

from numpy.typing import NDArray

from privet.asking.payment import Payment
from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.fourier_map import FourierMap
from privet.learn.mlp_classifier import NetworkClassifier
from privet.learn.network_plan import MOMENTUM, NetworkPlan, NetworkSetting
from privet.learn.network_steps import StepRule
from privet.learn.priced import Priced, priced
from privet.learn.row_map import RowMap
from privet.learn.scattering_map import ScatteringMap
from privet.loss.exact import exact_within, shown, whole
from privet.mechanisms.noisy_steps import rate_near

MAPS = ("fourier", "scattering")
BATCH, STEPS = 1 << 14, 160  # rows of a step on average, and steps, where many rows are expected
WALK, FASTEST = 5.0, 100.0  # how far noise moves a score until the end, about, and the fastest in lengths of rows
MOST_PAIRS, MOST_SCALES, MOST_ANGLES = 1 << 14, 8, 32
IMAGE = "image_shape must be (height, width) or (height, width, colors) whose product is the number of columns"


class RandomFeaturesClassifier(NetworkClassifier):
    """A linear classifier of mapped rows: the map is public and costs nothing, so only few parameters need noise.

    Args:
        features: "fourier" for any rows: waves of random frequencies, which make the head a kernel machine;
            "scattering" for images: what wavelets see of them, and what wavelets see of that.
        bounds: (lower, upper) of the columns or pixels; or
        norm: the length to which rows are clipped; for "fourier" alone.
        classes: the labels that y may hold.
        pairs: of waves, for "fourier".
        gamma: of its kernel exp(-gamma |x - x'|²), x in half widths of the bounds (or in lengths of `norm`); None for
            four over the number of columns (or 4).
        image_shape: (height, width) or (height, width, colors) of the images, for "scattering".
        scales, angles: of the wavelets: the longest is 2^(scales - 1) times as long as the finest.
        clipping, rate, steps, learning_rate, expected_rows, checkpoint, verbose: see `MLPClassifier`. Steps see 16,384
            rows on average where more are expected.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`. With a ρ all
            rows take part in every step.

    Attributes:
        coefs_, intercepts_: of the head, for mapped rows; averages of the last part of the way.
        n_iter_: the steps that were run.

    Privacy: as promised by the price. Nothing of the map is read from rows.
    Proof: docs/proofs/training.md: a mapped row follows from the row alone, to the last bit ("Maps of rows"); the head
        is a network without hidden layers ("Networks").

    Example:
        >>> from sklearn.datasets import load_digits
        >>> X, y = load_digits(return_X_y=True)
        >>> model = RandomFeaturesClassifier(
        ...     features="scattering", image_shape=(8, 8), bounds=(0, 16), classes=range(10), epsilon=1, delta=1e-5
        ... )
        >>> bool(model.fit(X, y).score(X, y) > 0.85)
        True
    """

    @priced
    def __init__(  # noqa: PLR0913 - parameters of the model, each by name
        self,
        *,
        features: str = "fourier",
        bounds: Any = None,  # noqa: ANN401 - refused in words
        norm: Any = None,  # noqa: ANN401 - refused in words
        classes: Any = None,  # noqa: ANN401 - any labels
        pairs: int = 500,
        gamma: Any = None,  # noqa: ANN401 - refused in words
        image_shape: Any = None,  # noqa: ANN401 - refused in words
        scales: int = 2,
        angles: int = 8,
        clipping: Any = "automatic",  # noqa: ANN401 - refused in words
        rate: Any = None,  # noqa: ANN401 - refused in words
        steps: int | None = None,
        learning_rate: Any = None,  # noqa: ANN401 - refused in words
        expected_rows: int | None = None,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool = False,
        **_: Unpack[Priced],
    ) -> None:
        self.features = features
        self.bounds = bounds
        self.norm = norm
        self.classes = classes
        self.pairs = pairs
        self.gamma = gamma
        self.image_shape = image_shape
        self.scales = scales
        self.angles = angles
        self.clipping = clipping
        self.rate = rate
        self.steps = steps
        self.learning_rate = learning_rate
        self.expected_rows = expected_rows
        self.checkpoint = checkpoint
        self.verbose = verbose

    # --- the map ------------------------------------------------------------------------------------------------

    def _columns(self) -> RowMap:
        """The public map."""
        return self._row_map(self.n_features_in_, self._map())

    def _mapped(self, features: Floats) -> NDArray[Any]:
        return self._columns().whole(features)

    def _width(self, columns: int) -> int:
        return self._row_map(columns).width

    def _longest(self, width: int) -> float:
        return self._row_map(width).longest

    def _row_map(self, columns: int, within: Any = None) -> RowMap:  # noqa: ANN401 - bounds or a norm, if known
        """The map of so many columns; its size follows without the bounds."""
        if self.features not in MAPS:
            raise InvalidParameter(f"features must be one of {', '.join(MAPS)}, got {shown(self.features)}")
        if self.features == "fourier":
            pairs = whole(self.pairs, "pairs", low=1, high=MOST_PAIRS)
            return FourierMap(within, columns, pairs, self._gamma(columns))
        if self._said("norm") is not None:
            raise InvalidParameter("features='scattering' needs bounds=(lower, upper) of the pixels, not a norm")
        scales = whole(self.scales, "scales", low=1, high=MOST_SCALES)
        angles = whole(self.angles, "angles", low=1, high=MOST_ANGLES)
        return ScatteringMap(within, image_of(self.image_shape, columns), scales, angles)

    def _gamma(self, columns: int) -> float:
        if self.gamma is None:
            return 4.0 if self._said("norm") is not None else 4.0 / columns
        return float(exact_within(self.gamma, "gamma", low=0, high=10**9))

    # --- the training -------------------------------------------------------------------------------------------

    def _setting(self, payment: Payment, columns: int, *, grouped: bool = False) -> NetworkSetting:
        """Many rows a step: a linear head is quick, and large samples need less noise."""
        setting = super()._setting(payment, columns, grouped=grouped)
        many = setting.expected is not None and setting.expected > BATCH
        if many and setting.rate is None and setting.budget.rho is None:
            setting = replace(setting, rate=rate_near(BATCH / float(setting.expected or 1)))
        return setting if setting.steps is not None else replace(setting, steps=STEPS)

    def _rule(self, plan: NetworkPlan, rows: float) -> StepRule:
        """As fast as rows allow, unless noise moves scores too far."""
        expected, said = max(rows * float(plan.steps.rate), 1.0), self._said("learning_rate")
        walk = plan.noise / expected * math.sqrt(plan.steps.steps) * self._usual / (1 - MOMENTUM)
        rate = min(WALK / walk, FASTEST / self._usual) if said is None else float(said)
        return StepRule(rate, MOMENTUM, expected)

    def _public(self, plan: NetworkPlan) -> Mapping[str, str]:
        told = {**super()._public(plan), "features": f"{self._width(self.n_features_in_)} {self.features} features"}
        if self.features == "scattering":
            told["image_shape"] = "of every row"
        return told


def image_of(shape: Any, columns: int) -> tuple[int, int, int]:  # noqa: ANN401 - refused in words
    """Height, width and colors of images of so many columns.

    Example:
        >>> image_of((28, 28), 784), image_of((4, 4, 3), 48)
        ((28, 28, 1), (4, 4, 3))
    """
    if shape is None or isinstance(shape, str) or not hasattr(shape, "__len__") or len(shape) not in {2, 3}:
        raise InvalidParameter(f"{IMAGE}, got {shown(shape)}: for example image_shape=(28, 28)")
    sides = [whole(each, "image_shape") for each in shape]
    if math.prod(sides) != columns:
        raise InvalidParameter(f"{IMAGE}: {' times '.join(map(str, sides))} are not {columns}")
    height, width, colors = [*sides, 1][:3]
    return height, width, colors
