"""ReportCounts: how many reports were taken and refused since the start, rounded, and nothing else about them."""

from collections import Counter

STEP = 100  # so that one more is seen of hundred


class ReportCounts:
    """Counts in memory, by the status of the answer. Accepted reports and repeated ones are one number."""

    def __init__(self) -> None:
        self._times: Counter[int] = Counter()

    def count(self, status: int) -> None:
        """One more."""
        self._times[status] += 1

    def rounded(self) -> dict[str, int]:
        """The counts, rounded down to hundreds, so that nobody sees a single report arrive."""
        return {str(status): times // STEP * STEP for status, times in sorted(self._times.items())}
