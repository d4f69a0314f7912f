// @ts-check
/* Live results: the same page is read again every five seconds, and its middle is put in the place of this one. */
const live = document.getElementById("live");
if (live?.dataset.every) {
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(location.href, { credentials: "omit", cache: "no-store" });
      if (!answer.ok) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
      const now = document.getElementById("live");
      if (fresh && now && fresh.textContent !== now.textContent) now.replaceWith(fresh);
    } catch {
      // no connection: the last result stays
    }
  }, 1000 * Number(live.dataset.every));
}
