"""How often something is run: laws of whole numbers that are drawn with rational coins alone."""

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from privet.errors import InvalidParameter
from privet.noise.bernoulli import BernoulliLaw
from privet.noise.entropy import BitSource
from privet.noise.law import Law, Number, draw_count, exact_number
from privet.noise.lazy import Steps

SELDOM = Fraction(1, 10**12)  # what stops less often never ends
MOST = 10**6


class CountLaw(Law):
    """A number that is counted up by coins, and sometimes begun anew."""

    @abstractmethod
    def one(self, source: BitSource) -> int:
        """Draw one value."""

    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values."""
        return np.array([self.one(source) for _ in range(draw_count(count))], dtype=np.int64)


class TruncatedNegativeBinomialLaw(CountLaw):
    """A whole number k >= 1, likely as (1 - stop)^k times the product of (l + shape)/(l + 1) over l < k.

    Args:
        stop: above 0 and at most 1; rational. The smaller, the larger the numbers.
        shape: above -1 and at most 1; rational. 1 is the geometric law, 0 the logarithmic one.

    Proof of the law:
        Beginning with 1, a coin says whether to stop. If not, a second coin of probability (k + shape)/(k + 1) says
        whether to go on with k + 1, and otherwise all is begun anew. A pass ends with k with probability
        stop (1 - stop)^(k-1) times the product of (l + shape)/(l + 1) over l from 1 to k - 1, which is proportional to
        the law; passes that are begun anew do not change the proportions.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> TruncatedNegativeBinomialLaw(Fraction(1, 4), shape=1).many(seeded_entropy_for_tests(1), 5).tolist()
        [3, 1, 14, 2, 3]
    """

    def __init__(self, stop: Number, *, shape: Number) -> None:
        self.stop = exact_number(stop, name="stop")
        self.shape = exact_number(shape, name="shape")
        if not SELDOM <= self.stop <= 1 or not -1 < self.shape <= 1:
            raise InvalidParameter(
                f"stop must be in [10^-12, 1] and shape above -1 and at most 1, got {stop} and {shape}"
            )

    def one(self, source: BitSource) -> int:
        """Draw one value."""
        stops = BernoulliLaw(self.stop)
        k = 1
        while not stops.one(source):
            goes_on = self.shape == 1 or BernoulliLaw((k + self.shape) / (k + 1)).one(source)
            k = k + 1 if goes_on else 1
        return k

    def __repr__(self) -> str:
        return f"TruncatedNegativeBinomialLaw({self.stop}, shape={self.shape})"


class PoissonLaw(CountLaw):
    """A whole number k >= 0 with probability mean^k e^-mean / k!.

    Args:
        mean: above 0 and at most a million; rational.

    Proof of the law:
        It is the sum of independent ones whose means m add up to this, each at most 1/2. Of such a one, beginning with
        0: a coin of probability 1 - m says whether to stop with k; if not, a coin of probability 1/(k + 1) says whether
        to go on with k + 1, and otherwise it is begun anew. A pass ends with k with probability (1 - m) m^k / k!.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> PoissonLaw(3).many(seeded_entropy_for_tests(1), 5).tolist()
        [6, 1, 4, 4, 4]
    """

    def __init__(self, mean: Number) -> None:
        self.mean = exact_number(mean, name="mean")
        if not 0 < self.mean <= MOST:
            raise InvalidParameter(f"mean must be above 0 and at most a million, got {mean}")

    def one(self, source: BitSource) -> int:
        """Draw one value."""
        return sum(self._parts(source))

    def _parts(self, source: BitSource) -> Iterator[int]:
        number = -(-2 * self.mean // 1)
        stops = BernoulliLaw(1 - self.mean / number)
        for _ in range(number):
            k = 0
            while not stops.one(source):
                k = k + 1 if BernoulliLaw(Fraction(1, k + 1)).one(source) else 0
            yield k

    def __repr__(self) -> str:
        return f"PoissonLaw({self.mean})"
