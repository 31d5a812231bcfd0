// Everything of the app is kept on the device: after the first visit it needs no network. `cargo xtask app` fills in the version
// and the files.

const VERSION = "unbuilt";
/** @type {string[]} */
const FILES = [];

const scope = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const CACHE = `plyground-${VERSION}`;

scope.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => scope.skipWaiting()),
  );
});

scope.addEventListener("activate", (event) => {
  const others = (/** @type {string[]} */ names) => names.filter((name) => name.startsWith("plyground-") && name !== CACHE);
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(others(names).map((name) => caches.delete(name))))
      .then(() => scope.clients.claim()),
  );
});

/** Networks are large, and most visitors never meet one: each is kept when it is asked for. @param {Request} request */
async function keep(request) {
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(CACHE)).put(request, answer.clone());
  return answer;
}

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  // Whether there is a server is asked of the network alone.
  if (request.method !== "GET" || address.origin !== location.origin || address.pathname.endsWith("/server.json")) return;
  const kept = () =>
    caches
      .match(request, { ignoreSearch: true })
      .then((found) => found ?? (address.pathname.includes("/nets/") ? keep(request) : fetch(request)));
  event.respondWith(request.mode === "navigate" ? caches.match("./").then((found) => found ?? fetch(request)) : kept());
});
