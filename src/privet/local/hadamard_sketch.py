"""HadamardSketch: a count mean sketch whose report is a single bit, and where it belongs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.frequency_estimate import FrequencyEstimate
from privet.local.frequency_protocol import three_outcome_loss
from privet.local.hadamard import hadamard_sums, odd_parity
from privet.local.number_reports import NumberReports
from privet.local.protocol import Reports, refuse_large
from privet.local.sketch import Sketch
from privet.local.tally import Counts
from privet.local.weights import WHOLE, checked_weight, declared, favored_weight
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw
from privet.noise.coins import CoinLaw


@dataclass(frozen=True, init=False, repr=False)
class HadamardSketch(NumberReports[FrequencyEstimate], Sketch):
    """The Hadamard form of `CountMeanSketch` (Differential Privacy Team 2017): the shortest reports for any texts.

    Args:
        epsilon: what a report may cost, from a millionth to 20. From about 2 on `CountMeanSketch` is far more accurate.
        categories: the values that are looked for; also later, by `looking_for`. Devices may have others.
        functions: how many hash functions there are; the more, the less collisions count.
        width: m, how many buckets each maps to: a power of two.
        family: a number that gives other functions.

    The device draws a function and a place l below m. Its bit is the sign of Hadamard's matrix at l and the value's
    bucket, told truly with the weight `truth` out of 2^52. A report is the number (function m + l) 2 + bit.

    Privacy: `epsilon`-DP for each report.
    Proof: function and place are drawn without looking at the value; given them, the bit is a randomized response.

    Example:
        >>> protocol = HadamardSketch(epsilon=1, functions=64, width=256)
        >>> protocol.payload_bytes, round(protocol.variance(), 2)
        (2, 4.72)
    """

    name: ClassVar[str] = "hadamard_sketch"
    truth: int
    functions: int
    width: int
    family: int
    candidates: Categories | None = field(compare=False)

    def __init__(
        self,
        epsilon: Exact,
        *,
        categories: Any = None,  # noqa: ANN401 - any list
        functions: int = 1024,
        width: int = 1024,
        family: int = 0,
    ) -> None:
        self._keep_functions(functions, width, family, categories)
        self._keep(truth=favored_weight(declared(epsilon), favored=1, others=1))

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        self._keep_functions(config["functions"], config["width"], config["family"], None)
        self._keep(truth=checked_weight(config["truth"], "truth"))
        if 2 * self.truth <= WHOLE:
            raise InvalidParameter("truth must be above 2^51: otherwise a report tells nothing")

    @property
    def parameters(self) -> dict[str, Any]:
        """The functions, and the weight of a true bit, out of 2^52."""
        return {**self._function_config, "truth": self.truth}

    @property
    def ratio(self) -> Fraction:
        """Of a true bit and a false one."""
        return Fraction(self.truth, WHOLE - self.truth)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of two values that fall apart under every function: their signs differ at half of the places."""
        return three_outcome_loss(Fraction(self.truth, 2 * WHOLE), self.ratio)

    @property
    def true_support(self) -> Fraction:
        """A report supports the values whose sign at its place is its bit."""
        return Fraction(self.truth, WHOLE)

    @property
    def other_support(self) -> Fraction:
        """Another value falls together with the own one; or apart, and then its sign is right half of the time."""
        return self._together * self.true_support + (1 - self._together) / 2

    @property
    def numbers(self) -> int:
        """Two for each function and place."""
        return 2 * self.functions * self.width

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        functions = UniformLaw(self.functions).many(source, len(inputs)).astype(np.int64, copy=False)
        places = UniformLaw(self.width).many(source, len(inputs)).astype(np.int64, copy=False)
        lies = ~CoinLaw(self.truth).many(source, len(inputs))
        bits = odd_parity(places & self._hashed(functions, inputs)) ^ lies
        return (functions * self.width + places) * 2 + bits

    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        even, odd = np.moveaxis(counts.reshape(self.functions, self.width, 2), -1, 0)
        totals = (even + odd).sum(axis=1, keepdims=True)
        supported = (totals + hadamard_sums(even - odd)) // 2
        supports: NDArray[np.int64] = supported[np.arange(self.functions), self._looked_up].sum(axis=1)
        return supports

    def channel(self) -> FiniteMechanism:
        """For each function and place the sign of the value's bucket, or the other."""
        refuse_large(len(self.categories), self.numbers)
        place = np.arange(self.functions * self.width)
        share = Fraction(1, len(place))
        chances = [share * self.true_support, share * (1 - self.true_support)]
        rows = []
        for owned in self._looked_up:
            odd = odd_parity(place % self.width & owned[place // self.width]).tolist()
            rows.append([chances[bit != sign] for sign in odd for bit in (False, True)])
        return FiniteMechanism(rows)
