"""NumberReports: protocols whose report is one whole number."""

from abc import abstractmethod
from typing import Generic

import numpy as np

from privet.errors import InvalidParameter
from privet.local.payload import Rows, bytes_needed, packed_numbers, unpacked_numbers
from privet.local.protocol import E, Protocol, Reports
from privet.local.tally import Counts


class NumberReports(Protocol[E], Generic[E]):
    """What protocols share whose reports are the numbers 0 to `numbers` - 1: they are counted one by one."""

    @property
    @abstractmethod
    def numbers(self) -> int:
        """How many different reports there are."""

    @property
    def payload_bytes(self) -> int:
        """As many as the largest number takes."""
        return bytes_needed(self.numbers)

    def _packed(self, reports: Reports) -> Rows:
        return packed_numbers(reports, self.payload_bytes)

    def _unpacked(self, rows: Rows) -> Reports:
        return unpacked_numbers(rows)

    def _checked(self, reports: Reports) -> Reports:
        if reports.ndim != 1 or (reports.size and reports.dtype.kind not in "iu"):
            raise InvalidParameter("reports must be a column of whole numbers, as `privatize` returns them")
        if reports.size and not (reports.min() >= 0 and reports.max() < self.numbers):
            raise InvalidParameter(
                f"every report must be from 0 to {self.numbers - 1:,}: drop the others, they are forged"
            )
        return reports.astype(np.int64, copy=False)

    def _counted(self, reports: Reports, times: Counts | None) -> Counts:
        if times is None:
            return np.bincount(reports, minlength=self.numbers).astype(np.int64, copy=False)
        counts = np.zeros(self.numbers, dtype=np.int64)
        np.add.at(counts, reports, times)
        return counts

    def outcomes(self) -> Reports:
        """The numbers, in order."""
        return np.arange(self.numbers)
