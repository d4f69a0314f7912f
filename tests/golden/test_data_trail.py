"""Mission rows R162 to R168, R181 and R067: the data trail, and surveys with coins, through the collector."""

import ssl
from fractions import Fraction
from pathlib import Path

import httpx
import numpy as np
import pytest

from privet.errors import BudgetExceeded, InvalidParameter
from privet.local import survey
from privet.local.device import Collection, Connection, Device, SigningKey
from privet.noise import BitSource, UniformLaw
from privet.server.certificates import localhost_certificate
from privet.server.collect import collector_config
from privet.server.collector.store import Kept
from privet.server.collector.tokens import make_token
from privet.server.survey import classroom, new_survey
from privet.server.survey.privacy_facts import privacy_facts
from tests.support.collecting import DAY, NO, YES, Clock, Wire, collector, daily, message, question
from tests.support.serving import running

KEY = SigningKey(bytes(32)).public


@pytest.fixture
def wire(tmp_path: Path) -> Wire:
    return Wire(collector(tmp_path / "a.db", daily(events=2), clock=Clock()))


def phone(wire: Wire) -> tuple[Device, Collection, Clock]:
    clock = wire.collector._clock
    assert isinstance(clock, Clock)
    made = Device(lifetime=1000, clock=clock, transport=lambda _: wire)
    facts = wire.collector.entries[0].collection
    made.opt_in("https://collector.test", facts.id, public_key=KEY)
    return made, facts, clock


def test_r162_values_are_privatized_before_they_are_sent(wire: Wire) -> None:
    """What leaves could have left a device with any other value: each payload has a weight under each value."""
    made, facts, clock = phone(wire)
    made.tell(facts.id, "a")
    clock.now += 2 * DAY - 1
    made.send()
    bodies = [body for kind, body in wire.asked if kind == "report"]
    assert all(body[-1] in {0, 1, 2} for body in bodies)
    rows = facts.randomizer.channel().matrix
    assert all(weight > 0 for row in rows for weight in row)


def test_r163_and_r164_events_are_reported_one_by_one_and_so_many(wire: Wire) -> None:
    made, facts, clock = phone(wire)
    made.tell(facts.id, "a")
    made.tell(facts.id, "b")
    with pytest.raises(BudgetExceeded, match="only 2 events of a period"):
        made.tell(facts.id, "a")
    clock.now += 2 * DAY - 1
    assert made.send() == 2
    assert made.spent == 2 * facts.epsilon


def test_r165_nothing_of_two_periods_is_the_same(wire: Wire) -> None:
    """Linking in full: tests/server/collector/test_leaks.py."""
    made, facts, clock = phone(wire)
    bodies = []
    for _ in range(4):
        made.tell(facts.id, "a")
        clock.now += DAY
        made.send()
    bodies = [body for kind, body in wire.asked if kind == "report"]
    constant = facts.id_bytes + facts.config_hash
    assert all(body[1:33] == constant for body in bodies), "all devices have these in common"
    assert len({body[37:53] for body in bodies}) == len(bodies) > 4
    assert len({body[:33] for body in bodies}) == 1


def test_r166_the_channel_is_encrypted_and_access_needs_a_token(tmp_path: Path) -> None:
    certificate, key = localhost_certificate(tmp_path)
    facts = question()
    made = collector(tmp_path / "a.db", facts)
    token = make_token(made.store, ["read"])
    config = collector_config(made, host="127.0.0.1", port=0, rate=None, certificate=certificate, certificate_key=key)
    with running(config) as port:
        address = f"https://localhost:{port}"
        assert Connection(address).post(message(facts, YES).pack()) is None, "a certificate of nobody is refused"
        trusted = ssl.create_default_context(cafile=certificate)
        assert Connection(address, context=trusted).post(message(facts, YES).pack()) == 202
        with httpx.Client(verify=ssl.create_default_context(cafile=certificate), base_url=address) as asked:
            assert asked.get("/v1/stats").status_code == 401
            assert asked.get("/v1/stats", headers={"authorization": f"Bearer {token}"}).status_code == 200
        old = ssl.create_default_context(cafile=certificate)
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_2
        for _ in range(2):  # no session is taken up again: it would join two connections
            assert Connection(address, context=old).post(message(facts, YES).pack()) == 202
        assert old.session_stats()["hits"] == 0
    with pytest.raises(InvalidParameter, match="go over https"):
        Connection("http://survey.example")


def test_r167_who_opts_out_sends_nothing(wire: Wire) -> None:
    made, facts, clock = phone(wire)
    made.tell(facts.id, "a")
    made.opt_out(facts.id)
    asked = len(wire.asked)
    clock.now += 2 * DAY - 1
    assert (made.send(), len(wire.asked)) == (0, asked)


@pytest.mark.parametrize("language", ["en", "de"])
def test_r168_each_collection_has_its_page(language: str) -> None:
    facts = daily(retention_days=17, minimum_batch=123)
    told = dict(privacy_facts(facts, language))
    assert len(told) == 10
    everything = " ".join(told.values())
    for said in (facts.purpose, facts.controller, facts.consent, "17", "123", "none, a, b", "ε = 80", "ε = 2"):
        assert said in everything
    survey_page = " ".join(dict(privacy_facts(question(), language)).values())
    assert {"en": "Everybody sees", "de": "Alle sehen"}[language] in survey_page
    assert "{" not in everything + survey_page


def test_r067_the_activity_of_a_lesson(tmp_path: Path, source: BitSource) -> None:
    """Two coins, both heads answer the opposite: P(f(T)=T) = 3/4, ε = ln 3; n = 1000, truth 0.3: 0.4 ± 0.030984."""
    facts = classroom()
    assert facts.survey is not None
    protocol = facts.randomizer
    design = survey.Warner(Fraction(3, 4))
    assert protocol.channel().matrix == ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    assert float(facts.epsilon) == pytest.approx(1.098612, abs=1e-6)
    assert facts.survey["instructions"] == [{"weight": 3, "says": [False, True]}, {"weight": 1, "says": [True, False]}]
    yes = float(design.yes_if_no + design.slope * Fraction(3, 10))
    assert yes == pytest.approx(0.4)
    assert (yes * (1 - yes) / 1000) ** 0.5 / float(design.slope) == pytest.approx(0.030984, abs=1e-6)
    made = collector(tmp_path / "a.db", facts)
    answers = design.privatize(np.arange(1000) < 300, source=source)
    nonces = (number.to_bytes(16, "big") for number in range(1000))
    made.store.keep([Kept(facts.id_bytes, 0, next(nonces), bytes([answer])) for answer in answers.tolist()])
    made.stop(facts.id)
    found = made.release(facts.id, 0, 0)["rows"][1]
    assert found["share"] == pytest.approx(2 * (float(answers.mean()) - 0.25))
    assert abs(found["share"] - 0.3) < 4.9 * 0.030984  # a false alarm in a million


@pytest.mark.parametrize(
    ("design", "epsilon", "slope"),
    [
        ("two-coins", None, Fraction(1, 2)),
        ("classroom", None, Fraction(1, 2)),
        ("warner", "1.0986122", None),
        ("mirrored", "0.8472978", None),
        ("forced", "1.6094379", None),
        ("disguised", "1.9459101", None),
    ],
)
def test_r181_designs_are_unbiased_at_their_variance(
    design: str, epsilon: str | None, slope: Fraction | None, source: BitSource
) -> None:
    """Var = λ(1-λ)/(n c²), exact for each design; a sample of n = 4000 within 4.9 of its deviations."""
    facts = new_survey("Have you ever?", design=design, epsilon=epsilon, controller="o")
    assert facts.survey is not None
    protocol = facts.randomizer
    if epsilon is not None:
        assert float(epsilon) - 1e-9 <= float(facts.epsilon) <= float(epsilon) + 1e-12, "at most what was asked for"
    weights = [(each["weight"], each["says"]) for each in facts.survey["instructions"]]
    total = sum(weight for weight, _ in weights)
    chances = [Fraction(sum(w for w, says in weights if says[truth]), total) for truth in (0, 1)]
    assert chances == [row[1] for row in protocol.channel().matrix], "what the page draws is what is estimated"
    if slope is not None:
        assert chances[1] - chances[0] == slope
    n, truth = 4000, 0.2
    estimate = protocol.estimate(protocol.privatize([YES] * 800 + [NO] * 3200, entropy=source))
    gain = float(chances[1] - chances[0])
    seen = float(chances[0]) + gain * truth
    deviation = (seen * (1 - seen) / n) ** 0.5 / gain
    assert abs(estimate.value[1] - truth) < 4.9 * deviation
    assert estimate.standard_error[1] == pytest.approx(deviation, rel=0.1)


def test_r181_regression_on_what_a_survey_collected(source: BitSource) -> None:
    """The hidden answer depends on what else is known: slope 1.2, n = 20,000, within 4.9 standard errors."""
    design = survey.ForcedResponse(Fraction(2, 3))
    known = np.repeat([0.0, 1.0], 10_000)
    chance = 1 / (1 + np.exp(1 - 1.2 * known))
    truths = UniformLaw(1 << 30).many(source, 20_000) / (1 << 30) < chance
    fitted = design.regress(design.privatize(truths, source=source), covariates=known.reshape(-1, 1))
    assert abs(fitted.coefficients[1] - 1.2) < 4.9 * fitted.standard_errors[1]
    assert fitted.standard_errors[1] < 0.15
