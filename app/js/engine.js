// The engine: requests and answers in JSON. It sits behind a WebSocket when the page comes from `ply serve`, and in Web Workers
// otherwise. The rest of the page does not know which.

import { t } from "./i18n/index.js";

/** @import { Answers, AskOptions, Engine, Fields, Message, Request, Sentence, Task } from "./types.js" */

/** An answer that says what was wrong, in words for people; why a move is illegal also as a key with arguments, in `reason`. */
export class Refused extends Error {
  /**
   * @param {string} message
   * @param {Sentence | null} [reason]
   */
  constructor(message, reason = null) {
    super(message);
    this.reason = reason;
  }
}

/** A search that was ended because its answer is no longer wanted. */
export class Stopped extends Error {}

/** A lost connection is tried again after so many milliseconds, and after ever more until `LONGEST`: for as long as it takes. */
const PAUSE = 500;
const LONGEST = 4000;

/** Requests that wait for their answers. Each holds everything, so that it can be sent again. */
class Requests {
  #next = 1;
  /** @type {Map<number, Request>} */
  #open = new Map();

  /**
   * A new request. If its signal ends it before it is answered, `end(request)` is called.
   *
   * @param {Task} task
   * @param {Fields[Task]} fields
   * @param {AskOptions | undefined} options
   * @param {(request: Request) => void} end
   */
  add(task, fields, { onProgress, signal } = {}, end) {
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers();
    /** @type {Request} */
    const request = { id, onProgress, text: JSON.stringify({ id, do: task, ...fields }), answer: promise, resolve, reject };
    this.#open.set(id, request);
    const abort = () => {
      if (!this.#open.delete(id)) return;
      request.reject(new Stopped("stopped"));
      end(request);
    };
    signal?.addEventListener("abort", abort, { once: true });
    return request;
  }

  get open() {
    return [...this.#open.values()];
  }

  /** Takes a message of the engine; true if it was an answer. @param {string} text */
  take(text) {
    /** @type {Message} */
    const message = JSON.parse(text);
    const request = this.#open.get(message.id);
    if (!request) return false;
    if ("progress" in message) {
      request.onProgress?.(message.progress);
      return false;
    }
    this.#open.delete(message.id);
    if ("error" in message) request.reject(new Refused(message.error, message.reason));
    else request.resolve(message.answer);
    return true;
  }

  /**
   * @param {Request | null} request
   * @param {Error} error
   */
  fail(request, error) {
    if (request && this.#open.delete(request.id)) request.reject(error);
  }
}

/**
 * The engine of a server. After a lost connection it asks again for everything that has not been answered.
 *
 * @implements {Engine}
 */
class Remote {
  kind = /** @type {const} */ ("server");
  #requests = new Requests();
  /** @type {WebSocket | null} */
  #socket = null;
  #tries = 0;
  #address;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #next;
  /** Is told when something waits for a connection that is lost, and when it is there again. @type {(lost: boolean) => void} */
  onlost = () => {};

  /**
   * @param {URL} address
   * @param {boolean} lab
   * @param {string | null} reach
   */
  constructor(address, lab, reach) {
    this.#address = address;
    /** Does the server let this page use its lab? */
    this.lab = lab;
    /** The address of the server for other devices, where the page came by another one. */
    this.reach = reach;
    // Who comes back to the page, or to a network, need not wait.
    const again = () => !document.hidden && this.#requests.open.length > 0 && this.#connect();
    addEventListener("online", again);
    document.addEventListener("visibilitychange", again);
  }

  #connect() {
    if (this.#socket) return;
    clearTimeout(this.#next);
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    socket.onopen = () => {
      this.#tries = 0;
      this.onlost(false);
      for (const request of this.#requests.open) socket.send(request.text);
    };
    socket.onmessage = (event) => this.#requests.take(event.data);
    socket.onclose = () => {
      this.#socket = null;
      if (this.#requests.open.length === 0) return;
      this.#tries += 1;
      if (this.#tries > 1) this.onlost(true);
      this.#next = setTimeout(() => this.#connect(), Math.min(LONGEST, PAUSE * this.#tries));
    };
  }

  /** Sends a message if there is a connection. @param {string} text */
  #send(text) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  /**
   * @template {Task} T
   * @param {T} task
   * @param {Fields[T]} fields
   * @param {AskOptions} [options]
   * @returns {Promise<Answers[T]>}
   */
  ask(task, fields, options) {
    const request = this.#requests.add(task, fields, options, ({ id }) => this.#send(JSON.stringify({ stop: id })));
    if (!this.#send(request.text)) this.#connect();
    return request.answer;
  }
}

/** An engine in a worker. It does one thing at a time and cannot be interrupted: a request that is ended ends the worker. */
class Lane {
  #requests = new Requests();
  /** @type {Request[]} */
  #waiting = [];
  /** @type {Request | null} */
  #running = null;
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Promise<Worker> | null} */
  #ready = null;

  #started() {
    if (this.#worker && this.#ready) return this.#ready;
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.#worker = worker;
    this.#ready = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data === "ready") resolve(worker);
        else if (this.#requests.take(data)) this.#go();
      };
      worker.onerror = (event) => {
        event.preventDefault();
        const error = new Error(event.message || t("noEngine"));
        this.#requests.fail(this.#running, error);
        this.#end();
        reject(error);
      };
    });
    return this.#ready;
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#go();
  }

  /** The next request, if there is one. */
  #go() {
    const request = this.#waiting.shift() ?? null;
    this.#running = request;
    if (!request) return;
    const post = (/** @type {Worker} */ worker) => this.#running === request && worker.postMessage(request.text);
    // Why it did not start is told by the answer to the request.
    this.#started().then(post, () => {});
  }

  /**
   * @template {Task} T
   * @param {T} task
   * @param {Fields[T]} fields
   * @param {AskOptions} [options]
   * @returns {Promise<Answers[T]>}
   */
  ask(task, fields, options) {
    const request = this.#requests.add(task, fields, options, () => {
      if (this.#running === request) this.#end();
      else this.#waiting.splice(this.#waiting.indexOf(request), 1);
    });
    this.#waiting.push(request);
    if (!this.#running) this.#go();
    return request.answer;
  }
}

/**
 * The engine in this browser. What takes no thinking does not wait for what does.
 *
 * @implements {Engine}
 */
class Local {
  kind = /** @type {const} */ ("browser");
  #desk = new Lane();
  #thinker = new Lane();

  /**
   * @template {Task} T
   * @param {T} task
   * @param {Fields[T]} fields
   * @param {AskOptions} [options]
   * @returns {Promise<Answers[T]>}
   */
  ask(task, fields, options) {
    const lane = task === "think" || task === "solve" ? this.#thinker : this.#desk;
    return lane.ask(task, fields, options);
  }
}

/** The server's engine if there is one, else the browser's. @returns {Promise<Engine>} */
export async function connect() {
  try {
    // A page that was kept may be without a network, or with one that never answers; any other has come from a host that
    // does, be it slowly.
    const signal = navigator.serviceWorker?.controller ? AbortSignal.timeout(1500) : null;
    const answer = await fetch("server.json", { cache: "no-store", signal });
    const about = answer.ok ? await answer.json() : {};
    if (about.engine) {
      const address = new URL("engine", document.baseURI);
      address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
      return new Remote(address, about.lab === true, about.reach ?? null);
    }
  } catch {
    // No server, or no network: that is what the other engine is for.
  }
  return new Local();
}
