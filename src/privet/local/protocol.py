"""Protocol: a local-privacy method, its device side and its estimating side in one place."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.estimate import Estimate
from privet.local.payload import Rows, refuse_other_rows, rows_of
from privet.local.tally import MOST_REPORTS, Counts, Tally
from privet.local.weights import realised_epsilon
from privet.loss import PrivacyLoss
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, Entropy

Reports = NDArray[Any]  # whole numbers; one report a row
E = TypeVar("E", bound=Estimate)
FEW = 1 << 16  # cells of a channel that are written out
_ENTROPY = Entropy()


class Protocol(ABC, Generic[E]):
    """What a device tells instead of the truth, and what is learnt from very many of them.

    A subclass is a frozen dataclass of public numbers. It says what reports there are (`_drawn`, `_packed`), what they
    add up to (`_counted`) and what is read off that (`_estimated`); contracts are in tests/contracts/protocol.py.

    Privacy: one report costs `epsilon`, for a value replaced by any other. That holds whoever sees it, as long as the
        device runs this code and its own value goes nowhere else. Two reports about one value cost twice as much.
    Not covered: that a report was sent, when, from where and by whom is not hidden: send one whatever happens. How long
        a device computes is not either: who can time it learns which draws were thrown away or needed more bits, and so
        may see more than the report. Who sends forged reports moves an estimate; by how much is
        `FrequencyEstimate.poisoned_by`.

    Example:
        >>> from privet.local import KaryResponse
        >>> protocol = KaryResponse(["cat", "dog"], epsilon=1)
        >>> isinstance(protocol, Protocol), protocol.name, round(protocol.epsilon, 6)
        (True, 'kary_response', 1.0)
    """

    name: ClassVar[str]

    # --- public facts -----------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def ratio(self) -> Fraction:
        """The largest ratio of the probabilities of one report under two values, exactly."""

    @cached_property
    def epsilon(self) -> float:
        """What one report costs: ln of `ratio`, rounded up; never above the ε that was asked for."""
        return realised_epsilon(self.ratio)

    @property
    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """What one report reveals, for a value that is replaced by another."""

    @property
    @abstractmethod
    def payload_bytes(self) -> int:
        """How long a report is, whatever it says."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """All that devices and estimators must agree on besides the name: whole numbers and lists of labels."""

    @property
    def config(self) -> dict[str, Any]:
        """The public configuration, as JSON holds it; `from_config` makes the same protocol of it."""
        return {"protocol": self.name, **self.parameters, "payload_bytes": self.payload_bytes}

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the configuration in canonical JSON: what binds a report to it."""
        return hashlib.sha256(canonical(self.config)).hexdigest()

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """The protocol of a configuration; refused unless it would write the very same one."""
        try:
            made = cls.__new__(cls)
            cls._fill_from(made, config)
        except (KeyError, TypeError, AttributeError):
            raise InvalidParameter(
                f"not the configuration of a {cls.name}: a word is missing or of a wrong type"
            ) from None
        if made.config != dict(config):
            raise InvalidParameter(f"not the configuration of a {cls.name}: its words contradict each other")
        return made

    @abstractmethod
    def _fill_from(self, config: Mapping[str, Any]) -> None:
        """Set the fields from `parameters`, which may be wrong."""

    def _keep(self, **values: object) -> None:
        """Set fields of a frozen dataclass while it is made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    # --- on the device ----------------------------------------------------------------------------------------

    def privatize(self, values: Any, *, entropy: BitSource | None = None) -> Reports:  # noqa: ANN401 - any column
        """A report for each value, independent of each other: a simulation of as many devices.

        Args:
            values: a column; one value of each device.
            entropy: where random bits come from; the operating system's by default.
        """
        return self._drawn(self._inputs(values), _ENTROPY if entropy is None else entropy)

    def report(self, value: Any, *, entropy: BitSource | None = None) -> bytes:  # noqa: ANN401 - whatever a device has
        """The report of one device, as `payload_bytes` bytes: the same as `privatize` of this value alone."""
        return bytes(self.encode(self.privatize([value], entropy=entropy))[0])

    @abstractmethod
    def _inputs(self, values: Any) -> NDArray[Any]:  # noqa: ANN401 - any column
        """The values as numbers; refused if one is none that a device may have."""

    @abstractmethod
    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        """A report for each input; decisions are made with whole numbers only."""

    def encode(self, reports: Reports) -> Rows:
        """The reports as rows of bytes."""
        return self._packed(self._checked(np.asarray(reports)))

    def decode(self, payloads: Any) -> Reports:  # noqa: ANN401 - rows of bytes, or a list of bytes
        """The reports of payloads; refused if one is none that a device can send."""
        rows = payloads if isinstance(payloads, np.ndarray) else rows_of(payloads, self.payload_bytes)
        refuse_other_rows(rows, self.payload_bytes)
        return self._checked(self._unpacked(rows))

    def _packed(self, reports: Reports) -> Rows:
        """Reports as rows of bytes; as they are, where they are that already."""
        return reports

    def _unpacked(self, rows: Rows) -> Reports:
        """What `_packed` wrote; of rows that it cannot have written, anything that `_checked` refuses."""
        return rows

    # --- the estimating side ----------------------------------------------------------------------------------

    def tally(self, reports: Any, *, times: Any = None) -> Tally:  # noqa: ANN401 - reports in any form
        """What the reports add up to.

        Args:
            reports: as `privatize` returns them, or a list of payloads.
            times: how often each of them came; once by default. The rows of `tally_sql` are a column of reports and
                one of times.
        """
        known = self._reports(reports)
        counted = None if times is None else _times(times, len(known))
        total = len(known) if counted is None else int(counted.sum())
        return Tally(self.config, total, self._counted(known, counted))

    def tally_sql(self, table: str, column: str = "report") -> str:
        """SQL, for DuckDB, PostgreSQL or Spark, that counts a column of reports as far as an engine can.

        Its rows make a tally: `protocol.tally(rows["report"], times=rows["times"])`.

        Args:
            table: where the reports are.
            column: their column: numbers where `privatize` gives numbers, else payloads.
        """
        return f"SELECT {column} AS report, COUNT(*) AS times FROM {table} GROUP BY {column}"  # noqa: S608 - their owner's own names

    def estimate(self, reports: Any) -> E:  # noqa: ANN401 - reports in any form, or a tally
        """What the reports, or a tally of them, say about the devices."""
        tally = reports if isinstance(reports, Tally) else self.tally(reports)
        if tally.config != self.config:
            raise InvalidParameter("the tally is of another protocol: estimate it with the one whose config it has")
        counts = tally.counts
        most = tally.reports * self._most_counted
        if counts.shape != self._shape or (counts.size and not 0 <= int(counts.min()) <= int(counts.max()) <= most):
            raise InvalidParameter("the counts of the tally are not those of this protocol: it was not made by `tally`")
        if tally.reports < 1:
            raise InvalidParameter("an estimate needs at least one report, got none")
        return self._estimated(tally)

    @property
    def _most_counted(self) -> int:
        """By how much one report can move one count."""
        return 1

    @cached_property
    def _shape(self) -> tuple[int, ...]:
        """Of the counts of a tally."""
        empty = self._unpacked(np.zeros((0, self.payload_bytes), dtype=np.uint8))
        return self._counted(empty, None).shape

    def _reports(self, reports: Any) -> Reports:  # noqa: ANN401 - reports in any form
        if isinstance(reports, list | tuple) and not reports:
            return self.decode([])
        if isinstance(reports, list | tuple) and isinstance(reports[0], bytes | bytearray | memoryview):
            return self.decode(reports)
        try:
            known = np.asarray(reports)
        except ValueError:
            raise InvalidParameter(
                "reports must be a column, as `privatize` returns them, or a list of bytes"
            ) from None
        if known.dtype == np.object_ and known.size:  # payloads, as an engine hands them over
            return self.decode(known.ravel().tolist())
        return self._checked(known)

    @abstractmethod
    def _checked(self, reports: Reports) -> Reports:
        """The reports; refused if one is none that a device can send."""

    @abstractmethod
    def _counted(self, reports: Reports, times: Counts | None) -> Counts:
        """What the reports add up to, each as often as it came."""

    @abstractmethod
    def _estimated(self, tally: Tally) -> E:
        """What a tally of at least one report says."""

    # --- for audits -------------------------------------------------------------------------------------------

    @abstractmethod
    def outcomes(self) -> Reports:
        """All reports there are, for small domains; the columns of `channel`."""

    @abstractmethod
    def channel(self) -> FiniteMechanism:
        """The exact probability of each report (columns) for each value (rows), for small domains."""


def canonical(config: Mapping[str, Any]) -> bytes:
    """JSON with sorted keys and without spaces, in ASCII: the same bytes in every language."""
    return json.dumps(config, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def refuse_large(inputs: int, outcomes: int) -> None:
    """Raise if a channel has too many cells to be written out."""
    if inputs * outcomes > FEW:
        raise InvalidParameter(
            f"a channel is written out for at most {FEW:,} cells, here are {inputs:,} values and {outcomes:,} reports: "
            "take a smaller domain, the ratios are the same"
        )


def _times(times: Any, reports: int) -> Counts:  # noqa: ANN401 - any column
    counted = np.asarray(times)
    if counted.shape != (reports,) or counted.dtype.kind not in "iu" or (counted.size and counted.min() < 0):
        raise InvalidParameter("times must be a column of whole numbers >= 0, one for each report")
    if counted.sum(dtype=np.float64) > MOST_REPORTS:
        raise InvalidParameter(f"a tally is of at most {MOST_REPORTS:,} reports: estimate the parts by themselves")
    return counted.astype(np.int64, copy=False)
