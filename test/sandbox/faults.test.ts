import { isDeepStrictEqual } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import {
  answerWithFaults,
  createSandboxState,
  parseFaults,
  startSandbox,
} from "../harness/bundled-sandbox.ts";
import { type FaultTraits, faultTraits } from "../../src/sandbox/fault-kinds.ts";
import type { SandboxOptions } from "../../src/sandbox/sandbox-exchange.ts";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import type { ReceivedRequest } from "../../src/sandbox/received-request.ts";
import { at, exchange, list, NOON, USDC, USDC_WETH, WETH } from "./contract/service.ts";
import { headerOf, type RawReply, rawRequest, statusOf } from "./raw-request.ts";

const open: RunningSandbox[] = [];
const KEY = "api_pro_faults";

afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
});

async function start(spec: string, options: Partial<SandboxOptions> = {}): Promise<RunningSandbox> {
  const faults = parseFaults(spec);
  const sandbox = await startSandbox({
    now: () => NOON * 1000,
    elapsed: () => performance.now(),
    faults,
    ...options,
  });
  open.push(sandbox);
  return sandbox;
}

async function requestWithFault(spec: string): Promise<RawReply> {
  const { restPaid } = await start(spec);
  return await rawRequest(restPaid, "/networks", { key: KEY });
}

/** Of some thousand connections that are reset, the system reports one as ended. A second one in a row would be a defect. */
async function requestWithReset(spec: string): Promise<RawReply> {
  const reply = await requestWithFault(spec);
  return reply.ended === "reset" ? reply : await requestWithFault(spec);
}

/** The statuses of the first requests; 0 for a connection that closed without a response. */
async function statuses(sandbox: RunningSandbox, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const reply = await rawRequest(sandbox.restPaid, "/networks", { key: KEY });
    found.push(reply.ended === "reset" ? 0 : (statusOf(reply) ?? 0));
  }
  return found;
}

const parsed = ({ body }: RawReply): unknown => JSON.parse(body);

/** What a client receives for these requests, which are more in a minute than its plan allows. */
function* received(spec: string): Generator {
  const faults = parseFaults(spec);
  const clocks = { now: () => NOON * 1000, elapsed: () => 0 };
  const state = createSandboxState({ ...clocks, requestsPerMinute: 5, faults });
  const transactions = `/networks/ethereum/pools/${USDC_WETH}/transactions?limit=4`;
  const search = "/networks/tempo/pools/search?txns_24h_min=1";
  const next = `&cursor=${Buffer.from(`{"t":${NOON},"o":10}`).toString("base64url")}`;
  const shared = { method: "GET", headers: { authorization: KEY }, remoteAddress: "127.0.0.1" } as const;
  for (const target of [transactions, `${transactions}&page=2`, search, search, search + next, "/networks"]) {
    const { status, headers, body } = answerWithFaults({ ...shared, target, host: "rest_paid" }, state);
    yield { status, headers, body };
  }
}

describe("every fault has an effect", () => {
  /** A new fault of the other layers has one without any code. */
  const layers: readonly FaultTraits["layer"][] = ["answer", "change", "header", "market", "cache"];
  const names = Object.entries<FaultTraits>(faultTraits).filter(([, { layer }]) => layers.includes(layer));

  test.each(names)("%s", (name, { sample }) => {
    const sound = received("500@99");
    // No pool of the list is young enough for the default.
    const spec = name === "late-pools" ? "late-pools=90d" : name;
    const isSame = [...received(sample === undefined ? spec : `${spec}:100%`)].every((response) =>
      isDeepStrictEqual(response, sound.next().value),
    );
    expect(isSame).toBe(false);
  });
});

describe("faults that replace the response", () => {
  test.each([
    ["188", 402, "payment_required", 0],
    ["185", 401, "unauthorized", 0],
    ["192", 403, "forbidden", 0],
    ["196", 429, "rate_limited", 0],
    ["198", 500, "internal_error", 0],
    ["199", 502, "unavailable", 0],
    ["199", 503, "unavailable", 0],
    ["199", 504, "unavailable", 0],
    ["", 400, "invalid_param", 1],
    ["", 404, "not_found", 1],
    ["", 410, "endpoint_removed", 1],
  ])("%s: %d is JSON with %s, plan and credits, and costs %d", async (_rule, status, code, cost) => {
    const reply = await requestWithFault(String(status));
    expect(statusOf(reply)).toBe(status);
    expect(at(parsed(reply), "error")).toBe(code);
    expect(headerOf(reply, "content-type")).toMatch(/^application\/json/u);
    expect(headerOf(reply, "x-api-plan")).toBe("pro");
    expect(headerOf(reply, "x-credits-remaining")).toBe(String(5_000_000 - cost));
  });

  test("189, 190: 402 has the tier's credits and never Retry-After", async () => {
    const { restFree } = await start("402");
    const reply = await rawRequest(restFree, "/networks");
    expect(parsed(reply)).toMatchObject({ tier: "keyless", credits: { limit: 10_000 } });
    expect(at(parsed(reply), "resets_at")).toBeUndefined();
    expect(headerOf(reply, "retry-after")).toBeUndefined();
  });

  test("196: the header and the body of a 429 contain the configured wait", async () => {
    const reply = await requestWithFault("429=7");
    expect([headerOf(reply, "retry-after"), headerOf(reply, "ratelimit-reset")]).toEqual(["7", "7"]);
    expect(at(parsed(reply), "retry_after")).toBe(7);
  });

  test("153: html is 403 by default and has no headers of the service", async () => {
    const reply = await requestWithFault("html");
    expect([statusOf(reply), headerOf(reply, "content-type")]).toEqual([403, "text/html"]);
    expect(reply.body).toMatch(/^<!DOCTYPE html>/u);
    expect(headerOf(reply, "x-api-plan")).toBeUndefined();
    expect(statusOf(await requestWithFault("html=502"))).toBe(502);
  });

  test("171: a message-only fault has a body with a message and nothing else", async () => {
    const reply = await requestWithFault("message-only=404");
    expect(statusOf(reply)).toBe(404);
    expect(parsed(reply)).toEqual({ message: expect.any(String) });
    expect(statusOf(await requestWithFault("message-only"))).toBe(500);
  });

  test("in the public dialect, errors have a message only", async () => {
    const { restPaid } = await start("500", { dialect: "public" });
    expect(parsed(await rawRequest(restPaid, "/networks", { key: KEY }))).toEqual({
      message: expect.any(String),
    });
  });

  test("faults do not count against the rate limit", async () => {
    const sandbox = await start("500x3", { requestsPerMinute: 2 });
    expect(await statuses(sandbox, 6)).toEqual([500, 500, 500, 200, 200, 429]);
  });
});

describe("faults in the body", () => {
  test("empty: no body, but the status and cost of the normal response", async () => {
    const reply = await requestWithFault("empty");
    expect([statusOf(reply), reply.body, headerOf(reply, "content-length")]).toEqual([200, "", "0"]);
    expect(headerOf(reply, "x-credits-remaining")).toBe("4999999");
    expect(statusOf(await requestWithFault("empty=404"))).toBe(404);
  });

  test("invalid-json: the body is cut short, with a matching Content-Length", async () => {
    const reply = await requestWithFault("invalid-json");
    expect(headerOf(reply, "content-length")).toBe(String(Buffer.byteLength(reply.body)));
    expect(reply.body).toMatch(/^\[\{"id":/u);
    expect(() => parsed(reply)).toThrow(SyntaxError);
  });

  test("truncate: the body is shorter than Content-Length, then the connection closes", async () => {
    const reply = await requestWithFault("truncate");
    expect([statusOf(reply), reply.ended]).toEqual([200, "closed"]);
    const length = Number(headerOf(reply, "content-length"));
    expect(reply.body.length).toBe(Math.floor(length / 2));
  });

  test("slow-body: the body arrives in small parts over the given time", async () => {
    const reply = await requestWithFault("slow-body=600ms");
    expect([statusOf(reply), reply.ended]).toEqual([200, "closed"]);
    expect(list(parsed(reply)).length).toBe(35);
    expect(reply.milliseconds).toBeGreaterThan(590);
    expect(reply.pieces).toBeGreaterThan(5);
  });

  test("slow-headers: so does the head", async () => {
    const { restPaid } = await start("slow-headers=1s");
    const reply = await rawRequest(restPaid, "/networks", { key: KEY });
    expect(list(parsed(reply)).length).toBe(35);
    expect(reply.milliseconds).toBeGreaterThan(990);
    const early = await rawRequest(restPaid, "/networks", { key: KEY, patience: 300 });
    expect([early.head, early.text.startsWith("H")]).toEqual([undefined, true]);
  });

  test("a HEAD response has no body, even with a delivery fault", async () => {
    const { restPaid } = await start("slow-headers=50ms");
    const reply = await rawRequest(restPaid, "/networks", { key: KEY, method: "HEAD" });
    expect([statusOf(reply), reply.body]).toEqual([405, ""]);
  });
});

describe("faults in the connection", () => {
  test("reset-before: no bytes are sent", async () => {
    const reply = await requestWithReset("reset-before");
    expect([reply.text, reply.ended]).toEqual(["", "reset"]);
  });

  test("reset-headers: the head is incomplete", async () => {
    const reply = await requestWithReset("reset-headers");
    expect([reply.head, reply.text.startsWith("HTTP/1.1 200 "), reply.ended]).toEqual([
      undefined,
      true,
      "reset",
    ]);
  });

  test("reset-body: the head and half the body are sent", async () => {
    const reply = await requestWithReset("reset-body");
    expect([statusOf(reply), reply.ended]).toEqual([200, "reset"]);
    expect(reply.body.length).toBe(Math.floor(Number(headerOf(reply, "content-length")) / 2));
  });

  test("reset-after: the connection closes after a complete keep-alive response", async () => {
    const reply = await requestWithReset("reset-after");
    expect([headerOf(reply, "connection"), reply.ended]).toEqual(["keep-alive", "reset"]);
    expect(list(parsed(reply)).length).toBe(35);
  });

  test("lost responses cost the normal price", async () => {
    const { restPaid } = await start("reset-before@1,truncate@2");
    for (let sent = 0; sent < 2; sent += 1) await rawRequest(restPaid, "/networks", { key: KEY });
    const reply = await rawRequest(restPaid, "/networks", { key: KEY });
    expect(headerOf(reply, "x-credits-remaining")).toBe("4999997");
  });

  test("closing the sandbox ends slow responses", async () => {
    const { restPaid, close } = await start("slow-body=1m");
    const waiting = rawRequest(restPaid, "/networks", { key: KEY });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await close();
    expect((await waiting).milliseconds).toBeLessThan(2000);
  });
});

describe("page faults", () => {
  const search = "/networks/tempo/pools/search?limit=5";
  const ids = (body: unknown): readonly unknown[] => list(body, "results").map((row) => at(row, "id"));
  const next = (body: unknown): string => `&cursor=${encodeURIComponent(String(at(body, "next_cursor")))}`;

  test("duplicate-page: the second page repeats the rows of the first, then the list continues", async () => {
    const { restPaid } = await start("duplicate-page@1");
    const ask = async (path: string): Promise<unknown> => (await exchange(restPaid, path, { key: KEY })).body;
    const first = await ask(search);
    const second = await ask(search + next(first));
    expect(ids(second)).toEqual(ids(first));
    const third = await ask(search + next(second));
    const whole = await ask("/networks/tempo/pools/search?limit=15");
    expect(ids(third)).toEqual(ids(whole).slice(10));
    expect(at(second, "query.cursor")).toBe(at(first, "next_cursor"));
  });

  test("duplicate-page: works for numbered pages and for transactions beyond page 100", async () => {
    const { restPaid } = await start("duplicate-page");
    const path = `/networks/ethereum/pools/${USDC_WETH}/transactions?limit=3`;
    const ask = async (more: string): Promise<unknown> =>
      (await exchange(restPaid, path + more, { key: KEY })).body;
    const first = await ask("");
    const second = await ask("&page=2");
    expect(list(second, "transactions")).toEqual(list(first, "transactions"));
    expect(at(second, "page_info.page")).toBe(2);
    const last = String(at(list(first, "transactions")[2], "id"));
    expect(list(await ask(`&cursor=${last}`), "transactions")).toEqual(list(first, "transactions"));
  });

  test("duplicate rows cost credits once", async () => {
    const { restPaid } = await start("duplicate-page");
    const first = await exchange(restPaid, search, { key: KEY });
    const second = await exchange(restPaid, search + next(first.body), { key: KEY });
    expect(second.headers["x-credits-remaining"]).toBe("4999998");
    const third = await exchange(restPaid, "/networks", { key: KEY });
    expect(third.headers["x-credits-remaining"]).toBe("4999997");
  });

  test("repeat-cursor: a later page returns its own cursor as the next", async () => {
    const { restPaid } = await start("repeat-cursor");
    const first = await exchange(restPaid, search, { key: KEY });
    const second = await exchange(restPaid, search + next(first.body), { key: KEY });
    expect(next(second.body)).toBe(next(first.body));
    expect(at(second.body, "has_next_page")).toBe(true);
    expect(ids(second.body)).not.toEqual(ids(first.body));
  });

  test("56: drop-filter: one filter is neither applied nor echoed; the others are", async () => {
    const path = "/networks/tempo/pools/search?limit=100&volume_usd_24h_min=1e9&txns_24h_min=1";
    const { restPaid } = await start("drop-filter@1,drop-filter=txns_24h_min@2");
    const dropped = await exchange(restPaid, path, { key: KEY });
    expect([at(dropped.body, "query.volume_usd_24h_min"), at(dropped.body, "query.txns_24h_min")]).toEqual([
      undefined,
      1,
    ]);
    expect(ids(dropped.body).length).toBeGreaterThan(0);
    const named = await exchange(restPaid, path, { key: KEY });
    expect([at(named.body, "query.volume_usd_24h_min"), at(named.body, "query.txns_24h_min")]).toEqual([
      1e9,
      undefined,
    ]);
    expect(ids((await exchange(restPaid, path, { key: KEY })).body)).toEqual([]);
  });

  test("page faults count only the requests they apply to", async () => {
    const { restPaid } = await start("repeat-cursorx1");
    for (let sent = 0; sent < 3; sent += 1) await exchange(restPaid, "/networks", { key: KEY });
    const first = await exchange(restPaid, search, { key: KEY });
    const second = await exchange(restPaid, search + next(first.body), { key: KEY });
    expect(next(second.body)).toBe(next(first.body));
    const again = await exchange(restPaid, search + next(first.body), { key: KEY });
    expect(next(again.body)).not.toBe(next(first.body));
  });
});

describe("page faults of every list endpoint", () => {
  const pool = `/networks/ethereum/pools/${USDC_WETH}`;
  const lists = [
    ["network pools search", "/networks/tempo/pools/search?limit=4", "results"],
    ["pools search", "/pools/search?chains=tempo&limit=4", "results"],
    ["network tokens search", "/networks/tempo/tokens/search?limit=4", "results"],
    ["tokens search", "/tokens/search?chains=tempo&limit=4", "results"],
    ["dexes", "/networks/ethereum/dexes?limit=4", "dexes"],
    ["transactions", `${pool}/transactions?limit=4`, "transactions"],
    ["transactions by cursor", `${pool}/transactions?limit=4&cursor=`, "transactions"],
    ["pool candles", `${pool}/ohlcv?start=-6h&interval=1h&limit=6`, ""],
    ["token candles", `/networks/ethereum/tokens/${WETH}/ohlcv?start=-6h&interval=1h&limit=6`, ""],
    ["prices", `/networks/ethereum/multi/prices?tokens=${WETH},${USDC}`, ""],
    ["networks", "/networks", ""],
  ] as const;
  /** The same list at another position, if it has several pages. */
  const later = (path: string): string => {
    if (path.includes("/ohlcv")) return `${path.replace("start=-6h", "start=-12h")}&end=-6h`;
    if (path.includes("/multi/")) return path.replace(WETH, "0xdac17f958d2ee523a2206206994597c13d831ec7");
    return /(?:dexes|transactions)\?limit=4$/u.test(path) ? `${path}&page=2` : path;
  };
  const ask = async ({ restPaid }: RunningSandbox, path: string): Promise<unknown> =>
    (await exchange(restPaid, path, { key: KEY })).body;
  /** Everything except the rows. */
  const rest = (body: unknown, rows: string): unknown =>
    rows === "" ? [] : { ...Object(body), [rows]: undefined };

  /**
   * A sandbox that injects a fault into every second request, starting with the first. The other requests
   * show the normal response.
   */
  const alternating = async (fault: string, pairs: number): Promise<RunningSandbox> =>
    await start(Array.from({ length: pairs }, (_, index) => `${fault}@${2 * index + 1}`).join());

  test.each([
    ["empty-page", (): number => 0],
    ["short-page", (rows: number): number => Math.floor(rows / 2)],
  ] as const)("%s removes rows and changes nothing else", async (fault, left) => {
    const sandbox = await alternating(fault, lists.length);
    for (const [name, path, rows] of lists) {
      const faulty = await ask(sandbox, path);
      const sound = await ask(sandbox, path);
      const whole = list(sound, rows);
      expect({ name, rows: whole.length > 1 }).toEqual({ name, rows: true });
      expect({ name, rows: list(faulty, rows) }).toEqual({ name, rows: whole.slice(0, left(whole.length)) });
      expect({ name, rest: rest(faulty, rows) }).toEqual({ name, rest: rest(sound, rows) });
    }
  });

  test("stale-page returns the previous response of the same list, including its page information", async () => {
    const sandbox = await alternating("stale-page", lists.length);
    for (const [name, path] of lists) {
      // The same list as the previous one, so its first response could already be stale.
      if (name === "transactions by cursor") continue;
      const first = await ask(sandbox, path);
      const stale = await ask(sandbox, later(path));
      const sound = await ask(sandbox, later(path));
      expect({ name, body: stale }).toEqual({ name, body: first });
      if (later(path) !== path) expect({ name, body: sound }).not.toEqual({ name, body: first });
    }
  });

  test("overlap-page begins with the last rows of the previous page, instead of its own first rows", async () => {
    const ids = (body: unknown, rows: string): readonly unknown[] =>
      list(body, rows).map((row) => at(row, "id") ?? at(row, "address") ?? at(row, "dex_id"));
    for (const [, path, rows] of lists.slice(0, 7)) {
      const sandbox = await start("overlap-page=3@1,overlap-page=9@2");
      const first = await ask(sandbox, path);
      const cursor = at(first, "next_cursor") ?? at(first, "page_info.next_cursor");
      const bare = path.replace(/&cursor=$/u, "");
      const second = typeof cursor === "string" ? `${bare}&cursor=${cursor}` : `${path}&page=2`;
      // Only a page that follows another one counts.
      const [some, all, sound] = [
        await ask(sandbox, second),
        await ask(sandbox, second),
        await ask(sandbox, second),
      ];
      const [before, own] = [ids(first, rows), ids(sound, rows)];
      expect({ path, ids: ids(some, rows) }).toEqual({ path, ids: [...before.slice(-3), ...own.slice(3)] });
      if (!path.includes("cursor=")) expect({ path, ids: ids(all, rows) }).toEqual({ path, ids: before });
      expect({ path, rest: rest(some, rows) }).toEqual({ path, rest: rest(sound, rows) });
    }
  });

  test("wrong-date moves the Date header", async () => {
    const date = async (faults: string): Promise<number> => {
      const response = await fetch(`${(await start(faults)).restFree}/networks`);
      return Date.parse(response.headers.get("date") ?? "");
    };
    const sound = await date("500@9");
    expect((await date("wrong-date=2h")) - sound).toBe(7_200_000);
    expect((await date("wrong-date")) - sound).toBe(259_200_000);
  });

  test("page faults affect requests in the form for proxies, whose log entry has only the path", async () => {
    const log: ReceivedRequest[] = [];
    const { restPaid } = await start("no-rows", { log: (request) => void log.push(request) });
    const path = "/networks/ethereum/pools/search?limit=2";
    const reply = await rawRequest(restPaid, `${restPaid}${path}`, { key: KEY });
    expect(at(parsed(reply), "results")).toEqual([]);
    expect(log.map(({ url }) => url)).toEqual([path]);
  });

  test("no-rows returns an empty list with totals of 0, once", async () => {
    for (const [name, path, rows] of lists) {
      const sandbox = await start("no-rows");
      const [none, sound] = [await ask(sandbox, path), await ask(sandbox, path)];
      expect({ name, rows: list(none, rows) }).toEqual({ name, rows: [] });
      expect(list(sound, rows).length).toBeGreaterThan(0);
      if (at(sound, "page_info.total_items") !== undefined)
        expect([at(none, "page_info.total_items"), at(none, "page_info.total_pages")]).toEqual([0, 0]);
      expect(at(none, "next_cursor") ?? at(none, "page_info.next_cursor") ?? "").toBe("");
    }
  });

  test("foreign-page returns the rows or the record of another pool, token or network", async () => {
    const sandbox = await alternating("foreign-page", lists.length + 1);
    const records = [
      ["pool", pool, ""],
      ["token", `/networks/ethereum/tokens/${WETH}`, ""],
    ] as const;
    for (const [name, path, rows] of [...lists.filter(([, each]) => each !== "/networks"), ...records]) {
      const foreign = await ask(sandbox, path);
      const sound = await ask(sandbox, path);
      if (records.some(([each]) => each === name)) {
        expect({ name, id: at(foreign, "id") }).not.toEqual({ name, id: at(sound, "id") });
        continue;
      }
      const [others, own] = [list(foreign, rows), list(sound, rows)];
      expect({ name, rows: others.length }).toEqual({ name, rows: own.length });
      for (const row of others) expect(own).not.toContainEqual(row);
      if (path.includes("transactions")) expect(at(others[0], "pool_id")).not.toBe(USDC_WETH);
      if (/search|dexes|prices/u.test(path)) expect(at(others[0], "chain")).not.toBe(at(own[0], "chain"));
      if (path.includes("search")) expect(at(foreign, "query")).not.toEqual(at(sound, "query"));
      // A numbered page keeps its number and its totals.
      if (at(sound, "page_info.page") !== undefined)
        expect({ name, info: at(foreign, "page_info") }).toEqual({ name, info: at(sound, "page_info") });
    }
    const untouched = await ask(await start("foreign-page@1-"), "/networks");
    expect(untouched).toEqual(await ask(await start("500@9"), "/networks"));
  });

  test("missing-cursor reports a next page without a cursor, even after the last page of a search", async () => {
    const newest = await ask(await start("missing-cursor"), `${pool}/transactions?limit=1`);
    const withCursors: readonly (readonly [string, string])[] = [
      ...lists
        .filter(([, path]) => /search|cursor/u.test(path))
        .map(
          ([, path, rows]) =>
            [path.replace(/cursor=$/u, `cursor=${String(at(newest, "transactions.0.id"))}`), rows] as const,
        ),
      ["/networks/tempo/pools/search?limit=100&volume_usd_24h_min=1e15", "results"],
    ];
    const sandbox = await alternating("missing-cursor", withCursors.length);
    for (const [path, rows] of withCursors) {
      const info = path.includes("cursor=") ? "page_info." : "";
      const faulty = await ask(sandbox, path);
      const sound = await ask(sandbox, path);
      expect(at(faulty, `${info}next_cursor`)).toBeUndefined();
      expect(at(sound, `${info}next_cursor`)).toEqual(expect.any(String));
      expect(list(faulty, rows)).toEqual(list(sound, rows));
      if (info === "") expect(at(faulty, "has_next_page")).toBe(true);
    }
  });

  test("page faults apply once, and not to single objects, search groups or errors", async () => {
    const others = ["/usage", pool, "/search?query=weth", `${pool}/nothing`, "/networks/eth/dexes"];
    const sandbox = await start("empty-page@3-,short-page,missing-cursor@1-,stale-page@1-");
    const first = await ask(sandbox, "/networks");
    expect(list(first).length).toBe(17);
    const answers = await Promise.all(others.map(async (path) => await ask(sandbox, path)));
    expect(answers.map((body) => at(body, "error"))).toEqual([
      undefined,
      undefined,
      undefined,
      "route_not_found",
      "unsupported_network",
    ]);
    expect(list(answers[2], "tokens").length).toBeGreaterThan(0);
  });
});

describe("header faults", () => {
  const names = ["x-api-plan", "x-credits-limit", "x-credits-remaining", "x-credits-reset"];
  const seen = (reply: RawReply): readonly unknown[] => names.map((name) => headerOf(reply, name));

  test("155: the response contains a different plan, keyless by default", async () => {
    expect(headerOf(await requestWithFault("plan=dev"), "x-api-plan")).toBe("dev");
    expect(headerOf(await requestWithFault("plan"), "x-api-plan")).toBe("keyless");
  });

  test("the plan header is missing", async () => {
    expect(seen(await requestWithFault("no-plan-header")).map((value) => value === undefined)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test("216: the credit headers are missing", async () => {
    expect(seen(await requestWithFault("no-credit-headers"))).toEqual([
      "pro",
      undefined,
      undefined,
      undefined,
    ]);
  });

  const limits = ["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
  test.each([
    ["429", [true, true, true, true]],
    ["429,no-ratelimit-headers", [true, false, false, false]],
    ["429,no-retry-after", [false, true, true, true]],
    ["no-ratelimit-headers,no-retry-after,429", [false, false, false, false]],
  ])("217: %s sets Retry-After and RateLimit-* to %j", async (spec, present) => {
    const reply = await requestWithFault(spec);
    expect(limits.map((name) => headerOf(reply, name) !== undefined)).toEqual(present);
  });

  test("217: a regular 429 has the changed headers too", async () => {
    const { restPaid } = await start("no-ratelimit-headers", { requestsPerMinute: 1 });
    await rawRequest(restPaid, "/networks", { key: KEY });
    const reply = await rawRequest(restPaid, "/networks", { key: KEY });
    expect([statusOf(reply), headerOf(reply, "retry-after"), headerOf(reply, "ratelimit-limit")]).toEqual([
      429,
      "60",
      undefined,
    ]);
  });
});

describe("fault timing", () => {
  test.each([
    ["500x3", [500, 500, 500, 200, 200, 200]],
    ["500@3", [200, 200, 500, 200, 200, 200]],
    ["500@2-4", [200, 500, 500, 500, 200, 200]],
    ["500@5-", [200, 200, 200, 200, 500, 500]],
    ["500", [500, 500, 500, 500, 500, 500]],
    ["500:100%", [500, 500, 500, 500, 500, 500]],
    ["500x3/tokens", [200, 200, 200, 200, 200, 200]],
    ["500@2/networks", [200, 500, 200, 200, 200, 200]],
    ["503x1,429x2,reset-before@4", [503, 429, 200, 0, 200, 200]],
  ])("%s gives %j", async (spec, expected) => {
    expect(await statuses(await start(spec), 6)).toEqual(expected);
  });

  test("a rate is approximate, the same in every run with one seed, and different with another seed", async () => {
    const run = async (seed: number, requests: number): Promise<readonly number[]> =>
      await statuses(await start("500:20%,429:10%", { seed, requestsPerMinute: 1e6 }), requests);
    const [first, again, other] = [await run(5, 100), await run(5, 30), await run(6, 30)];
    expect(again).toEqual(first.slice(0, 30));
    expect(other).not.toEqual(again);
    const count = (status: number): number => first.filter((each) => each === status).length;
    expect(count(500)).toBeGreaterThan(10);
    expect(count(500)).toBeLessThan(30);
    expect(count(429)).toBeGreaterThan(2);
    expect(count(429)).toBeLessThan(18);
  });

  test("a burst by rate has the given length", async () => {
    const found = await statuses(await start("500:3%x4", { requestsPerMinute: 1e6 }), 60);
    const bursts = found.join(" ").match(/(?:500 ?)+/gu) ?? [];
    expect(bursts.length).toBeGreaterThan(0);
    for (const burst of bursts) expect(burst.trim().split(" ").length).toBeGreaterThanOrEqual(4);
  });

  test("the log contains the fault as typed", async () => {
    const log: ReceivedRequest[] = [];
    const sandbox = await start("429x1,no-retry-after,reset-after@2", {
      log: (request) => log.push(request),
    });
    await statuses(sandbox, 3);
    expect(log.map(({ faults }) => faults)).toEqual([
      ["429x1", "no-retry-after"],
      ["no-retry-after", "reset-after@2"],
      ["no-retry-after"],
    ]);
  });
});
