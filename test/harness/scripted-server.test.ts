import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import {
  bytes,
  empty,
  endless,
  hang,
  html,
  json,
  raw,
  redirect,
  reset,
  type Script,
  type ScriptedServer,
  slow,
  startScriptedServer,
} from "./scripted-server.ts";

const running: ScriptedServer[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function start(script: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  running.push(server);
  return server;
}

interface Heard {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** The code of the error that truncated the body; undefined if it was complete. */
  readonly cut: string | undefined;
  /** Milliseconds from the request to the headers, and to each piece of the body. */
  readonly headersAfter: number;
  readonly piecesAfter: readonly number[];
}

/** Sends one request on a separate connection. Rejects if no status line arrives. */
function ask(url: string, options: http.RequestOptions = {}, body?: string): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const request = http.request(url, { agent: false, ...options });
    request.once("error", reject);
    request.once("response", (response) => {
      const headersAfter = performance.now() - begun;
      const pieces: Buffer[] = [];
      const piecesAfter: number[] = [];
      const heard = (cut: string | undefined): void => {
        const { statusCode = 0, headers } = response;
        resolve({
          status: statusCode,
          headers,
          body: Buffer.concat(pieces),
          cut,
          headersAfter,
          piecesAfter,
        });
      };
      response.on("data", (piece: Buffer) => {
        pieces.push(piece);
        piecesAfter.push(performance.now() - begun);
      });
      response.on("end", () => heard(undefined));
      response.on("error", (error) => heard(codeOf(error)));
      // A reset after the headers is reported on the request.
      request.on("error", (error) => heard(codeOf(error)));
      request.off("error", reject);
    });
    request.end(body);
  });
}

/** Returns all bytes from a bare socket until it closes. */
async function speak(url: string, text: string): Promise<string> {
  const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
  let heard = "";
  socket.on("data", (chunk) => {
    heard += chunk.toString("latin1");
  });
  socket.write(text);
  await once(socket, "close");
  return heard;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "none";
}

async function until(claim: () => boolean): Promise<void> {
  while (!claim()) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

describe("requests", () => {
  test("are passed to the script with their index and stored as they arrived", async () => {
    const seenByScript: number[] = [];
    const server = await start((_request, index) => {
      seenByScript.push(index);
      return json({ index });
    });
    const first = await ask(`${server.url}/networks/a%2Fb/pools?cursor=x%2By%3D&limit=10&limit=20`, {
      headers: { Authorization: "api_key", "X-Twice": ["1", "2"] },
    });
    const second = await ask(`${server.url}/sse/prices`, { method: "POST" }, '[{"chain":"ethereum"}]');

    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect([first.body.toString(), second.body.toString()]).toEqual(['{"index":0}', '{"index":1}']);
    expect(seenByScript).toEqual([0, 1]);
    const [get, post] = server.requests;
    expect(get).toMatchObject({
      method: "GET",
      url: "/networks/a%2Fb/pools?cursor=x%2By%3D&limit=10&limit=20",
      path: "/networks/a%2Fb/pools",
      body: "",
    });
    expect(get?.headers).toMatchObject({ authorization: "api_key", "x-twice": "1, 2" });
    expect(get?.query.get("cursor")).toBe("x+y=");
    expect(get?.query.getAll("limit")).toEqual(["10", "20"]);
    expect(post).toMatchObject({ method: "POST", path: "/sse/prices", body: '[{"chain":"ethereum"}]' });
    expect(post?.query.size).toBe(0);
    expect(post?.at).toBeGreaterThan(get?.at ?? Infinity);
  });

  test("count as open until they are complete or aborted", async () => {
    const release: (() => void)[] = [];
    const server = await start(async (request) => {
      if (request.path === "/hang") return hang();
      await new Promise<void>((resolve) => release.push(resolve));
      return empty(204);
    });
    const held = ask(`${server.url}/held`);
    const hung = http.get(`${server.url}/hang`, { agent: false });
    hung.on("error", () => {});
    await until(() => server.requests.length === 2);
    expect(server.openRequests()).toBe(2);
    for (const go of release) go();
    await held;
    await until(() => server.openRequests() === 1);
    hung.destroy();
    await until(() => server.openRequests() === 0);
  });

  test("on one connection are all seen", async () => {
    const server = await start((_request, index) => json(index));
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ports: unknown[] = [];
    for (const expected of ["0", "1", "2"]) {
      const request = http.get(`${server.url}/`, { agent });
      request.on("socket", (socket) => {
        ports.push(
          socket.localPort ??
            new Promise((resolve) => socket.once("connect", () => resolve(socket.localPort))),
        );
      });
      const [response]: unknown[] = await once(request, "response");
      if (!(response instanceof http.IncomingMessage)) throw new Error("no response");
      expect((await response.toArray()).join("")).toBe(expected);
    }
    agent.destroy();
    expect(new Set(await Promise.all(ports)).size).toBe(1);
  });
});

describe("close", () => {
  test("ends hanging, slow and endless responses at once", async () => {
    const modes = new Map([
      ["/hang", hang()],
      ["/slow", slow({ headersMs: 60_000, chunks: [] })],
      ["/slow-body", slow({ chunks: ["a", "b"], everyMs: 60_000 })],
      ["/open", slow({ chunks: ["a"], stayOpen: true })],
      ["/endless", endless("0123456789")],
    ]);
    const server = await startScriptedServer((request) => modes.get(request.path) ?? empty(404));
    const asked = [...modes.keys()].map((path) => ask(server.url + path).catch(codeOf));
    await until(() => server.requests.length === modes.size);
    const begun = performance.now();
    await server.close();
    await Promise.all(asked);
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(server.openRequests()).toBe(0);
    await expect(ask(server.url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("reports an error of the script, whose request was aborted", async () => {
    const server = await startScriptedServer(() => {
      throw new Error("not in this script");
    });
    await expect(ask(server.url)).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect(server.close()).rejects.toThrow("not in this script");
  });
});

describe("a reply", () => {
  test("json writes a value", async () => {
    const server = await start(() => json({ rows: [] }, { status: 400, headers: { "X-Api-Plan": "free" } }));
    expect(await ask(server.url)).toMatchObject({
      status: 400,
      headers: { "content-type": "application/json", "content-length": "11", "x-api-plan": "free" },
      body: Buffer.from('{"rows":[]}'),
      cut: undefined,
    });
  });

  test("json passes a string on, including digits and syntax errors", async () => {
    const text = '[{"total_supply": 100000000000000000000000001}';
    const server = await start(() => json(text));
    expect((await ask(server.url)).body.toString()).toBe(text);
  });

  test("bytes passes any bytes on, with headers that may not match them", async () => {
    const gzipped = gzipSync('{"ok":true}');
    const invalid = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x00]);
    const server = await start((request) =>
      request.path === "/gzip" ? bytes(gzipped, { "content-encoding": "gzip" }) : bytes(invalid, {}, 503),
    );
    const packed = await ask(`${server.url}/gzip`);
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed.body).toString()).toBe('{"ok":true}');
    expect(await ask(server.url)).toMatchObject({ status: 503, body: invalid });
  });

  test("html is a page in place of the expected JSON", async () => {
    const server = await start(() => html(403));
    const heard = await ask(server.url);
    expect(heard).toMatchObject({ status: 403, headers: { "content-type": "text/html; charset=UTF-8" } });
    expect(heard.body.toString()).toMatch(/^<!DOCTYPE html>\n<html>.*blocked.*<\/html>\n$/s);
  });

  test.each([200, 204, 404, 500])("empty(%i) has no body", async (status) => {
    const server = await start(() => empty(status, { "Retry-After": "2" }));
    const heard = await ask(server.url);
    expect(heard).toMatchObject({ status, headers: { "retry-after": "2" }, cut: undefined });
    expect(heard.body.length).toBe(0);
  });

  test("redirect points to another URL", async () => {
    const server = await start(() => redirect("http://127.0.0.1:1/elsewhere", 307));
    expect(await ask(server.url)).toMatchObject({
      status: 307,
      headers: { location: "http://127.0.0.1:1/elsewhere" },
    });
  });

  test("raw writes its bytes to the socket and closes it", async () => {
    const answer = ["HTP/9 nonsense\r\n", Buffer.from([0, 255, 10]), "rest"];
    const server = await start(() => raw(answer));
    expect(await speak(server.url, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).toBe(
      "HTP/9 nonsense\r\n\u0000\u00ff\nrest",
    );
    expect(server.requests).toHaveLength(1);
  });

  test("raw can announce more bytes than it sends", async () => {
    const server = await start(() => raw(["HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n", "[1,2"]));
    expect(await ask(server.url)).toMatchObject({
      status: 200,
      body: Buffer.from("[1,2"),
      cut: "ECONNRESET",
    });
  });

  test("raw pieces with a pause between them arrive separately, and can be followed by silence", async () => {
    const pieces = ["HTTP/1.1 200 OK\r\n\r\n", "a", "b", "c"];
    const server = await start(() => raw(pieces, { everyMs: 40, stayOpen: true }));
    const request = http.get(server.url, { agent: false });
    const [response]: unknown[] = await once(request, "response");
    if (!(response instanceof http.IncomingMessage)) throw new Error("no response");
    const heard: string[] = [];
    response.on("data", (piece: Buffer) => heard.push(piece.toString()));
    response.on("error", () => {});
    await until(() => heard.length === 3);
    expect(heard).toEqual(["a", "b", "c"]);
    expect(server.openRequests()).toBe(1);
    request.destroy();
  });

  test("reset before any byte is a connection reset without a response", async () => {
    const server = await start(() => reset("before"));
    await expect(ask(server.url)).rejects.toMatchObject({ code: "ECONNRESET", syscall: "read" });
    expect(server.requests).toHaveLength(1);
  });

  test("reset after the headers, and in the body, lets the earlier bytes through", async () => {
    const server = await start((request) => reset(request.path === "/headers" ? "headers" : "body"));
    const afterHeaders = await ask(`${server.url}/headers`);
    expect(afterHeaders).toMatchObject({ status: 200, cut: "ECONNRESET" });
    expect(afterHeaders.body.length).toBe(0);
    expect(await ask(`${server.url}/body`)).toMatchObject({
      status: 200,
      body: Buffer.from('[{"id":"0x'),
      cut: "ECONNRESET",
    });
  });

  test("reset is an RST, not a FIN", async () => {
    const server = await start(() => reset("body"));
    const socket = net.connect(Number(new URL(server.url).port), "127.0.0.1");
    let ended = false;
    socket.on("end", () => {
      ended = true;
    });
    socket.resume();
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const [error]: unknown[] = await once(socket, "error").catch((reason: unknown) => [reason]);
    expect([codeOf(error), ended]).toEqual(["ECONNRESET", false]);
  });

  test("hang sends nothing at all", async () => {
    const server = await start(() => hang());
    const answered = ask(server.url, { timeout: 150 });
    const socket = net.connect(Number(new URL(server.url).port), "127.0.0.1");
    let heard = 0;
    socket.on("data", (chunk) => {
      heard += chunk.length;
    });
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const outcome = await Promise.race([
      answered.then(
        () => "answered",
        () => "cut off",
      ),
      new Promise((resolve) => {
        setTimeout(resolve, 150, "silence");
      }),
    ]);
    expect([outcome, heard, server.openRequests()]).toEqual(["silence", 0, 2]);
    answered.catch(() => {});
    socket.destroy();
  });

  test("slow waits before the headers and before each chunk", async () => {
    const server = await start(() => slow({ headersMs: 80, chunks: ["[1", ",2", "]"], everyMs: 50 }));
    const heard = await ask(server.url);
    expect(heard).toMatchObject({ status: 200, body: Buffer.from("[1,2]"), cut: undefined });
    // Timers count full milliseconds, so each may be up to one early on this clock.
    expect(heard.headersAfter).toBeGreaterThan(78);
    expect(heard.piecesAfter).toHaveLength(3);
    // Since the request: on a busy machine, this process may hear of the headers late, and of a chunk right after them.
    for (const [index, after] of heard.piecesAfter.entries()) {
      expect(after).toBeGreaterThan(80 + 50 * (index + 1) - (index + 3));
    }
  });

  test("slow sends the headers at once and can stay open: an event stream", async () => {
    const server = await start(() =>
      slow({
        headers: { "content-type": "text/event-stream" },
        chunks: ["event: ping\n", "data: {}\n\n"],
        stayOpen: true,
      }),
    );
    const request = http.get(server.url, { agent: false });
    const [response]: unknown[] = await once(request, "response");
    if (!(response instanceof http.IncomingMessage)) throw new Error("no response");
    expect(response.headers["content-type"]).toBe("text/event-stream");
    let heard = "";
    let ended = false;
    response.on("data", (piece: Buffer) => {
      heard += piece.toString();
    });
    response.on("end", () => {
      ended = true;
    });
    response.on("error", () => {});
    await until(() => heard === "event: ping\ndata: {}\n\n");
    expect([ended, server.openRequests()]).toEqual([false, 1]);
    request.destroy();
  });

  test("endless continues until the client closes the connection", async () => {
    const server = await start(() => endless("x".repeat(64 * 1024)));
    const request = http.get(server.url, { agent: false });
    const [response]: unknown[] = await once(request, "response");
    if (!(response instanceof http.IncomingMessage)) throw new Error("no response");
    let heard = 0;
    response.on("data", (piece: Buffer) => {
      heard += piece.length;
    });
    response.on("error", () => {});
    await until(() => heard > 20 * 1024 * 1024);
    expect(server.openRequests()).toBe(1);
    request.destroy();
    await until(() => server.openRequests() === 0);
  });

  test("endless rejects a chunk that would never fill a buffer", () => {
    expect(() => endless("")).toThrow("not empty");
  });
});
