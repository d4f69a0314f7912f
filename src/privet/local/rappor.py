"""Rappor: texts told through Bloom filters whose bits lie once for ever, and again in every report."""

import hmac
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.bloom_bits import bloom_bits, bloom_map
from privet.local.categories import Categories
from privet.local.frequency_protocol import three_outcome_loss
from privet.local.payload import refuse_other_rows
from privet.local.protocol import Protocol, Reports, refuse_large
from privet.local.rappor_estimate import RapporEstimate, decoded
from privet.local.sketch import texts_of
from privet.local.tally import Counts, Tally
from privet.local.weights import WHOLE, checked_weight, realised_epsilon
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, exact_within, readable, whole
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, Entropy, UniformLaw
from privet.noise.coins import CoinLaw

STEPS = 128  # of the permanent coin: seven bits of a byte; the eighth is what a permanent lie says
MOST_BITS, MOST_HASHES, MOST_COHORTS = 256, 16, 128
SECRET, LEAST_SECRET = 32, 16  # bytes


@dataclass(frozen=True, init=False, repr=False)
class Rappor(Protocol[RapporEstimate]):
    """RAPPOR (Erlingsson, Pihur and Korolova 2014): for texts that a device reports again and again.

    Args:
        bits: k, of a Bloom filter: a power of two up to 256.
        hashes: h, how many of them a text sets, at most.
        cohorts: m, groups of devices with hash functions of their own, up to 128: more would tell devices apart.
        f: how often a bit is replaced for ever by a fair coin, in steps of 1/128, rounded up; 0 for reports that are
            sent once only.
        p: how often a permanent 0 is reported as 1.
        q: how often a permanent 1 is reported as 1; above p.
        categories: the values that are looked for; also later, by `looking_for`. Devices may have others.

    A report is the device's cohort and the bits, the lowest last. `privatize` and `report` are of new devices; a
    device that stays is made by `device`, which never stores or sends its permanent bits.

    Privacy: one report costs `epsilon`; all reports about one value, however many, `lifetime_epsilon`. A value that
        changes costs that once for each value.
    Proof: two texts differ in at most h bits each way. In a report each of these is 1 with probability q* or p*, so the
        ratio is at most (q*(1-p*)/(p*(1-q*)))^h; the permanent bits differ likewise with 1 - f/2 and f/2, and all
        reports are made of them.
    Not covered: the cohort is the same in all reports of a device, so it narrows down who sent them: to one in m.

    Example:
        >>> protocol = Rappor(bits=16, hashes=2, cohorts=64, f=0.5, p=0.5, q=0.75)
        >>> round(protocol.epsilon, 6), round(protocol.lifetime_epsilon, 6)
        (1.074286, 4.394449)
    """

    name: ClassVar[str] = "rappor"
    bits: int
    hashes: int
    cohorts: int
    permanent: int
    one_if_zero: int
    one_if_one: int
    candidates: Categories | None = field(compare=False)

    def __init__(  # noqa: PLR0913 - the paper's parameters, each by name
        self,
        *,
        bits: int = 32,
        hashes: int = 2,
        cohorts: int = 64,
        f: Exact = "0.5",
        p: Exact = "0.5",
        q: Exact = "0.75",
        categories: Any = None,  # noqa: ANN401 - any list
    ) -> None:
        lie = math.ceil(exact_within(f, "f", low=0, high=1) * STEPS)
        low = math.ceil(exact_within(p, "p", low=0, high=1) * WHOLE)
        high = math.floor(exact_within(q, "q", low=0, high=1) * WHOLE)
        self._fill((bits, hashes, cohorts), lie, (low, high))
        self._keep(candidates=None if categories is None else Categories(categories))

    def _fill(self, shape: tuple[int, int, int], permanent: int, weights: tuple[int, int]) -> None:
        bits, hashes, cohorts = shape
        if whole(bits, "bits", high=MOST_BITS) & (bits - 1):
            raise InvalidParameter(f"bits must be a power of two, got {bits}: other numbers are not hit equally often")
        self._keep(bits=bits, hashes=whole(hashes, "hashes", high=MOST_HASHES), candidates=None)
        self._keep(cohorts=whole(cohorts, "cohorts", high=MOST_COHORTS), permanent=permanent)
        if not 0 <= permanent < STEPS:
            raise InvalidParameter("f must be below 1: otherwise a report tells nothing")
        low, high = weights
        if not 0 < low < high < WHOLE:
            raise InvalidParameter("p and q must lie between 0 and 1, both excluded, and q above p")
        self._keep(one_if_zero=low, one_if_one=high)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        weights = tuple(checked_weight(config[name], name) for name in ("one_if_zero", "one_if_one"))
        lie = whole(config["permanent"], "permanent", low=0)
        self._fill((config["bits"], config["hashes"], config["cohorts"]), lie, (weights[0], weights[1]))

    @property
    def parameters(self) -> dict[str, Any]:
        """The filter, the permanent coin out of 128, and the weights of reporting a one, out of 2^52."""
        shape = {"bits": self.bits, "hashes": self.hashes, "cohorts": self.cohorts, "permanent": self.permanent}
        return {**shape, "one_if_zero": self.one_if_zero, "one_if_one": self.one_if_one}

    @property
    def payload_bytes(self) -> int:
        """The cohort, and the bits."""
        return 1 + -(-self.bits // 8)

    # --- what it costs ----------------------------------------------------------------------------------------

    @property
    def one_of_zero(self) -> Fraction:
        """p*: the probability that a bit that is not set is reported as 1, over both steps."""
        return self._mixed(self.one_if_zero, self.one_if_one)

    @property
    def one_of_one(self) -> Fraction:
        """q*: the probability that a bit that is set is reported as 1, over both steps."""
        return self._mixed(self.one_if_one, self.one_if_zero)

    def _mixed(self, same: int, other: int) -> Fraction:
        flip = Fraction(self.permanent, 2 * STEPS)
        return (same * (1 - flip) + other * flip) / WHOLE

    @property
    def _bit_ratio(self) -> Fraction:
        """Of two bits, one each way."""
        zero, one = self.one_of_zero, self.one_of_one
        return one / zero * ((1 - zero) / (1 - one))

    @property
    def ratio(self) -> Fraction:
        """Of h pairs of bits."""
        return self._bit_ratio**self.hashes

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of two texts with no bit in common: h pairs of bits, one each way."""
        return three_outcome_loss(self.one_of_one * (1 - self.one_of_zero), self._bit_ratio) * self.hashes

    @cached_property
    def lifetime_epsilon(self) -> float:
        """What all reports about one value cost together: the permanent bits, rounded up; infinite for f = 0."""
        flip = Fraction(self.permanent, 2 * STEPS)
        return realised_epsilon(((1 - flip) / flip) ** (2 * self.hashes)) if flip else math.inf

    # --- on the device ----------------------------------------------------------------------------------------

    def device(self, secret: Any = None, *, cohort: int | None = None) -> "RapporDevice":  # noqa: ANN401 - refused in words
        """A device that stays.

        Args:
            secret: at least 16 bytes that never leave it; drawn if there is none. Keep it: a new one is a new device.
            cohort: by default one that follows from the secret.
        """
        if secret is not None and (not isinstance(secret, bytes | bytearray) or len(secret) < LEAST_SECRET):
            raise InvalidParameter(f"secret must be at least {LEAST_SECRET} random bytes: leave it out to draw them")
        known = Entropy().words(SECRET // 8).tobytes() if secret is None else bytes(secret)
        drawn = int.from_bytes(hmac.digest(known, b"privet cohort", "sha256")[:8], "big") % self.cohorts
        group = drawn if cohort is None else whole(cohort, "cohort", low=0, high=self.cohorts - 1)
        return RapporDevice(self, known, group)

    def _inputs(self, values: Any) -> NDArray[Any]:  # noqa: ANN401 - any column
        return texts_of(values)

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        """Every value of a new device: its cohort and its permanent bits are drawn."""
        cohorts = UniformLaw(self.cohorts).many(source, len(inputs)).astype(np.int64, copy=False)
        distinct, which = np.unique(inputs, return_inverse=True)
        settings = {"cohorts": self.cohorts, "hashes": self.hashes, "bits": self.bits}
        bits = bloom_map(distinct.tolist(), **settings)[cohorts, :, which].astype(np.bool_)
        replaced = CoinLaw(self.permanent * (WHOLE // STEPS)).many(source, bits.size).reshape(bits.shape)
        coins = CoinLaw(WHOLE // 2).many(source, bits.size).reshape(bits.shape)
        return self.randomized(cohorts, np.where(replaced, coins, bits), source)

    def randomized(self, cohorts: NDArray[np.int64], bits: NDArray[np.bool_], source: BitSource) -> Reports:
        """The second step: permanent bits, the lowest first, made into reports."""
        low = CoinLaw(self.one_if_zero).many(source, bits.size).reshape(bits.shape)
        high = CoinLaw(self.one_if_one).many(source, bits.size).reshape(bits.shape)
        return self.reports_of(cohorts, np.where(bits, high, low))

    def reports_of(self, cohorts: NDArray[np.int64], bits: NDArray[Any]) -> Reports:
        """Rows of a cohort and bits, the lowest first, as reports."""
        pad = np.zeros((len(bits), -self.bits % 8), dtype=np.uint8)
        packed = np.packbits(np.hstack([pad, bits[:, ::-1].astype(np.uint8)]), axis=1)
        return np.hstack([cohorts.astype(np.uint8)[:, None], packed])

    # --- the estimating side ----------------------------------------------------------------------------------

    def looking_for(self, candidates: Any) -> Self:  # noqa: ANN401 - a list, or a number
        """The same protocol, whose estimates are of these values. Devices do not notice."""
        made = type(self).from_config(self.config)
        object.__setattr__(made, "candidates", Categories(candidates))
        return made

    def _checked(self, reports: Reports) -> Reports:
        refuse_other_rows(reports, self.payload_bytes)
        unused = np.uint8(0xFF << min(self.bits, 8) & 0xFF)
        if (reports[:, 0] >= self.cohorts).any() or (reports[:, 1] & unused).any():
            raise InvalidParameter("every report must be of a cohort and its bits: drop the others, they are forged")
        return reports

    def _bits(self, reports: Reports) -> NDArray[np.uint8]:
        """The bits of reports, the lowest first."""
        rows = np.unpackbits(np.ascontiguousarray(reports[:, 1:]), axis=1)
        return rows[:, ::-1][:, : self.bits]

    def _counted(self, reports: Reports, times: Counts | None) -> Counts:
        """For each cohort how many reports it has, and how many of them have each bit set, the lowest first."""
        counts = np.zeros((self.cohorts, 1 + self.bits), dtype=np.int64)
        weights = np.ones(len(reports), dtype=np.int64) if times is None else times
        for cohort in np.unique(reports[:, 0]).tolist():
            same = np.flatnonzero(reports[:, 0] == cohort)
            counts[cohort, 0] = weights[same].sum()
            counts[cohort, 1:] = weights[same] @ self._bits(reports[same])
        return counts

    def _estimated(self, tally: Tally) -> RapporEstimate:
        if self.candidates is None:
            raise InvalidParameter("say which values to look for: protocol.looking_for([…]).estimate(…)")
        texts = texts_of(self.candidates.names).tolist()
        sets = bloom_map(texts, cohorts=self.cohorts, hashes=self.hashes, bits=self.bits)
        chances = (float(self.one_of_zero), float(self.one_of_one))
        shares, covariance = decoded(tally.counts, sets, chances=chances, fill=1 - (1 - 1 / self.bits) ** self.hashes)
        facts = (self.name, tally.reports, self.loss, self.epsilon, tuple(self.candidates.names))
        return RapporEstimate(*facts, shares, covariance)

    def outcomes(self) -> Reports:
        """All rows of bits in each cohort."""
        refuse_large(self.cohorts, 2 ** min(self.bits, 60))
        rows = np.array(list(product((0, 1), repeat=self.bits)), dtype=np.uint8)
        cohorts = np.repeat(np.arange(self.cohorts), len(rows))
        return self.reports_of(cohorts, np.tile(rows, (self.cohorts, 1)))

    def channel(self) -> FiniteMechanism:
        """Of new devices: cohorts are equally likely, and bits independent."""
        reports = self.outcomes()
        texts = texts_of([] if self.candidates is None else self.candidates.names).tolist()
        refuse_large(len(texts), len(reports))
        told = list(zip(reports[:, 0].tolist(), self._bits(reports).tolist(), strict=True))
        return FiniteMechanism([[self._chance(text, *each) for each in told] for text in texts])

    def _chance(self, text: str, cohort: int, told: list[int]) -> Fraction:
        own = bloom_bits(text, cohort, hashes=self.hashes, bits=self.bits)
        chance = Fraction(1, self.cohorts)
        for place, bit in enumerate(told):
            one = self.one_of_one if place in own else self.one_of_zero
            chance *= one if bit else 1 - one
        return chance

    def __repr__(self) -> str:
        shape = f"{self.bits} bits, {self.hashes} hashes, {self.cohorts} cohorts"
        return f"Rappor({shape}, ε={readable(self.epsilon)}, lifetime ε={readable(self.lifetime_epsilon)})"


@dataclass(frozen=True)
class RapporDevice:
    """One device: what its secret makes of a value is the same every day, and is never sent.

    Args:
        protocol: what it follows.
        secret: never leaves the device.
        cohort: its group.

    Example:
        >>> from privet.local import Rappor
        >>> protocol = Rappor(bits=16, hashes=2, cohorts=64, f=0.5, p=0.5, q=0.75)
        >>> device = protocol.device()
        >>> device.permanent("cat") == device.permanent("cat")  # the same lies every day
        True
    """

    protocol: Rappor
    secret: bytes = field(repr=False)
    cohort: int

    def bloom(self, text: str) -> int:
        """The bits that a text sets, as a number. Not to be sent."""
        shape = {"hashes": self.protocol.hashes, "bits": self.protocol.bits}
        return sum(1 << bit for bit in set(bloom_bits(text, self.cohort, **shape)))

    def permanent(self, text: str) -> int:
        """The bits with their permanent lies, as a number. Not to be sent.

        A byte of HMAC-SHA256(secret, bits) decides each bit: its upper seven bits whether there is a lie, its lowest
        what that says.
        """
        bloom = self.bloom(text)
        noise = self._noise(bloom)
        lies = sum(1 << place for place, byte in enumerate(noise) if byte >> 1 < self.protocol.permanent)
        said = sum(1 << place for place, byte in enumerate(noise) if byte & 1)
        return bloom & ~lies | said & lies

    def _noise(self, bloom: int) -> bytes:
        """One byte for each bit; filters of more than 32 bits take several digests."""
        message = bloom.to_bytes(max(4, self.protocol.bits // 8), "big")
        blocks = [message, *(message + bytes([block]) for block in range(1, -(-self.protocol.bits // 32)))]
        return b"".join(hmac.digest(self.secret, block, "sha256") for block in blocks)[: self.protocol.bits]

    def report(self, value: Any, *, entropy: BitSource | None = None) -> bytes:  # noqa: ANN401 - a text, or a whole number
        """A new report about a value."""
        permanent = self.permanent(str(texts_of([value])[0]))
        bits = np.array([[permanent >> place & 1 for place in range(self.protocol.bits)]], dtype=np.bool_)
        cohort = np.array([self.cohort])
        return bytes(self.protocol.randomized(cohort, bits, Entropy() if entropy is None else entropy)[0])
