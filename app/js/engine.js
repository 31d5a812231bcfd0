// The engine: requests and answers in JSON. It sits behind a WebSocket when the page comes from `ply serve`, and in a Web Worker
// otherwise. Nobody else needs to know which.

/** An answer that says what was wrong, in words for people. */
export class Refused extends Error {}

/** A thought that was ended by somebody who no longer wants it. */
export class Stopped extends Error {}

class Requests {
  #next = 1;
  #open = new Map();

  /** Registers a request; `send` gets its text. */
  add(task, fields, onProgress, send) {
    const id = this.#next++;
    const promise = new Promise((resolve, reject) => this.#open.set(id, { resolve, reject, onProgress }));
    send(JSON.stringify({ id, do: task, ...fields }), id);
    return { id, promise };
  }

  /** Takes a message of the engine. */
  take(text) {
    const message = JSON.parse(text);
    const request = this.#open.get(message.id);
    if (!request) return;
    if ("progress" in message) {
      request.onProgress?.(message.progress);
      return;
    }
    this.#open.delete(message.id);
    if ("error" in message) request.reject(new Refused(message.error));
    else request.resolve(message.answer);
  }

  /** Everything that is still open ends like this. */
  fail(error) {
    for (const request of this.#open.values()) request.reject(error);
    this.#open.clear();
  }
}

/** The engine of a server. It comes back after a lost connection: requests hold everything, so they can be sent again. */
class Remote {
  kind = "server";
  #requests = new Requests();
  #socket = null;
  #address;

  constructor(address, lab) {
    this.#address = address;
    /** Is there a lab behind the server, for whoever sits here? */
    this.lab = lab;
  }

  #connected() {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return this.#opened;
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    this.#opened = new Promise((resolve, reject) => {
      socket.onopen = () => resolve(socket);
      socket.onerror = () => reject(new Error("the server does not answer"));
    });
    socket.onmessage = (event) => this.#requests.take(event.data);
    socket.onclose = () => this.#requests.fail(new Error("the connection to the server was lost"));
    return this.#opened;
  }
  #opened = null;

  ask(task, fields, { onProgress, signal } = {}) {
    const { id, promise } = this.#requests.add(task, fields, onProgress, (text) => {
      this.#connected().then((socket) => socket.send(text), (error) => this.#requests.fail(error));
    });
    signal?.addEventListener("abort", () => {
      if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ stop: id }));
    });
    return promise;
  }
}

/** The engine in this browser. A thought cannot be interrupted there, so whoever ends one gets a fresh worker. */
class Local {
  kind = "browser";
  #requests = new Requests();
  #worker = null;
  #ready = null;

  #started() {
    if (this.#worker) return this.#ready;
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.#worker = worker;
    this.#ready = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data === "ready") resolve(worker);
        else this.#requests.take(data);
      };
      worker.onerror = (event) => {
        const error = new Error(event.message || "the engine could not be started");
        this.#end(error);
        reject(error);
      };
    });
    return this.#ready;
  }

  #end(error) {
    this.#worker?.terminate();
    this.#worker = null;
    this.#requests.fail(error);
  }

  ask(task, fields, { onProgress, signal } = {}) {
    const { promise } = this.#requests.add(task, fields, onProgress, (text) => {
      this.#started().then((worker) => worker.postMessage(text), () => {});
    });
    signal?.addEventListener("abort", () => this.#end(new Stopped("stopped")), { once: true });
    return promise;
  }
}

/** The server's engine if there is one, else the browser's. */
export async function connect() {
  try {
    const answer = await fetch("server.json", { cache: "no-store", signal: AbortSignal.timeout(1500) });
    const about = answer.ok ? await answer.json() : {};
    if (about.engine) {
      const address = new URL("engine", document.baseURI);
      address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
      return new Remote(address, about.lab === true);
    }
  } catch {
    // No server, or no network: that is what the other engine is for.
  }
  return new Local();
}
