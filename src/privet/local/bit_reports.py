"""BitReports: protocols whose report is one bit for each value, packed into bytes."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.frequency_protocol import FrequencyProtocol
from privet.local.payload import refuse_other_rows
from privet.local.protocol import Reports
from privet.local.tally import Counts

BYTE = 255  # so many rows of bits add up to a byte
AT_ONCE = 1 << 21  # bits that are worked on at once: they stay in the cache
Bits = NDArray[np.bool_]


class BitReports(FrequencyProtocol):
    """What protocols share whose report supports the values whose bits are set; the first is the highest of a byte."""

    @property
    def payload_bytes(self) -> int:
        """One bit for each value."""
        return -(-len(self.categories) // 8)

    def _parts(self, devices: int, *, times: int = 1) -> Iterator[slice]:
        """So many devices at once that their bits stay in the cache, or so many times more."""
        size = max(1, times * AT_ONCE // len(self.categories))
        return (slice(start, start + size) for start in range(0, devices, size))

    def _checked(self, reports: Reports) -> Reports:
        refuse_other_rows(reports, self.payload_bytes)
        unused = np.uint8((1 << (8 * self.payload_bytes - len(self.categories))) - 1)
        if (reports[:, -1] & unused).any():
            raise InvalidParameter(
                "the bits of a report beyond the last value must be 0: drop the others, they are forged"
            )
        return reports

    def bits(self, reports: Reports) -> NDArray[np.uint8]:
        """The reports as rows of 0 and 1, one for each value."""
        return np.unpackbits(np.ascontiguousarray(reports), axis=1, count=len(self.categories))

    def _counted(self, reports: Reports, times: Counts | None) -> Counts:
        counts = np.zeros(len(self.categories), dtype=np.int64)
        for start in range(0, len(reports), BYTE):
            bits = self.bits(reports[start : start + BYTE])
            if times is None:
                counts += np.add.reduce(bits, axis=0, dtype=np.uint8)
            else:
                counts += times[start : start + BYTE] @ bits.astype(np.int64)
        return counts

    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        return counts
