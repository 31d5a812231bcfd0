// The engine as WebAssembly: texts go in and out through its memory.

/**
 * What the engine offers and asks for: crates/wasm.
 *
 * @typedef {{
 *   memory: WebAssembly.Memory,
 *   reserve: (length: number) => number,
 *   handle: () => number,
 *   answer: () => number,
 * }} Exports
 */

/** @type {(length: number, at: number) => Uint8Array} */
const bytes = (length, at) => new Uint8Array(engine.memory.buffer, at, length);
/** @type {{ page: Record<string, (at: number, length: number) => number | void> }} */
const imports = {
  page: {
    now: () => performance.now(),
    tell: (at, length) => {
      postMessage(new TextDecoder().decode(bytes(length, at)));
      return 0;
    },
    find: (at, length) => {
      network = fetched(new TextDecoder().decode(bytes(length, at)));
      return network ? network.length : -1;
    },
    fetch: (at) => bytes(network?.length ?? 0, at).set(network ?? []),
  },
};

/** The network that was found last. @type {Uint8Array | null} */
let network = null;

/** A network that lies beside the page. The engine waits for it. @param {string} name */
function fetched(name) {
  if (!/^[a-z0-9-]+$/.test(name)) return null;
  const request = new XMLHttpRequest();
  request.open("GET", new URL(`../nets/${name}.safetensors`, import.meta.url), false);
  request.responseType = "arraybuffer";
  try {
    request.send();
  } catch {
    return null;
  }
  return request.status === 200 ? new Uint8Array(request.response) : null;
}

const module = WebAssembly.instantiateStreaming(fetch(new URL("../engine.wasm", import.meta.url)), imports);
const engine = /** @type {Exports} */ (/** @type {unknown} */ ((await module).instance.exports));

onmessage = ({ data }) => {
  const request = new TextEncoder().encode(data);
  bytes(request.length, engine.reserve(request.length)).set(request);
  const length = engine.handle();
  postMessage(new TextDecoder().decode(bytes(length, engine.answer())));
};
postMessage("ready");
