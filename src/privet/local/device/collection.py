"""Collection: the public description of what is collected, which never changes."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

from privet.errors import InvalidParameter
from privet.local.chained_encoding import ChainedEncoding
from privet.local.chained_response import ChainedResponse
from privet.local.device.report_message import MOST_PAYLOAD, ReportMessage
from privet.local.protocol import Protocol, canonical
from privet.local.read_config import read_config
from privet.loss.exact import Exact, exact_within, meant_by, shortest, whole

HASH_BYTES = 16
MOST_PERIODS = 1 << 31
LONGEST = 4000  # letters of a text
MOST_SECONDS = 366 * 24 * 3600  # of a period
MOST_START = 1 << 40
VERSION = 1
MILLION = 10**6  # parts of an ε that a text has
Known = str | int | None


@dataclass(frozen=True)
class Collection:
    """What is collected, why, how, for how long, and who sees it; immutable, and tied to each report by its hash.

    Args:
        id: 32 hexadecimal digits, drawn at random.
        title: one line.
        purpose: what the results are for.
        consent: what a person agrees to.
        controller: who asks, and where to reach them.
        protocol: the configuration of a `Protocol`.
        events: M, how many reports leave a device in a period, whatever happened.
        none: the value that is reported for events that did not happen; None where `events` is 1 and each device has a
            value.
        period_seconds: how long a period is; None for a survey, which has one period, without clock.
        starts: when period 0 begins, in whole seconds since 1970, UTC.
        periods: how many there are.
        grace: for how many periods after its end a period's reports are still taken.
        lifetime: the ε that all reports of a device may cost together, as a text.
        minimum_batch: how many reports a result needs.
        live_step: how many new reports a live result needs each time; None: no result before the release.
        retention_days: after how many days unreleased counts are deleted, counted from the day of closing.
        delta: of the shuffle guarantee, as a text.
        survey: the question and its instructions, for collections that people answer on a page.

    Privacy: one report costs `epsilon`, a device at most `lifetime`, whoever sees the reports.

    Example:
        >>> from privet.local import KaryResponse
        >>> made = Collection.of(KaryResponse(["none", "a", "b"], 1), title="Buttons", purpose="…", consent="…",
        ...     controller="…", none="none", period_seconds=86400, starts=0, periods=30, lifetime=30, events=1)
        >>> made.period_at(86400 * 3), Collection.from_json(made.to_json()) == made
        (3, True)
    """

    id: str
    title: str
    purpose: str
    consent: str
    controller: str
    protocol: Mapping[str, Any]
    events: int
    none: Known
    period_seconds: int | None
    starts: int
    periods: int
    grace: int
    lifetime: str
    minimum_batch: int
    live_step: int | None
    retention_days: int
    delta: str
    survey: Mapping[str, Any] | None
    version: int = VERSION

    def __post_init__(self) -> None:
        self._check_texts()
        self._check_numbers()
        known = self.randomizer
        if known.payload_bytes > MOST_PAYLOAD:
            raise InvalidParameter(f"a report may have {MOST_PAYLOAD:,} bytes: take a protocol with shorter ones")
        if self.none is not None:
            known.report(self.none)  # refused now, not on a device
        elif self.events > 1 or self.period_seconds is not None:
            raise InvalidParameter("collections with periods need `none`, the value of events that did not happen")
        if self.keeps_answers and self.events != 1:
            raise InvalidParameter("where a device keeps its answers, events must be 1")
        if self.cost_of_period > Fraction(self.lifetime):
            raise InvalidParameter("the first period alone costs more than lifetime: give a larger lifetime")

    def _check_texts(self) -> None:
        texts = (self.id, self.title, self.purpose, self.consent, self.controller, self.lifetime, self.delta)
        if any(type(text) is not str or not text or len(text) > LONGEST for text in texts):
            raise InvalidParameter(f"the texts of a collection must have 1 to {LONGEST:,} letters")
        if len(self.id) != 2 * HASH_BYTES or set(self.id) - set("0123456789abcdef"):
            raise InvalidParameter("the id of a collection must be 32 hexadecimal digits, drawn at random")
        exact_within(self.lifetime, "lifetime", low=0, high=10**9)
        if not 0 < exact_within(self.delta, "delta", low=0, high=1) < 1:
            raise InvalidParameter("delta must lie between 0 and 1, both excluded")
        if any("\ud800" <= letter <= "\udfff" for text in texts for letter in text):
            raise InvalidParameter("the texts of a collection must be such that UTF-8 can write them")

    def _check_numbers(self) -> None:
        whole(self.events, "events", high=1000)
        whole(self.periods, "periods", high=MOST_PERIODS)
        whole(self.grace, "grace", low=0, high=1000)
        whole(self.minimum_batch, "minimum_batch", low=2)
        whole(self.retention_days, "retention_days", low=0, high=36500)
        whole(self.starts, "starts", low=0, high=MOST_START)
        if self.live_step is not None:
            whole(self.live_step, "live_step", low=2)
        if self.version != VERSION:
            raise InvalidParameter(f"this collection is of version {self.version!r}: this program knows {VERSION}")
        if self.period_seconds is None:
            if self.periods != 1:
                raise InvalidParameter("a collection without a clock has one period")
        else:
            whole(self.period_seconds, "period_seconds", high=MOST_SECONDS)

    @classmethod
    def of(  # noqa: PLR0913 - what a collection says, each by name
        cls,
        protocol: Protocol[Any],
        *,
        title: str,
        purpose: str,
        consent: str,
        controller: str,
        events: int = 1,
        none: Known = None,
        period_seconds: int | None = None,
        starts: int = 0,
        periods: int = 1,
        grace: int = 1,
        lifetime: Exact | None = None,
        minimum_batch: int = 10,
        live_step: int | None = None,
        retention_days: int = 30,
        delta: Exact = "1e-6",
        survey: Mapping[str, Any] | None = None,
    ) -> "Collection":
        """A new collection, with an id of its own; `lifetime` is by default what all its periods cost, rounded up."""
        total = (
            _all_periods(protocol, events * periods) if lifetime is None else exact_within(lifetime, "lifetime", low=0)
        )
        return cls(
            id=ReportMessage.fresh_nonce().hex(),
            title=title,
            purpose=purpose,
            consent=consent,
            controller=controller,
            protocol=protocol.config,
            events=events,
            none=none,
            period_seconds=period_seconds,
            starts=starts,
            periods=periods,
            grace=grace,
            lifetime=shortest(total),
            minimum_batch=minimum_batch,
            live_step=live_step,
            retention_days=retention_days,
            delta=shortest(exact_within(delta, "delta", low=0, high=1)),
            survey=survey,
        )

    # --- what follows from it ---------------------------------------------------------------------------------

    @cached_property
    def randomizer(self) -> Protocol[Any]:
        """The protocol that devices run."""
        return read_config(self.protocol)

    @property
    def epsilon(self) -> Fraction:
        """What one report costs."""
        return meant_by(self.randomizer.epsilon)

    @property
    def keeps_answers(self) -> bool:
        """Whether a device keeps its first answer about a value, so that many reports cost little more than one."""
        return isinstance(self.randomizer, ChainedResponse | ChainedEncoding)

    @property
    def cost_of_period(self) -> Fraction:
        """What the reports of a first period cost a device: those after it cost less where answers are kept."""
        return self.epsilon * self.events

    @cached_property
    def config_hash(self) -> bytes:
        """What ties a report to this description: the first 16 bytes of its SHA-256."""
        return hashlib.sha256(self.canonical).digest()[:HASH_BYTES]

    @cached_property
    def id_bytes(self) -> bytes:
        """The id as 16 bytes."""
        return bytes.fromhex(self.id)

    def period_at(self, seconds: float) -> int:
        """The number of the period at a time: below 0 before the first, `periods` and more after the last."""
        return 0 if self.period_seconds is None else int((seconds - self.starts) // self.period_seconds)

    def period_ends(self, period: int) -> int | None:
        """When a period ends, in seconds since 1970; None for surveys, which end when they are closed."""
        return None if self.period_seconds is None else self.starts + (period + 1) * self.period_seconds

    # --- as a text --------------------------------------------------------------------------------------------

    @cached_property
    def canonical(self) -> bytes:
        """The same bytes in every language; what is hashed and signed."""
        return canonical(asdict(self))

    def to_json(self) -> str:
        """Everything, as `from_json` reads it."""
        return self.canonical.decode("ascii")

    @classmethod
    def from_json(cls, text: str | bytes) -> "Collection":
        """The collection that `to_json` wrote; refused if a word is missing, unknown or of a wrong type."""
        try:
            facts = json.loads(text)
            if not isinstance(facts, dict) or facts.keys() != {each.name for each in fields(cls)}:
                raise TypeError("other words")  # noqa: TRY301 - one sentence for all
            made = cls(**facts)
            made.canonical  # noqa: B018 - refuses what JSON cannot hold, such as NaN
        except (ValueError, TypeError, KeyError, RecursionError, AttributeError) as wrong:
            if isinstance(wrong, InvalidParameter):
                raise
            raise InvalidParameter("not the JSON of a collection: a word is missing, unknown or wrong") from None
        return made

    def __hash__(self) -> int:
        return hash(self.id)


def _all_periods(protocol: Protocol[Any], reports: int) -> Fraction:
    """What so many reports cost: where answers are kept, what all reports about one value do."""
    if isinstance(protocol, ChainedResponse | ChainedEncoding):
        total = meant_by(protocol.lifetime)
    else:
        total = meant_by(protocol.epsilon) * reports
    return Fraction(math.ceil(total * MILLION), MILLION)
