// @ts-check
/**
 * A person's side of a collector, for browsers and Node: what they agreed to, what was sent about them, what it cost.
 *
 * The same rules as Python's `privet.local.device.Device`: no request before `optIn` and none after `optOut`; a value is
 * privatized when it is told, and not kept; exactly M reports leave in a period, whatever happened, each at a random time
 * of the next one; what a collection may cost is set aside when it is agreed to.
 */
import { Random, report } from "./privet_local.js";

/** @typedef {{get: () => string | null, set: (text: string) => void}} Storage Where the device remembers. */
/**
 * @typedef {object} Member A collection that was agreed to.
 * @property {string} text As it was signed.
 * @property {string} hash
 * @property {string} address
 * @property {string} day
 * @property {number | null} period
 * @property {string[]} reports Of this period, already noisy, as hexadecimal digits.
 * @property {{body: string, period: number, after: number}[]} waiting
 * @property {number} spent
 */

const DAY = 86400;
const ACCEPTED = 202;
const FINAL = [400, 404, 409, 410, 413];
const CONTEXT = "privet collection 1\n";
const WHOLE = 2 ** 52;
const MOST_LOGGED = 10000;

export class Device {
  /**
   * @param {object} how
   * @param {Storage} how.storage
   * @param {number} how.lifetime The ε that all collections together may cost.
   * @param {() => number} [how.now] Seconds since 1970.
   * @param {typeof fetch} [how.ask]
   * @param {Random} [how.random]
   */
  constructor({ storage, lifetime, now = () => Date.now() / 1000, ask = fetch, random = new Random() }) {
    this.storage = storage;
    this.lifetime = lifetime;
    this.now = now;
    this.ask = ask;
    this.random = random;
    const kept = storage.get();
    /** @type {{members: Record<string, Member>, past: number, log: object[]}} */
    this.state = kept === null ? { members: {}, past: 0, log: [] } : JSON.parse(kept);
  }

  /**
   * Agree to a collection: the first request that is ever made for it.
   * @param {string} address
   * @param {string} id
   * @param {string} publicKey Of who publishes collections, from elsewhere than the collector itself.
   */
  async optIn(address, id, publicKey) {
    if (this.state.members[id]) throw new Error("this collection was agreed to already");
    const answer = await this.ask(`${address}/v1/collections/${id}`, QUIET);
    const { collection: text, signature } = await answer.json();
    if (!(await verified(text, signature, publicKey))) throw new Error("the signature of this collection is not of that key");
    const facts = JSON.parse(text);
    if (facts.id !== id) throw new Error("the collector answered with another collection");
    epsilonOf(facts.protocol); // refused now, if this device cannot run it
    const taken = Object.values(this.state.members).reduce((sum, each) => sum + lifetimeOf(JSON.parse(each.text)), this.state.past);
    if (taken + lifetimeOf(facts) > this.lifetime) throw new Error("this collection costs more than is left of the device's lifetime");
    const hash = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", encoded(text)))).slice(0, 32);
    this.state.members[id] = { text, hash, address, day: this.today(), period: null, reports: [], waiting: [], spent: 0 };
    this.write();
    return facts;
  }

  /** Stop at once; nothing is sent any more, also no goodbye. @param {string} id */
  optOut(id) {
    const left = this.state.members[id];
    if (!left) return;
    this.state.past += left.spent;
    delete this.state.members[id];
    this.write();
  }

  /** Forget everything but the ε that was spent. */
  reset() {
    this.state = { members: {}, past: this.spent, log: [] };
    this.write();
  }

  /** Report an event; event M + 1 of a period is refused. @param {string} id @param {number | string | boolean} value */
  tell(id, value) {
    const member = this.state.members[id];
    if (!member) throw new Error("nothing is told to a collection that was not agreed to: opt in first");
    const facts = JSON.parse(member.text);
    this.roll(member, facts);
    if (member.period === null) throw new Error("this collection has not begun, or is over");
    if (member.reports.length >= facts.events) throw new Error(`only ${facts.events} events of a period are reported`);
    member.reports.push(hex(report(facts.protocol, value, this.random)));
    if (facts.period_seconds === null) {
      this.end(member, facts, false);
      member.period = null;
    }
    this.write();
  }

  /** Send what is due, in random order; how many reports were taken. What fails is sent again, as it is. */
  async send() {
    const due = [];
    for (const member of Object.values(this.state.members)) {
      this.roll(member, JSON.parse(member.text));
      due.push(...member.waiting.filter((each) => each.after <= this.now()).map((each) => ({ member, each })));
    }
    for (let last = due.length - 1; last > 0; last -= 1) {
      const other = this.random.uniform(last + 1);
      [due[last], due[other]] = [due[other], due[last]];
    }
    this.write();
    let taken = 0;
    for (const { member, each } of due) {
      const status = await this.post(member.address, each.body);
      if (status !== ACCEPTED && !FINAL.includes(status)) continue;
      member.waiting = member.waiting.filter((other) => other !== each);
      taken += status === ACCEPTED ? 1 : 0;
      const { id, title, protocol } = JSON.parse(member.text);
      const epsilon = epsilonOf(protocol);
      this.state.log.push({ day: this.today(), collection: id, title, period: each.period, epsilon, sent: each.body, answer: status });
      this.state.log.splice(0, this.state.log.length - MOST_LOGGED);
    }
    this.write();
    return taken;
  }

  /** The ε of everything that was reported by this device. */
  get spent() {
    return Object.values(this.state.members).reduce((sum, each) => sum + each.spent, this.state.past);
  }

  /** Each report that left this device. */
  get log() {
    return structuredClone(this.state.log);
  }

  /** Consents, what was spent, and the log, as JSON for the person. */
  export() {
    const agreed = Object.values(this.state.members).map((each) => ({ collection: JSON.parse(each.text), day: each.day }));
    return JSON.stringify({ agreed, spent: this.spent, lifetime: this.lifetime, log: this.state.log }, null, 2);
  }

  /** End the period if it is over. @param {Member} member @param {any} facts */
  roll(member, facts) {
    if (facts.period_seconds === null) {
      member.period = member.spent === 0 ? 0 : null;
      return;
    }
    const current = Math.floor((this.now() - facts.starts) / facts.period_seconds);
    if (member.period !== null && current > member.period) this.end(member, facts, current - member.period > facts.grace);
    member.period = current >= 0 && current < facts.periods ? current : null;
  }

  /** M reports wait to be sent, `none` for events that did not happen. @param {Member} member @param {any} facts @param {boolean} late */
  end(member, facts, late) {
    const cost = facts.events * epsilonOf(facts.protocol);
    const made = member.reports;
    member.reports = [];
    if (member.spent + cost > lifetimeOf(facts)) return; // nothing leaves any more
    while (made.length < facts.events) made.push(hex(report(facts.protocol, facts.none, this.random)));
    member.spent += cost;
    if (late) return;
    const period = member.period ?? 0;
    for (const payload of made) {
      const length = facts.period_seconds;
      const ends = facts.starts + (period + 1) * length;
      const after = length === null ? this.now() : ends + this.random.uniform(Math.max(1, Math.floor((length * 9) / 10)));
      const nonce = hex(this.random.take(2));
      const head = `01${facts.id}${member.hash}${period.toString(16).padStart(8, "0")}${nonce}`;
      member.waiting.push({ body: head + payload, period, after });
    }
  }

  /** @param {string} address @param {string} body @returns {Promise<number>} */
  async post(address, body) {
    try {
      const headers = { "Content-Type": "application/octet-stream" };
      return (await this.ask(`${address}/v1/reports`, { ...QUIET, method: "POST", headers, body: bytes(body) })).status;
    } catch {
      return 0;
    }
  }

  today() {
    return new Date(1000 * Math.floor(this.now() / DAY) * DAY).toISOString().slice(0, 10);
  }

  write() {
    this.storage.set(JSON.stringify(this.state));
  }
}

/** @type {RequestInit} Nothing of the browser's goes with a request. */
const QUIET = { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store", redirect: "error" };

/**
 * What one report costs: the logarithm of the largest ratio of two weights, rounded up.
 * @param {any} config
 * @returns {number}
 */
export function epsilonOf(config) {
  return Math.log(ratioOf(config)) * (1 + 1e-12);
}

/** @param {any} config @returns {number} */
function ratioOf(config) {
  const size = Array.isArray(config.categories) ? config.categories.length : config.categories;
  const inside = config.inside / (WHOLE - config.inside);
  switch (config.protocol) {
    case "binary_response": {
      const { yes_of_no: no, yes_of_yes: yes, whole } = config;
      return Math.max(yes / no, no / yes, (whole - no) / (whole - yes), (whole - yes) / (whole - no));
    }
    case "kary_response":
      return config.truth / config.other;
    case "unary_encoding":
      return (config.own / (WHOLE - config.own)) * ((WHOLE - config.other) / config.other);
    case "subset_selection":
      return (inside * (size - config.chosen)) / config.chosen;
    case "affine_response":
      return (inside * (config.prime - config.chosen)) / config.chosen;
    case "hadamard_response":
      return inside;
    default:
      throw new Error(`there is no protocol ${config.protocol} on devices that run JavaScript`);
  }
}

/** @param {any} facts @returns {number} */
function lifetimeOf(facts) {
  const [top, bottom = "1"] = facts.lifetime.split("/");
  return Number(top) / Number(bottom);
}

/** @param {string} text @param {string} signature @param {string} publicKey */
async function verified(text, signature, publicKey) {
  const key = await crypto.subtle.importKey("raw", bytes(publicKey), "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, bytes(signature), encoded(CONTEXT + text));
}

/** @param {string} text */
const encoded = (text) => new TextEncoder().encode(text);
/** @param {string} text */
const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
/** @param {Uint8Array} some */
const hex = (some) => Array.from(some, (each) => each.toString(16).padStart(2, "0")).join("");
