import { readFileSync } from "node:fs";
import nodePath from "node:path";
import { fc } from "../harness/properties.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { apiCommand } from "../../src/cli/commands/reference-commands.ts";
import { rawCall, readRawPath } from "../../src/cli/commands/api/raw-call.ts";
import { createRequestUrls } from "../../src/client/client.ts";
import { type EndpointId, endpoints } from "../../src/api/endpoints/all.ts";
import { networks } from "../../src/api/endpoints/whole-service.ts";
import { Failure } from "../../src/base/failure.ts";
import { dexdata, type Outcome, run } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { usualPath, usualWords } from "../harness/usual-asking.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import {
  bytes,
  empty,
  html,
  json,
  redirect,
  type Reply,
  type ScriptedServer,
} from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";

const { array, assert, constantFrom, property } = fc;

// This file sends more requests per minute than any plan allows.
const sandbox = useSandbox({ requestsPerMinute: 100_000 });

const POOL = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

const runCommand = async (
  words: string | readonly string[],
  tier: "keyless" | "pro" = "pro",
): Promise<Outcome> => await dexdata(words, { env: sandbox.env(tier), now: sandboxNow });

const sortedRows = (stdout: string): readonly string[] =>
  rowsOf(stdout)
    .map((row) => JSON.stringify(row))
    .toSorted();

/** The arguments of an endpoint's own command, and the `api` call that fetches the same. */
interface Same {
  readonly own: string;
  readonly api: string;
  /** Extra flags for the table of `api`: parameters that the endpoint's command adds automatically. */
  readonly table?: string;
}

/** `dexdata ohlcv` marks partial candles; this range contains none, so the rows are the same. */
const window = "--from 2026-11-20T00:00:00Z --to 2026-11-20T12:00:00Z --interval 1h";
const wireWindow = "start=1795132800&end=1795176000&interval=1h&limit=12";

const sample = { network: "ethereum", pool_address: POOL, token_address: WETH };

/**
 * Only for endpoints that require more than the command and the path. `/usage` also counts the requests
 * that fetch it,
 * so the comparison is limited to a field that does not change.
 */
const same: Readonly<Partial<Record<EndpointId, Same>>> = {
  dexes: { own: "dexes ethereum --all", api: "/networks/ethereum/dexes --paginate", table: "--paginate" },
  pool_transactions: {
    own: `txns ethereum ${POOL} --from 2026-11-21T08:00:00Z --to 2026-11-21T08:54:00Z --all`,
    api: `/networks/ethereum/pools/${POOL}/transactions?from=1795248000&to=1795251240 --paginate`,
  },
  pool_ohlcv: {
    own: `ohlcv ethereum ${POOL} --pool ${window}`,
    api: `/networks/ethereum/pools/${POOL}/ohlcv?${wireWindow}`,
  },
  token_ohlcv: {
    own: `ohlcv ethereum ${WETH} ${window}`,
    api: `/networks/ethereum/tokens/${WETH}/ohlcv?${wireWindow}`,
  },
  network_tokens_search: {
    own: "tokens search tempo --all --sort asc",
    api: "/networks/tempo/tokens/search --paginate -f sort=asc",
    table: "-f detailed=true",
  },
  tokens_search: {
    own: "tokens search --chains tempo,sui --all --created-after 2026-01-01",
    api: "/tokens/search?chains=tempo,sui --paginate -f created_after=1767225600",
    table: "-f detailed=true",
  },
  network_pools_search: {
    own: "pools search sui --limit 120 --liquidity-usd-min 1k --order-by liquidity_usd",
    api: "networks/sui/pools/search?liquidity_usd_min=1000 --paginate --limit 120 -f order_by=liquidity_usd",
    table: "-f detailed=true",
  },
  pools_search: {
    own: "pools search --chains tempo,sui --limit 15",
    api: "/pools/search --paginate -f chains=tempo,sui --limit 15",
    table: "-f detailed=true",
  },
  search: { own: "search uni", api: "/search -f query=uni" },
  multi_prices: {
    own: `prices ethereum ${WETH} ${USDC}`,
    api: `/networks/ethereum/multi/prices?tokens=${WETH},${USDC}`,
  },
  usage: { own: "usage --fields plan", api: "/usage --fields plan" },
};

describe.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))("%s", (id, endpoint) => {
  const { own, api, table } = same[id] ?? {
    own: usualWords(endpoint, sample),
    api: usualPath(endpoint, sample),
  };

  test(`api prints the rows of \`dexdata ${own}\``, async () => {
    const [expected, actual] = [
      await runCommand(`${own} -o ndjson`),
      await runCommand(`api ${api} -o ndjson`),
    ];
    expect({ exit: actual.exit, stderr: actual.stderr }).toEqual({ exit: 0, stderr: "" });
    expect(actual.stdout.length).toBeGreaterThan(10);
    if (id === "search") expect(rowsOfGroups(actual.stdout)).toEqual(rowsOf(expected.stdout));
    else if (id === "multi_prices") expect(sorted(actual.stdout)).toEqual(sorted(expected.stdout));
    else expect(actual.stdout).toBe(expected.stdout);
  });

  test("prints the same table", async () => {
    const tableOf = async (words: string): Promise<string> =>
      (await dexdata(words, { env: sandbox.env(), now: sandboxNow, isTerminal: { stdout: true } })).stdout;
    const [expected, actual] = [await tableOf(own), await tableOf(`api ${api} ${table ?? ""}`)];
    expect(actual.split("\n").length).toBeGreaterThan(1);
    if (id === "multi_prices") expect(sorted(actual)).toEqual(sorted(expected));
    else expect(actual).toBe(expected);
  });

  test("requests only the given path, and prints the complete response as one line of JSON", async () => {
    const words = `api ${api.replace(" --paginate", "").replace(/ --limit \d+/u, "")} -o json`;
    sandbox.takeLog();
    const { exit, stdout } = await runCommand(words);
    expect(exit).toBe(0);
    const [logged] = sandbox.takeLog();
    expect(decodeURIComponent(logged?.url ?? "")).toMatch(
      new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/gu, "[^/?]+")}(\\?|$)`),
    );
    expect(stdout).toMatch(/^[[{].*[\]}]\n$/u);
    expect(() => JSON.parse(stdout)).not.toThrow();
  });
});

const sorted = (text: string): readonly string[] => text.split("\n").toSorted((a, b) => (a < b ? -1 : 1));

/** Converts `{"tokens":[…],…}` to the rows of `dexdata search`. */
function rowsOfGroups(document: string): readonly unknown[] {
  return Object.entries(toRow(document)).flatMap(([group, rows]) =>
    (Array.isArray(rows) ? rows : []).map((row: unknown) => ({ group, row })),
  );
}

const key = "api_pro_s3cr3tPart";
/** The configured service, with a path in its base URL, and a host that is not configured. */
let service: ScriptedServer;
let other: ScriptedServer;
let reply: (index: number) => Reply;
beforeEach(async () => {
  reply = () => json([]);
  service = await serveInTest((_request, index) => reply(index));
  other = await serveInTest(() => json([]));
});

const runScripted = async (words: readonly string[], isTerminal = false): Promise<Outcome> =>
  await dexdata(words, {
    env: { DEXDATA_PRO_BASE_URL: `${service.url}/v1`, DEXDATA_API_KEY: key, DEXDATA_TIER: "pro" },
    isTerminal: { stdout: isTerminal, stderr: isTerminal },
  });

describe("a path that could lead to another host", () => {
  const noUrl = "must be a path, not a URL: the key is sent only to the configured host";
  const dots = "must not contain . or .. segments: they would change the path";
  const encoded = "must not contain percent-encoded slashes, percent signs, spaces or control characters";
  const raw = "must be a path without spaces, control characters or backslashes";
  const tricks: readonly (readonly [path: string, problem: string])[] = [
    ["http://OTHER/networks", noUrl],
    ["HTTP://OTHER/networks", noUrl],
    ["http:/OTHER/networks", noUrl],
    ["http:OTHER", noUrl],
    ["/http://OTHER/networks", noUrl],
    ["//OTHER/networks", noUrl],
    ["///OTHER/networks", noUrl],
    ["OTHER/networks", noUrl],
    ["user:pass@OTHER/networks", noUrl],
    ["@OTHER/networks", noUrl],
    ["/@OTHER/networks", noUrl],
    [":80@OTHER/", noUrl],
    ["file:///etc/passwd", noUrl],
    ["javascript:alert(1)", noUrl],
    ["\\\\OTHER\\networks", raw],
    ["/\\OTHER/networks", raw],
    ["/networks\\..\\..\\admin", raw],
    ["/\t/OTHER/networks", raw],
    ["/\n/OTHER/networks", raw],
    ["\thttp://OTHER/", raw],
    [" /networks", raw],
    ["/net works", raw],
    ["/networks\r\nAuthorization: x", raw],
    ["/networks\u0000", raw],
    ["/networks\u007f", raw],
    ["/networks\u00a0", raw],
    ["/..", dots],
    ["..", dots],
    ["/../admin", dots],
    ["/networks/../../admin", dots],
    ["/./networks", dots],
    ["/networks/.", dots],
    ["/%2e%2e/admin", dots],
    ["/%2E./admin", dots],
    ["/.%2e/admin", dots],
    ["/..;/admin", dots],
    ["/%2f%2fOTHER", noUrl],
    ["/%2f%2fevil.example", encoded],
    ["/networks\ud800", raw],
    ["/..%2fadmin", encoded],
    ["/networks%2f..%2f..", encoded],
    ["/%5c%5cevil.example", encoded],
    ["/%252e%252e/admin", encoded],
    ["/networks%00", encoded],
    ["/networks/x%0d%0aX-Evil:1", encoded],
    ["/networks%20x", encoded],
    ["/networks//pools", "must not contain empty segments"],
    ["/networks///", "must not contain empty segments"],
    ["/networks#@OTHER", "must not contain a fragment"],
    ["#", "must not contain a fragment"],
    ["/networks?a=1#b", "must not contain a fragment"],
    ["/%zz", '"%zz" is not percent-encoded UTF-8'],
    ["/%c0%ae%c0%ae/admin", '"%c0%ae%c0%ae" is not percent-encoded UTF-8'],
    ["/networks?a=%ff", '"a=%ff" is not percent-encoded UTF-8'],
    ["/networks?=1", '"=1" has no name'],
    ["", "must be a path such as /networks"],
  ];
  test.each(tricks)("rejects %j: %s", async (template, problem) => {
    const path = template.replace("OTHER", new URL(other.url).host);
    const { exit, stdout, stderr } = await runScripted(["api", path, "--error-format", "json"]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(toRow(stderr)["message"]).toMatch(/^invalid <path> "/u);
    expect(String(toRow(stderr)["message"]).endsWith(`": ${problem}`)).toBe(true);
    expect([service.requests.length, other.requests.length]).toEqual([0, 0]);
    expect(stderr).not.toContain(key);
    expect(stderr).not.toContain("pass@");
  });

  const harmless: readonly (readonly [path: string, sent: string])[] = [
    ["networks", "/v1/networks"],
    ["/", "/v1/"],
    ["/networks/", "/v1/networks/"],
    ["/OTHER.example/networks", "/v1/OTHER.example/networks"],
    ["/networks/sui/tokens/0x2::sui::SUI", "/v1/networks/sui/tokens/0x2%3A%3Asui%3A%3ASUI"],
    ["/a/b@c", "/v1/a/b%40c"],
    ["/a/...", "/v1/a/..."],
    ["/a/..b", "/v1/a/..b"],
    ["/{network}/%7bx%7d", "/v1/%7Bnetwork%7D/%7Bx%7D"],
    ["/日本/%E6%97%A5", "/v1/%E6%97%A5%E6%9C%AC/%E6%97%A5"],
    ["/\uff0e\uff0e/admin", "/v1/%EF%BC%8E%EF%BC%8E/admin"],
    ["/a;b=c", "/v1/a%3Bb%3Dc"],
    ["/a?next=http://evil.example/../x&u=a@b", "/v1/a?next=http%3A%2F%2Fevil.example%2F..%2Fx&u=a%40b"],
    ["/a?x=1?y=2", "/v1/a?x=1%3Fy%3D2"],
    ["/a?", "/v1/a"],
    ["/a?&&b", "/v1/a?b="],
    ["/a?b=%26%3D%23%00", "/v1/a?b=%26%3D%23%00"],
  ];
  test.each(harmless)("sends %j to the service as %s", async (path, sent) => {
    const { exit, stderr } = await runScripted(["api", path]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(service.requests.map((request) => request.url)).toEqual([sent]);
    expect(service.requests[0]?.method).toBe("GET");
    expect(service.requests[0]?.headers.authorization).toBe(key);
  });

  test("rejects any path, or sends it to a URL below the base URL", () => {
    const piece = constantFrom(
      ..."/ // . .. ... \\ : @ # ? & = % %2e %2f %5c %00 %25 ; http: a networks 日 \ud800 \t [::1] evil.example".split(
        " ",
      ),
    );
    const bases = constantFrom("https://host.example:8443/v1", "http://127.0.0.1:4747");
    let sent = 0;
    assert(
      property(bases, array(piece, { maxLength: 8 }), (base, pieces) => {
        const url = urlOf(base, pieces.join(""));
        if (url === undefined) return;
        sent += 1;
        expect(url.href.startsWith(`${base}/`)).toBe(true);
        expect([url.username, url.password, url.hash]).toEqual(["", "", ""]);
      }),
      { numRuns: isLong ? 5000 : 700 },
    );
    expect(sent).toBeGreaterThan(50);
  });

  test.each(["@evil.example/", ".evil.example/", ":81/", "/../", "/%2e%2e/x", "x"])(
    "creates no URL for an endpoint whose path is %j",
    (path) => {
      const make = (): URL => createRequestUrls("https://host.example/v1")({ ...networks, path }, new Map());
      expect(make).toThrow(/must be a path below https:\/\/host\.example\/v1$/);
    },
  );

  test("does not follow a redirect, and does not send the key to its target", async () => {
    reply = () => redirect(`${other.url}/networks`);
    const { exit } = await runScripted(["api", "/networks"]);
    expect({ exit, asked: service.requests.length, elsewhere: other.requests.length }).toEqual({
      exit: 1,
      asked: 1,
      elsewhere: 0,
    });
  });
});

/**
 * Returns the URL that would be requested; undefined if the path is rejected. Any other failure fails the
 * test.
 */
function urlOf(base: string, typed: string): URL | undefined {
  try {
    const { endpoint, args } = rawCall(readRawPath(typed), []);
    return createRequestUrls(base)(endpoint, args);
  } catch (cause) {
    if (cause instanceof Failure && cause.exit === 2) return undefined;
    throw cause;
  }
}

describe("-f", () => {
  const values: readonly (readonly [typed: string, sent: string])[] = [
    ["q=wrapped ether", "q=wrapped%20ether"],
    ["q=a+b", "q=a%2Bb"],
    ["q=100%", "q=100%25"],
    ["q=%41", "q=%2541"],
    ["q=a&b=c", "q=a%26b%3Dc"],
    ["q=a=b", "q=a%3Db"],
    ["q==", "q=%3D"],
    ["q=", "q="],
    ["q=#x", "q=%23x"],
    ["q=日本 🦄", "q=%E6%97%A5%E6%9C%AC%20%F0%9F%A6%84"],
    ["q=a,b", "q=a,b"],
    ["q=a\nb\t\u0000", "q=a%0Ab%09%00"],
    ["q=-1", "q=-1"],
    ["q=250k", "q=250k"],
    ["q=\"'<>\\", "q=%22%27%3C%3E%5C"],
    ["a b&c=1", "a%20b%26c=1"],
    ["__proto__=1", "__proto__=1"],
    ["ñ=1", "%C3%B1=1"],
  ];
  test.each(values)("sends %j as %s", async (typed, sent) => {
    await runScripted(["api", "/none", "-f", typed]);
    await runScripted(["api", "/networks", `--field=${typed}`]);
    expect(service.requests.map(({ url }) => url)).toEqual([`/v1/none?${sent}`, `/v1/networks?${sent}`]);
  });

  test("adds to the parameters in the path, with names in the contract first, others in the order typed", async () => {
    const words = [
      "api",
      "/networks/base/pools/search?zzz=1&sort=asc",
      "-f",
      "aaa=x",
      "-flimit=7",
      "--field",
      "LIMIT=3",
    ];
    await runScripted(words);
    expect(service.requests[0]?.url).toBe(
      "/v1/networks/base/pools/search?limit=7&sort=asc&zzz=1&aaa=x&LIMIT=3",
    );
  });

  test.each([
    [["/networks/base/multi/prices?tokens=0xA&tokens=0xb"]],
    [["/networks/base/multi/prices?tokens=0xA", "-f", "tokens=0xb"]],
    [["/networks/base/multi/prices", "-f", "tokens=0xA", "-f", "tokens=0xb"]],
  ])("rule 81: sends repeated tokens as typed: %j", async (words) => {
    await runScripted(["api", ...words]);
    expect(service.requests.map(({ url }) => url)).toEqual([
      "/v1/networks/base/multi/prices?tokens=0xA&tokens=0xb",
    ]);
  });

  test("rule 81: repeated tokens return the rows of the comma form and cost 1 credit each", async () => {
    const path = "/networks/ethereum/multi/prices";
    const comma = await runCommand(["api", path, "-f", `tokens=${WETH},${USDC}`]);
    const repeated = await runCommand(["api", path, "-f", `tokens=${WETH}`, "-f", `tokens=${USDC}`]);
    expect(repeated.exit).toBe(0);
    expect(sortedRows(repeated.stdout)).toEqual(sortedRows(comma.stdout));
    const bounded = await runCommand(["api", `${path}?tokens=${WETH}&tokens=${USDC}`, "--max-credits", "1"]);
    expect(bounded.exit).toBe(5);
    expect(bounded.stderr).toContain("next request costs 2");
  });

  test("lists every repeated value in the receipt", async () => {
    const [file, receipt] = ["rows.ndjson", "receipt.json"].map((name) =>
      nodePath.join(temporaryFolder(), name),
    );
    const words = ["api", `/networks/ethereum/multi/prices?tokens=${WETH}&tokens=${USDC}`];
    await runCommand([...words, "--out", String(file), "--receipt", String(receipt)]);
    expect(JSON.parse(readFileSync(String(receipt), "utf8"))).toMatchObject({
      asked: { network: "ethereum", tokens: `${WETH},${USDC}` },
      credits: { spent: 2 },
    });
  });

  const refused: readonly (readonly [words: readonly string[], message: string | RegExp])[] = [
    [["/none", "-f", "a=1", "-f", "a=2"], "--field a: given twice"],
    [["/none?a=1", "-f", "a=2"], "--field a: given twice"],
    [["/none?a=1&a=1"], "--field a: given twice"],
    [["/none", "-f", "tokens=a", "-f", "tokens=b"], "--field tokens: given twice"],
    [["/networks/base/tokens/search?sort=asc&sort=asc"], "--field sort: given twice"],
    [["/none", "-f", "a"], 'invalid --field "a": must be name=value, such as limit=100'],
    [["/none", "-f", "a=\ud83e"], String.raw`invalid --field "a=\u{d83e}": must be valid Unicode`],
    [["/none", "-f", "=1"], 'invalid --field "=1": must be name=value, such as limit=100'],
    [["/none", "-f", ""], 'invalid --field "": must be name=value, such as limit=100'],
    [["/networks/base/dexes", "-f", "network=sui"], "--field network: already part of the path"],
    [["/none", "-f"], "missing value for --field"],
    [[], "missing <path>"],
    [["/none", "/other"], 'unexpected argument "/other"'],
    [["/none", "--limit", "5"], "--limit requires --paginate"],
    [["/none", "--paginate"], "--paginate: /none is not a list known to dexdata"],
    [["/networks", "--paginate"], "--paginate: /networks is not paginated"],
    [["/search?query=a", "--paginate"], "--paginate: /search is not paginated"],
    [
      ["/networks/base/dexes?limit=0", "--paginate"],
      'invalid --field limit "0": must be a whole number from 1 to 100',
    ],
    [
      ["/networks/base/dexes?page=x", "--paginate"],
      'invalid --field page "x": must be a whole number from 1 to 1000',
    ],
    [
      ["/networks/base/pools/0x1/transactions?page=101", "--paginate"],
      'invalid --field page "101": must be a whole number from 1 to 100',
    ],
    [
      ["/networks/base/pools/0x1/transactions?page=1&cursor=x", "--paginate"],
      "--field cursor and --field page cannot be used together",
    ],
    [
      ["/networks/base/pools/0x1/transactions?from=someday", "--paginate"],
      /^error: invalid --field from "someday": must be a time such as /u,
    ],
    [["/none", "--validate"], "--validate: no schema for /none"],
    [
      ["/pools/search", "--validate"],
      "--validate requires rows, but the response is printed as one document",
    ],
    [["/none", "--all"], 'unknown flag --all for "dexdata api"'],
    [["/none", "-X", "POST"], 'unknown flag -X for "dexdata api"'],
  ];
  test.each(refused)("rejects %j before sending anything: %s", async (words, message) => {
    const { exit, stdout, stderr } = await runScripted(["api", ...words, "--error-format", "text"]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    const [line] = stderr.split("\n");
    if (typeof message === "string") expect(line).toBe(`error: ${message}`);
    else expect(line).toMatch(message);
    expect(service.requests).toEqual([]);
  });
});

describe("the response", () => {
  const long = "4272800710322643001";
  const bidi = "\u202e";
  const document = `{"n" : ${long}, "p": 1.10,\n "e":1E+2, "t":"a\u009b2J${bidi}", "rows":[ {"id":1},{"id":2} ]}`;
  const body = (text: string) => (): Reply =>
    bytes(Buffer.from(text), { "content-type": "application/json" });
  const compact = `{"n":${long},"p":1.10,"e":1E+2,"t":"a\\u009b2J\\u202e","rows":[{"id":1},{"id":2}]}\n`;
  const pretty = `{
  "n": ${long},
  "p": 1.10,
  "e": 1E+2,
  "t": "a\\u009b2J\\u202e",
  "rows": [
    {
      "id": 1
    },
    {
      "id": 2
    }
  ]
}
`;

  const cases: readonly (readonly [sent: string, words: string, isTerminal: boolean, shown: string])[] = [
    [document, "/x -o json", false, compact],
    [document, "/x", false, compact],
    [document, "/x -o json", true, pretty],
    [document, "/x", true, pretty],
    [document, "/x -o ndjson", true, compact],
    // A known path with a response of an unknown shape is printed as it is.
    [document, "/pools/search", false, compact],
    [document, "/networks -o json", true, pretty],
    [document, "/x --fields rows.1.id,p,none", false, '{"rows.1.id":2,"p":1.10,"none":null}\n'],
    ['[{"a": 1.0},[2],"x",null]', "/x", false, '{"a":1.0}\n[2]\n"x"\nnull\n'],
    ['[{"a": 1.0},[2]]', "/x -o json", false, '[{"a":1.0},[2]]\n'],
    ['[{"a":1.0,"b":2},{"b":3}]', "/x --fields b,a", false, '{"b":2,"a":1.0}\n{"b":3,"a":null}\n'],
    ['[{"a":1.0,"b":2},{"b":3}]', "/x --fields b -o json", false, '[{"b":2},{"b":3}]\n'],
    ["[]", "/x", false, ""],
    ["[]", "/x -o json", false, "[]\n"],
    [" 1.10 ", "/x", false, "1.10\n"],
    ['"a"', "/x -o json", true, '"a"\n'],
    ["null", "/x", true, "null\n"],
    [
      '{"results":[{"id":1}],"has_next_page":true,"next_cursor":"x"}',
      "/pools/search -o ndjson",
      false,
      '{"results":[{"id":1}],"has_next_page":true,"next_cursor":"x"}\n',
    ],
  ];
  test.each(cases)(
    "%j, requested with %s (terminal: %s), keeps every digit",
    async (sent, words, isTerminal, shown) => {
      reply = body(sent);
      const { exit, stdout } = await runScripted(["api", ...words.split(" "), "-q"], isTerminal);
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: shown });
    },
  );

  test.each([
    ['{"tokens":[],"pools":[{"id":"0x1"}]}', "/search?query=weth", "pools.0.id", ""],
    ['{"tokens":[],"pools":[]}', "/search?query=weth", "pools.0.id", ""],
    ['{"results":[{"id":"0x1","new":1}]}', "/pools/search", "results.0.id,results.*.new", ""],
    ['{"results":[{"id":"0x1"}]}', "/pools/search", "id", "; did you mean results.0.id?"],
    ['{"results":[{"id":"0x1"}]}', "/pools/search", "results.0.fe", "; did you mean results.0.fee?"],
    ['[{"id":"a"},{"id":"b","new":2}]', "/networks", "id,new", ""],
    ['{"plan":"pro"}', "/usage", "zzz", " (list fields: --fields '?')"],
    ['[{"a":1},{"b":2}]', "/x", "b", ""],
    ['{"a":1}', "/x", "zzz", ""],
  ])("%j of %s with --fields %s: warns only about unknown fields", async (sent, path, fields, hint) => {
    const isWarned = hint !== "" || fields === "zzz";
    for (const format of ["ndjson", "json"]) {
      reply = body(sent);
      const words = ["api", path, "--fields", fields, "-o", format];
      const { exit, stderr } = await runScripted(words);
      const warning = isWarned ? `warning: no row has the field "${fields}"${hint}\n` : "";
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: warning });
    }
  });

  const failures: readonly (readonly [
    name: string,
    reply: () => Reply,
    exit: number,
    requests: number,
    message: RegExp,
  ])[] = [
    [
      "400",
      () => json({ error: "invalid_param", message: "no", param: "zzz" }, { status: 400 }),
      2,
      1,
      /^the service rejected --field zzz "1" \(HTTP 400\)$/,
    ],
    [
      "400 of paging",
      () => json({ error: "invalid_param", message: "no", param: "limit" }, { status: 400 }),
      2,
      1,
      /^the service rejected --field limit "0" \(HTTP 400\)$/,
    ],
    ["401", () => json({ error: "unauthorized" }, { status: 401 }), 4, 1, /key/],
    ["402", () => json({ error: "payment_required" }, { status: 402 }), 5, 1, /credits/],
    ["403", () => json({ error: "plan_required" }, { status: 403 }), 4, 1, /^api \/x requires a higher plan/],
    [
      "404 of the path",
      () => json({ error: "route_not_found" }, { status: 404 }),
      3,
      1,
      /^path \/x not found$/,
    ],
    ["404", () => empty(404), 3, 1, /^nothing found at \/x \(HTTP 404\)$/],
    ["405", () => json({ error: "method_not_allowed" }, { status: 405 }), 2, 1, /rejected/],
    [
      "410",
      () => json({ error: "endpoint_removed", replacement: "/y" }, { status: 410 }),
      3,
      1,
      /^\/x was removed from the API$/,
    ],
    ["429", () => empty(429), 6, 5, /rate limit of the pro plan exceeded/],
    ["500", () => empty(500), 7, 5, /the service failed/],
    ["502", () => html(502), 7, 1, /the service failed/],
    ["a web page", () => html(200), 1, 1, /HTML instead of JSON/],
    ["nothing", () => empty(200), 1, 1, /empty body/],
  ];
  test.each(failures)(
    "%s: exits and reports like every other command",
    async (_name, answer, exit, requests, message) => {
      reply = answer;
      const words = ["api", "/x", "-f", "zzz=1", "-f", "limit=0", "--error-format", "json"];
      const outcome = await runScripted(words);
      expect([outcome.exit, service.requests.length, outcome.stdout]).toEqual([exit, requests, ""]);
      const lines = outcome.stderr.trim().split("\n");
      expect(toRow(lines.at(-1) ?? "")["message"]).toMatch(message);
    },
  );

  test("names the replacement of a removed path, and the network closest to an unknown one", async () => {
    const removed = await runCommand("api /networks/ethereum/pools/filter --error-format json");
    expect(removed.exit).toBe(3);
    expect(toRow(removed.stderr)["message"]).toBe("/networks/ethereum/pools/filter was removed from the API");
    expect(toRow(removed.stderr)["next"]).toBe(
      "use /networks/{network}/pools/search instead; " +
        "get the new command: dexdata explain /networks/ethereum/pools/filter",
    );
    const unknown = await runCommand("api /networks/eth/pools/search --error-format json");
    expect([unknown.exit, toRow(unknown.stderr)["next"]]).toEqual([3, "did you mean ethereum?"]);
    const plan = await dexdata(
      `api /networks/ethereum/pools/${POOL}/transactions --error-format json --sandbox --tier free`,
    );
    expect([plan.exit, toRow(plan.stderr)["message"]]).toEqual([
      4,
      "txns requires a dev plan or higher; your key is on the free plan",
    ]);
  });
});

describe("--paginate", () => {
  const search = "/networks/ethereum/pools/search";

  test("fetches pages of 100, one request after another, until the end", async () => {
    sandbox.takeLog();
    const { stdout } = await runCommand("api /networks/sui/pools/search --paginate");
    const asked = sandbox.takeLog();
    const rows = rowsOf(stdout);
    expect(rows.length).toBeGreaterThan(100);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(asked.length).toBe(Math.ceil(rows.length / 100));
    expect(asked.every(({ url }) => url.includes("limit=100"))).toBe(true);
  });

  test("-f limit sets the page size, --limit the total number of rows", async () => {
    sandbox.takeLog();
    const { stdout } = await runCommand(`api ${search} -f limit=4 --paginate --limit 10`);
    expect(rowsOf(stdout).length).toBe(10);
    expect(sandbox.takeLog().map(({ url }) => new URL(url, "http://x").searchParams.get("limit"))).toEqual([
      "4",
      "4",
      "4",
    ]);
    const own = await runCommand("pools search ethereum --limit 10");
    expect(stdout).toBe(own.stdout);
  });

  test("starts at -f cursor or -f page", async () => {
    const first = await runCommand(`api ${search} -f limit=5`);
    const cursor = String(toRow(first.stdout)["next_cursor"]);
    const rest = await runCommand(["api", search, "-f", `cursor=${cursor}`, "--paginate", "--limit", "5"]);
    const ten = await runCommand("pools search ethereum --limit 10");
    expect(rest.stdout).toBe(ten.stdout.split("\n").slice(5).join("\n"));
    const paged = await runCommand("api /networks/ethereum/dexes -f page=2 -f limit=3 --paginate --limit 3");
    const own = await runCommand("dexes ethereum --page 2 --page-size 3 --limit 3");
    expect([rowsOf(paged.stdout).length, paged.stdout]).toEqual([3, own.stdout]);
  });

  test("resolves a relative time once, from the start time of the run", async () => {
    const history = `/networks/ethereum/pools/${POOL}/transactions`;
    sandbox.takeLog();
    const { stdout } = await runCommand(["api", history, "-f", "from=-30m", "-f", "limit=20", "--paginate"]);
    const bounds = sandbox.takeLog().map(({ url }) => new URL(url, "http://x").searchParams.get("from"));
    expect(bounds.length).toBeGreaterThan(3);
    expect(new Set(bounds)).toEqual(new Set([String(sandboxNow / 1000 - 1800)]));
    const own = await runCommand(`txns ethereum ${POOL} --from -30m --all`);
    expect(stdout).toBe(own.stdout);
  });

  test("rule 61: continues with a cursor after page 100", async () => {
    const history = `/networks/ethereum/pools/${POOL}/transactions`;
    sandbox.takeLog();
    const { exit, stdout } = await runCommand(`api ${history} -f page=99 -f limit=2 --paginate --limit 12`);
    expect(exit).toBe(0);
    expect(sandbox.takeLog().some(({ url }) => url.includes("cursor="))).toBe(true);
    const own = await runCommand(`txns ethereum ${POOL} --page 99 --page-size 2 --limit 12`);
    expect([rowsOf(stdout).length, stdout]).toEqual([12, own.stdout]);
  });

  test("prints the command for the next page if --limit ends the list, and that command returns the rest", async () => {
    const words = [
      "api",
      search,
      "-f",
      "limit=4",
      "-f",
      "order_by=liquidity_usd",
      "--paginate",
      "--limit",
      "8",
      "-o",
      "ndjson",
    ];
    const options = { env: sandbox.env(), now: sandboxNow };
    const first = await dexdata(words, { ...options, isTerminal: { stderr: true }, columns: 400 });
    const next = /next page: dexdata (.*)/u.exec(first.stderr)?.[1] ?? "";
    expect(next).toContain("--field order_by=liquidity_usd --field limit=4 --field cursor=");
    const second = await dexdata(next, options);
    const own = await runCommand("pools search ethereum --order-by liquidity_usd --limit 16 -o ndjson");
    expect(first.stdout + second.stdout).toBe(own.stdout);
  });

  test("resumes an interrupted pull into a file with the command that it printed", async () => {
    const context = createTestContext({ env: sandbox.env(), now: sandboxNow });
    const file = nodePath.join(context.home, "pools.ndjson");
    const call = "api /networks/tempo/pools/search -f limit=9 -f sort=asc --paginate";
    const words = [...call.split(" "), "--out", file, "--resume"];
    const interrupted = await run([...words, "--max-credits", "3", "--error-format", "text"], context);
    expect(interrupted.exit).toBe(5);
    expect(interrupted.stderr).toContain(`dexdata ${call.replaceAll(" -f", " --field")}`);
    const resumed = await dexdata(words, { env: { ...sandbox.env(), HOME: context.home }, now: sandboxNow });
    expect({ exit: resumed.exit, stderr: resumed.stderr }).toEqual({ exit: 0, stderr: "" });
    const own = await runCommand("pools search tempo --sort asc --all -o ndjson");
    expect(readFileSync(file, "utf8")).toBe(own.stdout);
  });

  test("finds nothing for the display name of a DEX, and suggests its ID", async () => {
    const { exit, stdout, stderr } = await runCommand([
      "api",
      search,
      "-f",
      "dex_name=Uniswap V3",
      "--paginate",
    ]);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toBe(
      'warning: unknown DEX ID "Uniswap V3" on ethereum; did you mean --field dex_name=uniswap_v3?\n',
    );
  });

  test("fails after four responses with the same cursor", async () => {
    reply = () => json({ results: [{ id: "0x1", chain: "base" }], has_next_page: true, next_cursor: "same" });
    const { exit } = await runScripted(["api", "/pools/search", "--paginate"]);
    expect(exit).toBe(8);
    expect(service.requests.length).toBeLessThanOrEqual(6);
  });
});

describe("features of every command", () => {
  test("a batch costs 1 credit per address, any other request 1", async () => {
    const batch = await runCommand(`api /networks/ethereum/multi/prices?tokens=${WETH},${USDC} --stats`);
    expect(batch.stderr).toMatch(/^1 request, 2 credits/);
    const unknown = await runCommand("api /networks?tokens=a,b,c --stats");
    expect(unknown.stderr).toMatch(/^1 request, 1 credit /);
  });

  test("--max-credits ends a pull before the request that would exceed it", async () => {
    const { exit, stdout } = await runCommand(
      "api /networks/ethereum/pools/search -f limit=5 --paginate --max-credits 2",
    );
    expect([exit, rowsOf(stdout).length]).toEqual([5, 10]);
    const batch = await runCommand(
      `api /networks/ethereum/multi/prices?tokens=${WETH},${USDC} --max-credits 1`,
    );
    expect([batch.exit, batch.stdout]).toEqual([5, ""]);
  });

  test("supports --retries, --retry-on and -v", async () => {
    reply = (index) => (index < 2 ? html(503) : json({ ok: true }));
    const { exit, stdout, stderr } = await runScripted([
      "api",
      "/x",
      "--retry-on",
      "503",
      "--retries",
      "2",
      "-v",
    ]);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '{"ok":true}\n' });
    expect(stderr.match(/^GET .*\/v1\/x 503/gmu)?.length).toBe(2);
    expect(stderr).not.toContain(key);
  });

  test("--validate checks rows against the contract", async () => {
    reply = () => json([{ id: 1 }]);
    const wrong = await runScripted(["api", "/networks", "--validate"]);
    expect([wrong.exit, wrong.stdout]).toEqual([1, '{"id":1}\n']);
    for (const words of [
      "/networks",
      `/networks/ethereum/pools/${POOL}`,
      "/networks/base/pools/search --paginate --limit 20",
    ]) {
      expect((await runCommand(`api ${words} --validate`)).exit).toBe(0);
    }
  });

  test("--receipt records a response printed as one document, and the time range as typed", async () => {
    const context = createTestContext({ env: sandbox.env(), now: sandboxNow });
    const file = nodePath.join(context.home, "receipt.json");
    const history = `/networks/ethereum/pools/${POOL}/transactions?from=-1h`;
    const { exit } = await run(["api", history, "--receipt", file], context);
    const receipt = toRow(readFileSync(file, "utf8"));
    expect([exit, receipt["complete"], receipt["window"]]).toEqual([0, true, { from: "-1h", to: null }]);
    expect(receipt["command"]).toBe(`api ${history.replace("?from=-1h", "")}`);
  });

  test("--out writes the response to a file", async () => {
    const context = createTestContext({ env: sandbox.env(), now: sandboxNow });
    const file = nodePath.join(context.home, "networks.json");
    const { exit, stdout } = await run(["api", "/networks", "-o", "json", "--out", file], context);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(readFileSync(file, "utf8")).toBe((await runCommand("api /networks -o json")).stdout);
  });

  test.each(apiCommand.examples)("the example `%s` runs unchanged", async (example) => {
    const words = example.replaceAll("'", "").split(" ").slice(1);
    const { exit, stdout } = await dexdata([...words, "--sandbox"]);
    expect(exit).toBe(0);
    expect(stdout.length).toBeGreaterThan(2);
  });

  test("is listed in the help with the other commands", async () => {
    expect((await dexdata("--help")).stdout).toMatch(/^Reference: .*\bapi,/mu);
    expect(apiCommand.examples.length).toBeGreaterThan(2);
  });
});
