import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { dexdata, run } from "../harness/dexdata.ts";
import { json, type Reply, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext, type TestContext, type TestContextOptions } from "../harness/test-context.ts";

let server: ScriptedServer;

type Rows = readonly (readonly [id: string, price: string])[];

/** One row of the response, with digits and an unknown field. */
const textOf = ([id, price]: Rows[number]): string =>
  `{"id":"${id}","chain":"ethereum","price_usd":${price},"new":1.10}`;
const list = (rows: Rows): Reply => json(`{"results":[${rows.map(textOf).join(",")}],"has_next_page":false}`);

const no = (status: number): Reply => json({ message: "no" }, { status });

/** Runs a command with one response per round, then a signal. */
async function watch(
  words: string,
  rounds: readonly Reply[],
  options: TestContextOptions = {},
): Promise<{
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly context: TestContext;
}> {
  const context = await preparedFor(rounds, options);
  return await run(words.split(" "), context);
}

async function preparedFor(rounds: readonly Reply[], options: TestContextOptions): Promise<TestContext> {
  const prepared: { context?: TestContext } = {};
  server = await serveInTest((_, index) => {
    if (index === rounds.length) prepared.context?.interrupt({ cause: "SIGINT" });
    return rounds[Math.min(index, rounds.length - 1)] ?? json("{}");
  });
  const env = { DEXDATA_BASE_URL: server.url, LANG: "C.UTF-8", TERM: "xterm" };
  prepared.context = createTestContext({ flows: true, ...options, env: { ...env, ...options.env } });
  return prepared.context;
}

const words = "pools search ethereum --watch 30s --error-format text --retries 0";
/** The service has not said what is left. */
const lasting = "note: the keyless plan's 10,000 monthly credits last 3d11h";
const cost = `watching every 30s: up to 120 credits/hour, 86,400 a month\n${lasting}\n`;

describe("--watch shows rows as a single request does", () => {
  test("with amounts in tokens", async () => {
    const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
    const [one, other] = [
      "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
      "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    ];
    const row = {
      id: "0x1",
      log_index: 1,
      pool_id: pool,
      chain: "ethereum",
      token_0: one,
      token_1: other,
      amount_0: -2_500_000,
      amount_1: 1000,
      price_0_usd: 1,
      price_1_usd: 2.5,
      created_at: "2026-11-21T08:00:00Z",
    };
    const tokens = [
      { id: one, chain: "ethereum", decimals: 6 },
      { id: other, chain: "ethereum", decimals: 3 },
    ];
    const rounds = [
      json({ transactions: [row], page_info: { limit: 1, page: 1, total_items: 1, total_pages: 1 } }),
      json({ id: pool, chain: "ethereum", tokens }),
    ];
    const txns = `txns ethereum ${pool} --watch 30s --limit 1 --amounts tokens -q --retries 0`;
    const { stdout } = await watch(txns, rounds);
    const added = { amount_0_tokens: "-2.5", amount_1_tokens: "1", size_usd: 2.5, type: "swap" };
    expect(JSON.parse(stdout)).toEqual({ ...row, ...added });
  });

  test("with one warning about a field that no row has", async () => {
    const rounds = ["1", "2"].map((price) => list([["a", price]]));
    const { stdout, stderr } = await watch(`${words} --fields price_usd,zzz`, rounds);
    expect(stdout).toBe('{"price_usd":1,"zzz":null}\n{"price_usd":2,"zzz":null}\n');
    expect(stderr).toBe(`${cost}warning: no row has the field "zzz" (list fields: --fields '?')\n`);
  });
});

describe("--watch behind a cache", () => {
  const copy = (seconds: number, longest = 60, price = "1"): Reply =>
    json(`{"results":[${textOf(["a", price])}],"has_next_page":false}`, {
      headers: { age: String(seconds), "cache-control": `public, max-age=${longest}` },
    });

  test("ignores a copy that is older than the last response, and reports it once", async () => {
    const rounds = [
      ["1", 0],
      ["2", 0],
      ["1", 59],
      ["2", 0],
      ["1", 59],
      ["3", 0],
    ] as const;
    const { stdout, stderr } = await watch(
      words,
      rounds.map(([price, age]) => copy(age, 20, price)),
    );
    expect(stdout).toBe(["1", "2", "3"].map((price) => `${textOf(["a", price])}\n`).join(""));
    expect(stderr.match(/note: ignored .*/gu)).toEqual([
      "note: ignored a cached response that is older than the one before",
    ]);
  });

  test("does not stop for a day because of one response that may be kept for a day", async () => {
    const { context } = await watch(words, [copy(1, 86_400), copy(0), copy(0)]);
    expect(Math.round(context.clock.elapsed() / 1000)).toBe(300 + 60 + 60);
  });

  test("does not refresh before the response can differ, and prints its age once", async () => {
    const { stderr, context } = await watch(words, [copy(10), copy(20), copy(0), copy(0), copy(50)]);
    expect(stderr).toBe(
      cost.replace(lasting, `note: responses from the service are up to 10s old\n${lasting}`),
    );
    // They expire after 50, 40, 60, 60 and 10 s, and refreshes are at multiples of 30 s.
    expect(Math.round(context.clock.elapsed() / 1000)).toBe(60 + 60 + 60 + 60 + 30);
  });
});

test.each([
  ["txns", "--day yesterday", '--day "yesterday"'],
  ["txns", "--to 2026-11-20", '--to "2026-11-20"'],
  ["txns", "--cursor x", "--cursor"],
  ["ohlcv", "--day 2026-11-18..2026-11-20", '--day "2026-11-18..2026-11-20"'],
  ["ohlcv", "--from 2026-11-01 --to today", '--to "today"'],
])("%s %s is refused, because past rows do not change", async (command, flags, named) => {
  const { exit, stderr } = await dexdata(
    [
      command,
      "ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
      ...flags.split(" "),
      "--watch",
      "30s",
      "--error-format",
      "text",
    ],
    { env: { DEXDATA_BASE_URL: "http://127.0.0.1:1" } },
  );
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: `error: ${named} cannot be used with --watch: past rows do not change\n  hint: remove --watch\n`,
  });
});

test.each(["txns --day today", "txns --to -1h", "ohlcv --from -2h"])(
  "%s is refreshed, and can end after --for",
  async (flags) => {
    const [command = "", ...others] = flags.split(" ");
    const asset = "ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
    const { exit, stdout } = await dexdata(
      [command, asset, ...others, "--watch", "30s", "--for", "1h", "--estimate", "-o", "json"],
      {
        env: { DEXDATA_BASE_URL: "http://127.0.0.1:1" },
      },
    );
    expect({ exit, stdout }).toMatchObject({ exit: 0, stdout: expect.stringContaining("credits_per_hour") });
  },
);

describe("--watch in a pipe", () => {
  test("prints all rows of the first round, then new or changed rows, as the service sent them", async () => {
    const rounds = [
      list([
        ["a", "1.0"],
        ["b", "2.50"],
      ]),
      list([
        ["b", "2.50"],
        ["a", "1.0"],
      ]),
      list([
        ["c", "3"],
        ["a", "1.00"],
        ["b", "2.50"],
      ]),
      list([["c", "3"]]),
    ];
    const { exit, stdout, stderr } = await watch(words, rounds);
    const lines = [
      ["a", "1.0"],
      ["b", "2.50"],
      ["c", "3"],
      ["a", "1.00"],
    ] as const;
    expect({ exit, stdout, stderr }).toEqual({
      exit: 130,
      stdout: lines.map((row) => `${textOf(row)}\n`).join(""),
      stderr: `${cost}note: 2026-11-21T08:55:30Z: no longer listed: ethereum a, ethereum b\n`,
    });
  });

  test("sends requests at its interval, even if responses are slow, and reads the clock once per round", async () => {
    const context = createTestContext({ flows: true, env: { LANG: "C.UTF-8" } });
    const created: string[] = [];
    server = await serveInTest(({ query }) => {
      created.push(query.get("created_after") ?? "");
      if (created.length === 4) context.interrupt({ cause: "SIGINT" });
      return list([]);
    });
    const flags = ["--created-after", "-1h", "--base-url", server.url];
    await run([...words.split(" "), ...flags], context);
    const [first = 0, ...rest] = created.map(Number);
    expect(first).toBe(Date.parse("2026-11-21T07:54:00Z") / 1000);
    expect(rest.map((second) => second - first)).toEqual([30, 60, 90]);
  });

  test("with --fields, only a change of these fields counts", async () => {
    const rounds = [list([["a", "1"]]), list([["a", "2"]]), list([["b", "2"]])];
    const { stdout } = await watch(`${words} --fields id`, rounds);
    expect(stdout).toBe('{"id":"a"}\n{"id":"b"}\n');
  });

  test("prints the header once as csv", async () => {
    const rounds = [list([["a", "1"]]), list([["a", "2"]])];
    const { stdout } = await watch(`${words} -o csv --fields id,price_usd`, rounds);
    expect(stdout).toBe("id,price_usd\na,1\na,2\n");
  });

  test("prints prices as a table, too, at each refresh", async () => {
    const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
    const rounds = ["1", "2"].map((price) => json(`[${textOf([weth, price])}]`));
    const { stdout } = await watch(
      `prices ethereum ${weth} --watch 30s -o table --columns price-usd`,
      rounds,
    );
    expect(stdout).toBe("PRICE USD\n   1.0000\n   2.0000\n");
  });

  test("reports a failed round, and compares the next round with the last successful one", async () => {
    const rounds = [
      list([["a", "1"]]),
      no(503),
      list([
        ["a", "1"],
        ["b", "2"],
      ]),
    ];
    const { exit, stdout, stderr } = await watch(words, rounds);
    expect(exit).toBe(130);
    expect(stdout).toBe(`${textOf(["a", "1"])}\n${textOf(["b", "2"])}\n`);
    expect(stderr).toMatch(
      /^watching .*\nnote: the keyless plan's 10,000 .*\nwarning: .*503.*; retrying at the next refresh\n$/u,
    );
  });

  test.each(["text", "json"])("reports a rejected input once, with its hint, as %s", async (form) => {
    const [good, bad] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`);
    const context = createTestContext({ flows: true });
    const served = await serveInTest(({ path: asked }, index) => {
      if (index === 5) context.interrupt({ cause: "SIGINT" });
      if (asked.includes(`${bad}`)) return json({ error: "not_found", resource: "pool" }, { status: 404 });
      return json({ id: good, chain: "ethereum" });
    });
    const typed = `pool ethereum:${good} ethereum:${bad} --watch 30s --retries 0 --error-format ${form}`;
    await run([...typed.split(" "), "--base-url", served.url], context);
    const hint = `for a token, list its pools: dexdata pools search ethereum --token ${bad}; search all networks: dexdata search ${bad}`;
    const said = context.stderr.text().split("\n").slice(1).join("\n");
    if (form === "text")
      expect(said).toContain(`error: pool ${bad} not found on ethereum\n  hint: ${hint}\n`);
    else expect(said).toContain(`"message":"pool ${bad} not found on ethereum"`);
    if (form === "json") expect(said).toContain(`"next":"${hint}"`);
    expect(said.match(/not found on ethereum/gu)).toHaveLength(1);
  });

  test("reports a round with an incomplete list, and continues", async () => {
    const dexes = (ids: readonly string[], total: number): Reply =>
      json({
        dexes: ids.map((dex_id) => ({ dex_id, dex_name: dex_id })),
        page_info: { limit: 100, page: 1, total_items: total, total_pages: 1 },
      });
    const rounds = [dexes(["a"], 1), dexes(["a"], 3), dexes(["a", "b"], 2)];
    const { exit, stdout, stderr } = await watch(
      "dexes ethereum --limit 100 --watch 30s --error-format text --retries 0",
      rounds,
    );
    expect({ exit, rows: stdout.split("\n").length - 1 }).toEqual({ exit: 130, rows: 2 });
    expect(stderr).toMatch(/incomplete list: page 1 has only 1 of 3 rows; 2 rows are missing/u);
  });

  test.each([
    ["invalid JSON", () => json('{"results":[')],
    ["an error page of a proxy", () => json("<!DOCTYPE html>", { status: 403 })],
    ["a request sent to another server", () => json("not found", { status: 404 })],
  ] as const)("continues after %s, but not if it is the first response", async (_, damaged) => {
    const good = [list([["a", "1"]]), list([["a", "2"]])] as const;
    const { exit, stdout, stderr } = await watch(words, [good[0], damaged(), damaged(), good[1]]);
    expect({ exit, rows: stdout.split("\n").length - 1 }).toEqual({ exit: 130, rows: 2 });
    expect(stderr).toContain("; retrying at the next refresh\n");
    expect((await watch(words, [damaged(), good[0]])).exit).not.toBe(130);
  });

  test("ends if responses remain damaged", async () => {
    const rounds = [list([["a", "1"]]), ...Array.from({ length: 6 }, () => json("{}"))];
    expect((await watch(words, rounds)).exit).toBe(1);
  });

  test("continues after one damaged response, although other refreshes have failed before", async () => {
    const failed = Array.from({ length: 5 }, () => no(503));
    expect((await watch(words, [list([["a", "1"]]), ...failed, json("{}"), list([["a", "2"]])])).exit).toBe(
      130,
    );
  });

  test.each([
    [400, 2],
    [401, 4],
    [402, 5],
    [403, 4],
    [404, 3],
    [410, 3],
  ])("ends at status %i with exit code %i", async (status, code) => {
    const { exit, stdout } = await watch(words, [list([["a", "1"]]), no(status), no(status)]);
    expect({ exit, stdout }).toEqual({ exit: code, stdout: `${textOf(["a", "1"])}\n` });
  });

  test("ends at --max-credits", async () => {
    const { exit, stderr } = await watch(
      `${words} --max-credits 2`,
      ["1", "2", "3"].map((price) => list([["a", price]])),
    );
    expect(exit).toBe(5);
    expect(server.requests.length).toBe(2);
    expect(stderr).toContain("--max-credits");
  });

  test("ends with 0 at the next row if the reader closed the pipe", async () => {
    const context = await preparedFor([list([["a", "1"]]), list([["a", "2"]]), list([["a", "3"]])], {});
    context.stdout.closeAfter(textOf(["a", "1"]).length + 1);
    const { exit, stderr } = await run(words.split(" "), context);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: cost });
  });

  test("reads stdin once, and reports inputs without a row once", async () => {
    const rows = json('[{"id":"0xa","chain":"sui","price_usd":1}]');
    const { stdout, stderr } = await watch("prices - --watch 30s --error-format text", [rows, rows, rows], {
      stdin: "sui:0xa\nsui:0xb\n",
    });
    expect(stdout).toBe('{"id":"0xa","chain":"sui","price_usd":1}\n');
    expect(stderr).toBe(
      "watching every 30s: up to 240 credits/hour, 172,800 a month\nnote: the keyless plan's 10,000 monthly credits last 41h\nno price for sui:0xb\n",
    );
  });
});

describe("--watch of a list", () => {
  const price = (id: string): string => `{"id":"${id}","chain":"sui","price_usd":1}`;

  test("continues with the old list while the file is missing or invalid, and prints the cost of a new one", async () => {
    const file = path.join(temporaryFolder(), "list.txt");
    const lists = [
      "sui:0xa\n",
      undefined,
      "sui 0xa 0xb nonsense\n",
      "sui:0xa\nsui:0xb\n",
      "sui:0xa\nsui:0xb\n",
    ];
    const put = (text: string | undefined): void => {
      if (text === undefined) rmSync(file);
      else writeFileSync(file, text);
    };
    const prepared: { context?: TestContext } = {};
    server = await serveInTest(({ query }, index) => {
      if (index + 1 === lists.length) prepared.context?.interrupt({ cause: "SIGINT" });
      else put(lists[index + 1]);
      return json(`[${(query.get("tokens") ?? "").split(",").map(price).join(",")}]`);
    });
    put(lists[0]);
    prepared.context = createTestContext({ flows: true, env: { DEXDATA_BASE_URL: server.url } });
    const argv = ["prices", `@${file}`, "--watch", "30s", "--error-format", "text"];
    const { exit, stdout, stderr } = await run(argv, prepared.context);
    expect({ exit, stdout }).toEqual({ exit: 130, stdout: `${price("0xa")}\n${price("0xb")}\n` });
    expect(stderr.replaceAll(file, "FILE").split("\n")).toEqual([
      "watching every 30s: up to 120 credits/hour, 86,400 a month",
      lasting,
      'warning: new list ignored: "@FILE": cannot be read (no such file)',
      expect.stringMatching(/^warning: new list ignored: FILE line 1: /u),
      "watching every 30s: up to 240 credits/hour, 172,800 a month",
      "",
    ]);
  });
});

test("--watch of a list uses the labels of assets that are added to it", async () => {
  const file = path.join(temporaryFolder(), "list.txt");
  writeFileSync(file, "sui:0xa One\n");
  const prepared: { context?: TestContext } = {};
  server = await serveInTest(({ query }, index) => {
    if (index === 2) prepared.context?.interrupt({ cause: "SIGINT" });
    writeFileSync(file, "sui:0xa One\nsui:0xb Two\n");
    const ids = (query.get("tokens") ?? "").split(",");
    return json(ids.map((id) => ({ id, chain: "sui", price_usd: 1 })));
  });
  prepared.context = createTestContext({ flows: true, env: { DEXDATA_BASE_URL: server.url } });
  const argv = ["prices", `@${file}`, "--watch", "30s", "--when", "price_usd > 0", "-q"];
  const { stdout } = await run(argv, prepared.context);
  expect(stdout.match(/"label":"\w+"/gu)).toEqual(['"label":"One"', '"label":"Two"']);
});

test.each([0, 4])("--watch reports an outage once, and its end (--retries %d)", async (retries) => {
  const down = Array.from({ length: 3 * (retries + 1) }, () => no(503));
  const argv = words.replace("--retries 0", `--retries ${retries}`);
  const { stderr } = await watch(argv, [list([["a", "1"]]), ...down, list([["a", "1"]])]);
  const lines = [
    "watching .*",
    lasting,
    ...(retries > 0 ? ["note: .*503.*; retrying in .*s"] : []),
    "warning: .*503.*; retrying at the next refresh",
    "note: refreshed again after 3 failed attempts",
  ];
  expect(stderr).toMatch(new RegExp(`^${lines.join("\\n")}\\n$`, "u"));
});

describe("--for ends a watch", () => {
  test.each([
    ["with exit 0 after a refresh without changes", "", [200, 200, 200], 0],
    ["with exit 8 if no refresh succeeded", "", [503], 8],
    ["with exit 8 if the last refreshes failed", "", [200, 503], 8],
    ["with exit 0 if a later refresh succeeded", "", [200, 503, 200], 0],
    ["with the reason, if there was no alert", " --when price_usd<0", [200, 503], 8],
    ["with exit 0 after an alert", " --when price_usd>0", [200, 503], 0],
  ])("%s", async (_, others, statuses, expected) => {
    const host = await serveInTest((_request, index) => {
      const status = statuses[Math.min(index, statuses.length - 1)] ?? 200;
      return status === 200 ? list([["a", "1"]]) : no(status);
    });
    const { exit, stderr } = await dexdata(`${words} --for 100s${others}`, {
      flows: true,
      env: { DEXDATA_BASE_URL: host.url },
    });
    expect(exit).toBe(expected);
    const message =
      /error: no refresh succeeded from \S+Z to \S+Z; changes may be missing: the service failed \(HTTP 503\)\n {2}hint: /u;
    if (expected === 8) expect(stderr).toMatch(message);
    else expect(stderr).not.toContain("error:");
  });
});

describe("--watch on a terminal", () => {
  const screens = (text: string): readonly string[] => text.split("\u001B[?2026h").slice(1);

  test("marks new rows and changed values, with their direction, and counts down", async () => {
    const rounds = [
      list([
        ["a", "1"],
        ["b", "2"],
        ["d", "4"],
      ]),
      list([
        ["c", "3"],
        ["a", "1.5"],
        ["b", "1"],
      ]),
    ];
    const { exit, stdout } = await watch(`${words} --fields id,price_usd --color always`, rounds, {
      isTerminal: { stdout: true },
    });
    expect(exit).toBe(130);
    const shown = screens(stdout);
    expect(shown.some((picture) => picture.includes("next in 12s"))).toBe(true);
    const last = shown.at(-1) ?? "";
    expect(last).toContain("every 30s: dexdata pools search ethereum");
    expect(last).toContain("2 credits · 120/hour");
    expect(last).toMatch(/\+ {2}c +3\.0000\r/u);
    expect(last).toContain("\u001B[32m\u001B[7m1.5000\u001B[27m\u001B[39m");
    expect(last).toContain("\u001B[31m\u001B[7m1.0000\u001B[27m\u001B[39m");
    expect(last).toContain("no longer listed: ethereum d");
  });

  test("leaves the last view below the earlier output, with the cursor visible", async () => {
    const argv = "pools search ethereum --watch 30s --fields id,price_usd --color never";
    const { stdout, stderr } = await watch(argv, [list([["a", "1"]])], {
      isTerminal: { stdout: true, stderr: true },
    });
    const [, after = ""] = stdout.split("\u001B[?25h\u001B[?1049l");
    expect(after.split("\n")).toEqual([
      "every 30s: dexdata pools search ethereum --fields id,price_usd --color never",
      "2026-11-21T08:54:00Z · 1 credit · 120/hour",
      "",
      "   id           price_usd",
      "   a               1.0000",
      "",
    ]);
    expect(stderr).toMatch(
      /^watching every 30s: [^\n]*\nnote: [^\n]*\n2 requests, 1 credit, plus up to 1 [^\n]*\n$/u,
    );
  });

  test("shows an error in the view, and continues", async () => {
    const argv = "pools search ethereum --watch 30s --retries 0 --fields id";
    const { stdout, stderr } = await watch(argv, [list([["a", "1"]]), no(503)], {
      isTerminal: { stdout: true, stderr: true },
    });
    expect(screens(stdout).at(-1)).toContain("2026-11-21T08:54:30Z: ");
    expect(stderr).not.toContain("503");
  });

  test("fits a small terminal, and shows how many lines it omits", async () => {
    const rows = Array.from({ length: 40 }, (_, index) => [`row${index}`, "1"] as const);
    const { stdout } = await watch("pools search ethereum --limit 40 --watch 30s --fields id", [list(rows)], {
      isTerminal: { stdout: true },
      columns: 30,
    });
    const lines = (screens(stdout).at(-1) ?? "").split("\u001B[?2026l")[0]?.split("\r\n") ?? [];
    expect(lines.length).toBe(24);
    expect(lines.at(-1)).toContain("… 21 more lines");
  });

  test.each(["never", "always"])("marks where a long value is cut (--color %s)", async (color) => {
    const [address, other] = [`0x${"12345678".repeat(5)}`, `0x${"abcdef01".repeat(5)}`];
    const pool = json(`{"id":"${address}","chain":"ethereum","factory_id":"${other}"}`);
    const argv = `pool ethereum ${address} --watch 30s --color ${color}`;
    const { stdout } = await watch(argv, [pool, pool], { isTerminal: { stdout: true }, columns: 40 });
    const lines = (screens(stdout).at(-1) ?? "").split("\u001B[?2026l")[0]?.split("\r\n") ?? [];
    const shown = lines.map((line) => stripVTControlCharacters(line));
    expect(shown).toContain(`id          ${address.slice(0, 27)}…`);
    expect(shown).toContain(`factory_id  ${other.slice(0, 27)}…`);
    expect(shown.filter((line) => line.length > 40)).toEqual([]);
  });
});

describe("combinations that --watch rejects before sending anything", () => {
  test.each([
    ["pools search ethereum --watch 4s", "must be a duration of 5s or more"],
    ["pools search ethereum --watch 4", "for updates within seconds, use: dexdata stream"],
    ["pools search ethereum --watch 30", "did you mean 30s?"],
    ["pools search ethereum --watch 30s --all", "--all cannot be used with --watch"],
    ["pools search ethereum --watch 30s --out x", "--out cannot be used with --watch"],
    [
      "pools search ethereum --watch 30s -o json",
      "json output cannot be used with --watch: it is complete only when the run ends",
    ],
    [
      "txns ethereum 0x000000000000000000000000000000000000000a --watch 30s --follow",
      "--watch cannot be used with --follow",
    ],
    [
      "pools search ethereum --watch 5s --limit 300 --sandbox --tier keyless",
      "each refresh takes 3 requests, but the rate limit is 15 requests/min\n  hint: send fewer requests per refresh, or refresh less often: --watch 12s",
    ],
    ["pools search ethereum --watch 1h --limit 20000 --sandbox", "each refresh is limited to 10,000 rows"],
  ])("%s", async (line, expected) => {
    const { exit, stdout, stderr } = await dexdata(`${line} --error-format text`);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(expected);
  });
});

describe("the cost of --watch", () => {
  test("--estimate states it without a request", async () => {
    const asked = "prices ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --watch 1m --estimate --stats";
    const { exit, stdout, stderr } = await dexdata(asked, {
      env: { DEXDATA_BASE_URL: "http://127.0.0.1:1" },
    });
    expect([exit, JSON.parse(stdout)]).toEqual([
      0,
      {
        requests_per_hour: 60,
        credits_per_hour: 60,
        credits_per_month: 43_200,
        fits_plan: "free",
        plan_credits: 10_000,
        plan_credits_last_days: 6.94,
      },
    ]);
    expect(stderr).toContain("0 requests");
  });

  test("--estimate of a rare refresh states what a month costs, not 720 times an hour", async () => {
    const { stdout } = await dexdata("networks --watch 6h --estimate --sandbox");
    expect(JSON.parse(stdout)).toEqual({
      requests_per_hour: 1,
      credits_per_hour: 1,
      credits_per_month: 120,
      fits_plan: "keyless",
      plan_credits: 5_000_000,
      plan_credits_last_days: 1_250_000,
    });
  });

  test("--estimate states what refreshes usually cost, not the most that one of them may", async () => {
    const asked = "ohlcv ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --watch 1m --count-back 24";
    const { stdout } = await dexdata(`${asked} --estimate --sandbox`);
    expect(JSON.parse(stdout)).toEqual({
      requests_per_hour: 60,
      credits_per_hour: 60,
      credits_per_month: 43_200,
      fits_plan: "free",
      plan_credits: 5_000_000,
      plan_credits_last_days: 3472.22,
    });
  });

  test.each([
    "txns ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --follow --poll 15s",
    "txns ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --watch 1m",
  ])("%s --estimate: warns of a plan that does not include it", async (follow) => {
    const estimate = async (tier: string) => await dexdata(`${follow} --estimate --sandbox --tier ${tier}`);
    const free = await estimate("free");
    expect(free.exit).toBe(0);
    expect(free.stderr).toContain("warning: txns requires a dev plan or higher");
    expect((await estimate("dev")).stderr).not.toContain("requires");
  });
});
