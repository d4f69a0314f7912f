"""Training: what a network costs that is trained on random batches, and the least noise for it."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from privet.errors import InvalidParameter
from privet.loss.calibration import calibrated_scale
from privet.loss.curves.gaussian import GaussianCurve
from privet.loss.exact import Exact, exact_within, meant_by, shown, whole
from privet.loss.gaussian_privacy import gaussian_scale
from privet.loss.guarantee import ConcentratedGuarantee, Guarantee, Promise
from privet.loss.neighbors import Neighbors
from privet.loss.privacy_loss import PrivacyLoss

BATCHES = ("sampled", "drawn", "allocated")
PRECISION = 1e-5  # the share of the noise that it may be more than needed
STRIDE = 1.05  # how far off the first guess usually is
FARTHEST = 2.0**60


def training_loss(
    scale: Exact,
    *,
    rate: Exact,
    steps: int,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
    batches: str = "sampled",
) -> PrivacyLoss:
    """The loss of `steps` sums of clipped vectors, each of a random batch, with Gaussian noise (DP-SGD).

    Args:
        scale: > 0; the standard deviation of the noise, for vectors clipped to a norm of 1.
        rate: in (0, 1]; the probability that a unit is in a batch.
        steps: how many sums are released.
        neighbors: what the loss holds for.
        batches: "sampled": every unit is in every batch independently with probability `rate` (Poisson). "drawn": a
            batch is a uniform sample of fixed size, the share `rate` of a public number of units; under REPLACE only.
            "allocated": every epoch has 1/`rate` batches, and every unit is in exactly one of them, drawn uniformly for
            each unit and epoch by itself; an epoch that was begun counts as a whole one. Under ADD_REMOVE only.

    Proof: a unit that comes or goes moves a sum by at most 1, one that is replaced by at most 2; the rest is that of
        `PrivacyLoss.sampled`, `drawn` and `allocated`. Steps may depend on earlier ones: the curves hold for every step
        (or epoch) alike.
    Not covered: batches that are cut off a shuffled list, see docs/learn/accounting.md.

    Example:
        >>> loss = training_loss("1.1", rate="256/60000", steps=14_062)
        >>> round(loss.epsilon(delta=1e-5), 3)
        2.382
    """
    noise = exact_within(scale, "scale", low=0)
    if not noise:
        raise InvalidParameter("scale must be > 0, got 0: without noise nothing is private")
    relation = Neighbors.of(neighbors)
    share = exact_within(rate, "rate", low=0, high=1)
    if batches not in BATCHES:
        raise InvalidParameter(f"batches must be one of {', '.join(BATCHES)}, got {shown(batches)}")
    if batches == "drawn":
        if relation is Neighbors.ADD_REMOVE:
            raise InvalidParameter(
                'batches="drawn" are of a public number of units, hence for neighbors="replace": '
                'say that, or take batches="sampled"'
            )
        return PrivacyLoss.of(GaussianCurve(2 / noise)).drawn(share.numerator, share.denominator) * steps
    if batches == "allocated":
        return _allocated(noise, share, steps, relation)
    if relation is Neighbors.REPLACE and share == 1:
        return PrivacyLoss.of(GaussianCurve(2 / noise)) * steps
    return PrivacyLoss.of(GaussianCurve(1 / noise)).sampled(share, neighbors=relation) * steps


def _allocated(noise: Fraction, share: Fraction, steps: int, relation: Neighbors) -> PrivacyLoss:
    if relation is not Neighbors.ADD_REMOVE:
        raise InvalidParameter(
            'batches="allocated" are priced for neighbors="add_remove" alone: say that, or take batches="sampled"'
        )
    if not share or share.numerator != 1:
        raise InvalidParameter(
            f"rate must be one over a whole number of batches, such as 1/235, for allocated batches, got {shown(share)}"
        )
    epoch = PrivacyLoss.of(GaussianCurve(1 / noise)).allocated(share.denominator)
    return epoch * math.ceil(whole(steps, "steps", low=0) * share)


def training_scale(
    *,
    rate: Exact,
    steps: int,
    promise: Promise,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
    batches: str = "sampled",
) -> float:
    """The least noise with which a training on random batches keeps a promise, from the private side.

    Args:
        rate: see `training_loss`, as the others.
        steps: at least 1.
        promise: epsilon and delta > 0, or rho.
        neighbors: what the promise holds for.
        batches: how batches are chosen.

    Returns:
        The scale per unit of the clipping norm; at most a part in 10⁵ more than the loss calls for.

    Privacy: `training_loss(scale, ...)` was checked to keep the promise.
    Proof: `calibrated_scale`. Batches hide nothing from rho: a high order of Rényi divergence sees only the runs in
        which the unit took part, so that rho is that of all units in all batches.

    Example:
        >>> scale = training_scale(rate="256/60000", steps=14_062, promise=Guarantee(2, 1e-5))
        >>> round(scale, 3)
        1.224
    """
    runs = whole(steps, "steps", low=1)
    share = exact_within(rate, "rate", low=0, high=1)
    return _least_scale(share, runs, promise, Neighbors.of(neighbors), batches)


@lru_cache(maxsize=256)
def _least_scale(rate: Fraction, steps: int, promise: Promise, neighbors: Neighbors, batches: str) -> float:
    def loss_at(scale: float) -> PrivacyLoss:
        return training_loss(scale, rate=rate, steps=steps, neighbors=neighbors, batches=batches)

    if isinstance(promise, ConcentratedGuarantee):
        return _concentrated(loss_at, promise)
    if not promise.delta:
        raise InvalidParameter("delta must be > 0: Gaussian noise is never pure DP; give a delta such as 1e-6")
    guess = _guessed(float(rate), steps, promise, neighbors, batches)
    return calibrated_scale(loss_at, promise, near=guess, stride=STRIDE, precision=PRECISION)


def _concentrated(loss_at: Callable[[float], PrivacyLoss], promise: ConcentratedGuarantee) -> float:
    """The least scale for a rho, which falls with its square: the root, and the next floats if it was rounded."""
    if not promise.rho:
        raise InvalidParameter("rho must be > 0: no finite noise reveals nothing")
    scale = math.sqrt(meant_by(loss_at(1.0).zcdp()) / promise.rho)
    while meant_by(loss_at(scale).zcdp()) > promise.rho:
        scale = math.nextafter(scale, math.inf)
    return scale


def _guessed(rate: float, steps: int, promise: Guarantee, neighbors: Neighbors, batches: str) -> float:
    """About the scale: many small losses are like one Gaussian, whose mu adds up to that of the promise.

    Proof: the square of mu is steps times the variance of P'/Q' (Dong, Roth and Su 2022, Corollary 5.4). Guesses only
        decide how long the search takes.
    """
    mu = 1 / gaussian_scale(float(promise.epsilon), delta=float(promise.delta))
    spread = mu * mu / (rate * rate * steps)
    if batches == "drawn":
        square = 4 / math.log1p(spread)
    elif neighbors is Neighbors.REPLACE:
        square = 1 / math.asinh(spread / 4)
    else:
        square = 1 / math.log1p(spread)
    return min(max(math.sqrt(square), 1 / FARTHEST), FARTHEST)
