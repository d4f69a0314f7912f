"""Periods, releases, and who may ask: on both stores."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import httpx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.local import ChainedResponse, UnaryEncoding
from privet.local.device import Collection, SigningKey
from privet.local.tally import Tally
from privet.noise import BitSource
from privet.server.collector import Collector, Store, StoreUnavailable
from privet.server.collector.charts import chart_of
from privet.server.collector.collector import NotReleased
from privet.server.collector.postgres_store import PostgresStore
from privet.server.collector.sqlite_store import SqliteStore
from privet.server.collector.store import Kept
from privet.server.collector.tokens import make_token
from tests.support.collecting import BUTTONS, DAY, NO, YES, Clock, ask, collector, daily, held, message, question
from tests.support.postgres import MISSING, server


@pytest.fixture(scope="module")
def database() -> Iterator[str | None]:
    with server() as address:
        yield address


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.whole)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store
    if request.param == "sqlite":
        made = SqliteStore(tmp_path / "a.db")
    else:
        address = request.getfixturevalue("database")
        if address is None:
            pytest.skip(MISSING)
        made = PostgresStore(address)
    yield made
    made.close()


def keep(made: Collector, facts: Collection, *values: object, period: int = 0) -> None:
    assert made.store.keep([Kept.of(message(facts, value, period=period)) for value in values]) == set()


def test_a_period_is_counted_closed_and_released_once(store: Store, source: BitSource) -> None:
    clock = Clock()
    facts = daily(minimum_batch=100)
    made = Collector(store, SigningKey(), clock=clock)
    made.publish(facts)
    twice = message(facts, "a")
    assert store.keep([Kept.of(twice), Kept.of(twice)]) == set()
    assert store.keep([Kept.of(twice)]) == set()
    assert held(made, facts) == 1
    drawn = BUTTONS.privatize(["a"] * 149, entropy=source)
    store.keep(
        [
            Kept(facts.id_bytes, 0, bytes(14) + place.to_bytes(2, "big"), bytes([report]))
            for place, report in enumerate(drawn.tolist())
        ]
    )
    with pytest.raises(NotReleased, match="still open"):
        made.release(facts.id, 0, 0)
    assert made.close(facts.id, 0) == 150
    assert store.keep([Kept.of(message(facts, "a"))]) == {(facts.id_bytes, 0)}
    clock.now += 3 * DAY
    keep(made, facts, *["b"] * 30, period=2)
    made.close(facts.id, 2)
    with pytest.raises(NotReleased, match="at least 100 reports"):
        made.release(facts.id, 2, 2)
    found = made.release(facts.id, 0, 0)
    assert found["reports"] == 150
    best = BUTTONS.estimate(BUTTONS.tally(np.append(drawn, twice.payload[0])))
    assert [row["share"] for row in found["rows"]] == pytest.approx(best.value.tolist())
    for first, last in ((0, 0), (0, 2)):
        with pytest.raises(NotReleased, match="overlaps"):
            made.release(facts.id, first, last)
    with pytest.raises(NotReleased, match="from 0 to 39"):
        made.release(facts.id, 0, 40)
    with pytest.raises(NotReleased, match="no reports"):
        made.release(facts.id, 1, 1)
    assert made.releases(facts.id) == [found]
    assert [(each.period, each.tally is None) for each in store.periods(facts.id_bytes)] == [(0, True), (2, False)]
    assert not store.release(facts.id_bytes, 0, 5, "{}"), "two processes at once: one of them wins"


def test_what_is_over_is_closed_and_forgotten_by_itself(store: Store) -> None:
    clock = Clock()
    facts = daily(retention_days=3)
    made = Collector(store, SigningKey(), clock=clock)
    made.publish(facts)
    keep(made, facts, *"ab" * 10)
    clock.now += 1.5 * DAY
    made.tidy()
    assert held(made, facts) == 20, "late reports of yesterday still come"
    clock.now += DAY
    made.tidy()
    assert held(made, facts) == 0
    (state,) = store.periods(facts.id_bytes)
    assert Tally.from_json(state.tally or "").reports == 20
    clock.now += 4 * DAY
    made.tidy()
    with pytest.raises(NotReleased, match="end of their retention"):
        made.release(facts.id, 0, 0)


def test_a_collection_is_stopped_and_deleted(store: Store) -> None:
    facts = question()
    made = Collector(store, SigningKey(), clock=Clock())
    made.publish(facts)
    keep(made, facts, *[YES, NO] * 10)
    assert [result["reports"] for result in made.live(facts.id)] == [20]
    keep(made, facts, YES, YES)
    assert [result["reports"] for result in made.live(facts.id)] == [20], "two more do not show"
    keep(made, facts, YES, YES, YES)
    assert [result["reports"] for result in made.live(facts.id)] == [20, 25]
    store.show((facts.id_bytes, 0), 26, "{}", beyond=20)  # another process was faster
    assert [reports for reports, _ in store.shown(facts.id_bytes, 0)] == [20, 25]
    made.stop(facts.id)
    assert store.keep([Kept.of(message(facts, YES))]) == {(facts.id_bytes, 0)}
    assert made.release(facts.id, 0, 0)["reports"] == 25
    made.delete(facts.id)
    assert (made.releases(facts.id), store.periods(facts.id_bytes), store.shown(facts.id_bytes, 0)) == ([], [], [])
    assert [entry.state for entry in made.entries if entry.collection.id == facts.id] == ["deleted"]
    with pytest.raises(Exception, match=r"published already|cannot be used"):
        made.publish(facts)


def test_a_result_says_everything_beside_it(tmp_path: Path) -> None:
    facts = daily(minimum_batch=2)
    made = collector(tmp_path / "a.db", facts)
    keep(made, facts, *["a"] * 500, *["none"] * 500)
    made.close(facts.id, 0)
    found = made.release(facts.id, 0, 0)
    assert (found["protocol"], found["reports"]) == ("kary_response", 1000)
    assert found["local_guarantee"]["epsilon_of_a_period"] == "2"
    shuffled = found["shuffle_guarantee"]
    assert shuffled["epsilon_of_one_report"] == BUTTONS.loss.shuffled(1000).epsilon(delta=1e-6) < 0.5
    assert "1,000 honest devices" in shuffled["assumes"]
    for row in found["rows"]:
        assert row["all_low"] < row["share_low"] < row["share"] < row["share_high"] < row["all_high"]
    moved = 100 / 1000 * float((1 - BUTTONS.other_support) / (BUTTONS.true_support - BUTTONS.other_support))
    assert found["poisoning"]["moves_a_share_by"] == pytest.approx(moved)


def test_protocols_with_long_reports_are_counted(tmp_path: Path, source: BitSource) -> None:
    protocol = UnaryEncoding(40, 2)
    facts = Collection.of(protocol, title="t", purpose="p", consent="c", controller="o", minimum_batch=2)
    made = collector(tmp_path / "a.db", facts)
    reports = protocol.privatize(list(range(40)) * 3, entropy=source)
    payloads = [bytes(row) for row in protocol.encode(reports)]
    assert protocol.payload_bytes == 5
    made.store.keep([Kept(facts.id_bytes, 0, n.to_bytes(16, "big"), each) for n, each in enumerate(payloads)])
    made.stop(facts.id)
    found = made.release(facts.id, 0, 0)
    assert [row["share"] for row in found["rows"]] == pytest.approx(protocol.estimate(reports).value.tolist())


def test_analysts_need_a_token_that_is_valid_and_wide_enough(tmp_path: Path) -> None:
    clock = Clock()
    facts = daily(minimum_batch=2)
    made = collector(tmp_path / "a.db", facts, clock=clock)
    run, read = (make_token(made.store, [scope]) for scope in ("run", "read"))
    expired = make_token(made.store, ["run", "read"], days=-1)
    keep(made, facts, "a", "b", "none")
    path = f"/v1/collections/{facts.id}"
    body = {"json": {"first": 0, "last": 0}}
    routes = [
        ("GET", f"{path}/results", {}, run, (read, 409)),
        ("GET", "/v1/stats", {}, run, (read, 200)),
        ("POST", "/v1/collections", {"content": daily().to_json()}, read, (run, 201)),
        ("POST", f"{path}/close", {"json": {"period": 0}}, read, (run, 204)),
        ("POST", f"{path}/close", {"json": {"period": 0}}, read, (run, 400)),
        ("POST", f"{path}/releases", body, read, (run, 201)),
        ("POST", f"{path}/releases", body, read, (run, 409)),
        ("GET", f"{path}/results", {}, run, (read, 200)),
        ("POST", f"{path}/stop", {}, read, (run, 204)),
        ("DELETE", path, {}, read, (run, 204)),
    ]

    async def each(asked: httpx.AsyncClient) -> None:
        for method, address, more, wrong, (right, status) in routes:
            for token, refused in ((None, 401), ("privet_collect_x", 401), (expired, 401), (wrong, 403)):
                headers = {} if token is None else {"authorization": f"Bearer {token}"}
                answer = await asked.request(method, address, headers=headers, **more)  # type: ignore[arg-type]
                assert answer.status_code == refused, (method, address)
            headers = {"authorization": f"Bearer {right}"}
            answer = await asked.request(method, address, headers=headers, **more)  # type: ignore[arg-type]
            assert answer.status_code == status, (method, address, answer.text)
        headers = {"authorization": f"Bearer {run}"}
        for text in (
            b"",
            b"[]",
            b"{",
            b'{"period": 1e3}',
            b'{"period": true}',
            b'{"period": 0, "x": 1}',
            b"[" * 50_000,
        ):
            answer = await asked.post(f"{path}/close", content=text, headers=headers)
            assert answer.status_code == 400
        assert (await asked.post(f"{path}/close", content=bytes(300_000), headers=headers)).status_code == 413
        for unknown in ("0" * 32, "x", "..%2f..", "G" * 32):
            assert (await asked.get(f"/v1/collections/{unknown}")).status_code == 404

    ask(made, each)


def test_any_json_is_no_collection(tmp_path: Path) -> None:
    """Whatever a body says, it is refused in one sentence, and nothing is opened; only a whole description is taken."""
    made = collector(tmp_path / "a.db")
    headers = {"authorization": f"Bearer {make_token(made.store, ['run'])}"}
    good = json.loads(daily().to_json())
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=5,
    )

    @settings(max_examples=40)
    @given(st.sampled_from(sorted(set(good) - {"title", "purpose", "consent", "controller", "survey"})), values)
    def any_body(name: str, value: object) -> None:
        async def one(asked: httpx.AsyncClient) -> None:
            for body in (value, good | {name: value}):
                text = json.dumps(body).encode()
                answer = await asked.post("/v1/collections", content=text, headers=headers)
                taken = body == good or answer.status_code == 201
                assert taken or 400 <= answer.status_code < 500, answer.text
                assert "Traceback" not in answer.text
                if answer.status_code == 201:
                    assert Collection.from_json(text).canonical == json.dumps(
                        json.loads(text), sort_keys=True, separators=(",", ":")
                    ).encode("ascii")

        ask(made, one)

    any_body()


def test_results_come_as_json_csv_arrow_and_a_chart(tmp_path: Path) -> None:
    facts = daily(minimum_batch=2)
    made = collector(tmp_path / "a.db", facts)
    token = make_token(made.store, ["read"])
    keep(made, facts, *"ab" * 50)
    made.close(facts.id, 0)
    made.release(facts.id, 0, 0)

    async def each(asked: httpx.AsyncClient) -> None:
        headers = {"authorization": f"Bearer {token}"}
        seen = {}
        for kind in ("json", "csv", "arrow", "svg"):
            seen[kind] = await asked.get(
                f"/v1/collections/{facts.id}/results", params={"format": kind}, headers=headers
            )
            assert seen[kind].status_code == 200
        rows = seen["json"].json()[0]["rows"]
        table = pa.ipc.open_stream(seen["arrow"].content).read_all()
        assert table["share"].to_pylist() == [row["share"] for row in rows]
        assert seen["csv"].text.splitlines()[0].startswith('"first","last","reports"')
        assert seen["svg"].text.count("<circle") == 3
        wrong = await asked.get(f"/v1/collections/{facts.id}/results", params={"format": "xml"}, headers=headers)
        assert wrong.status_code == 400

    ask(made, each)


def test_thirty_days_of_estimates_and_what_a_device_can_have_spent(tmp_path: Path, source: BitSource) -> None:
    """Kept answers: one estimate a day, each of new reports, and a lifetime that is never exceeded."""
    protocol = ChainedResponse(["none", "walked"], 1, lifetime=2)
    facts = Collection.of(
        protocol, title="Walks", purpose="p", consent="c", controller="o", none="none", period_seconds=DAY,
        starts=1000 * DAY, periods=30, minimum_batch=100,
    )  # fmt: skip
    clock = Clock()
    made = collector(tmp_path / "a.db", facts, clock=clock)
    kept = protocol.permanent(["walked"] * 600 + ["none"] * 1400, entropy=source)
    for day in range(30):
        clock.now = (1000.5 + day) * DAY
        payloads = protocol.encode(protocol.fresh(kept, entropy=source))
        made.store.keep(
            [Kept(facts.id_bytes, day, n.to_bytes(16, "big"), bytes(row)) for n, row in enumerate(payloads)]
        )
        made.close(facts.id, day)
        made.release(facts.id, day, day)
    results = made.releases(facts.id)
    inside = [each["rows"][1]["share_low"] <= 0.3 <= each["rows"][1]["share_high"] for each in results]
    assert len(results) == 30
    assert sum(inside) >= 12  # 95 %, but not independent: the first round's noise is the same every day
    drawn = chart_of(facts, results)
    assert "cost at most ε=2" in drawn
    assert drawn.count('class="cost"') == 1
    assert Fraction(facts.lifetime) == 2
    assert json.loads(json.dumps(results)) == results


def test_files_are_their_owners_and_damage_is_one_sentence(tmp_path: Path) -> None:
    made = collector(tmp_path / "a.db", question())
    assert (tmp_path / "a.db").stat().st_mode & 0o077 == 0
    made.store.close()
    (tmp_path / "a.db").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreUnavailable, match="cannot be used now"):
        SqliteStore(tmp_path / "a.db")
    key = SigningKey.kept_in(tmp_path / "key")
    assert SigningKey.kept_in(tmp_path / "key").public == key.public
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
