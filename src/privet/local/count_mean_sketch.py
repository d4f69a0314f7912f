"""CountMeanSketch: a value's bucket under one of many hash functions, told by unary encoding."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.payload import Rows, bytes_needed, packed_numbers, refuse_other_rows, unpacked_numbers
from privet.local.protocol import Reports, refuse_large
from privet.local.sketch import Sketch
from privet.local.tally import Counts
from privet.local.unary_encoding import UnaryEncoding
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw


@dataclass(frozen=True, init=False, repr=False)
class CountMeanSketch(Sketch):
    """Shares of any texts, from a table of fixed size; the method of Apple's keyboard (Differential Privacy Team 2017).

    Args:
        epsilon: what a report may cost, from a millionth to 20.
        categories: the values that are looked for; also later, by `looking_for`. Devices may have others.
        functions: how many hash functions there are; the more, the less collisions count.
        width: m, how many buckets each maps to: a power of two.
        symmetric: True flips bits equally often both ways, as Apple does; False, the default, is more accurate.
        family: a number that gives other functions.

    A report is the number of a function, drawn by the device, and the row of bits that `UnaryEncoding` makes of the
    value's bucket.

    Privacy: `epsilon`-DP for each report.
    Proof: the function is drawn without looking at the value; given it, the report is that of a unary encoding.

    Example:
        >>> protocol = CountMeanSketch(epsilon=4, functions=64, width=256)
        >>> reports = protocol.privatize(["cat"] * 700 + ["dog"] * 300)
        >>> estimate = protocol.looking_for(["cat", "dog", "emu"]).estimate(reports)
        >>> bool(abs(estimate.value[0] - 0.7) < 0.2)
        True
    """

    name: ClassVar[str] = "count_mean_sketch"
    response: UnaryEncoding
    functions: int
    width: int
    family: int
    candidates: Categories | None = field(compare=False)

    def __init__(  # noqa: PLR0913 - each by name
        self,
        epsilon: Exact,
        *,
        categories: Any = None,  # noqa: ANN401 - any list
        functions: int = 1024,
        width: int = 1024,
        symmetric: bool = False,
        family: int = 0,
    ) -> None:
        self._keep_functions(functions, width, family, categories)
        self._keep(response=UnaryEncoding(self.width, epsilon, symmetric=symmetric))

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        self._keep_functions(config["functions"], config["width"], config["family"], None)
        inner = {"categories": self.width, "own": config["own"], "other": config["other"]}
        facts = {"protocol": UnaryEncoding.name, **inner, "payload_bytes": -(-self.width // 8)}
        self._keep(response=UnaryEncoding.from_config(facts))

    @property
    def parameters(self) -> dict[str, Any]:
        """The functions, and the weights of a one for the own bucket and for each other, out of 2^52."""
        return {**self._function_config, "own": self.response.own, "other": self.response.other}

    @property
    def ratio(self) -> Fraction:
        """That of the unary encoding."""
        return self.response.ratio

    @property
    def loss(self) -> PrivacyLoss:
        """That of two values that fall apart under every function: no functions are worse."""
        return self.response.loss

    @property
    def true_support(self) -> Fraction:
        """A report supports the values whose bucket has its bit set."""
        return self.response.true_support

    @property
    def other_support(self) -> Fraction:
        """Another value falls together with the own one, or apart."""
        true, other = self.response.true_support, self.response.other_support
        return self._together * true + (1 - self._together) * other

    @property
    def payload_bytes(self) -> int:
        """Those of the function, and a bit for each bucket."""
        return self._function_bytes + self.response.payload_bytes

    @property
    def _function_bytes(self) -> int:
        return bytes_needed(self.functions)

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        functions = UniformLaw(self.functions).many(source, len(inputs)).astype(np.int64, copy=False)
        rows = self.response.privatize(self._hashed(functions, inputs), entropy=source)
        return np.hstack([packed_numbers(functions, self._function_bytes), rows])

    def _checked(self, reports: Reports) -> Reports:
        refuse_other_rows(reports, self.payload_bytes)
        functions, rows = self._parts(reports)
        if functions.size and functions.max() >= self.functions:
            raise InvalidParameter("every report must be of a function: drop the others, they are forged")
        self.response.decode(rows)
        return reports

    def _parts(self, reports: Reports) -> tuple[NDArray[np.int64], Rows]:
        return unpacked_numbers(reports[:, : self._function_bytes]), reports[:, self._function_bytes :]

    def _counted(self, reports: Reports, times: Counts | None) -> Counts:
        functions, rows = self._parts(reports)
        order = np.argsort(functions, kind="stable")
        ends = np.searchsorted(functions[order], np.arange(self.functions + 1))
        counts = np.zeros((self.functions, self.width), dtype=np.int64)
        for number in np.flatnonzero(np.diff(ends)).tolist():
            same = order[ends[number] : ends[number + 1]]
            counts[number] = self.response.tally(rows[same], times=None if times is None else times[same]).counts
        return counts

    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        supports: NDArray[np.int64] = counts[np.arange(self.functions), self._looked_up].sum(axis=1)
        return supports

    def outcomes(self) -> Reports:
        """Each function with all rows of bits."""
        refuse_large(whole(self.functions, "functions"), 2 ** min(self.width, 60))
        rows = self.response.outcomes()
        functions = packed_numbers(np.repeat(np.arange(self.functions), len(rows)), self._function_bytes)
        return np.hstack([functions, np.tile(rows, (self.functions, 1))])

    def channel(self) -> FiniteMechanism:
        """For each function the row of the value's bucket."""
        law = self.response.channel().matrix
        share = Fraction(1, self.functions)
        rows = [[share * mass for own in owned for mass in law[own]] for owned in self._looked_up.tolist()]
        refuse_large(len(rows), len(rows[0]))
        return FiniteMechanism(rows)
