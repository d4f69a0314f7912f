"""DeviceBudget: how much a device may tell over time; it sends equally much whatever happens."""

import json
from collections import deque
from fractions import Fraction
from typing import Any, NamedTuple, Self

from privet.errors import BudgetExceeded, InvalidParameter
from privet.local.protocol import Protocol
from privet.local.read_config import read_config
from privet.loss.exact import Exact, exact_within, meant_by, readable, shortest, whole
from privet.noise import BitSource, Entropy, PermutationLaw

SHOWN = 10**6  # parts of an ε that are told of what is left, rounded down


class Levels(NamedTuple):
    """What is protected by which ε: one event, all events of a period, of a window of periods, of the whole life."""

    event: Fraction
    period: Fraction
    window: Fraction | None
    lifetime: Fraction


class DeviceBudget:
    """Lets a device report at most `events` events in a period, and exactly so many reports leave it.

    Args:
        protocol: how an event is reported.
        events: M, how many events of one period are reported; the next one is refused.
        none: the value that is reported for events that did not happen; one of the protocol's categories.
        lifetime: the ε that all reports together may cost. When it is used up, periods are refused.
        window: (w, ε): what any w periods in a row may cost ("w-event privacy"); None for no such limit.

    Privacy: one event costs the protocol's ε, whoever sees its report; all events of a period M times that, of w
        periods at most the window's, of the device's life at most the lifetime's ε (`levels`). How many events there
        were, and whether there were any, is not told: M reports leave in every period, in an order drawn at random.
    Proof: an event changes one report. A device's M reports of a period are M runs of the protocol, on an event or on
        `none`; sums of ε follow by composition, and no period is opened that would carry one beyond its limit.
    Not covered: which events are taken if more than M happen is the caller's choice, which must not depend on them;
        a device that loses this object must not begin a new one. So write `to_json` before reports are sent, and go on
        with `from_json` when it was switched off. There is no clock: the caller says when a period ends.

    Example:
        >>> from privet.local import KaryResponse
        >>> protocol = KaryResponse(categories=["none", "smile", "heart"], epsilon=1)
        >>> budget = DeviceBudget(protocol, events=2, none="none", lifetime=10)
        >>> budget.add("smile")
        >>> len(budget.close()), budget.periods_left
        (2, 4)
    """

    def __init__(  # noqa: PLR0913 - the limits, each by name
        self,
        protocol: Protocol[Any],
        *,
        events: int,
        none: Any,  # noqa: ANN401 - a category
        lifetime: Exact,
        window: tuple[int, Exact] | None = None,
        entropy: BitSource | None = None,
    ) -> None:
        self.protocol = protocol
        self.events = whole(events, "events")
        self.lifetime = exact_within(lifetime, "lifetime", low=0)
        self.window = None if window is None else _window(window)
        self._source = Entropy() if entropy is None else entropy
        self._event = meant_by(protocol.epsilon)
        self._none = none
        protocol.report(none, entropy=self._source)  # refused now, not when the first period ends
        self.spent = Fraction(0)
        self._recent: deque[Fraction] = deque(maxlen=None if self.window is None else self.window[0] - 1)
        self._reports: list[bytes] = []
        if self._cost > self.lifetime:
            raise InvalidParameter(
                f"one period costs ε={readable(self._cost)}, more than the lifetime's {readable(self.lifetime)}: "
                "report fewer events, or take a smaller epsilon for each"
            )

    @property
    def levels(self) -> Levels:
        """What an event, a period, a window and a life can cost at most."""
        window = None if self.window is None else min(self.window[1], self.window[0] * self._cost)
        return Levels(self._event, self._cost, window, self.lifetime)

    @property
    def periods_left(self) -> int:
        """How many periods the lifetime still has, the present one included."""
        return int((self.lifetime - self.spent) / self._cost)

    def add(self, event: Any) -> None:  # noqa: ANN401 - a category
        """Report an event of this period. Its report is made at once, and the event itself is not kept.

        Raises:
            BudgetExceeded: if it is the period's event M + 1, or nothing may be reported any more.
        """
        self._refuse_beyond_limits()
        if len(self._reports) >= self.events:
            raise BudgetExceeded(f"only {self.events} events of a period are reported: this one is not")
        self._reports.append(self.protocol.report(event, entropy=self._source))

    def close(self) -> list[bytes]:
        """End the period: its M reports, `none` for events that did not happen, in random order.

        Raises:
            BudgetExceeded: if nothing may be reported any more; then nothing is to be sent.
        """
        self._refuse_beyond_limits()
        while len(self._reports) < self.events:
            self._reports.append(self.protocol.report(self._none, entropy=self._source))
        order = PermutationLaw(self.events).one(self._source)
        sent = [self._reports[place] for place in order.tolist()]
        self._reports = []
        self.spent += self._cost
        self._recent.append(self._cost)
        return sent

    def rest(self) -> None:
        """End a period without reporting it, so that a window has room again; a plan for all devices decides when."""
        if self._reports:
            raise InvalidParameter("a period in which an event was added must be closed: its silence would tell")
        self._recent.append(Fraction(0))

    def to_json(self) -> str:
        """All that the device must remember: limits, what was spent, and the reports of this period, already noisy."""
        facts = {
            "config": self.protocol.config,
            "events": self.events,
            "none": self._none,
            "lifetime": shortest(self.lifetime),
            "window": None if self.window is None else [self.window[0], shortest(self.window[1])],
            "spent": str(self.spent),
            "recent": [str(cost) for cost in self._recent],
            "reports": [report.hex() for report in self._reports],
        }
        return json.dumps(facts)

    @classmethod
    def from_json(cls, text: str, *, entropy: BitSource | None = None) -> Self:
        """The budget that `to_json` wrote."""
        try:
            facts = json.loads(text)
            window = None if facts["window"] is None else tuple(facts["window"])
            limits = {name: facts[name] for name in ("events", "none", "lifetime")}
            made = cls(read_config(facts["config"]), **limits, window=window, entropy=entropy)
            made.spent = exact_within(facts["spent"], "spent", low=0)
            made._recent.extend(exact_within(cost, "recent", low=0) for cost in facts["recent"])
            made._reports = [bytes.fromhex(report) for report in facts["reports"]]
            made.protocol.decode(made._reports)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InvalidParameter("not the JSON of a device's budget: a word is missing or of a wrong type") from None
        return made

    @property
    def _cost(self) -> Fraction:
        return self.events * self._event

    def _refuse_beyond_limits(self) -> None:
        """Raise before anything is drawn, and whatever the event is."""
        if self.spent + self._cost > self.lifetime:
            left = readable(Fraction(int((self.lifetime - self.spent) * SHOWN), SHOWN))
            raise BudgetExceeded(f"a period costs ε={readable(self._cost)}, and {left} of the lifetime's is left")
        if self.window is not None and sum(self._recent) + self._cost > self.window[1]:
            raise BudgetExceeded(
                f"{self.window[0]} periods in a row may cost ε={readable(self.window[1])}: let this one rest"
            )

    def __repr__(self) -> str:
        left = f"{self.periods_left:,} periods left"
        return f"DeviceBudget({self.events} events a period, ε={readable(self._event)} each, {left})"


def _window(window: tuple[int, Exact]) -> tuple[int, Fraction]:
    try:
        periods, epsilon = window
    except (TypeError, ValueError):
        raise InvalidParameter("window must be (periods, epsilon), such as (7, 14)") from None
    return whole(periods, "window: periods"), exact_within(epsilon, "window: epsilon", low=0)
