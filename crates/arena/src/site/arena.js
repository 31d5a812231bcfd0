// Keeps the parts of a page that change up to date, and nothing else: without this script every page works by reloading.
"use strict";
const PAUSE = 3000;
async function refresh() {
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of document.querySelectorAll("[data-live]")) {
        const fresh = page.getElementById(part.id);
        if (fresh && fresh.innerHTML !== part.innerHTML) part.replaceChildren(...fresh.childNodes);
      }
    }
  } catch {
    // The arena is away for a moment.
  }
  setTimeout(refresh, document.hidden ? 10 * PAUSE : PAUSE);
}
if (document.querySelector("[data-live]")) setTimeout(refresh, PAUSE);
