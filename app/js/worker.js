// The engine as WebAssembly: texts go in and out through its memory.

const bytes = (length, at) => new Uint8Array(engine.memory.buffer, at, length);
const imports = {
  page: {
    now: () => performance.now(),
    tell: (at, length) => {
      postMessage(new TextDecoder().decode(bytes(length, at)));
      return 0;
    },
  },
};

const module = WebAssembly.instantiateStreaming(fetch(new URL("../engine.wasm", import.meta.url)), imports);
const engine = (await module).instance.exports;

onmessage = ({ data }) => {
  const request = new TextEncoder().encode(data);
  bytes(request.length, engine.room(request.length)).set(request);
  const length = engine.handle();
  postMessage(new TextDecoder().decode(bytes(length, engine.answer())));
};
postMessage("ready");
