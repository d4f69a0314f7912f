"""UnaryEncoding: a row of bits with a one for the device's value, each bit flipped now and then."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.protocol import Reports
from privet.local.unary_bits import UnaryBits
from privet.local.weights import WHOLE, checked_weight, declared, favored_weight
from privet.loss.exact import Exact
from privet.noise import BitSource
from privet.noise.coins import CoinLaw


@dataclass(frozen=True, init=False, repr=False)
class UnaryEncoding(UnaryBits):
    """One bit for each value: easy to explain, and as accurate for very many values as any.

    Args:
        categories: k, or the list of values; see `Categories`.
        epsilon: what a report may cost, from a millionth to 20.
        symmetric: False for the optimised weights (Wang, Blocki, Li and Jha 2017), which lie seldom about the many
            zeros; True for flips that are equally likely both ways, as in basic RAPPOR.

    The bit of the device's value is 1 with the weight `own` out of 2^52, each other with the weight `other`.

    Privacy: `epsilon`-DP for each report.
    Proof: the ratio is p(1-q)/(q(1-p)), as for all `UnaryBits`. Optimised,
        p = 1/2 and it is (1-q)/q <= e^ε; symmetric, q = 1 - p and it is (p/(1-p))², with p/(1-p) <= e^(ε/2).

    Example:
        >>> protocol = UnaryEncoding(categories=100, epsilon=1)
        >>> round(protocol.variance(), 5), protocol.payload_bytes
        (3.68269, 13)
    """

    name: ClassVar[str] = "unary_encoding"
    categories: Categories
    own: int
    other: int

    def __init__(self, categories: Any, epsilon: Exact, *, symmetric: bool = False) -> None:  # noqa: ANN401 - any list
        cost = declared(epsilon)
        if symmetric:
            own = favored_weight(cost / 2, favored=1, others=1)
            self._fill(Categories(categories), own, WHOLE - own)
        else:
            self._fill(Categories(categories), WHOLE // 2, WHOLE - favored_weight(cost, favored=1, others=1))

    def _fill(self, categories: Categories, own: int, other: int) -> None:
        if own <= other:
            raise InvalidParameter("own must be above other: otherwise a report tells nothing")
        self._keep(categories=categories, own=own, other=other)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        weights = (checked_weight(config[name], name) for name in ("own", "other"))
        self._fill(Categories(config["categories"]), *weights)

    @property
    def parameters(self) -> dict[str, Any]:
        """The values, and the weights of a one for the own value and for each other, out of 2^52."""
        return {"categories": self.categories.config, "own": self.own, "other": self.other}

    @property
    def true_support(self) -> Fraction:
        """A bit that is set supports its value."""
        return Fraction(self.own, WHOLE)

    @property
    def other_support(self) -> Fraction:
        """The same."""
        return Fraction(self.other, WHOLE)

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        size = len(self.categories)
        reports = np.empty((len(inputs), self.payload_bytes), dtype=np.uint8)
        others, own = CoinLaw(self.other), CoinLaw(self.own)
        for part in self._parts(len(inputs)):
            values = inputs[part]
            bits = others.many(source, len(values) * size).reshape(-1, size)
            bits[np.arange(len(values)), values] = own.many(source, len(values))
            reports[part] = np.packbits(bits, axis=1)
        return reports
