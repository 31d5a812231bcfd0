// Where the app comes from: `ply serve`, with its engine behind a WebSocket, or the static files of dist/, with the engine in
// workers. `cargo xtask test` names both.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize, sep } from "node:path";
import { createInterface } from "node:readline";

function named(variable) {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: run \`cargo xtask test --only browser\``);
  return value;
}

const KINDS = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** `ply serve` on a port of its own choice, or on one that it had before. */
export async function serverHost(port = 0) {
  const data = await mkdtemp(join(tmpdir(), "plyground-browser-"));
  const child = spawn(named("PLYGROUND_PLY"), ["serve", "--port", String(port), "--data", data], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const address = line.match(/http:\/\/\S+/);
    if (!address) continue;
    child.stdout.resume();
    const base = `${address[0]}/`;
    const close = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      await rm(data, { recursive: true });
    };
    return { engine: "server", base, data, port: Number(new URL(base).port), close };
  }
  throw new Error("`ply serve` did not say where it is");
}

/** The files of dist/ as any web server would give them. */
export async function staticHost() {
  const root = named("PLYGROUND_DIST");
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    const file = normalize(join(root, path.endsWith("/") ? `${path}index.html` : path));
    try {
      if (!file.startsWith(root + sep)) throw new Error("outside");
      const content = await readFile(file);
      response.writeHead(200, { "content-type": KINDS[extname(file)] ?? "application/octet-stream" }).end(content);
    } catch {
      response.writeHead(404).end("nothing here\n");
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  const close = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { engine: "browser", base: `http://127.0.0.1:${port}/`, port, close };
}

/** The host for each of the two ways to the engine. */
export const HOSTS = { WebSocket: serverHost, wasm: staticHost };
