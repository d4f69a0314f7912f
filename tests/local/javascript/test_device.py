"""The device in JavaScript keeps the same rules as Python's: asked in Node, whose requests are written down."""

import json
from pathlib import Path
from typing import Any

import pytest

from privet.local import (
    AffineResponse,
    BinaryResponse,
    HadamardResponse,
    KaryResponse,
    SubsetSelection,
    UnaryEncoding,
)
from privet.local.device import Collection, ReportMessage, SigningKey
from privet.local.javascript import DEVICE, MODULE
from tests.local.javascript.test_javascript import found, run
from tests.support.collecting import DAY, daily, question

pytestmark = pytest.mark.whole
KEY = SigningKey(bytes(32))
PROTOCOLS = (
    *(BinaryResponse(1), BinaryResponse(flip_zero="0.1", flip_one="0.4"), KaryResponse(7, 2), UnaryEncoding(9, 1)),
    *(SubsetSelection(9, 1), AffineResponse(12, 2), HadamardResponse(30, 1)),
)
SCRIPT = """
import { readFileSync } from "node:fs";
import { Device, epsilonOf } from "./privet_device.mjs";
const { daily, survey, wrong, key, protocols } = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const DAY = 86400;
let clock = 1000 * DAY, online = true, kept = null;
const asked = [];
const ask = async (address, how) => {
  asked.push([how.method ?? "GET", address, how.body ? Buffer.from(how.body).toString("hex") : "", how.credentials]);
  if (!online) throw new TypeError("no connection");
  if (how.method === "POST") return { status: 202 };
  const id = address.split("/").pop();
  const known = [daily, survey].find((each) => JSON.parse(each.collection).id === id);
  return { json: async () => known ?? wrong };
};
const storage = { get: () => kept, set: (text) => { kept = text; } };
const open = (lifetime = 1000) => new Device({ storage, lifetime, now: () => clock, ask });
const refused = async (work) => { try { await work(); return ""; } catch (problem) { return problem.message; } };
const out = {};
let device = open();
const [day, one] = [JSON.parse(daily.collection).id, JSON.parse(survey.collection).id];
out.before = [await device.send(), await refused(() => device.tell(day, "a")), asked.length];
out.forged = await refused(() => device.optIn("https://c", "f".repeat(32), key));
await device.optIn("https://c", day, key);
out.beyond = await refused(() => open(10.5).optIn("https://c", one, key));
await device.optIn("https://c", one, key);
device.tell(day, "a");
device.tell(day, "b");
out.third = await refused(() => device.tell(day, "a"));
device.tell(one, true);
out.again = await refused(() => device.tell(one, true));
asked.length = 0;
out.survey = await device.send();
clock += 2 * DAY - 1;
online = false;
out.offline = await device.send();
online = true;
device = open();
out.daily = await device.send();
out.bodies = asked.map((each) => each[2]);
out.quiet = asked.every((each) => each[3] === "omit");
out.spent = device.spent;
out.log = device.log.length;
out.exported = JSON.parse(device.export()).agreed.length;
clock += DAY;
await device.send();
clock += DAY - 1;
asked.length = 0;
out.silent = await device.send();
out.silentBodies = asked.map((each) => each[2]);
device.optOut(day);
asked.length = 0;
clock += 3 * DAY;
out.after = [await device.send(), asked.length, kept.includes(day + '":{"text')];
device.reset();
out.reset = [device.log.length, device.spent > 0, Object.keys(device.state.members).length];
out.epsilons = protocols.map(epsilonOf);
console.log(JSON.stringify(out));
"""


def published(facts: Collection) -> dict[str, str]:
    return {"collection": facts.to_json(), "signature": KEY.sign(facts.canonical)}


def test_the_rules_are_those_of_python(tmp_path: Path) -> None:
    node = found("node", "nodejs")
    facts, survey = daily(events=2, periods=5), question()
    for source in (MODULE, DEVICE):
        text = source.read_text(encoding="utf-8").replace("./privet_local.js", "./privet_local.mjs")
        (tmp_path / f"{source.stem}.mjs").write_text(text, encoding="utf-8")
    (tmp_path / "run.mjs").write_text(SCRIPT, encoding="utf-8")
    other = SigningKey().sign(facts.canonical)
    given = {
        "daily": published(facts),
        "survey": published(survey),
        "wrong": {"collection": facts.to_json(), "signature": other},
        "key": KEY.public,
        "protocols": [each.config for each in PROTOCOLS],
    }
    (tmp_path / "given.json").write_text(json.dumps(given), encoding="utf-8")
    done = run(node, tmp_path / "run.mjs", tmp_path / "given.json")
    assert done.stdout, done.stderr[-2000:]
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["before"] == [0, "nothing is told to a collection that was not agreed to: opt in first", 0]
    assert "not of that key" in told["forged"]
    assert "more than is left" in told["beyond"]
    assert told["third"] == "only 2 events of a period are reported"
    assert "over" in told["again"]
    assert (told["survey"], told["offline"], told["daily"]) == (1, 0, 2)
    messages = [ReportMessage.unpack(bytes.fromhex(each)) for each in told["bodies"]]
    assert messages[0].config_hash == survey.config_hash
    assert sorted(told["bodies"][1:3]) == sorted(told["bodies"][3:]), "what failed is sent again as it is"
    for each in messages[1:]:
        assert (each.collection, each.config_hash, each.period) == (facts.id_bytes, facts.config_hash, 0)
        facts.randomizer.decode([each.payload])
    assert told["quiet"]
    assert told["spent"] == pytest.approx(float(2 * facts.epsilon + survey.epsilon))
    assert (told["log"], told["exported"], told["silent"]) == (3, 2, 2)
    assert {len(each) for each in told["silentBodies"]} == {108}, "two periods without an event look like others"
    assert told["after"] == [0, 0, False]
    assert told["reset"] == [0, True, 0]
    for protocol, epsilon in zip(PROTOCOLS, told["epsilons"], strict=True):
        assert protocol.epsilon - 1e-12 <= epsilon <= protocol.epsilon + 1e-9, protocol
    assert DAY == 86400
