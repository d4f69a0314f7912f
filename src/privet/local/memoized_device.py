"""MemoizedDevice: a device that keeps the answers of the first round."""

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from privet.local.chained_encoding import ChainedEncoding
from privet.local.chained_response import ChainedResponse
from privet.noise import BitSource, Entropy


@dataclass
class MemoizedDevice:
    """A device that reports its value again and again, and keeps the first round's answers.

    Args:
        protocol: both rounds.
        entropy: where random bits come from; the operating system's by default.

    Example:
        >>> device = MemoizedDevice(ChainedResponse(categories=4, epsilon=1, lifetime=2))
        >>> reports = [device.report(3) for day in range(30)]
        >>> round(device.spent, 6)
        2.0
    """

    protocol: ChainedResponse | ChainedEncoding
    entropy: BitSource = field(default_factory=Entropy)
    _kept: dict[int, NDArray[Any]] = field(default_factory=dict, repr=False)
    _sent: dict[int, int] = field(default_factory=dict, repr=False)

    def report(self, value: Any) -> bytes:  # noqa: ANN401 - a category
        """A report of this value; the first one draws the answer that is kept for it."""
        number = int(self.protocol.categories.numbers([value])[0])
        if number not in self._kept:
            self._kept[number] = self.protocol.permanent([value], entropy=self.entropy)
        self._sent[number] = self._sent.get(number, 0) + 1
        return bytes(self.protocol.encode(self.protocol.fresh(self._kept[number], entropy=self.entropy))[0])

    @property
    def spent(self) -> float:
        """What all reports so far cost: for each different value, what so many reports about it do."""
        return sum(self.protocol.epsilon_after(times) for times in self._sent.values())
