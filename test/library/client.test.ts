import { describe, expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import type { ClientOptions, Failure as PublicFailure } from "../../src/library/public-types.ts";
import { rowsOf } from "../harness/rows.ts";
import { dexdata } from "../harness/dexdata.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { empty, json, type Reply } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { settings } from "../../src/client/settings.ts";
import { nameOptions } from "../../src/library/library-failure.ts";
import { failureOf, openLibrary } from "./open-library.ts";

const freeHost = settings.base_url.fallbackText;

const network = "fantom";
const token_address = "0x3e75a8e0409ef1ff79c2b7b1d85fe309c46347bc";
const pool_address = "0xf19559e278ae925ab609505cc38955b0e1d2a915";

describe("on the sandbox", () => {
  const sandbox = useSandbox();

  test("returns what the command line prints: records, lists, batches, candles", async () => {
    const client = openLibrary({ environment: sandbox.env() });
    const lines = async (words: string) =>
      rowsOf((await dexdata(`${words} -o ndjson`, { env: sandbox.env() })).stdout);
    const place = { network, pool_address };
    expect([await client.pool(place)]).toEqual(await lines(`pool ${network} ${pool_address}`));
    expect(
      await client
        .networkPoolsSearch({ network, order_by: "price_usd", sort: "asc" }, { limit: 7 })
        .toArray(),
    ).toEqual(await lines(`pools search ${network} --order-by price_usd --sort asc --limit 7 --detailed`));
    const trades = await client.poolTransactions({ ...place, from: "-2h" }).toArray();
    const printed = await lines(`txns ${network} ${pool_address} --from -2h --all`);
    const raw = ({ amount_0, amount_1, recipient }: (typeof printed)[number]) =>
      [amount_0, amount_1, recipient].map(String);
    expect(trades.map(raw)).toEqual(printed.map(raw));
    // The service lacks candles of 4h.
    for (const interval of ["1h", "4h"] as const)
      expect(await client.tokenOhlcv({ network, token_address, interval, count_back: 4 }).toArray()).toEqual(
        (await lines(`ohlcv ${network} ${token_address} --interval ${interval} --count-back 4`)).map((row) =>
          Object.fromEntries(Object.entries(row).filter(([name]) => name !== "partial")),
        ),
      );
    const pages = [];
    for await (const page of client
      .multiPrices({ network, tokens: [token_address, "0x00000000000000000000000000000000000000ff"] })
      .pages())
      pages.push(page);
    expect(pages).toMatchObject([
      {
        rows: [{ id: token_address }],
        missing: [{ network, address: "0x00000000000000000000000000000000000000ff" }],
      },
    ]);
  });

  test("rows of a search include names and symbols, unless shorter rows are requested", async () => {
    const client = openLibrary({ environment: sandbox.env() });
    const symbols = async (params: object): Promise<readonly unknown[]> => {
      const rows = await client.networkPoolsSearch({ network, ...params }, { limit: 3 }).toArray();
      return rows.map(({ tokens }) => (Array.isArray(tokens) ? tokens[0].symbol : "no tokens"));
    };
    expect(await symbols({})).toEqual(Array(3).fill(expect.stringMatching(/./u)));
    expect(await symbols({ detailed: true })).toEqual(await symbols({}));
    expect(await symbols({ detailed: false })).toEqual(Array(3).fill(undefined));
  });

  test("a list requests only the pages that are read, and starts over each time", async () => {
    const client = openLibrary({ environment: sandbox.env() });
    sandbox.takeLog();
    const list = client.networkPoolsSearch({ network });
    expect(sandbox.takeLog()).toEqual([]);
    for await (const page of list.pages()) {
      expect(page.rows).toHaveLength(100);
      expect(page.texts.map((text): unknown => JSON.parse(text))).toEqual(page.rows);
      break;
    }
    for await (const row of list) {
      expect(row["chain"]).toBe(network);
      break;
    }
    expect(sandbox.takeLog()).toHaveLength(2);
    expect(client.meter).toMatchObject({ requests: 2, credits: 2, plan: "pro" });
  });

  test("the environment is read only if it is passed in", async () => {
    const client = openLibrary({ baseUrl: sandbox.running().restFree });
    expect(await client.networks().toArray()).not.toEqual([]);
    expect(client.meter.plan).toBe("keyless");
  });

  test("DEXDATA_NOW in the environment is the time of the client, unless there is a now option", async () => {
    const time = "2026-11-21T08:00:00Z";
    const place = { network, pool_address };
    const sent = async (options: ClientOptions): Promise<unknown> => {
      sandbox.takeLog();
      await openLibrary(options)
        .poolTransactions({ ...place, from: "-10m" }, { limit: 1 })
        .toArray();
      return new URL(sandbox.takeLog()[0]?.url ?? "", "http://127.0.0.1").searchParams.get("from");
    };
    const before = (instant: string | number): string => String(new Date(instant).getTime() / 1000 - 600);
    const environment = { ...sandbox.env(), DEXDATA_NOW: time };
    expect(await sent({ environment })).toBe(before(time));
    const other = "2026-11-21T07:00:00Z";
    expect(await sent({ environment, now: () => new Date(other) })).toBe(before(other));
    expect(await sent({ environment: { ...environment, DEXDATA_NOW: "" } })).toBe(before(sandboxNow));
    expect(await failureOf(() => openLibrary({ environment: { DEXDATA_NOW: "noon" } }))).toMatchObject({
      message: expect.stringContaining('DEXDATA_NOW "noon": must be a time such as now'),
      code: "usage",
    });
  });

  test("DEXDATA_SANDBOX without a sandbox does not use the service", async () => {
    const outside = { baseUrl: "https://service.invalid", streamingUrl: "https://stream.invalid" };
    const local = { baseUrl: "http://127.0.0.1:9", streamingUrl: "http://localhost:9" };
    for (const [hosts, used] of [
      [{}, "https://api."],
      [outside, outside.baseUrl],
      [{ ...local, streamingUrl: outside.streamingUrl }, outside.streamingUrl],
    ] as const)
      expect(
        await failureOf(() => openLibrary({ environment: { DEXDATA_SANDBOX: "1" }, ...hosts })),
      ).toMatchObject({
        message: expect.stringContaining(`DEXDATA_SANDBOX is set, but this client would use ${used}`),
        code: "usage",
      });
    openLibrary({ environment: { DEXDATA_SANDBOX: "1" }, ...local });
    openLibrary({ environment: { ...sandbox.env(), DEXDATA_SANDBOX: "1" } });
    openLibrary({ environment: { DEXDATA_SANDBOX: "0" }, ...outside });
    openLibrary({ environment: { DEXDATA_SANDBOX: "" }, ...outside });
  });

  test("DEXDATA_NOW causes a warning if the service is not on this machine", () => {
    const warnings: string[] = [];
    const environment = { DEXDATA_NOW: "2026-11-21T08:00:00Z" };
    const baseUrl = "https://service.invalid";
    const warn = (text: string): void => void warnings.push(text);
    openLibrary({ environment, baseUrl: "http://127.0.0.1:9" }, warn);
    openLibrary({ environment: { DEXDATA_NOW: "" }, baseUrl }, warn);
    openLibrary({ environment, baseUrl, now: () => new Date() }, warn);
    expect(warnings).toEqual([]);
    openLibrary({ environment, baseUrl }, warn);
    expect(warnings).toEqual([
      "DEXDATA_NOW is set, so this client uses 2026-11-21T08:00:00Z as the current time",
    ]);
  });

  test("invalid arguments are rejected before a request, with the program's own messages", async () => {
    const client = openLibrary({ environment: sandbox.env() });
    sandbox.takeLog();
    const refused: readonly (readonly [() => unknown, string])[] = [
      [() => client.networkPoolsSearch({ orderby: "x" }), "unknown parameter orderby for networkPoolsSearch"],
      [
        () => client.networkPoolsSearch({ network, sort: "up" }),
        'invalid sort "up": must be one of asc, desc',
      ],
      [
        () => client.networkPoolsSearch({ network, detailed: "yes" }),
        "invalid detailed: must be true or false",
      ],
      [
        () => client.networkPoolsSearch({ network, limit: 5 }),
        "unknown parameter limit for networkPoolsSearch",
      ],
      [
        () => client.networkPoolsSearch({ network }, { limit: 0 }),
        "invalid limit: must be a whole number, 1 or more",
      ],
      [() => client.networkPoolsSearch({}), "missing parameter network"],
      [
        () => client.poolTransactions({ network, pool_address, from: new Date(Number.NaN) }),
        "invalid from: must be a valid Date",
      ],
      [
        () => client.tokenOhlcv({ network, token_address, start: "-1h", count_back: 3 }),
        "count_back and start cannot be used together",
      ],
      [
        () => client.multiPrices({ network, tokens: ["0x0000000000000000000000000000000000000001", 2] }),
        "invalid tokens: must be an address or an array of addresses",
      ],
      [
        () => client.multiPrices({ network, tokens: "" }),
        "invalid tokens: must be an address or an array of addresses",
      ],
      [() => client.multiPrices({ network }), "missing parameter tokens"],
      [() => client.multiPrices({ tokens: [token_address] }), "missing parameter network"],
      [() => client.multiPrices({ network: 1, tokens: [] }), "invalid network: must be a string"],
      [
        () => client.poolTransactions({ network, pool_address, from: -1 }),
        'invalid from "-1": as Unix seconds, must not be negative',
      ],
      [
        () => client.poolTransactions({ network, pool_address, from: 1_795_251_240_123.4 }),
        'invalid from "1795251240123": Unix seconds have at most 11 digits; this looks like milliseconds',
      ],
      [
        () => client.networkPoolsSearch({ network, token_address: `${token_address},${token_address}` }),
        "invalid token_address: must be one address, without commas",
      ],
      [() => client.stream({ feed: "prices", assets: [] }), "assets: must contain at least one asset"],
      [
        () => client.stream({ feed: "prices", assets: [], by: "pool" }),
        'invalid by "pool" for feed prices: must be token',
      ],
      [() => openLibrary({ apiKey: "Bearer api_x" }), 'the key from apiKey starts with "Bearer"'],
      [
        () => openLibrary({ apiKey: "api_free_12345" }),
        "missing tier: with a key, the plan is required to choose the host",
      ],
      [() => openLibrary({ tier: "pro" }), "missing apiKey: the plan is set to pro, but no key is set"],
      [
        () => openLibrary({ baseUrl: "http://example.com" }),
        "invalid baseUrl: must use https; http is accepted only for loopback addresses (127.0.0.1, [::1], localhost)",
      ],
      [
        () => openLibrary({ apiKey: "api_pro_12345", tier: "pro", baseUrl: freeHost }),
        `${freeHost} does not accept pro keys, and the key from apiKey is on the pro plan`,
      ],
      [
        () => openLibrary({ rpm: 0.5 }),
        'invalid rpm: must be a whole number from 1 to 100000, or "unlimited"',
      ],
    ];
    for (const [call, message] of refused)
      expect(await failureOf(call)).toEqual({
        message,
        code: "usage",
        status: undefined,
        param: undefined,
        retryAfter: undefined,
      });
    expect(sandbox.takeLog()).toEqual([]);
  });

  test("the limit of a list, given as a parameter, leads to the options", () => {
    const call = () => openLibrary().networkPoolsSearch({ network, limit: 5 });
    expect(call).toThrow(
      expect.objectContaining({ next: "limit is an option: pass { limit } after the parameters" }),
    );
  });

  test("an unknown parameter of a method without parameters has a complete next step", async () => {
    const { usage } = openLibrary();
    const call: unknown = await Promise.resolve(Reflect.apply(Object(usage), 0, [{ a: 1 }])).catch(
      (cause: unknown) => cause,
    );
    expect(call).toMatchObject({
      message: "unknown parameter a for usage",
      next: "it takes no parameters",
    });
  });

  test.each<readonly [unknown, string]>([
    [1_795_251_180, "1795251180"],
    [1_795_251_180.25, "2026-11-21T08:53:00.25Z"],
    [0, "0"],
    [0.5, "1970-01-01T00:00:00.5Z"],
    ["1795251180", "1795251180"],
    [new Date("2026-11-21T08:53:00.250Z"), "2026-11-21T08:53:00.25Z"],
  ])("a time of %j is sent as %s", async (from, sent) => {
    const client = openLibrary({ environment: sandbox.env() });
    sandbox.takeLog();
    await client.poolTransactions({ network, pool_address, from, to: "now" }, { limit: 1 }).toArray();
    const urls = sandbox.takeLog().map(({ url }) => new URL(url, "http://127.0.0.1"));
    expect(urls.map((url) => url.searchParams.get("from"))).toEqual([sent]);
  });

  test("a missing pool is a Failure with its status and code", async () => {
    const client = openLibrary({ environment: sandbox.env() });
    const call = async () =>
      await client.pool({ network, pool_address: "0x0000000000000000000000000000000000000001" });
    expect(await failureOf(call)).toMatchObject({
      message: `pool 0x0000000000000000000000000000000000000001 not found on ${network}`,
      status: 404,
      code: "not_found",
    });
    await expect(call).rejects.toBeInstanceOf(Failure);
    // The network is known to exist, so its list is not requested.
    expect(client.meter.requests).toBe(2);
  });
});

describe("on a scripted service", () => {
  async function serve(...replies: readonly [Reply, ...Reply[]]): Promise<string> {
    const server = await serveInTest((_request, index) => replies[index] ?? replies[0]);
    return server.url;
  }

  test("429 is retried and reported; a permanent rejection includes the parameter and the wait", async () => {
    const limited = json(
      { error: "rate_limited", retry_after: 7 },
      { status: 429, headers: { "retry-after": "7" } },
    );
    const baseUrl = await serve(limited, json([{ id: "a" }]));
    const waits: string[] = [];
    const client = openLibrary({
      baseUrl,
      onWait: (milliseconds, reason) => waits.push(`${milliseconds} ${reason}`),
    });
    expect(await client.networks().toArray()).toEqual([{ id: "a" }]);
    expect(waits[0]).toMatch(/^70\d\d rate limit of the keyless plan exceeded/u);
    const impatient = openLibrary({ baseUrl: await serve(limited), retries: 0 });
    expect(await failureOf(async () => await impatient.networks().toArray())).toMatchObject({
      status: 429,
      code: "rate_limited",
      retryAfter: 7000,
    });
    const wrong = json({ error: "invalid_param", param: "sort", message: "no" }, { status: 400 });
    const refused = openLibrary({ baseUrl: await serve(wrong) });
    expect(
      await failureOf(async () => await refused.networkPoolsSearch({ network, sort: "asc" }).toArray()),
    ).toMatchObject({
      message: 'the service rejected sort "asc" (HTTP 400)',
      status: 400,
      code: "invalid_param",
      param: "sort",
    });
  });

  test.each([1, 8])("with parallel %d, a page that is promised without a cursor fails", async (parallel) => {
    const row = { id: pool_address, chain: network };
    const client = openLibrary({
      baseUrl: await serve(json({ results: [row], has_next_page: true })),
      parallel,
    });
    const search = async () => await client.networkPoolsSearch({ network }).toArray();
    expect(await failureOf(search)).toMatchObject({ code: "incomplete" });
  });

  test("an empty 404 is judged by the list of networks, if there is one", async () => {
    const server = await serveInTest(({ path }) =>
      path === "/networks" ? json([{ id: "newnet" }, { id: "etherium" }]) : empty(404),
    );
    const messageFor = async (name: string, options: ClientOptions = {}): Promise<unknown> => {
      const client = openLibrary({ baseUrl: server.url, ...options });
      const call = async () => await client.pool({ network: name, pool_address });
      const { code, message } = await failureOf(call);
      return { code, message, requests: client.meter.requests };
    };
    const missing = `pool ${pool_address} not found on`;
    expect(await messageFor("newnet")).toEqual({
      code: "not_found",
      message: `${missing} newnet`,
      requests: 2,
    });
    const client = openLibrary({ baseUrl: server.url });
    for (const _ of [1, 2])
      await failureOf(async () => await client.pool({ network: "newnet", pool_address }));
    expect(client.meter.requests).toBe(3);
    const real: unknown = await client
      .pool({ network: "etherium", pool_address })
      .catch((cause: unknown) => cause);
    expect(real).toHaveProperty("next", expect.not.stringContaining("did you mean"));
    expect(await messageFor("oldnet")).toEqual({
      code: "unsupported_network",
      message: 'unknown network "oldnet"',
      requests: 2,
    });
    expect(await messageFor("oldnet", { maxCredits: 1 })).toEqual({
      code: "not_found",
      message: `${missing} oldnet; the network may not exist`,
      requests: 1,
    });
  });

  test("the next step names the options of the client", async () => {
    const limited = json({ error: "rate_limited" }, { status: 429, headers: { "retry-after": "7" } });
    const baseUrl = await serve(limited);
    const nextOf = async (call: Promise<unknown>): Promise<unknown> => {
      const cause = await call.catch((each: unknown) => each);
      return Object(cause).next;
    };
    expect(await nextOf(openLibrary({ baseUrl, retryMaxTime: 0 }).networks().toArray())).toMatch(
      /^waiting 8s would exceed retryMaxTime; try again later, or raise it$/u,
    );
    const hanging = await serve({ mode: "hang" });
    expect(
      await nextOf(openLibrary({ baseUrl: hanging, retries: 0, timeout: 100 }).networks().toArray()),
    ).toBe("try again, or raise timeout");
  });

  test.each([
    ["lower it with --rpm; see: dexdata help credits", "lower it with rpm; see: dexdata help credits"],
    ["raise --retry-max-time or --deadline", "raise retryMaxTime or --deadline"],
    ["run: dexdata usage --timeout 5s", "run: dexdata usage --timeout 5s"],
  ])("%s is %s for a program", (text, said) => {
    expect(nameOptions(text)).toBe(said);
  });

  test("L1: a Failure has retryable, next, why and body, as its public type declares", async () => {
    const down = json({ error: "internal_error", message: "busy" }, { status: 500 });
    const client = openLibrary({ baseUrl: await serve(down), retries: 0 });
    const cause = await client
      .networks()
      .toArray()
      .catch((each: unknown) => each);
    if (!(cause instanceof Failure)) throw new Error("not a Failure");
    const failure: PublicFailure = cause;
    expect([failure.code, failure.retryable, failure.why]).toEqual(["internal_error", true, "busy"]);
    expect(failure.next).toMatch(/^try again later/u);
    expect(failure.body?.get("message")).toBe('"busy"');
    const usage = new Failure("x", { exit: 2, code: "usage" });
    expect([usage.retryable, usage.next, usage.why, usage.body]).toEqual([
      false,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("numbers are doubles, or strings with every digit; raw amounts are always strings", async () => {
    const text =
      '{"id":"t","log_index":7,"amount_0":-123456789012345678901234567890,"amount_1":"12","price_0":1.10,"x":[1e5,"1",-0.0]}';
    const reply = { transactions: [], page_info: { limit: 100, page: 1, total_items: 1, total_pages: 1 } };
    const body = JSON.stringify(reply).replace('"transactions":[]', `"transactions":[${text}]`);
    const answer: Reply = {
      mode: "answer",
      status: 200,
      headers: { "content-type": "application/json" },
      body,
    };
    const given = async (numbers: "number" | "text") =>
      await openLibrary({ baseUrl: await serve(answer), numbers })
        .poolTransactions({ network, pool_address }, { limit: 1 })
        .toArray();
    const exact = { id: "t", amount_0: "-123456789012345678901234567890", amount_1: "12" };
    expect(await given("number")).toEqual([{ ...exact, log_index: 7, price_0: 1.1, x: [100_000, "1", -0] }]);
    expect(await given("text")).toEqual([
      { ...exact, log_index: "7", price_0: "1.10", x: ["1e5", "1", "-0.0"] },
    ]);
  });

  test("a list with two counts, of which the rows match the lower one, causes a warning", async () => {
    const server = await serveInTest(({ query }) => {
      const page = Number(query.get("page"));
      const all = Array.from({ length: 103 }, (_, index) => ({ dex_id: `dex${index}` }));
      const dexes = page === 1 ? all.slice(0, 100) : all.slice(100);
      const total_items = page === 1 ? 103 : 104;
      return json({ dexes, page_info: { limit: 100, page, total_items, total_pages: 2 } });
    });
    const warnings: string[] = [];
    const client = openLibrary({ baseUrl: server.url }, (text) => void warnings.push(text));
    expect(await client.dexes({ network }).toArray()).toHaveLength(103);
    expect(warnings).toEqual(["the list may be incomplete: page 2 has only 3 of 4 rows"]);
  });

  test("the credit limit is not exceeded, and a signal aborts pending requests", async () => {
    const frugal = openLibrary({ baseUrl: await serve(json([])), maxCredits: 1 });
    await frugal.networks().toArray();
    expect(await failureOf(async () => await frugal.networks().toArray())).toMatchObject({
      message: "maxCredits of 1 reached: 1 spent, next request costs 1",
      code: "max_credits",
    });
    const controller = new AbortController();
    const client = openLibrary({ baseUrl: await serve({ mode: "hang" }), signal: controller.signal });
    const asking = client.networks().toArray();
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await expect(asking).rejects.toThrow("enough");
  });
});
