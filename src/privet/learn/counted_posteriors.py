"""Posteriors of shares and rates, by sums over the exact counts that may lie behind noisy ones."""

import numpy as np
from scipy import signal, special, stats

from privet.learn.features import Floats
from privet.learn.noise_odds import NoiseOdds, spread_over
from privet.learn.posterior import NEGLIGIBLE, Mixture

STEADY = 241  # points of one count
SHORT = 256  # distributions below which plain sums are fast
Rows = tuple[float, float]  # how many rows there may be


def share_posterior(noisy: float, rows: int, odds: NoiseOdds, prior: tuple[float, float]) -> Mixture:
    """Return the posterior of a share from a noisy count, when the number of rows is public.

    Args:
        noisy: the count.
        rows: n.
        odds: of its noise.
        prior: a and b of the beta distribution.

    Proof: p(θ | noisy) = Σ_k p(noisy | k) p(k) p(θ | k), where k given n is beta-binomial and θ given k is Beta(a + k,
        b + n - k). The sum is over every k that noise can reach; above 4,001 of these over as many equal steps.
    """
    a, b = prior
    hits = spread_over(*odds.window(noisy, 0, rows), 4001)
    logs = odds.logs(noisy - hits) + _beta_binomial(hits, rows - hits, a, b)
    return Mixture.of(logs, a + hits, b + rows - hits, beta=True)


def share_posteriors(
    noisy: Floats, odds: NoiseOdds, prior: Floats, rows: Rows, *, public: int | None = None
) -> tuple[Mixture, ...]:
    """Return the posteriors of the shares of several categories, all counted with noise.

    Args:
        noisy: the counts.
        odds: of their noise.
        prior: one number for each category, of the Dirichlet distribution.
        rows: how many rows there may be at least and at most, each number as likely.
        public: how many there are, where that is known.

    Proof: given the shares and n, counts are multinomial; without the shares their probability is a product of
        Γ(a_j + k_j)/k_j! times n!/Γ(A + n). So the other categories enter one category's posterior by the sum of their
        counts alone, whose weights are a convolution. The share of j is Beta(a_j + k_j, A - a_j + n - k_j).
    """
    step = max(1, round(2 * 30 * odds.scale / STEADY))
    starts, weights = [], []
    for count, a in zip(noisy, prior, strict=True):
        first, last = odds.window(float(count), 0, rows[1])
        hits = np.arange(first, last + 1, step)
        logs = odds.logs(count - hits) + special.gammaln(a + hits) - special.gammaln(hits + 1)
        starts.append(hits[0])
        weights.append(np.exp(logs - logs.max()))
    found = []
    others = without_each(weights)
    for place, a in enumerate(prior):
        (kept,) = np.nonzero(others[place] > NEGLIGIBLE * others[place].max())
        joined = others[place][kept[0] : kept[-1] + 1]
        first = sum(starts) - starts[place] + step * int(kept[0])
        hits = starts[place] + step * np.arange(len(weights[place]))
        rest = first + step * np.arange(len(joined))
        with np.errstate(divide="ignore"):
            logs = np.log(weights[place])[:, None] + np.log(joined)[None, :]
        number = hits[:, None] + rest[None, :]
        logs = logs + special.gammaln(number + 1) - special.gammaln(prior.sum() + number)
        known = (rows[0] <= number) & (number <= rows[1])
        if public is not None:
            known = np.abs(number - public) <= (step - 1) / 2 + 0.25
        if not known.any():  # noise beyond belief: what comes nearest
            gap = np.abs(number - np.clip(number, *(rows if public is None else (public, public))))
            known = gap == gap.min()
        found.append(
            Mixture.of(np.where(known, logs, -np.inf), a + hits[:, None], prior.sum() - a + rest[None, :], beta=True)
        )
    return tuple(found)


def without_each(weights: list[Floats]) -> list[Floats]:
    """Return, for each of several distributions of counts, that of the sum of all others.

    Example:
        >>> [each.tolist() for each in without_each([np.array([1.0, 1.0]), np.array([1.0, 2.0]), np.array([3.0])])]
        [[0.5, 1.0], [1.0, 1.0], [0.3333333333333333, 1.0, 0.6666666666666666]]
    """
    before, after = [np.ones(1)], [np.ones(1)]
    for one, other in zip(weights[:-1], weights[:0:-1], strict=True):
        before.append(_sum(before[-1], one))
        after.append(_sum(after[-1], other))
    return [_sum(one, other) for one, other in zip(before, after[::-1], strict=True)]


def _sum(one: Floats, other: Floats) -> Floats:
    """The distribution of a sum; where it is long by fast Fourier transforms, exact to 1e-15 of the largest."""
    short = min(len(one), len(other)) < SHORT
    found: Floats = np.convolve(one, other) if short else np.maximum(signal.fftconvolve(one, other), 0.0)
    found /= found.max()
    return found


def rate_posterior(total: float, odds: NoiseOdds, numbers: Floats, logs: Floats, prior: tuple[float, float]) -> Mixture:
    """Return the posterior of a rate from a noisy total of counts.

    Args:
        total: noisy.
        odds: of its noise.
        numbers: how many rows there may be.
        logs: how likely each of these is, as logarithms up to a constant.
        prior: shape and rate of the gamma distribution.

    Proof: given n, the total is a sum of n Poisson counts; without the rate it is negative binomial, and given the
        total s the rate is Gamma(a + s, b + n). The sum is over all n and s that noise can reach.
    """
    a, b = prior
    most = stats.nbinom.isf(1e-13, a, b / (b + float(numbers.max())))
    first, last = odds.window(total)
    sums = spread_over(*((first, min(last, most)) if first <= most else (0.0, most)), 801)
    chance = b / (b + numbers[None, :])
    weight = (
        special.gammaln(a + sums[:, None])
        - special.gammaln(sums[:, None] + 1)
        + a * np.log(chance)
        + special.xlog1py(sums[:, None], -chance)
    )
    return Mixture.of(
        weight + odds.logs(total - sums)[:, None] + logs[None, :], a + sums[:, None], b + numbers[None, :], beta=False
    )


def _beta_binomial(hits: Floats, misses: Floats, a: float, b: float) -> Floats:
    """The logarithm of the beta-binomial probability, also between whole numbers."""
    number = hits + misses
    ways = special.gammaln(number + 1) - special.gammaln(hits + 1) - special.gammaln(misses + 1)
    found: Floats = ways + special.betaln(a + hits, b + misses) - special.betaln(a, b)
    return found
