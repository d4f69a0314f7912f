"""Tally: what reports add up to; all that an estimate needs of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter

Counts = NDArray[np.int64]
MOST_REPORTS = 1 << 37  # and so many counts, whose sums still fit into 63 bits
MOST_COUNT = 1 << 62


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of reports, which can be added, stored and sent: ten tallies of a tenth are the tally of all.

    Args:
        config: of the protocol that the reports are of.
        reports: how many there are.
        counts: what was counted; what each place means is the protocol's.

    Privacy: reports are released values; counting them costs nothing.

    Example:
        >>> one = Tally({"protocol": "x"}, 3, np.array([1, 2]))
        >>> (one + one).reports, Tally.from_json(one.to_json()) == one
        (6, True)
    """

    config: Mapping[str, Any]
    reports: int
    counts: Counts

    def __post_init__(self) -> None:
        if not 0 <= self.reports <= MOST_REPORTS or (self.counts.size and int(self.counts.max()) > MOST_COUNT):
            raise InvalidParameter(f"a tally is of at most {MOST_REPORTS:,} reports: estimate the parts by themselves")

    def __add__(self, other: "Tally") -> "Tally":
        """The tally of both; refused if they are not of one protocol."""
        if not isinstance(other, Tally):
            return NotImplemented
        if self.config != other.config:
            raise InvalidParameter(
                "tallies are added if they are of one protocol: these have different configurations, so estimate each "
                "by itself"
            )
        return Tally(self.config, self.reports + other.reports, self.counts + other.counts)

    def __radd__(self, other: object) -> "Tally":
        """What `sum` needs to begin with."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        same = (self.config, self.reports) == (other.config, other.reports)
        return same and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.reports, self.counts.tobytes()))

    def to_json(self) -> str:
        """Everything, as `from_json` reads it."""
        shape = list(self.counts.shape)
        facts = {"config": self.config, "reports": self.reports, "shape": shape, "counts": self.counts.ravel().tolist()}
        return json.dumps(facts, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Tally":
        """The tally that `to_json` wrote."""
        try:
            facts = json.loads(text)
            numbers = [facts["reports"], *facts["counts"]]
            if any(type(each) is not int for each in numbers) or numbers[0] < 0:
                raise TypeError("counts must be whole numbers")  # noqa: TRY301 - one sentence for all
            counts = np.array(facts["counts"], dtype=np.int64).reshape(facts["shape"])
            config = dict(facts["config"])
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as problem:
            raise InvalidParameter(f"not the JSON of a tally: {problem}") from problem
        return cls(config, facts["reports"], counts)

    def __repr__(self) -> str:
        return f"Tally({self.reports:,} reports of {self.config.get('protocol', 'a protocol')})"
