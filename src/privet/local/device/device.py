"""Device: consent first, then exactly M reports a period, within one budget for all collections."""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from privet.errors import BudgetExceeded, InvalidParameter
from privet.local.device.collection import Collection
from privet.local.device.connection import Connection, Transport
from privet.local.device.membership import Membership, limit
from privet.local.device.signature import verified
from privet.loss.exact import Exact, readable, shortest
from privet.noise import BitSource, Entropy, PermutationLaw

ACCEPTED = 202
FINAL = {400, 404, 409, 410, 413}  # refused for good; all else is tried again
DAY = 86400
MOST_LOGGED = 10_000


class Device:
    """A person's side: what they agreed to, what was sent about them, and what it cost.

    Args:
        path: where the device remembers; only its owner may read it. None: in memory, for trials.
        lifetime: the ε that all collections together may cost.
        daily: the ε that all collections together may cost in a day; None for no such limit.
        clock: seconds since 1970.
        transport: how an address is reached.

    Privacy: no request is made before `opt_in` and none after `opt_out`. Values are privatized by `tell` and are not
        kept; M reports leave in a period whatever happened, each in a connection of its own, at a random time of the
        next period. What a collection may cost is set aside when it is agreed to, so that limits hold whatever is told.
    Not covered: that a device takes part, and that it was switched off for longer than a period, can be seen by who
        sees its network. Where answers are kept (`ChainedResponse`), the file tells the truth: it stays on the device.
        `reset` forgets what was told, and so a collection that is joined again afterwards gets new reports.

    Example:
        >>> device = Device(lifetime=10)
        >>> device.collections, device.log
        ((), ())
    """

    def __init__(  # noqa: PLR0913 - limits and doors, each by name
        self,
        path: Path | None = None,
        *,
        lifetime: Exact,
        daily: Exact | None = None,
        clock: Callable[[], float] = time.time,
        transport: Callable[[str], Transport] = Connection,
        entropy: BitSource | None = None,
    ) -> None:
        self.path = path
        self.lifetime = limit(lifetime, "lifetime")
        self.daily = None if daily is None else limit(daily, "daily")
        self._clock, self._transport = clock, transport
        self._entropy = Entropy() if entropy is None else entropy
        self._members: dict[str, Membership] = {}
        self._past = Fraction(0)  # what collections cost that were left
        self._log: list[dict[str, Any]] = []
        if path is not None and path.exists():
            self._read(path)

    # --- consent ----------------------------------------------------------------------------------------------

    def opt_in(self, address: str, collection_id: str, *, public_key: str) -> Collection:
        """Agree to a collection: the first request that is ever made for it. Its signature is checked.

        Args:
            address: of the collector, such as "https://survey.example".
            collection_id: its 32 hexadecimal digits.
            public_key: of who publishes collections, from elsewhere than the collector itself.
        """
        if collection_id in self._members:
            raise InvalidParameter("this collection was agreed to already")
        text, signature = self._transport(address).collection(collection_id)
        if not verified(text, signature, public_key):
            raise InvalidParameter("the signature of this collection is not of that key: nothing was agreed to")
        found = Collection.from_json(text)
        if found.id != collection_id or found.canonical != text:
            raise InvalidParameter("the collector answered with another collection: nothing was agreed to")
        self._refuse_beyond_limits(found)
        self._members[found.id] = Membership(found, address, self._today(), self._entropy)
        self._write()
        return found

    def opt_out(self, collection_id: str) -> None:
        """Stop at once: nothing is sent any more, also no goodbye, and what waited or was kept is deleted."""
        left = self._members.pop(collection_id, None)
        if left is not None:
            self._past += left.spent
            self._write()

    def reset(self) -> None:
        """Forget everything but the ε that was spent: collections, answers, what waits, and the log."""
        self._past = self.spent
        self._members.clear()
        self._log.clear()
        self._write()

    # --- telling ----------------------------------------------------------------------------------------------

    def tell(self, collection_id: str, value: Any) -> None:  # noqa: ANN401 - a category
        """Report an event. Its report is made now and sent later; event M + 1 of a period is refused.

        Raises:
            BudgetExceeded: if M events of this period were told, or the lifetime is used up.
        """
        member = self._members.get(collection_id)
        if member is None:
            raise InvalidParameter("nothing is told to a collection that was not agreed to: opt in first")
        try:
            member.tell(value, self._clock())
        finally:
            self._write()

    def send(self) -> int:
        """Send what is due, in random order; how many reports were taken. What fails is sent again, as it is."""
        now = self._clock()
        for member in self._members.values():
            member.roll(now)
        due = [(member, each) for member in self._members.values() for each in member.waiting if each.after <= now]
        self._write()  # the bytes that are sent are on the disk: another try sends the same
        taken = 0
        for place in PermutationLaw(len(due)).one(self._entropy).tolist() if due else []:
            member, each = due[place]
            status = self._transport(member.address).post(each.body)
            if status == ACCEPTED or status in FINAL:
                member.waiting.remove(each)
                taken += status == ACCEPTED
                self._note(member, each.body, each.period, status)
        self._write()
        return taken

    # --- what the person can read -----------------------------------------------------------------------------

    @property
    def collections(self) -> tuple[Collection, ...]:
        """What was agreed to."""
        return tuple(member.collection for member in self._members.values())

    @property
    def spent(self) -> Fraction:
        """The ε of everything that was reported by this device."""
        return self._past + sum((member.spent for member in self._members.values()), Fraction(0))

    @property
    def log(self) -> tuple[dict[str, Any], ...]:
        """Each report that left this device: to whom, for which period, its bytes, its ε and the day."""
        return tuple(dict(line) for line in self._log)

    def export(self) -> str:
        """Consents, limits, what was spent, and the log, as JSON for the person."""
        agreed = [
            {"collection": json.loads(member.collection.to_json()), "day": member.day}
            for member in self._members.values()
        ]
        facts = {"agreed": agreed, "spent": str(self.spent), "lifetime": shortest(self.lifetime), "log": self._log}
        return json.dumps(facts, indent=2, ensure_ascii=False)

    # --- inside -----------------------------------------------------------------------------------------------

    def _refuse_beyond_limits(self, new: Collection) -> None:
        taken = self._past + sum((Fraction(each.collection.lifetime) for each in self._members.values()), Fraction(0))
        wanted = Fraction(new.lifetime)
        if taken + wanted > self.lifetime:
            raise BudgetExceeded(
                f"this collection may cost ε={readable(wanted)}, and of the device's {readable(self.lifetime)} "
                f"{readable(max(self.lifetime - taken, Fraction(0)))} is left: nothing was agreed to"
            )
        daily = sum((_a_day(each) for each in (*self.collections, new)), Fraction(0))
        if self.daily is not None and daily > self.daily:
            raise BudgetExceeded(
                f"all collections together would cost ε={readable(daily)} a day, of {readable(self.daily)}: "
                "nothing was agreed to"
            )

    def _note(self, member: Membership, body: bytes, period: int, status: int) -> None:
        facts = member.collection
        self._log.append(
            {
                "day": self._today(),
                "collection": facts.id,
                "title": facts.title,
                "period": period,
                "epsilon": readable(facts.epsilon),
                "sent": body.hex(),
                "answer": status,
            }
        )
        del self._log[:-MOST_LOGGED]

    def _today(self) -> str:
        return datetime.fromtimestamp(self._clock(), tz=UTC).date().isoformat()

    def _write(self) -> None:
        if self.path is None:
            return
        facts = {
            "members": [member.facts() for member in self._members.values()],
            "past": str(self._past),
            "log": self._log,
        }
        fresh = self.path.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(facts), encoding="utf-8")
        fresh.replace(self.path)

    def _read(self, path: Path) -> None:
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            members = [Membership.of_facts(each, self._entropy) for each in facts["members"]]
            self._past = Fraction(facts["past"])
            self._log = [dict(line) for line in facts["log"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InvalidParameter(f"{path.name} is not what a device wrote: a word is missing or wrong") from None
        self._members = {member.collection.id: member for member in members}


def _a_day(collection: Collection) -> Fraction:
    """What a collection costs in a day; a survey counts with all it costs."""
    seconds = collection.period_seconds
    if seconds is None or collection.keeps_answers:
        return Fraction(collection.lifetime) if seconds is None else collection.cost_of_period
    return collection.cost_of_period * Fraction(max(DAY, seconds), seconds)
