"""MemoizedDevice: a device that keeps the answers of the first round."""

import json
from dataclasses import dataclass, field
from typing import Any, Self

from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.chained_encoding import ChainedEncoding
from privet.local.chained_response import ChainedResponse
from privet.local.read_config import read_config
from privet.loss.exact import total_of, whole
from privet.noise import BitSource, Entropy


@dataclass
class MemoizedDevice:
    """A device that reports its value again and again, and keeps the first round's answers.

    Args:
        protocol: both rounds.
        entropy: where random bits come from; the operating system's by default.

    Not covered: a device that forgets its answers draws new ones, which cost once more. So write `to_json` before a
    report is sent, and go on with `from_json` when the device was switched off.

    Example:
        >>> device = MemoizedDevice(ChainedResponse(categories=4, epsilon=1, lifetime=2))
        >>> reports = [device.report(3) for day in range(30)]
        >>> round(device.spent, 6), MemoizedDevice.from_json(device.to_json()).spent == device.spent
        (2.0, True)
    """

    protocol: ChainedResponse | ChainedEncoding
    entropy: BitSource = field(default_factory=Entropy, repr=False)
    _kept: dict[int, NDArray[Any]] = field(default_factory=dict, repr=False)
    _sent: dict[int, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.protocol, ChainedResponse | ChainedEncoding):
            raise InvalidParameter("only ChainedResponse and ChainedEncoding have answers to keep: take one of them")

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
        return total_of((1, self.protocol.epsilon_after(times)) for times in self._sent.values())

    def to_json(self) -> str:
        """All that the device must remember. It tells the true values: it stays on the device, as its secret."""
        told = [
            {"value": number, "kept": bytes(self.protocol.encode(kept)[0]).hex(), "sent": self._sent[number]}
            for number, kept in self._kept.items()
        ]
        return json.dumps({"config": self.protocol.config, "told": told})

    @classmethod
    def from_json(cls, text: str, *, entropy: BitSource | None = None) -> Self:
        """The device that `to_json` wrote."""
        try:
            facts = json.loads(text)
            protocol: Any = read_config(facts["config"])
            made = cls(protocol, Entropy() if entropy is None else entropy)
            for each in facts["told"]:
                number = whole(each["value"], "value", low=0, high=len(protocol.categories) - 1)
                made._kept[number] = protocol.decode([bytes.fromhex(each["kept"])])
                made._sent[number] = whole(each["sent"], "sent")
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InvalidParameter("not the JSON of a memoized device: a word is missing or of a wrong type") from None
        return made
