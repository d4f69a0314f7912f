// The one script. Everything here is an improvement: without it the pages are plain forms.
// No inline handlers, no eval, no style attributes: it runs under script-src 'self'; style-src 'self'.
"use strict";
document.documentElement.classList.add("js");
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const store = {
  get: (name) => { try { return localStorage.getItem(name); } catch { return null; } },
  set: (name, value) => { try { localStorage.setItem(name, value); } catch { /* a private window */ } },
};

// theme: the radios work by CSS alone; this only remembers them
const remembered = document.getElementById("theme-" + store.get("privet-theme"));
if (remembered) remembered.checked = true;
all("input[name=theme]").forEach((each) => each.addEventListener("change", () => store.set("privet-theme", each.value)));

// copy buttons say what they did, to screen readers too
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const words = button.querySelector("span");
  try {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    words.textContent = button.dataset.copied;
  } catch { words.textContent = button.dataset.failed; }
});

// editor: repaint the highlighted copy beneath the text
const keywords = /\b(SELECT|FROM|GROUP BY|ORDER BY|WHERE|AS|ASC|DESC|JOIN|LEFT|INNER|USING|ON|AND|OR|NOT|IN|IS|NULL|LIMIT|HAVING|BETWEEN|DISTINCT|CASE|WHEN|THEN|ELSE|END|WITH|UNION|ALL)\b|\b([A-Z_]+)(?=\()|('(?:[^']|'')*'|\b\d+(?:\.\d+)?\b)|(--.*)/gi;
const editor = document.querySelector(".editor textarea");
const paint = () => {
  const pre = editor.parentElement.querySelector("pre");
  const text = editor.value;
  let at = 0;
  pre.replaceChildren();
  for (const hit of text.matchAll(keywords)) {
    pre.append(text.slice(at, hit.index));
    const span = document.createElement("span");
    span.className = hit[1] ? "k" : hit[2] ? "f" : hit[3] ? "n" : "c";
    span.textContent = hit[0];
    pre.append(span);
    at = hit.index + hit[0].length;
  }
  pre.append(text.slice(at) + "\n");
};

// the question: price while typing, answer without a new page
const form = document.getElementById("question");
const part = async (address, body, signal) => {
  const answer = await fetch(address, { method: "POST", body, signal, headers: { "X-Privet-Part": "1" }, credentials: "same-origin", redirect: "manual" });
  if (answer.type === "opaqueredirect" || answer.status === 401) { location.assign(location.pathname); throw new Error("signed out"); }
  return new DOMParser().parseFromString(await answer.text(), "text/html");
};
const put = (found, ...names) => {
  for (const name of names) {
    const fresh = found.getElementById(name);
    if (fresh) document.getElementById(name).replaceChildren(...fresh.childNodes);
  }
};
if (form) {
  paint();
  const price = document.getElementById("price");
  let timer = 0;
  let asking = null;
  const update = async () => {
    if (asking) asking.abort();
    asking = new AbortController();
    const mine = asking;
    price.setAttribute("aria-busy", "true");
    try {
      const found = await part(form.dataset.price, new FormData(form), mine.signal);
      if (mine.signal.aborted) return;
      const focused = price.contains(document.activeElement) ? document.activeElement : null;
      const name = focused ? focused.id : "";
      const typed = focused && focused.id === "purpose" ? focused.value : null;
      const caret = focused && focused.type === "text" ? focused.selectionStart : null;
      put(found, "price");
      const again = name ? document.getElementById(name) : null;
      if (again) {
        again.focus();
        if (typed !== null) again.value = typed;
        if (caret !== null && again.type === "text") again.setSelectionRange(caret, caret);
      }
    } catch { /* a newer one is under way, or the connection is gone: the old price stays, dimmed */ } finally {
      if (mine === asking) price.removeAttribute("aria-busy");
    }
  };
  const later = (wait) => { clearTimeout(timer); timer = setTimeout(update, wait); };
  const clear = () => { const start = document.getElementById("start"); if (start) start.parentElement.hidden = editor.value.trim() !== ""; };
  editor.addEventListener("input", () => { paint(); clear(); later(250); });
  editor.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const run = form.querySelector("button[value=run]");
    if (run) form.requestSubmit(run);
  });
  price.addEventListener("input", (event) => {
    const range = event.target.type === "range";
    if (event.target.name === "purpose" || (range && event.target.matches(":active"))) return; // while it is dragged it must stay where it is
    later(range ? 120 : 600);
  });
  price.addEventListener("change", (event) => { if (event.target.type === "range") later(0); });
  price.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT" || event.target.name === "purpose") return;
    event.preventDefault();
    later(0);
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(timer);
    const pressed = event.submitter;
    const body = new FormData(form);
    if (pressed && pressed.name) body.set(pressed.name, pressed.value);
    const outcome = document.getElementById("outcome");
    const running = document.getElementById("running").content.cloneNode(true);
    const started = Date.now();
    let clock = 0;
    if (pressed && (pressed.value === "run" || pressed.value === "again")) {
      outcome.replaceChildren(running);
      clock = setInterval(() => { const seconds = outcome.querySelector("[data-seconds]"); if (seconds) seconds.textContent = String(Math.round((Date.now() - started) / 1000)); }, 1000);
    }
    all("button", form).forEach((each) => { each.disabled = true; });
    try {
      const found = await part(form.dataset.ask, body);
      put(found, "price", "outcome", "side");
      const main = found.querySelector("main");
      if (main) outcome.replaceChildren(...main.childNodes);
      const key = found.querySelector("input[name=key]");
      if (key) form.querySelector("input[name=key]").value = key.value;
      const sql = found.getElementById("sql");
      if (sql) { editor.value = sql.value; paint(); }
      const first = outcome.querySelector("h2");
      if (first && first.textContent) { first.tabIndex = -1; first.focus({ preventScroll: true }); outcome.scrollIntoView({ block: "nearest" }); }
    } catch { location.reload(); } finally {
      clearInterval(clock);
      all("button", form).forEach((each) => { each.disabled = false; });
    }
  });

  document.getElementById("outcome").addEventListener("click", (event) => {
    const stop = event.target.closest("[data-stop]");
    if (!stop) return;
    stop.disabled = true;
    const body = new FormData();
    for (const name of ["csrf", "key"]) body.set(name, form.querySelector(`input[name=${name}]`).value);
    fetch(stop.dataset.stop, { method: "POST", body, credentials: "same-origin", redirect: "manual" }).catch(() => undefined);
  });
}
