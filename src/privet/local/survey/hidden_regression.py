"""HiddenRegression: how a hidden answer depends on what is known of people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtr, ndtri

from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter

Floats = NDArray[np.float64]
ROUNDS, CLOSE = 200, 1e-10
MOST = 1e100  # of a covariate, so that no square overflows
FIRM = 1e-10  # the smallest eigenvalue of the information, relative to the largest, that counts as above 0
FAR = 15.0  # log odds (of standardized columns) beyond are those of answers without any doubt: there is no peak


@dataclass(frozen=True, repr=False)
class HiddenRegression:
    """Coefficients of log odds of the hidden yes, with standard errors.

    Args:
        names: "intercept", and those of the covariates.
        coefficients: the maximum likelihood estimates.
        covariance: of the estimates.
        answers: how many there were.
    """

    names: tuple[str, ...]
    coefficients: Floats
    covariance: Floats
    answers: int

    @property
    def standard_errors(self) -> Floats:
        """One for each coefficient."""
        return np.sqrt(np.diag(self.covariance))

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """The ends of each coefficient's interval, by the normal law of maximum likelihood."""
        refuse_certainty(confidence, "confidence")
        margin = float(ndtri((1 + confidence) / 2)) * self.standard_errors
        return self.coefficients - margin, self.coefficients + margin

    @property
    def p_values(self) -> Floats:
        """How likely a coefficient this far from 0 is if the truth is 0."""
        return 2 * ndtr(-np.abs(self.coefficients) / self.standard_errors)

    def predict(self, covariates: ArrayLike) -> Floats:
        """The probability of a hidden yes for people with these covariates."""
        rows = _rows_of(covariates)
        if rows.shape[1] + 1 != len(self.names):
            raise InvalidParameter(f"covariates must have {len(self.names) - 1} columns, got {rows.shape[1]}")
        found: Floats = expit(self.coefficients[0] + rows @ self.coefficients[1:])
        return found

    def to_dict(self) -> Mapping[str, list[float] | list[str]]:
        """The table, by columns."""
        low, high = self.interval()
        numbers = (self.coefficients, self.standard_errors, low, high, self.p_values)
        words = ("coefficient", "standard_error", "low", "high", "p_value")
        return {"name": list(self.names)} | {w: each.tolist() for w, each in zip(words, numbers, strict=True)}

    def __repr__(self) -> str:
        width = max(map(len, self.names))
        table = zip(self.names, self.coefficients, self.standard_errors, *self.interval(), strict=True)
        rows = [f"{name:{width}}  {b:10.4f} {se:9.4f}  {low:.3f} to {high:.3f}" for name, b, se, low, high in table]
        return "\n".join([f"{'':{width}} coefficient   std err  95 % interval", *rows])


def fitted(
    reports: NDArray[np.bool_], covariates: ArrayLike, floor: float, slope: float, names: Sequence[str] | None
) -> HiddenRegression:
    """The logistic regression of a hidden answer that shows through randomized ones.

    Args:
        reports: the answers.
        covariates: one row each.
        floor: the probability of a yes whose truth is no.
        slope: how much more likely it is if the truth is yes.
        names: of the covariates.

    Proof: the answers are Bernoulli with mean m = floor + slope g(x b), g the logistic function. With m' = slope g
        (1 - g) x, the score is the sum of m' (y - m)/(m (1 - m)) and the information that of m' m'^T/(m (1 - m)); steps
        by information^-1 score, halved until the likelihood grows, end where the score is 0 (Fisher scoring). The
        inverse information is the covariance for many answers (Blair, Imai and Zhou 2015).
    """
    rows = _rows_of(covariates)
    if len(rows) != len(reports):
        raise InvalidParameter(f"covariates must have a row for each of {len(reports)} answers, got {len(rows)}")
    called = tuple(names) if names is not None else tuple(f"x{place}" for place in range(1, rows.shape[1] + 1))
    if len(called) != rows.shape[1]:
        raise InvalidParameter(f"names must name each of {rows.shape[1]} covariates, got {len(called)}")
    middle, spread = rows.mean(axis=0), rows.std(axis=0)
    if not spread.all():
        raise InvalidParameter("each covariate must differ between people: leave out columns of one value")
    model = _Model(np.column_stack([np.ones(len(rows)), (rows - middle) / spread]), reports, floor, slope)
    found, information = model.climbed()
    back = np.diag([1.0, *(1 / spread)])  # to the covariates as they were given
    back[0, 1:] = -middle / spread
    return HiddenRegression(("intercept", *called), back @ found, back @ np.linalg.inv(information) @ back.T, len(rows))


@dataclass(frozen=True)
class _Model:
    """The likelihood of randomized answers, by coefficients."""

    rows: Floats
    reports: NDArray[np.bool_]
    floor: float
    slope: float

    def means(self, coefficients: Floats) -> tuple[Floats, Floats]:
        """The probability of each yes, and how fast it grows with the log odds of the truth."""
        truth = expit(self.rows @ coefficients)
        mean = np.clip(self.floor + self.slope * truth, 1e-12, 1 - 1e-12)
        return mean, self.slope * truth * (1 - truth)

    def likelihood(self, coefficients: Floats) -> float:
        """Its logarithm."""
        mean, _ = self.means(coefficients)
        return float(np.log(np.where(self.reports, mean, 1 - mean)).sum())

    def climbed(self) -> tuple[Floats, Floats]:
        """The coefficients under which the answers are likeliest, and the information about them."""
        share = (self.reports.mean() - self.floor) / self.slope
        start = min(max(float(share), 0.02), 0.98)
        now = np.zeros(self.rows.shape[1])
        now[0] = np.log(start / (1 - start))
        height = self.likelihood(now)
        for _ in range(ROUNDS):
            mean, growth = self.means(now)
            weight = 1 / (mean * (1 - mean))
            score = self.rows.T @ (growth * weight * (self.reports - mean))
            information = (self.rows * (growth**2 * weight)[:, None]).T @ self.rows
            step = _step(information, score)
            if np.abs(now).max() > FAR:
                break
            if float(score @ step) < CLOSE:
                return now, information
            size = 1.0
            while (reached := self.likelihood(now + size * step)) < height and size > 1e-6:  # noqa: PLR2004 - tiny
                size /= 2
            now, height = now + size * step, max(reached, height)
        raise _unclear()


def _step(information: Floats, score: Floats) -> Floats:
    values = np.linalg.eigvalsh(information)
    if not np.isfinite(values).all() or values[0] <= FIRM * max(values[-1], 1e-300):
        raise _unclear()
    step: Floats = np.clip(np.linalg.solve(information, score), -FAR, FAR)
    return step


def _unclear() -> InvalidParameter:
    return InvalidParameter("these answers do not determine the coefficients: ask more people, or use fewer covariates")


def _rows_of(covariates: ArrayLike) -> Floats:
    """The covariates as rows of finite numbers."""
    try:
        rows = np.asarray(covariates, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.full((1, 1), np.nan)
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or not rows.size or not (np.abs(rows) <= MOST).all():  # noqa: PLR2004 - people by covariates
        raise InvalidParameter("covariates must be a table of numbers up to 1e100: one row for each answer")
    return rows
