import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { bytes, empty, html, json, type Reply } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** Runs a command with a pro key against a server that returns the same response to every request. */
async function runCommand(reply: Reply, words: string, env: Readonly<Record<string, string>> = {}) {
  const server = await serveInTest(() => reply);
  const outcome = await dexdata(`${words} --retries 0`, {
    env: {
      DEXDATA_BASE_URL: server.url,
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_API_KEY: "api_pro_0123456789",
      DEXDATA_TIER: "pro",
      ...env,
    },
    isTerminal: { stderr: true },
  });
  return { ...outcome, requests: server.requests.length };
}

const links = {
  register: "https://console.example",
  upgrade: "https://up.example",
  portal: "https://portal.example",
};

/** Status, body, exit code, the pattern of the message, the pattern of the details and the hint. */
const refusals: readonly (readonly [string, Reply, number, RegExp, RegExp])[] = [
  [
    "rule 184: 400 invalid_param",
    json({ error: "invalid_param", message: "bad order", param: "order_by" }, { status: 400 }),
    2,
    /the service rejected --order-by "liquidity_usd"/,
    /bad order/,
  ],
  [
    "rule 184: 400 missing_param",
    json({ error: "missing_param", message: "gone", param: "query" }, { status: 400 }),
    2,
    /the service requires query/,
    /gone/,
  ],
  [
    "rule 169: 400 for the limit, which two flags set",
    json({ error: "invalid_param", message: "too many", param: "limit" }, { status: 400 }),
    2,
    /the service rejected --limit or --page-size "10" /,
    /too many/,
  ],
  [
    "rule 171: 400 with a message alone",
    json({ message: "invalid query parameters: order_by (must be one of [a b c])" }, { status: 400 }),
    2,
    /the service rejected the request \(HTTP 400\)/,
    /must be one of \[a b c\]/,
  ],
  [
    "400 with a sentence under error",
    json({ error: "Invalid network, pool address, or token address." }, { status: 400 }),
    2,
    /the service rejected the request \(HTTP 400\)/,
    /Invalid network/,
  ],
  [
    "rule 150: 401",
    json({ error: "invalid_api_key", message: "no" }, { status: 401 }),
    4,
    /rejected the key from DEXDATA_API_KEY/,
    /replace the key in DEXDATA_API_KEY, or store one instead: dexdata auth login/,
  ],
  [
    "401 with a message alone",
    json({ message: "api key verification has failed" }, { status: 401 }),
    4,
    /rejected the key/,
    /auth login/,
  ],
  [
    "rule 188: 402",
    json(
      {
        error: "payment_required",
        tier: "pro",
        message: "used up",
        resets_at: "2026-12-01T00:00:00Z",
        credits: { plan: 5000000, packs: 0, limit: 5000000, used: 5000000, remaining: 0 },
        overage: { enabled: true, cap: "10.00", used: "10.00", block: "20.00" },
        links,
      },
      { status: 402, headers: { "retry-after": "1" } },
    ),
    5,
    /out of credits on the pro plan; they reset at 2026-12-01T00:00:00Z/,
    /raise the spend cap: https:\/\/portal.example/,
  ],
  [
    "rule 191: 402 of a free key",
    json(
      {
        error: "payment_required",
        tier: "free",
        message: "used up",
        links,
        offer: { description: "half price", expires_at: "2026-12-01T00:00:00Z" },
      },
      { status: 402 },
    ),
    5,
    /out of credits on the free plan$/m,
    /upgrade the plan: https:\/\/up.example/,
  ],
  [
    "rule 151: 403 wrong_host",
    json({ error: "wrong_host", tier: "free", message: "use the free host" }, { status: 403 }),
    4,
    /127.0.0.1:\d+ does not accept free keys; dexdata chose this host because DEXDATA_TIER sets the plan to \w+/,
    /unset DEXDATA_TIER, or set it to free/,
  ],
  [
    "rule 57: 403 plan_required",
    json({ error: "plan_required", tier: "free", required_tier: "dev", message: "no" }, { status: 403 }),
    4,
    /pools search requires a dev plan or higher; your key is on the free plan/,
    /upgrade/,
  ],
  [
    "rule 121: 403 plan_required for a parameter",
    json(
      { error: "plan_required", tier: "dev", required_tier: "pro", param: "order_by", message: "no" },
      { status: 403 },
    ),
    4,
    /--order-by "liquidity_usd" requires a pro plan or higher/,
    /upgrade/,
  ],
  [
    "403 with a code alone",
    json({ error: "plan_required" }, { status: 403 }),
    4,
    /requires a higher plan/,
    /upgrade/,
  ],
  [
    "403 preview_only",
    json({ error: "preview_only", tier: "keyless", message: "only previews" }, { status: 403 }),
    4,
    /requires a higher plan/,
    /only previews/,
  ],
  [
    "rule 153: 403 with a web page",
    html(403),
    4,
    /blocked the request before it reached the service/,
    /check the key and the host URLs/,
  ],
  [
    "404 with a web page",
    html(404),
    7,
    /responded with an HTML page \(HTTP 404\) instead of JSON/,
    /check the base URL/,
  ],
  [
    "403 with a message alone",
    json({ message: "forbidden" }, { status: 403 }),
    4,
    /does not allow this request/,
    /forbidden\n {2}hint: see what the plan includes: dexdata help credits$/m,
  ],
  [
    "404 route_not_found",
    json({ error: "route_not_found", message: "no route" }, { status: 404 }),
    3,
    /path not found on/,
    /base URL/,
  ],
  [
    "rule 195: 410",
    json(
      {
        code: 410,
        message: "endpoint removed",
        replacement: "/pools/search",
        documentation: "https://docs.example",
      },
      { status: 410 },
    ),
    3,
    / was removed from the API/,
    /\/pools\/search/,
  ],
  [
    "410 of the older form",
    json({ error: "Endpoint Removed", message: "gone" }, { status: 410 }),
    3,
    / was removed from the API/,
    /gone/,
  ],
  [
    "rule 196: 429",
    json({ error: "rate_limited", message: "slow down", retry_after: 3 }, { status: 429 }),
    6,
    /rate limit of the pro plan exceeded/,
    /wait a minute/,
  ],
  ["429 with nothing said", json({}, { status: 429 }), 6, /rate limit of the pro plan exceeded/, /wait/],
  [
    "rule 198: 500",
    json({ error: "internal_error", message: "oops" }, { status: 500 }),
    7,
    /the service failed \(HTTP 500\)/,
    /try again later/,
  ],
  [
    "500 of the edge",
    json({ success: false, error: { code: "ORIGIN_ERROR", message: "no origin" } }, { status: 500 }),
    7,
    /failed \(HTTP 500\)/,
    /no origin/,
  ],
  [
    "503",
    json({ error: "unavailable", message: "later" }, { status: 503 }),
    7,
    /failed \(HTTP 503\)/,
    /later/,
  ],
  [
    "405",
    json({ error: "method_not_allowed", message: "GET only" }, { status: 405 }),
    2,
    /rejected the request \(HTTP 405\)/,
    /GET only/,
  ],
  ["rule 201: an undocumented status", json({ message: "teapot" }, { status: 418 }), 2, /HTTP 418/, /teapot/],
  [
    "a redirect",
    bytes(Buffer.from(""), { location: "https://elsewhere.example/" }, 302),
    1,
    /redirect \(HTTP 302\), which dexdata does not follow/,
    /base URL/,
  ],
  ["an empty body", empty(500), 7, /failed \(HTTP 500\)/, /try again/],
  [
    "text that is not JSON",
    bytes(Buffer.from("Bad Gateway"), {}, 502),
    7,
    /failed \(HTTP 502\)/,
    /try again/,
  ],
];

describe("an error response", () => {
  test.each(refusals)(
    "%s: sends one request, exits with its code, and prints the problem and what to do",
    async (_, reply, exit, wrong, next) => {
      const outcome = await runCommand(reply, "pools search ethereum --order-by liquidity_usd");
      expect({ exit: outcome.exit, stdout: outcome.stdout }).toEqual({ exit, stdout: "" });
      const lines = outcome.stderr.split("\n").filter((line) => !/request.*credit/u.test(line));
      expect(lines.slice(0, -1).length).toBeLessThanOrEqual(3);
      expect(lines[0]).toMatch(/^error: /u);
      expect(lines.join("\n")).toMatch(wrong);
      expect(lines.join("\n")).toMatch(next);
      expect(outcome.stderr).not.toMatch(/\n\s+at |api_pro/u);
      expect(outcome.requests).toBe(1);
    },
  );

  test("rule 167: the exit code does not depend on the wording of the message", async () => {
    const outcome = await runCommand(
      json({ error: "rate_limited", message: "not found, invalid, 500" }, { status: 429 }),
      "networks",
    );
    expect(outcome.exit).toBe(6);
  });

  test("rule 177: the JSON error contains every field of the body, with 64-bit digits intact", async () => {
    const body =
      '{"error":"payment_required","tier":"pro","message":"used up","credits":{"limit":9223372036854775807,"remaining":0},"overage":{"cap":"10.00"},"resets_at":"2026-12-01T00:00:00Z"}';
    const outcome = await runCommand(json(body, { status: 402 }), "networks --error-format json");
    expect(outcome.stderr).toContain('"credits":{"limit":9223372036854775807,"remaining":0}');
    const line = outcome.stderr.split("\n").find((each) => each.startsWith("{")) ?? "";
    expect(JSON.parse(line)).toMatchObject({
      code: "payment_required",
      status: 402,
      exit: 5,
      retryable: false,
      tier: "pro",
      overage: { cap: "10.00" },
      resets_at: "2026-12-01T00:00:00Z",
    });
  });

  test.each([
    ["dev", "register and upgrade"],
    ["free", "register"],
  ])(
    "rules 121 and 158: without a key, a value that requires the %s plan says %s, with its link",
    async (required_tier, next) => {
      const body = { error: "plan_required", tier: "keyless", required_tier, param: "start", message: "no" };
      const { exit, stderr } = await runCommand(
        json({ ...body, links: { ...links, pricing: "https://pricing.example" } }, { status: 403 }),
        `ohlcv ethereum ${pool} --pool --from -3d --error-format text`,
        { DEXDATA_API_KEY: "", DEXDATA_TIER: "keyless" },
      );
      const hint = `choose a value that your plan includes (see: dexdata help credits), or ${next} at https://console.example\n`;
      expect({ exit, stderr }).toEqual({ exit: 4, stderr: expect.stringContaining(hint) });
    },
  );

  test("a start that nobody typed is called the default", async () => {
    const { stderr } = await runCommand(
      json({ error: "plan_required", required_tier: "free", param: "start" }, { status: 403 }),
      `ohlcv ethereum ${pool} --pool --interval 1w --error-format text`,
    );
    expect(stderr).toMatch(/^error: the default --from \([-\dT:]+Z\) requires a free plan or higher/mu);
  });

  test.each([
    ["without a key", { DEXDATA_API_KEY: "", DEXDATA_TIER: "keyless" }, "register for a free key"],
    ["with a key that the service ignores", {}, "check the key in use: dexdata auth status"],
  ])("rule 191: 402 of the keyless plan, %s", async (_, env, hint) => {
    const body = { error: "payment_required", tier: "keyless", message: "used up" };
    const { exit, stderr } = await runCommand(
      json(body, { status: 402 }),
      "networks --error-format text",
      env,
    );
    expect({ exit, stderr }).toEqual({
      exit: 5,
      stderr: expect.stringContaining("error: out of credits on the keyless plan\n"),
    });
    expect(stderr).toContain(`hint: ${hint}\n`);
  });

  test.each([{}, { tier: "free" }])(
    "403 wrong_host without a key names no key or plan to look up",
    async (plan) => {
      const { exit, stderr } = await runCommand(
        json({ error: "wrong_host", message: "no", ...plan }, { status: 403 }),
        "networks --error-format text",
        { DEXDATA_API_KEY: "", DEXDATA_TIER: "" },
      );
      expect(exit).toBe(4);
      expect(stderr).toMatch(
        /^error: 127\.0\.0\.1:\d+ requires a key\n {2}service: no\n {2}hint: add one: dexdata auth login\n/mu,
      );
    },
  );

  test("a key that the service ignores is not said to be on the keyless plan", async () => {
    const body = { error: "plan_required", tier: "keyless", message: "no", links };
    const { exit, stderr } = await runCommand(
      json(body, { status: 403 }),
      `txns ethereum ${pool} --error-format text`,
    );
    expect({ exit, stderr }).toEqual({
      exit: 4,
      stderr: expect.stringContaining(
        "error: txns requires a dev plan or higher; the service ignored your key\n",
      ),
    });
    expect(stderr).toContain("hint: check the key in use: dexdata auth status;");
  });

  test("promise 2: text from the service cannot control the terminal", async () => {
    const message = "\u001b]0;owned\u0007\u202Eevil\nsecond line";
    const outcome = await runCommand(json({ error: "forbidden", message }, { status: 403 }), "networks");
    // oxlint-disable-next-line no-control-regex
    expect(outcome.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/u);
    expect(outcome.stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(4);
  });
});

describe("an invalid response", () => {
  const wrong: readonly (readonly [string, Reply, RegExp])[] = [
    ["HTML with status 200", html(200), /HTML instead of JSON/],
    ["an empty body", empty(200), /invalid response: empty body/],
    ["a truncated one", json('{"results":[{"id":"0x1"}'), /malformed or truncated JSON/],
    ["bytes that are no UTF-8", bytes(Buffer.from([0x7b, 0xff, 0x7d])), /not valid UTF-8/],
    ["an array where an object belongs", json([]), /invalid response: not an object/],
    ["no list", json({ has_next_page: false }), /no list of results/],
    ["rows that are no objects", json({ results: [1], has_next_page: false }), /row 1 .* is not an object/],
    [
      "01, which JSON.parse refuses",
      json('{"results":[{"a":01}],"has_next_page":false}'),
      /malformed or truncated JSON/,
    ],
  ];

  test.each(wrong)("reports %s, exit 1", async (_, reply, message) => {
    const outcome = await runCommand(reply, "pools search ethereum --all -o ndjson");
    expect(outcome.exit).toBe(1);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr).not.toMatch(/\n\s+at /u);
  });
});

describe("an unknown network", () => {
  test("rule 5: exits 3, and suggests the closest network of the service, fetching the list once", async () => {
    const server = await serveInTest((request) =>
      request.path === "/networks"
        ? json([{ id: "solana" }, { id: "ethereum" }, { id: "megaeth" }])
        : json(
            { error: "unsupported_network", message: "unsupported network", param: "network" },
            { status: 404 },
          ),
    );
    const outcome = await dexdata(`pool eth ${pool}`, {
      env: { DEXDATA_BASE_URL: server.url },
      isTerminal: { stderr: true },
    });
    expect(outcome.exit).toBe(3);
    expect(outcome.stderr).toContain('error: unknown network "eth"\n');
    expect(outcome.stderr).toContain("did you mean ethereum?");
    expect(server.requests.map(({ path }) => path)).toEqual([`/networks/eth/pools/${pool}`, "/networks"]);
  });

  test.each(["pool", "txns", "prices"])(
    "of all inputs ends %s at the first response, because every request costs a credit",
    async (command) => {
      const server = await serveInTest((request) =>
        request.path === "/networks"
          ? json([{ id: "ethereum" }])
          : json({ error: "unsupported_network", param: "network" }, { status: 404 }),
      );
      const addresses = Array.from({ length: 30 }, (_, index) => `0x${String(index).padStart(40, "0")}`);
      const words = `${command} ${addresses.map((address) => `eth:${address}`).join(" ")}`;
      const outcome = await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } });
      expect(outcome.exit).toBe(3);
      expect(outcome.stderr.match(/unknown network/gu)).toHaveLength(1);
      expect(server.requests.filter(({ path }) => path !== "/networks")).toHaveLength(1);
    },
  );

  test("a word of one character is not close to another one", async () => {
    const outcome = await dexdata("pools search q --sandbox --error-format text");
    expect(outcome.stderr).toContain('unknown network "q"');
    expect(outcome.stderr).not.toContain("did you mean");
  });

  test("fetches the list once per day, because later commands use the cached list", async () => {
    const server = await serveInTest((request) =>
      request.path === "/networks"
        ? json([{ id: "ethereum" }])
        : json({ error: "unsupported_network" }, { status: 404 }),
    );
    const cache = mkdtempSync(`${tmpdir()}/dexdata-cache-`);
    const slip = async (now: string) =>
      await dexdata(`pool eth ${pool}`, {
        env: { DEXDATA_BASE_URL: server.url, DEXDATA_CACHE_DIR: cache },
        now,
      });
    for (const now of ["2026-11-21T08:00:00Z", "2026-11-22T07:00:00Z", "2026-11-22T09:00:00Z"]) {
      expect((await slip(now)).stderr).toContain("did you mean ethereum?");
    }
    expect(server.requests.filter((request) => request.path === "/networks").length).toBe(2);
    rmSync(cache, { recursive: true });
  });

  test("is recognized after an empty 404 too", async () => {
    const server = await serveInTest((request) =>
      request.path === "/networks" ? json([{ id: "bsc" }]) : empty(404),
    );
    const outcome = await dexdata(`pool bnb ${pool}`, {
      env: { DEXDATA_BASE_URL: server.url },
      isTerminal: { stderr: true },
    });
    expect(outcome.exit).toBe(3);
    expect(outcome.stderr).toContain("did you mean bsc?");
  });

  test("rule 193: a known network with an unknown pool gets a different message", async () => {
    const body = { error: "not_found", message: "pool not found", resource: "pool" };
    const outcome = await runCommand(json(body, { status: 404 }), `pool ethereum ${pool}`);
    expect(outcome.exit).toBe(3);
    expect(outcome.stderr).toContain(`error: pool ${pool} not found on ethereum\n`);
    expect(outcome.stderr).toContain(`dexdata search ${pool}`);
    expect(outcome.requests).toBe(1);
  });

  test("rule 170: an unknown DEX is named, and its network is not doubted", async () => {
    const body = { error: "not_found", message: "dex not found", resource: "dex" };
    const outcome = await runCommand(json(body, { status: 404 }), "pools search ethereum --dex nosuch");
    expect(outcome.exit).toBe(3);
    expect(outcome.stderr).toContain(
      'error: DEX "nosuch" not found on ethereum\n  service: dex not found\n  hint: list the DEX IDs: dexdata dexes ethereum --all\n',
    );
    expect(outcome.requests).toBe(1);
  });
});

describe("rule 111: the display name of a DEX", () => {
  const search = (rows: readonly unknown[]): Reply => json({ results: rows, has_next_page: false });

  test("finds nothing, exits 0, and suggests the matching ID", async () => {
    const server = await serveInTest((request) =>
      request.path.endsWith("/dexes")
        ? json({ dexes: [{ dex_id: "uniswap_v3", dex_name: "Uniswap V3" }], page_info: {} })
        : search([]),
    );
    const env = { DEXDATA_BASE_URL: server.url };
    const { exit, stdout, stderr } = await dexdata(
      ["pools", "search", "ethereum", "--dex", "Uniswap V3", "-o", "ndjson"],
      { env },
    );
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toBe('warning: unknown DEX ID "Uniswap V3" on ethereum; did you mean --dex uniswap_v3?\n');
    expect(server.requests[0]?.query.get("dex_name")).toBe("Uniswap V3");
  });

  test("warns about a symbol where an address is required, because it finds nothing", async () => {
    const { stderr, requests } = await runCommand(search([]), "pools search sui --token WETH.e -q -o ndjson");
    expect(requests).toBe(1);
    expect(stderr).toBe(
      'warning: --token takes an address, but "WETH.e" looks like a symbol; find it: dexdata search WETH.e\n',
    );
    for (const address of [
      "0x2::sui::SUI",
      "0x000000000000000000000000000000000000000a",
      "So11111111111111111111111111111111111111112",
    ]) {
      const outcome = await runCommand(search([]), `pools search sui --token ${address} -q -o ndjson`);
      expect(outcome.stderr).toBe("");
    }
  });

  test("leads from a search that finds nothing to a better one", async () => {
    const ofTwo = "for the pools of several tokens: dexdata pools search <network> --token <token> --token";
    const server = await serveInTest(() => json({ tokens: [], pools: [], dexes: [] }));
    for (const [words, hint] of [
      ["search usdc weth", ofTwo],
      ["search usdc/weth", ofTwo],
      ["search pepe base", "search covers all networks; leave out base\n"],
      ["search $pepe", "without $: dexdata search pepe\n"],
      ["search usdc", "no results\n"],
    ] as const) {
      const { exit, stderr } = await dexdata(words, {
        env: { DEXDATA_BASE_URL: server.url },
        isTerminal: { stderr: true },
      });
      expect([exit, stderr.slice(0, hint.length)]).toEqual([0, hint]);
    }
  });

  test("warns about a time range in which no candle starts", async () => {
    const window = "--from 2026-11-21T08:40:00Z --to 2026-11-21T08:50:00Z -q -o ndjson";
    const { stderr } = await runCommand(
      json([]),
      `ohlcv ethereum 0x0000000000000000000000000000000000000001 ${window}`,
    );
    expect(stderr).toBe(
      "warning: no 1h candle starts between 2026-11-21T08:40:00Z and 2026-11-21T08:50:00Z; use a shorter --interval\n",
    );
    expect(
      (
        await runCommand(
          json([]),
          `ohlcv ethereum 0x0000000000000000000000000000000000000001 --interval 10m ${window}`,
        )
      ).stderr,
    ).toBe("");
  });

  test("sends no extra request if rows were found", async () => {
    const outcome = await runCommand(
      search([{ id: "0x1", chain: "ethereum" }]),
      "pools search ethereum --dex uniswap_v3 -o ndjson",
    );
    expect(outcome.requests).toBe(1);
  });
});

describe("a word in the wrong place", () => {
  const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

  test.each([
    [`txns ${pool} ethereum`, /must be a network ID such as ethereum, not an address$/u, `<network> ${pool}`],
    [`prices ethereum:${weth} ethereum`, /^unknown name "ethereum"$/u, "ethereum is a network"],
    ["token - ethereum", /^unknown name "ethereum"$/u, "ethereum is a network"],
    ["prices list.txt", /^unknown name "list.txt"$/u, "write @list.txt"],
    ["prices ethereum list.ndjson", /^unknown name "list.ndjson"$/u, "write @list.ndjson"],
    [`prices ethereum ${weth} base`, /^unknown name "base"$/u, "base is a network"],
    [`sync ethereum:${pool} --kind ohlcv`, /^missing <directory> before /u, `sync lake ethereum:${pool}`],
  ])(
    "%s: is rejected before a request, and the hint shows where it belongs",
    async (words, message, next) => {
      const { exit, stderr, requests } = await runCommand(empty(200), `${words} --error-format json`);
      const failure = Object(JSON.parse(stderr));
      expect({ exit, requests }).toEqual({ exit: 2, requests: 0 });
      expect(failure.message).toMatch(message);
      expect(failure.next).toContain(next);
    },
  );

  test.each([
    ["60", undefined],
    ["1M", undefined],
    ["7d", "did you mean 1w?"],
    ["60m", "did you mean 1h?"],
    ["1H", "did you mean 1h?"],
  ])(
    "--interval %s: a word without a unit, or with M as for months, gets no hint",
    async (interval, next) => {
      const words = `ohlcv ethereum ${weth} --interval ${interval} --error-format json`;
      expect(Object(JSON.parse((await runCommand(empty(200), words)).stderr)).next).toBe(next);
    },
  );

  test("api: a path without an answer is not called a missing pool", async () => {
    const reply = json({ message: "path not found: /foo" }, { status: 404 });
    const { stderr } = await runCommand(reply, "api /foo --error-format json");
    expect(JSON.parse(stderr.trim().split("\n").at(-1) ?? "")).toMatchObject({
      message: "nothing found at /foo (HTTP 404)",
      exit: 3,
    });
  });
});
