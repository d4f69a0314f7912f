"""A device: consent first, exactly M reports a period, budgets across collections, a log that the person can read."""

import json
import stat
from fractions import Fraction
from pathlib import Path

import pytest

from privet.errors import BudgetExceeded, InvalidParameter
from privet.local import ChainedResponse
from privet.local.device import Collection, Device, ReportMessage, SigningKey
from privet.noise import BitSource
from tests.support.collecting import DAY, Clock, Wire, collector, daily, question

KEY = SigningKey(bytes(32)).public
ADDRESS = "https://collector.test"


@pytest.fixture
def clock() -> Clock:
    return Clock()


def device(wire: Wire, clock: Clock, path: Path | None = None, **limits: object) -> Device:
    return Device(path, **({"lifetime": 1000} | limits), clock=clock, transport=lambda _: wire)  # type: ignore[arg-type]


def reports(wire: Wire) -> list[ReportMessage]:
    return [ReportMessage.unpack(body) for kind, body in wire.asked if kind == "report"]


@pytest.mark.parametrize("events", [0, 1, 3, 50])
def test_exactly_m_reports_leave_whatever_happened(events: int, tmp_path: Path, clock: Clock) -> None:
    """Rows R163 and R164: each event at once and by itself; event M + 1 is refused, and silence looks the same."""
    facts = daily(events=3)
    wire = Wire(collector(tmp_path / "a.db", facts, clock=clock))
    phone = device(wire, clock)
    phone.opt_in(ADDRESS, facts.id, public_key=KEY)
    for number in range(events):
        if number < 3:
            phone.tell(facts.id, "a")
        else:
            with pytest.raises(BudgetExceeded, match="only 3 events"):
                phone.tell(facts.id, "a")
    assert phone.send() == 0, "nothing is sent before the period is over"
    clock.now += 2 * DAY - 1
    assert phone.send() == 3
    sent = reports(wire)
    assert [each.period for each in sent] == [0, 0, 0]
    assert len({each.nonce for each in sent}) == 3
    assert {len(each.pack()) for each in sent} == {54}
    assert phone.spent == 3 * facts.epsilon


def test_nothing_is_asked_before_opt_in_and_after_opt_out(tmp_path: Path, clock: Clock) -> None:
    """Row R167."""
    facts = daily()
    wire = Wire(collector(tmp_path / "a.db", facts, clock=clock))
    phone = device(wire, clock, tmp_path / "phone.json")
    with pytest.raises(InvalidParameter, match="opt in first"):
        phone.tell(facts.id, "a")
    assert phone.send() == 0
    assert wire.asked == []
    phone.opt_in(ADDRESS, facts.id, public_key=KEY)
    phone.tell(facts.id, "a")
    phone.opt_out(facts.id)
    asked = len(wire.asked)
    clock.now += 3 * DAY
    assert phone.send() == 0
    assert len(wire.asked) == asked == 1
    assert facts.id not in (tmp_path / "phone.json").read_text()


def test_reports_leave_at_random_times_of_the_next_period(tmp_path: Path, clock: Clock) -> None:
    facts = daily(events=20)
    wire = Wire(collector(tmp_path / "a.db", facts, clock=clock))
    phone = device(wire, clock, lifetime=2000)
    phone.opt_in(ADDRESS, facts.id, public_key=KEY)
    phone.tell(facts.id, "a")
    clock.now += DAY
    seen = []
    for _ in range(10):
        seen.append(phone.send())
        clock.now += DAY // 10
    assert sum(seen) == 20
    assert sum(count > 0 for count in seen) > 3  # all in three of nine parts: below 1e-6


def test_what_fails_is_sent_again_as_it_is(tmp_path: Path, clock: Clock) -> None:
    facts = daily()
    wire = Wire(collector(tmp_path / "a.db", facts, clock=clock), online=False)
    phone = device(wire, clock, tmp_path / "phone.json")
    phone.opt_in(ADDRESS, facts.id, public_key=KEY)
    phone.tell(facts.id, "b")
    clock.now += 2 * DAY - 1
    assert phone.send() == 0
    wire.online = True
    again = device(wire, clock, tmp_path / "phone.json")  # switched off and on
    assert again.send() == 1
    assert again.send() == 0
    first, second = reports(wire)
    assert first == second
    assert stat.S_IMODE((tmp_path / "phone.json").stat().st_mode) == 0o600


def test_a_device_that_was_off_does_not_send_what_is_late(tmp_path: Path, clock: Clock) -> None:
    facts = daily()
    wire = Wire(collector(tmp_path / "a.db", facts, clock=clock))
    phone = device(wire, clock)
    phone.opt_in(ADDRESS, facts.id, public_key=KEY)
    phone.tell(facts.id, "b")
    clock.now += 5 * DAY
    assert phone.send() == 0
    clock.now += 2 * DAY - 1
    phone.send()
    assert [each.period for each in reports(wire)] == [5], "since it is on again"


def test_budgets_are_refused_at_the_door(tmp_path: Path, clock: Clock) -> None:
    one, two = daily(periods=10), daily(periods=10)
    wire = Wire(collector(tmp_path / "a.db", one, two, clock=clock))
    phone = device(wire, clock, lifetime=30, daily=3)
    phone.opt_in(ADDRESS, one.id, public_key=KEY)
    with pytest.raises(BudgetExceeded, match=r"ε=20.*10 is left"):
        phone.opt_in(ADDRESS, two.id, public_key=KEY)
    wide = device(wire, clock, lifetime=100, daily=3)
    wide.opt_in(ADDRESS, one.id, public_key=KEY)
    with pytest.raises(BudgetExceeded, match="a day"):
        wide.opt_in(ADDRESS, two.id, public_key=KEY)


def test_the_log_is_readable_and_can_be_exported_and_reset(tmp_path: Path, clock: Clock) -> None:
    facts = question()
    wire = Wire(collector(tmp_path / "a.db", facts, clock=clock))
    phone = device(wire, clock)
    phone.opt_in(ADDRESS, facts.id, public_key=KEY)
    phone.tell(facts.id, True)  # noqa: FBT003 - an answer
    assert phone.send() == 1
    (line,) = phone.log
    assert (line["title"], line["epsilon"], line["answer"]) == (facts.title, "1.09861229", 202)
    assert bytes.fromhex(line["sent"]) == reports(wire)[0].pack()
    told = json.loads(phone.export())
    assert told["agreed"][0]["collection"]["purpose"] == facts.purpose
    assert told["log"] == list(phone.log)
    with pytest.raises(InvalidParameter, match="not begun, or is over"):
        phone.tell(facts.id, False)  # noqa: FBT003 - an answer
    spent = phone.spent
    phone.reset()
    assert (phone.log, phone.collections, phone.spent) == ((), (), spent)
    assert spent == facts.epsilon


def test_a_config_of_its_own_is_refused(tmp_path: Path, clock: Clock) -> None:
    facts, other = daily(), daily()
    wire = Wire(collector(tmp_path / "a.db", facts, other, clock=clock))
    phone = device(wire, clock)
    with pytest.raises(InvalidParameter, match="not of that key"):
        phone.opt_in(ADDRESS, facts.id, public_key=SigningKey().public)
    entry = wire.collector.entry(other.id)
    wire.collection = lambda collection_id: (entry.collection.canonical, entry.signature)  # type: ignore[method-assign] # noqa: ARG005 - named by its protocol
    with pytest.raises(InvalidParameter, match="another collection"):
        phone.opt_in(ADDRESS, facts.id, public_key=KEY)
    assert phone.collections == ()


def test_kept_answers_cost_their_lifetime_once(tmp_path: Path, clock: Clock, source: BitSource) -> None:
    facts = Collection.of(
        ChainedResponse(["none", "a"], 1, lifetime=2),
        title="Mood",
        purpose="…",
        consent="…",
        controller="…",
        none="none",
        period_seconds=DAY,
        starts=1000 * DAY,
        periods=30,
    )
    assert Fraction(facts.lifetime) == 2
    wire = Wire(collector(tmp_path / "a.db", facts, clock=clock))
    phone = Device(lifetime=2, clock=clock, transport=lambda _: wire, entropy=source)
    phone.opt_in(ADDRESS, facts.id, public_key=KEY)
    for day in range(20):
        clock.now = (1000.05 + day) * DAY
        phone.send()
        phone.tell(facts.id, "a")
        with pytest.raises(BudgetExceeded):
            phone.tell(facts.id, "a")
        clock.now = (1000.95 + day) * DAY
        phone.send()
    clock.now = 1020.5 * DAY
    with pytest.raises(BudgetExceeded, match="another value"):
        phone.tell(facts.id, "none")
    assert len(reports(wire)) == 19
    assert 1.9 < phone.spent <= 2


@pytest.mark.parametrize(
    "change",
    [
        {"id": "0" * 31 + "G"},
        {"version": 2},
        {"minimum_batch": 1},
        {"none": "c"},
        {"period_seconds": 0},
        {"events": True},
        {"lifetime": "nan"},
        {"lifetime": "1"},
        {"delta": "0"},
        {"title": ""},
        {"title": "\ud800"},
        {"survey": {"x": float("nan")}},
        {"extra": 1},
        {"protocol": {"protocol": "kary_response"}},
        {"protocol": None},
    ],
)
def test_other_collections_are_refused(change: dict[str, object]) -> None:
    facts = json.loads(daily().to_json())
    with pytest.raises(InvalidParameter):
        Collection.from_json(json.dumps(facts | change))


def test_a_collection_has_one_text_and_one_hash() -> None:
    facts = daily()
    assert Collection.from_json(facts.to_json()).config_hash == facts.config_hash
    other = Collection.from_json(json.dumps(json.loads(facts.to_json()) | {"purpose": "something else"}))
    assert other.config_hash != facts.config_hash
    for text in ("", "[]", "null", "{", "[" * 100_000, json.dumps(json.loads(facts.to_json()) | {"starts": 1e300})):
        with pytest.raises(InvalidParameter):
            Collection.from_json(text)
