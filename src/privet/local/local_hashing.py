"""LocalHashing: a hash function, and k-ary randomized response on the few buckets that it maps values to."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.frequency_protocol import FrequencyProtocol, three_outcome_loss
from privet.local.hash_family import PRIME, HashFamily, SharedFunctions, is_prime
from privet.local.kary_response import KaryResponse
from privet.local.payload import Rows, bytes_needed, packed_pairs, unpacked_pairs
from privet.local.protocol import Reports, refuse_large
from privet.local.tally import Counts
from privet.local.weights import checked_weight, declared
from privet.loss import KaryResponseCurve, PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.loss.outward import exp_below, log_above
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw

PAIR = 2  # a report: the function, and the bucket
AT_ONCE = 1 << 14  # reports whose supports are counted together: they stay in the cache
MOST_FUNCTIONS = 1 << 20
MOST_BUCKETS = 1 << 16


@dataclass(frozen=True, init=False, repr=False)
class LocalHashing(FrequencyProtocol):
    """As accurate as unary encoding, with a few bytes a report (Wang, Blocki, Li and Jha 2017: OLH).

    Args:
        categories: k, or the list of values; see `Categories`.
        epsilon: what a report may cost, from a millionth to 20.
        buckets: g, how many buckets functions map to; by default e^ε + 1, rounded, which is best.
        functions: None, the default, if every report has a function of its own; otherwise how many functions all
            devices share. Few make counting fast, but values that fall together do so for all devices that have that
            function. The intervals include it, and it does not become smaller with more reports: where a million
            devices have the same value, it is as much as a tenth of the noise unless there are a million functions.

    A report is the number of the function (a P + b, or its place in the shared list) and a bucket: the value's own with
    the weight `truth` out of 2^52, each other with `other`.

    Privacy: `epsilon`-DP for each report.
    Proof: the function is drawn without looking at the value; given it, the bucket is a k-ary response.

    Example:
        >>> protocol = LocalHashing(categories=1000, epsilon=1)
        >>> protocol.buckets, round(protocol.variance(), 5), protocol.payload_bytes
        (4, 3.69165, 9)
    """

    name: ClassVar[str] = "local_hashing"
    categories: Categories
    response: KaryResponse
    functions: int | None
    prime: int

    def __init__(
        self,
        categories: Any,  # noqa: ANN401 - a number or a list
        epsilon: Exact,
        *,
        buckets: int | None = None,
        functions: int | None = None,
    ) -> None:
        cost = declared(epsilon)
        best = min(max(round(float(exp_below(cost))) + 1, 2), MOST_BUCKETS)
        size = best if buckets is None else whole(buckets, "buckets", low=2, high=MOST_BUCKETS)
        self._fill(Categories(categories), KaryResponse(size, cost), functions, PRIME)

    def _fill(self, categories: Categories, response: KaryResponse, functions: int | None, prime: int) -> None:
        if functions is not None:
            whole(functions, "functions", high=MOST_FUNCTIONS)
        enough = max(len(categories), response.numbers) <= whole(prime, "prime", high=PRIME)
        if not enough or (prime != PRIME and not is_prime(prime)):
            raise InvalidParameter("prime must be a prime of at least the number of categories and that of buckets")
        self._keep(categories=categories, response=response, functions=functions, prime=prime)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        weights = {"truth": checked_weight(config["truth"], "truth"), "other": checked_weight(config["other"], "other")}
        inner = {"protocol": KaryResponse.name, "categories": config["buckets"], **weights}
        size = whole(config["buckets"], "buckets", low=2, high=MOST_BUCKETS)
        response = KaryResponse.from_config({**inner, "payload_bytes": bytes_needed(size)})
        self._fill(Categories(config["categories"]), response, config["functions"], config["prime"])

    @property
    def parameters(self) -> dict[str, Any]:
        """The values, the buckets, the weights of the own bucket and of each other, and the functions."""
        weights = {"buckets": self.buckets, "truth": self.response.truth, "other": self.response.other}
        return {"categories": self.categories.config, **weights, "functions": self.functions, "prime": self.prime}

    @property
    def buckets(self) -> int:
        """How many buckets a function maps to."""
        return self.response.numbers

    @cached_property
    def family(self) -> HashFamily:
        """All functions."""
        return HashFamily(self.buckets, self.prime)

    @cached_property
    def _shared(self) -> SharedFunctions:
        return SharedFunctions(self.family, self.functions or 0)

    @property
    def _choices(self) -> int:
        """How many functions there are."""
        return self.prime**2 if self.functions is None else self.functions

    @property
    def ratio(self) -> Fraction:
        """Of the two weights."""
        return self.response.ratio

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Two values fall apart, and then it is that of the response, or together; under few functions always apart."""
        if self.functions is not None:
            return PrivacyLoss.of(KaryResponseCurve(self.buckets, log_above(self.ratio)))
        return three_outcome_loss(self.response.true_support * (1 - self.family.collision), self.ratio)

    @property
    def true_support(self) -> Fraction:
        """A report supports the values that its function maps to its bucket."""
        return self.response.true_support

    @property
    def other_support(self) -> Fraction:
        """Another value falls together with the own one, or apart."""
        together = self.family.collision
        return together * self.response.true_support + (1 - together) * self.response.other_support

    @property
    def _collisions(self) -> float:
        return 0.0 if self.functions is None else 1 / (self.functions * (self.buckets - 1))

    @property
    def payload_bytes(self) -> int:
        """Those of the function, and those of the bucket."""
        return sum(self._widths)

    def _hashed(self, functions: NDArray[Any], values: NDArray[Any]) -> NDArray[np.int64]:
        if self.functions is not None:
            return self._shared.buckets_of(functions, values)
        return self.family.buckets_of(functions // self.prime, functions % self.prime, values)

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        functions = UniformLaw(self._choices).many(source, len(inputs)).astype(np.int64, copy=False)
        told = self.response.privatize(self._hashed(functions, inputs), entropy=source)
        return np.stack([functions, told], axis=1)

    def _packed(self, reports: Reports) -> Rows:
        return packed_pairs(reports, self._widths)

    def _unpacked(self, rows: Rows) -> Reports:
        return unpacked_pairs(rows, self._widths)

    @property
    def _widths(self) -> tuple[int, int]:
        return bytes_needed(self._choices), bytes_needed(self.buckets)

    def _checked(self, reports: Reports) -> Reports:
        if reports.ndim != PAIR or reports.shape[1] != PAIR or (reports.size and reports.dtype.kind not in "iu"):
            raise InvalidParameter("reports must be pairs of whole numbers, as `privatize` returns them")
        ends = np.array([self._choices, self.buckets])
        if reports.size and not ((reports >= 0).all() and (reports < ends).all()):
            raise InvalidParameter("every report must be of a function and a bucket: drop the others, they are forged")
        return reports.astype(np.int64, copy=False)

    def _counted(self, reports: Reports, times: Counts | None) -> Counts:
        """Of shared functions how often each bucket came; else how many reports support each value."""
        functions, told = reports[:, 0], reports[:, 1]
        if self.functions is not None:
            counts = np.zeros((self.functions, self.buckets), dtype=np.int64)
            np.add.at(counts, (functions, told), 1 if times is None else times)
            return counts
        if times is not None:
            functions, told = np.repeat(functions, times), np.repeat(told, times)
        supports = np.zeros(len(self.categories), dtype=np.int64)
        for start in range(0, len(functions), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            a, b = functions[part] // self.prime, functions[part] % self.prime
            supports += self.family.supports(a, b, told[part], len(self.categories))
        return supports

    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        if self.functions is None:
            return counts
        places = np.arange(self.functions)
        parts = np.array_split(np.arange(len(self.categories)), -(-len(self.categories) * self.functions // 2**22))
        found = [counts[places[:, None], self._hashed(places[:, None], part)].sum(axis=0) for part in parts]
        return np.concatenate(found)

    def outcomes(self) -> Reports:
        """All functions with all buckets."""
        refuse_large(len(self.categories), self._choices * self.buckets)
        return np.stack(np.divmod(np.arange(self._choices * self.buckets), self.buckets), axis=1)

    def channel(self) -> FiniteMechanism:
        """For each function the row of the value's bucket."""
        functions = np.arange(self._choices)
        refuse_large(len(self.categories), len(functions) * self.buckets)
        law = self.response.channel().matrix
        share = Fraction(1, self._choices)
        owned = [self._hashed(functions, np.array(value)).tolist() for value in range(len(self.categories))]
        return FiniteMechanism([[share * mass for own in row for mass in law[own]] for row in owned])
