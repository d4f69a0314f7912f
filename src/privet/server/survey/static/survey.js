// @ts-check
/* The page of a survey: flips the coins here, shows what would be sent, and sends it only when asked to.
   The honest answer is in two inputs that belong to no form; it is read once, in `decide`, and wiped. Nothing is stored,
   and nothing is requested before "Send". */
import { instruct } from "./privet_local.js";

const page = document.getElementById("survey");
if (!page) throw new Error("there is no survey on this page");
const { config, hash, words } = JSON.parse(page.textContent ?? "");
const $ = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ ($(id));
const STATES = ["ask", "flip", "sent", "declined", "offline", "over"];

/** @type {{body: Uint8Array, answer: string, number: string} | null} */
let ready = null;

/** @param {string} state */
function show(state) {
  for (const each of STATES) $(`state-${each}`).hidden = each !== state;
  $("where").textContent = { ask: words.one_question, flip: words.before_sent, offline: words.not_sent }[state] ?? words.done;
  const heading = $(`state-${state}`).querySelector("h1");
  if (heading) {
    heading.tabIndex = -1;
    heading.focus();
  }
  window.scrollTo(0, 0);
}

function wipe() {
  for (const id of ["truth-yes", "truth-no", "agree"]) input(id).checked = false;
  $("choose").hidden = true;
}

/** @param {string} text @param {Record<string, string>} values */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** @param {string} name @param {string} text */
function write(name, text) {
  for (const each of document.querySelectorAll(`[data-show="${name}"]`)) each.textContent = text;
}

/** A fair coin, for coins that are only shown. */
const coin = () => (crypto.getRandomValues(new Uint8Array(1))[0] & 1) === 1;

/** What the coins looked like, for an instruction: the two faces, and what they mean. @param {[boolean, boolean]} says */
function faces(says) {
  const [heads, tails] = [words.heads, words.tails];
  if (config.survey.design === "two-coins") {
    if (!says[0] && says[1]) return [[heads, words.you_answer], null];
    return [[tails, words.coin_answers], [says[1] ? words.yes : words.no, words.says_coin]];
  }
  if (config.survey.design === "classroom") {
    if (says[0] && !says[1]) return [[heads, ""], [heads, words.told_opposite]];
    const first = coin();
    return [[first ? heads : tails, ""], [first ? tails : coin() ? heads : tails, words.you_answer]];
  }
  return null;
}

/** @param {[boolean, boolean]} says */
const told = (says) => (says[0] === says[1] ? (says[0] ? words.told_yes : words.told_no) : says[1] ? words.you_answer : words.told_opposite);

/** Draw, answer, and wipe the truth. */
function decide() {
  const truth = input("truth-yes").checked;
  const { says } = config.survey.instructions[instruct(config.survey)];
  const yes = says[truth ? 1 : 0];
  wipe();
  const nonce = crypto.getRandomValues(new Uint8Array(16));
  const body = new Uint8Array(54);
  body[0] = 1;
  body.set(bytes(config.id), 1);
  body.set(bytes(hash), 17);
  body.set(nonce, 37); // the four bytes before are the period, 0
  body[53] = yes ? 1 : 0;
  ready = { body, answer: yes ? words.yes_sent : words.no_sent, number: hex(nonce.slice(0, 4)).toUpperCase() };
  write("answer", ready.answer);
  write("number", ready.number);
  write("bytes", hex(body));
  write("send", filled(words.send, ready));
  write("sent_text", filled(words.sent_text, ready));
  write("no_connection_text", filled(words.no_connection_text, ready));
  drawCoins(says);
  show("flip");
}

/** @param {[boolean, boolean]} says */
function drawCoins(says) {
  const drawn = faces(says);
  $("coins").hidden = drawn === null;
  $("card").hidden = drawn !== null;
  write("drawn", told(says));
  const spoken = [];
  for (const [place, id] of ["coin-1", "coin-2"].entries()) {
    const face = drawn?.[place] ?? null;
    $(id).hidden = face === null;
    if (face === null) continue;
    const letter = face[0].slice(0, 1);
    const others = { [words.heads]: words.tails, [words.tails]: words.heads, [words.yes]: words.no, [words.no]: words.yes };
    const [front, back] = $(id).querySelectorAll("text");
    front.textContent = (others[face[0]] ?? letter).slice(0, 1);
    back.textContent = letter;
    $(`${id}-face`).textContent = face[0];
    $(`${id}-means`).textContent = face[1];
    spoken.push(`${place ? words.second_coin : words.first_coin}: ${face[0]}${face[1] ? `, ${face[1]}` : ""}.`);
  }
  $("spoken").textContent = spoken.join(" ") || `${words.drawn}: ${told(says)}.`;
}

/** @param {string} text */
const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
/** @param {Uint8Array} some */
const hex = (some) => Array.from(some, (each) => each.toString(16).padStart(2, "0")).join("");

async function send() {
  if (ready === null) return;
  const button = /** @type {HTMLButtonElement} */ ($("send"));
  button.disabled = true;
  try {
    const answer = await fetch(page?.dataset.reports ?? "", {
      method: "POST",
      body: /** @type {BodyInit} */ (ready.body),
      headers: { "Content-Type": "application/octet-stream" },
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
    });
    if (answer.status === 202) {
      ready = null;
      show("sent");
    } else if (answer.status === 410 || answer.status === 404) {
      ready = null;
      show("over");
    } else {
      show("offline");
    }
  } catch {
    show("offline");
  } finally {
    button.disabled = false;
  }
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const chosen = input("truth-yes").checked || input("truth-no").checked;
  const missing = !chosen ? words.choose_first : !input("agree").checked ? words.agree_first : "";
  $("choose").textContent = missing;
  $("choose").hidden = missing === "";
  if (missing === "") decide();
});
$("send").addEventListener("click", send);
$("again").addEventListener("click", send);
for (const each of document.querySelectorAll("[data-decline]")) {
  each.addEventListener("click", () => {
    ready = null;
    wipe();
    for (const name of ["answer", "number", "bytes", "send", "drawn"]) write(name, "");
    show("declined");
  });
}
$("back").addEventListener("click", () => show("ask"));
window.addEventListener("pagehide", wipe);
for (const each of document.querySelectorAll(".noscript")) each.remove();
$("scripted").hidden = false;
