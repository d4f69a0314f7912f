"""HeavyHitters: frequent texts that nobody has listed, found letter by letter."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.local.frequency_estimate import FrequencyEstimate
from privet.local.hash_family import PRIME, HashFamily
from privet.local.kary_response import KaryResponse
from privet.local.local_hashing import LocalHashing
from privet.local.payload import Rows, bytes_needed, packed_numbers, refuse_other_rows, rows_of, unpacked_numbers
from privet.local.sketch import texts_of
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, readable, whole
from privet.noise import BitSource, Entropy, UniformLaw

NOTHING = 0  # the byte after the end of a text
AT_ONCE = 1 << 14  # reports whose supports are counted together
MOST_LENGTH = 64
Reports = NDArray[np.int64]


@dataclass(frozen=True, init=False, repr=False)
class HeavyHitters:
    """Finds frequent texts by prefixes that grow (Wang, Li and Jha 2019: prefix extending).

    Args:
        epsilon: what a report may cost, from a millionth to 20.
        length: of the bytes of texts, in UTF-8, that are told apart; longer ones are cut.
        step: by how many bytes a prefix grows. Every device tells of one prefix only, so fewer, longer steps are more
            accurate; each costs as many candidates as there are continuations.
        alphabet: the letters, in ASCII, that texts consist of; by default all bytes. Fewer make the search fast.

    The device draws one of the prefixes, at the first `step` bytes, the first 2 `step` and so on, and tells it by local
    hashing. Of each level the prefixes that surely occur are extended. A report is the level, the function and
    a bucket.

    Privacy: `epsilon`-DP for each report.
    Proof: level and function are drawn without looking at the text; given them, the bucket is a k-ary response.
    For audits: given level and function, the exact channel is `response.channel()`.
    Not covered: a text that shares no prefix with others is not found if it is rare; nor is one with a letter that is
        not in the alphabet. Both are told of by devices all the same, and hidden as well.

    Example:
        >>> hitters = HeavyHitters(epsilon=4, length=3, step=1, alphabet="acdgot")
        >>> found = hitters.find(hitters.privatize(["cat"] * 4000 + ["dog"] * 3000 + ["coo", "tag"] * 100))
        >>> found.names[:2]  # a rare text, or a stray one, may follow
        ('cat', 'dog')
    """

    response: KaryResponse
    length: int
    step: int
    alphabet: str | None

    def __init__(self, epsilon: Exact, *, length: int, step: int = 1, alphabet: str | None = None) -> None:
        size = whole(length, "length", high=MOST_LENGTH)
        if size % whole(step, "step", high=2):
            raise InvalidParameter("length must be a multiple of step")
        if alphabet is not None and not (alphabet.isascii() and len(set(alphabet) - {"\0"}) == len(alphabet) > 0):
            raise InvalidParameter("alphabet must be letters of ASCII, each once")
        response = LocalHashing(2, epsilon).response
        for name, value in {"response": response, "length": size, "step": step, "alphabet": alphabet}.items():
            object.__setattr__(self, name, value)

    @property
    def epsilon(self) -> float:
        """What one report costs, rounded up."""
        return self.response.epsilon

    @property
    def loss(self) -> PrivacyLoss:
        """That of the response: no function makes it worse."""
        return self.response.loss

    @property
    def levels(self) -> int:
        """How many prefixes a text has."""
        return self.length // self.step

    @property
    def payload_bytes(self) -> int:
        """One for the level, those of the function, and those of the bucket."""
        return 1 + bytes_needed(PRIME**2) + bytes_needed(self.response.numbers)

    # --- on the device ----------------------------------------------------------------------------------------

    def privatize(self, values: Any, *, entropy: BitSource | None = None) -> Reports:  # noqa: ANN401 - any column
        """A report for each text, independent of each other."""
        source = Entropy() if entropy is None else entropy
        distinct, which = np.unique(texts_of(values), return_inverse=True)
        levels = UniformLaw(self.levels).many(source, len(which)).astype(np.int64, copy=False)
        known = np.array([self._numbers(self._prefixes(text)) for text in distinct.tolist()], dtype=np.int64)
        numbers = known.reshape(-1, self.levels)[which, levels]
        functions = UniformLaw(PRIME**2).many(source, len(which)).astype(np.int64, copy=False)
        buckets = self._family.buckets_of(functions // PRIME, functions % PRIME, numbers)
        return np.stack([levels, functions, self.response.privatize(buckets, entropy=source)], axis=1)

    def report(self, value: Any, *, entropy: BitSource | None = None) -> bytes:  # noqa: ANN401 - a text
        """The report of one device, as `payload_bytes` bytes."""
        return bytes(self.encode(self.privatize([value], entropy=entropy))[0])

    def encode(self, reports: Reports) -> Rows:
        """The reports as rows of bytes."""
        checked = self._checked(reports)
        return np.hstack([packed_numbers(checked[:, place], width) for place, width in enumerate(self._widths)])

    def decode(self, payloads: Any) -> Reports:  # noqa: ANN401 - rows of bytes, or a list of bytes
        """The reports of payloads; refused if one is none that a device can send."""
        rows = payloads if isinstance(payloads, np.ndarray) else rows_of(payloads, self.payload_bytes)
        refuse_other_rows(rows, self.payload_bytes)
        ends = np.cumsum([0, *self._widths])
        parts = [unpacked_numbers(rows[:, start:end]) for start, end in pairwise(ends)]
        return self._checked(np.stack(parts, axis=1))

    # --- the estimating side ----------------------------------------------------------------------------------

    def find(self, reports: Any, *, most: int = 64, confidence: float = 0.95) -> FrequencyEstimate:  # noqa: ANN401 - reports in any form
        """The texts that surely occur, and their shares.

        Args:
            reports: as `privatize` returns them, or a list of payloads.
            most: how many prefixes of one length are kept at most, the most frequent ones.
            confidence: that no prefix is kept that nobody has, on each level; exact, because how many reports support
                such a prefix is binomial.

        The shares are from the reports about whole texts. Because these also decided what is shown, take their
        intervals with `simultaneous=True`: they hold for all texts that were looked at.
        """
        refuse_certainty(confidence, "confidence")
        payloads = isinstance(reports, list | tuple) and all(map(_is_payload, reports))
        known = self.decode(reports) if payloads else self._checked(reports)
        kept: list[bytes] = [b""]
        for level in range(self.levels):
            told = known[known[:, 0] == level]
            if not len(told):
                raise InvalidParameter("every length of prefixes needs reports: collect more")
            looked_at = [prefix + end for prefix in kept for end in self._ends(prefix)]
            estimate = self._estimate(told, looked_at)
            order = np.argsort(-estimate.value, kind="stable")[: whole(most, "most")]
            least = binom.isf((1 - confidence) / len(looked_at), len(told), float(self._other))
            chosen = [place for place in order.tolist() if estimate.supports[place] > least]
            kept = [looked_at[place] for place in chosen]
            if not kept:
                break
        names = [prefix.rstrip(bytes([NOTHING])).decode("utf-8", "replace") for prefix in kept]
        facts = (estimate.protocol, estimate.reports, self.loss, self.epsilon, tuple(names), estimate.supports[chosen])
        return FrequencyEstimate(*facts, float(self._true), float(self._other), looked_at=len(looked_at))

    def _estimate(self, reports: Reports, prefixes: Sequence[bytes]) -> FrequencyEstimate:
        """The shares of prefixes of one length."""
        supports = np.zeros(len(prefixes), dtype=np.int64)
        numbers = self._numbers(prefixes)
        for start in range(0, len(reports), AT_ONCE):
            _, functions, told = reports[start : start + AT_ONCE].T
            supports += self._family.supports_of(functions // PRIME, functions % PRIME, told, numbers)
        facts = ("heavy_hitters", len(reports), self.loss, self.epsilon, tuple(prefixes), supports)
        return FrequencyEstimate(*facts, float(self._true), float(self._other))

    def _ends(self, prefix: bytes) -> list[bytes]:
        """What may follow; after the end of a text nothing but its end."""
        letters = range(256) if self.alphabet is None else [NOTHING, *sorted(self.alphabet.encode())]
        ends = [bytes([each]) for each in letters]
        if prefix.endswith(bytes([NOTHING])):
            return [bytes([NOTHING]) * self.step]
        if self.step == 1:
            return ends
        return [one + other for one in ends for other in ends if one[0] != NOTHING or other[0] == NOTHING]

    def _prefixes(self, text: str) -> list[bytes]:
        """The prefixes of all lengths; a text that is shorter is filled up."""
        whole_text = text.encode()[: self.length].ljust(self.length, bytes([NOTHING]))
        return [whole_text[: end * self.step] for end in range(1, self.levels + 1)]

    @staticmethod
    def _numbers(prefixes: Sequence[bytes]) -> NDArray[np.int64]:
        """Prefixes as numbers below the prime that functions are of: two are equal once in two thousand million."""
        return np.array(
            [int.from_bytes(sha256(each).digest()[:16], "big") % PRIME for each in prefixes], dtype=np.int64
        )

    @property
    def _widths(self) -> tuple[int, int, int]:
        return 1, bytes_needed(PRIME**2), bytes_needed(self.response.numbers)

    @cached_property
    def _family(self) -> HashFamily:
        return HashFamily(self.response.numbers)

    @property
    def _true(self) -> Fraction:
        return self.response.true_support

    @property
    def _other(self) -> Fraction:
        together = self._family.collision
        return together * self._true + (1 - together) * self.response.other_support

    def _checked(self, told: Any) -> Reports:  # noqa: ANN401 - reports in any form
        try:
            reports = np.asarray(told)
        except ValueError:
            reports = np.empty(0)
        ends = np.array([self.levels, PRIME**2, self.response.numbers])
        shaped = reports.ndim == 2 and reports.shape[1] == len(ends) and reports.dtype.kind in "iu"  # noqa: PLR2004 - rows
        if not shaped or not ((reports >= 0) & (reports < ends)).all():
            raise InvalidParameter("every report must be of a level, a function and a bucket: drop the others")
        return reports.astype(np.int64, copy=False)

    def __repr__(self) -> str:
        return f"HeavyHitters({self.levels} prefixes of up to {self.length} bytes, ε={readable(self.epsilon)})"


def _is_payload(report: object) -> bool:
    return isinstance(report, bytes | bytearray | memoryview)
