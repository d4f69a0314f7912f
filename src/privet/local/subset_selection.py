"""SubsetSelection: a set of w values that holds the device's own more often than another."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.bit_reports import BitReports, Bits
from privet.local.categories import Categories
from privet.local.fair_sets import FairSets, best_size
from privet.local.protocol import Reports, refuse_large
from privet.local.weights import checked_weight, declared, favored_weight
from privet.loss.exact import Exact, whole
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw
from privet.noise.coins import CoinLaw

ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)  # of each byte


@dataclass(frozen=True, init=False, repr=False)
class SubsetSelection(FairSets, BitReports):
    """The most accurate protocol for a few to a few hundred values (Ye and Barg 2018; Wang et al. 2016).

    Args:
        categories: k, or the list of values; see `Categories`.
        epsilon: what a report may cost, from a millionth to 20.
        chosen: w, how many values a report holds, below k; by default the best for this ε, about k/(e^ε + 1).

    A report is a set of w values, as one bit for each value: with the weight `inside` out of 2^52 it holds the device's
    own. All other values are equally likely, and never the own one by chance: where that is added again, the ε is
    larger than declared.

    Privacy: `epsilon`-DP for each report.
    Proof: see `FairSets`; all sets of w values are there.

    Example:
        >>> protocol = SubsetSelection(categories=1024, epsilon=1)
        >>> protocol.chosen, round(protocol.variance(), 5)
        (275, 3.67355)
    """

    name: ClassVar[str] = "subset_selection"
    categories: Categories
    chosen: int
    inside: int

    def __init__(self, categories: Any, epsilon: Exact, *, chosen: int | None = None) -> None:  # noqa: ANN401 - any list
        known = Categories(categories)
        cost = declared(epsilon)
        size = best_size(len(known), cost) if chosen is None else whole(chosen, "chosen", high=len(known) - 1)
        self._fill(known, size, favored_weight(cost, favored=size, others=len(known) - size))

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        self._fill(Categories(config["categories"]), config["chosen"], checked_weight(config["inside"], "inside"))

    @property
    def parameters(self) -> dict[str, Any]:
        """The values, the size of a set, and the weight out of 2^52 of sets that hold the own value."""
        return {"categories": self.categories.config, "chosen": self.chosen, "inside": self.inside}

    @property
    def places(self) -> int:
        """The values."""
        return len(self.categories)

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        """Draw sets of any size, all of one size equally likely; then make them of the right size.

        Proof: whatever the size of a set of other values was, all of that size are equally likely; so they are after a
            value was added or removed that was drawn uniformly among those that can be.
        """
        size = len(self.categories)
        reports = np.empty((len(inputs), self.payload_bytes), dtype=np.uint8)
        own, about = CoinLaw(self.inside), CoinLaw(round(256 * self.chosen / size) << 44)
        for part in self._parts(len(inputs), times=8):  # the more at once, the fewer rounds of `_make_right`
            values = inputs[part]
            bits = about.many(source, len(values) * size).reshape(-1, size)
            bits[np.arange(len(values)), values] = own.many(source, len(values))
            self._make_right(bits, values, source)
            reports[part] = np.packbits(bits, axis=1)
        return reports

    def _make_right(self, bits: Bits, values: NDArray[Any], source: BitSource) -> None:
        law = UniformLaw(len(self.categories))
        excess = np.count_nonzero(bits, axis=1) - self.chosen
        wrong = np.flatnonzero(excess)
        while wrong.size:
            cells = law.many(source, wrong.size).astype(np.int64, copy=False)
            surplus = excess[wrong] > 0
            fits = (bits[wrong, cells] == surplus) & (cells != values[wrong])
            changed = wrong[fits]
            bits[changed, cells[fits]] = ~surplus[fits]
            excess[changed] -= np.where(surplus[fits], 1, -1)
            wrong = wrong[excess[wrong] != 0]

    def _checked(self, reports: Reports) -> Reports:
        rows = super()._checked(reports)
        if (ONES[rows].sum(axis=1, dtype=np.int64) != self.chosen).any():
            raise InvalidParameter(f"every report must hold {self.chosen:,} values: drop the others, they are forged")
        return rows

    def outcomes(self) -> Reports:
        """All sets of w values."""
        size = len(self.categories)
        refuse_large(size, comb(size, self.chosen))
        bits = np.zeros((comb(size, self.chosen), size), dtype=np.uint8)
        for row, members in enumerate(combinations(range(size), self.chosen)):
            bits[row, list(members)] = 1
        return np.packbits(bits, axis=1)

    def channel(self) -> FiniteMechanism:
        """Sets with the own value, and sets without."""
        size = len(self.categories)
        rows = self.bits(self.outcomes()).T.tolist()
        true = self.true_support / comb(size - 1, self.chosen - 1)
        other = (1 - self.true_support) / comb(size - 1, self.chosen)
        return FiniteMechanism([[true if bit else other for bit in row] for row in rows])
