import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerCandles, candle, utc } from "../harness/candle-service.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { json, type Script } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const sandbox = useSandbox();
/** Its 404 has no body. */
const unsaid = useSandbox({ dialect: "public" });
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
/** Trades in few pools, so that the sandbox has less to fold. */
const neon = "0x85ade1e7513bf30c550191a1094cf6cafc120926";
const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const hour = 3600;
const now = sandboxNow / 1000;
const noon = Date.parse("2026-11-20T12:00:00Z") / 1000;

function fileOf(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** A service in which each candle's close is the time at which it opens. */
async function priced(
  words: readonly string[],
  script: Script = (request) => answerCandles(request, { interval: hour }),
  tier = "pro",
  more: Readonly<Record<string, string>> = {},
): Promise<Outcome & { readonly urls: readonly string[] }> {
  const server = await serveInTest(script);
  const hosts = { DEXDATA_BASE_URL: server.url, DEXDATA_PRO_BASE_URL: server.url };
  const key = tier === "keyless" ? {} : { DEXDATA_API_KEY: "api_pro_s3cr3tPart", DEXDATA_TIER: tier };
  const env = { ...hosts, ...key, DEXDATA_NOW: utc(now), ...more };
  const outcome = await dexdata(["prices", ...words, "--rpm", "unlimited", "--error-format", "text"], {
    env,
  });
  return { ...outcome, urls: server.requests.map(({ url }) => url) };
}

test("leads from a misspelled network among the inputs to the right one", async () => {
  const { exit, stderr } = await dexdata(["prices", "-", "--at-field", "time", "-o", "csv", "--sandbox"], {
    env: { DEXDATA_NOW: "2026-11-21T08:54:00Z" },
    stdin: `network,token,time\nethereum,${weth},2026-11-20\nEthereum,${weth},2026-11-20\n`,
  });
  expect([exit, stderr]).toEqual([3, expect.stringContaining("\n  hint: did you mean ethereum?\n")]);
});

describe("--at", () => {
  test("one row per input, in input order, from one request per token, with every digit", async () => {
    const { stdout, urls, exit } = await priced(["ethereum", weth, usdc, weth, "--at", "2026-11-20T12:30Z"]);
    expect(exit).toBe(0);
    const row = (id: string): string =>
      `{"chain":"ethereum","id":"${id}","at":"2026-11-20T12:30:00Z","price_usd":${noon - hour}.10,"candle":"2026-11-20T11:00:00Z","interval":"1h","age":1800,"volume_usd":7,"reason":null}\n`;
    expect(stdout).toBe(row(weth) + row(usdc) + row(weth));
    expect(urls.length).toBe(2);
  });

  test("a candle that was open at the time is never used, but --at-rule open uses it", async () => {
    const at = async (time: string, ...more: readonly string[]): Promise<unknown> =>
      rowsOf((await priced(["ethereum", weth, "--at", time, ...more])).stdout)[0]?.["candle"];
    expect(await at("2026-11-20T12:59:59Z")).toBe("2026-11-20T11:00:00Z");
    expect(await at("2026-11-20T13:00Z")).toBe("2026-11-20T12:00:00Z");
    expect(await at("2026-11-20T13:00Z", "--at-rule", "open")).toBe("2026-11-20T13:00:00Z");
    expect(await at("2026-11-20T12:59:59Z", "--interval", "1h", "--at-rule", "open")).toBe(
      "2026-11-20T12:00:00Z",
    );
  });

  test("--interval 1d is 24h, as in ohlcv", async () => {
    const script: Script = (request) => answerCandles(request, { interval: 24 * hour });
    const at = async (interval: string) =>
      await priced(["ethereum", weth, "--at", utc(noon), "--max-age", "2d", "--interval", interval], script);
    const { exit, stdout, urls } = await at("1d");
    expect([exit, rowsOf(stdout)[0]?.["interval"], urls[0]]).toEqual([
      0,
      "24h",
      expect.stringContaining("interval=24h"),
    ]);
    expect((await at("2d")).stderr).toContain('invalid --interval "2d": must be one of 1m');
  });

  test("a date is its 00:00, and a table shows the time itself", async () => {
    const { stdout } = await priced(["ethereum", weth, "--at", "2026-11-20", "-o", "table"]);
    expect(stdout).toContain("2026-11-20T00:00:00Z");
  });

  test("a time without a trade in --max-age has none, after looking back that far", async () => {
    const last = noon - 20 * hour;
    const script: Script = (request) =>
      answerCandles(request, { interval: hour, has: (opens) => opens === last });
    const at = async (...more: readonly string[]): Promise<readonly unknown[]> => {
      const [row] = rowsOf((await priced(["ethereum", weth, "--at", utc(noon), ...more], script)).stdout);
      return [row?.["candle"], row?.["age"], row?.["reason"]];
    };
    expect(await at()).toEqual([utc(last), 19 * hour, null]);
    expect(await at("--max-age", "19h")).toEqual([utc(last), 19 * hour, null]);
    expect(await at("--max-age", "18h")).toEqual([null, null, "no_trade"]);
  });

  test("in a token whose price is 0", async () => {
    const script: Script = (request) => {
      const row = (opens: number, interval: number): string =>
        candle(opens, interval).replaceAll(/"close":[^,]*/gu, '"close":0');
      return answerCandles(request, { interval: hour, ...(request.path.includes(usdc) && { row }) });
    };
    const words = ["ethereum", weth, "--at", utc(noon), "--in", `ethereum:${usdc}`];
    const [row] = rowsOf((await priced(words, script)).stdout);
    expect(row).toMatchObject({ price: null, reason: "zero_quote" });
    expect(row?.["price_usd"]).toBeGreaterThan(0);
  });

  test("times in the future, after the newest response, and before the plan's reach", async () => {
    const times = [now + 1, now - 30, now - 60, now - 31 * 86_400];
    const file = fileOf("reasons", times.map((at) => `ethereum:${pool} ${utc(at)}\n`).join(""));
    const script: Script = (request) =>
      request.path.endsWith("/ohlcv")
        ? answerCandles(request, { interval: hour })
        : json({ id: pool, tokens: [{ id: usdc }, { id: weth }] });
    const keyless = await priced([`@${file}`, "--pool"], script, "keyless");
    const rows = rowsOf(keyless.stdout);
    expect(rows.map(({ reason }) => reason)).toEqual(["in_future", "too_recent", null, "outside_plan"]);
    expect(rows[2]).toMatchObject({
      price_usd: null,
      price: now - 60 - ((now - 60) % hour) - hour + 0.1,
      quote_token: `ethereum:${weth}`,
    });
    expect(keyless.urls.length).toBe(2);
    const dev = await priced([`@${file}`], undefined, "dev");
    expect(rowsOf(dev.stdout).map(({ reason }) => reason)).toEqual(["in_future", null, null, "outside_plan"]);
  });

  test("a plan that the service has moved meanwhile costs a refusal, and only the time at its edge", async () => {
    const edge = now - 86_400;
    const script: Script = (request) => {
      if (!request.path.endsWith("/ohlcv")) return json({ id: pool, quote_token_id: usdc });
      if (Number(request.query.get("start")) < edge + 7200)
        return json({ error: "plan_required", param: "start", required_tier: "free" }, { status: 403 });
      return answerCandles(request, { interval: hour });
    };
    const file = fileOf(
      "edge",
      [edge + 2 * hour, edge + 6 * hour].map((at) => `ethereum:${pool} ${utc(at)}\n`).join(""),
    );
    const { stdout, exit } = await priced([`@${file}`, "--pool"], script, "keyless");
    expect(exit).toBe(0);
    expect(rowsOf(stdout).map(({ reason }) => reason)).toEqual(["outside_plan", null]);
  });

  test.each([
    ["a 404", json({ error: "not_found", resource: "token" }, { status: 404 })],
    [
      "a failure of the edge",
      json({ success: false, error: { code: "ORIGIN_ERROR", message: "x" } }, { status: 500 }),
    ],
  ])("an unknown token has no price and does not end the run: %s", async (_, refusal) => {
    const script: Script = (request) => {
      if (request.path.includes(weth)) return answerCandles(request, { interval: hour });
      return request.path.endsWith("/ohlcv") ? refusal : json({ error: "not_found" }, { status: 404 });
    };
    const { stdout, exit } = await priced(["ethereum", usdc, weth, "--at", "-2h", "--retries", "1"], script);
    expect(exit).toBe(0);
    expect(rowsOf(stdout).map(({ reason }) => reason)).toEqual(["unknown_token", null]);
  });

  test("an unknown network ends the run as without a time, although the 404 does not name it", async () => {
    for (const words of [`eth ${weth}`, `eth ${pool} --pool`]) {
      const past = await dexdata(`prices ${words} --at -2h`, { env: unsaid.env("dev") });
      const lists = unsaid.takeLog().filter(({ url }) => url === "/networks");
      expect([past.exit, past.stdout, lists.length], past.stderr).toEqual([3, "", 1]);
      expect(past.stderr).toMatch(/unknown network \\"eth\\"[^]*did you mean ethereum\?/u);
    }
  });

  test("without a list of the networks, a 404 does not become an unknown token", async () => {
    const words = `prices foonet ${weth} --at -2h --max-credits 1`;
    const { exit, stdout, stderr } = await dexdata(words, { env: unsaid.env("dev") });
    expect([exit, stdout], stderr).toEqual([3, ""]);
    expect(stderr).toContain("the network may not exist");
  });

  test("for unknown tokens, a terminal gets one hint that they may be pools", async () => {
    const words = `prices ethereum 0x${"1".repeat(40)} 0x${"2".repeat(40)} --at -2h`;
    const asked = async (flags: string): Promise<string> =>
      (await dexdata(`${words} ${flags}`, { env: sandbox.env("dev"), isTerminal: { stderr: true } })).stderr;
    expect((await asked("")).match(/for pools, add --pool/gu)).toHaveLength(1);
    expect(await asked("--pool")).not.toContain("--pool");
  });

  test("an unknown token of a known network costs no list of the networks", async () => {
    sandbox.takeLog();
    const unknown = `0x${"1".repeat(40)}`;
    const { exit, stdout } = await dexdata(`prices ethereum ${unknown} --at -2h`, {
      env: sandbox.env("dev"),
    });
    expect([exit, rowsOf(stdout).map(({ reason }) => reason)]).toEqual([0, ["unknown_token"]]);
    expect(sandbox.takeLog().length).toBe(1);
  });

  test("a failure of the edge for a token that exists ends the run", async () => {
    const broken = json({ success: false, error: { code: "ORIGIN_ERROR", message: "x" } }, { status: 500 });
    const script: Script = (request) => (request.path.endsWith("/ohlcv") ? broken : json({ id: weth }));
    expect(await priced(["ethereum", weth, "--at", "-2h", "--retries", "1"], script)).toMatchObject({
      exit: 7,
      stdout: "",
    });
  });

  test("keyless users read how to get the price of a pool", async () => {
    const { exit, stderr } = await dexdata(`prices ethereum ${weth} --at -2h`, {
      env: sandbox.env("keyless"),
    });
    expect(exit).toBe(4);
    expect(stderr).toContain(
      "alternative without a paid plan: dexdata prices ethereum <pool> --pool --at <time>",
    );
  });

  test("--in divides the prices of both tokens at that time, and has the larger age", async () => {
    const script: Script = (request) =>
      answerCandles(request, {
        interval: hour,
        has: (opens) => request.path.includes(weth) || opens < noon - 2 * hour,
        row: (opens, interval) =>
          candle(opens, interval).replaceAll(`${opens}.10`, request.path.includes(weth) ? "1000" : "3"),
      });
    const { stdout } = await priced(["ethereum", weth, "--at", utc(noon), "--in", usdc], script);
    expect(stdout).toContain(
      `"price_usd":1000,"price":333.${"3".repeat(31)},"quote_token":"ethereum:${usdc}"`,
    );
    expect(rowsOf(stdout)[0]).toMatchObject({ age: 2 * hour, candle: utc(noon - hour) });
  });

  test("--missing fail ends with 8", async () => {
    const { exit, stderr } = await priced(["ethereum", weth, "--at", utc(now + 100), "--missing", "fail"]);
    expect(exit).toBe(8);
    expect(stderr).toContain(`no price for ethereum:${weth}`);
  });
});

describe("lists", () => {
  test("each line with a time keeps its network, with and without other flags for times", async () => {
    const list = fileOf("networks", `ethereum:${weth} ${utc(noon)}\nbase:${weth} ${utc(noon)}\n`);
    for (const more of [[], ["--interval", "1h"]]) {
      const { stdout, urls } = await priced([`@${list}`, ...more]);
      expect(rowsOf(stdout).map(({ chain }) => chain)).toEqual(["ethereum", "base"]);
      expect(new Set(urls.map((url) => url.split("/")[2]))).toEqual(new Set(["ethereum", "base"]));
    }
  });

  test("CSV: the input's own columns come first, quoted cells stay, and names are not taken twice", async () => {
    const csv = `\u{feff}lot,network,token,time,id\r\n"a, ""b""",ethereum,${weth},2026-11-20T12:00:00Z,7\r\n\r\n"two\nlines",ethereum,${usdc},${noon},\r\n`;
    const { stdout, exit } = await priced([
      `@${fileOf("lots.csv", csv)}`,
      "--at-field",
      "time",
      "-o",
      "csv",
      "--fields",
      "at,id,price_usd",
    ]);
    expect(exit).toBe(0);
    expect(stdout).toBe(
      `lot,network,token,time,id,at,dexdata_id,price_usd\n` +
        `"a, ""b""",ethereum,${weth},2026-11-20T12:00:00Z,7,2026-11-20T12:00:00Z,${weth},${noon - hour}.10\n` +
        `two\\nlines,ethereum,${usdc},${noon},,2026-11-20T12:00:00Z,${usdc},${noon - hour}.10\n`,
    );
  });

  test("CSV with semicolons, a column asset, and one for pools", async () => {
    const csv = `asset;pool;when\nethereum:${weth};;2026-11-20\n;ethereum:${pool};2026-11-20\n`;
    const script: Script = (request) =>
      request.path.endsWith("/ohlcv")
        ? answerCandles(request, { interval: hour })
        : json({ id: pool, quote_token_id: usdc });
    const { stdout, urls } = await priced(
      [`@${fileOf("semicolons.csv", csv)}`, "--at-field", "when"],
      script,
    );
    expect(rowsOf(stdout).map(({ id, quote_token }) => [id, quote_token])).toEqual([
      [weth, null],
      [pool, `ethereum:${usdc}`],
    ]);
    expect(urls.some((url) => url.includes(`/pools/${pool}/ohlcv`))).toBe(true);
  });

  test.each(["24h_ago", "2026-11-20"])("TSV with a column %s, which begins with a digit", async (field) => {
    const file = fileOf("digit.tsv", `asset\t${field}\nethereum:${weth}\t2026-11-20\n`);
    const { exit, stdout } = await priced([`@${file}`, "--at-field", field, "--fields", "at", "-o", "csv"]);
    const row = `ethereum:${weth},2026-11-20,2026-11-20T00:00:00Z`;
    expect([exit, stdout]).toEqual([0, `asset,${field},at\n${row}\n`]);
  });

  test("the quote token of another pool is not used, and its response requested again", async () => {
    const file = fileOf("foreign.csv", `pool,when\nethereum:${pool},2026-11-20\n`);
    let records = 0;
    const script: Script = (request) => {
      if (request.path.endsWith("/ohlcv")) return answerCandles(request, { interval: hour });
      records += 1;
      return json(records === 1 ? { id: weth, quote_token_id: weth } : { id: pool, quote_token_id: usdc });
    };
    const { exit, stdout } = await priced([`@${file}`, "--at-field", "when"], script);
    expect([exit, records, rowsOf(stdout)]).toEqual([
      0,
      2,
      [expect.objectContaining({ id: pool, quote_token: `ethereum:${usdc}` })],
    ]);
  });

  test("CSV whose quoted titles have other delimiters and lines", async () => {
    const csv = `\uFEFF"token";"time";"fee, in ""%""\n(new)"\r\nethereum:${weth};2026-11-20;"0,3"\r\n`;
    const words = [`@${fileOf("titles.csv", csv)}`, "--at-field", "time", "--fields", "at", "-o", "csv"];
    const { exit, stdout } = await priced(words);
    const row = `ethereum:${weth},2026-11-20,"0,3",2026-11-20T00:00:00Z`;
    expect([exit, stdout]).toEqual([0, `token,time,"fee, in ""%""\\n(new)",at\n${row}\n`]);
  });

  test("CSV: a line number counts line breaks in quotes once, also those of Windows", async () => {
    for (const end of ["\n", "\r\n"]) {
      const rows = ["token,network,time,note", `${weth},ethereum,2026-11-20,"one${end}two${end}three"`];
      const cells = [...rows, "", `${usdc},ethereum,noon,`].join(end);
      const { exit, stderr } = await priced([`@${fileOf("breaks.csv", cells)}`, "--at-field", "time"]);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('invalid time "noon" in ')]);
      expect(stderr).toContain("breaks.csv line 6: must be");
      const quoted = [...rows, `${usdc},ethereum,2026-11-20,a"b`].join(end);
      const other = await priced([`@${fileOf("quote.csv", quoted)}`, "--at-field", "time"]);
      expect(other.stderr).toContain("quote.csv line 5: a quote in the middle of a field");
    }
  });

  test("CSV in another encoding is refused, because its columns are part of the output", async () => {
    const csv = Buffer.from(`token,network,time,note\n${weth},ethereum,2026-11-20,Käufer\n`, "latin1");
    const file = path.join(folder, "latin.csv");
    writeFileSync(file, csv);
    const { exit, stderr, urls } = await priced([`@${file}`, "--at-field", "time"]);
    expect([exit, urls]).toEqual([2, []]);
    expect(stderr).toContain(
      `${file} line 2: a character is not valid UTF-8, or is U+FFFD\n  hint: save it as UTF-8`,
    );
  });

  test("lines with a time need no flag, and their time has priority over --at", async () => {
    const file = fileOf(
      "lines",
      `# lots\nethereum:${weth} 2026-11-20T12:00Z\nethereum:${usdc} 2026-11-20T13:00:00+01:00\n`,
    );
    const { stdout } = await priced([`@${file}`]);
    expect(rowsOf(stdout).map(({ at }) => at)).toEqual(["2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z"]);
    const mixed = fileOf("mixed", `ethereum:${weth} 2026-11-20\nethereum:${usdc}\n`);
    expect((await priced([`@${mixed}`])).stderr).toContain(
      `missing time for ethereum:${usdc} in ${mixed} line 2`,
    );
    const { stdout: both } = await priced([`@${mixed}`, "--at", "2026-11-19"]);
    expect(rowsOf(both).map(({ at }) => at)).toEqual(["2026-11-20T00:00:00Z", "2026-11-19T00:00:00Z"]);
  });

  test.each([
    ["-1d", utc(now - 24 * hour)],
    ["90m", utc(now - 1.5 * hour)],
    ["yesterday", "2026-11-20T00:00:00Z"],
    ["today", "2026-11-21T00:00:00Z"],
    ["2026-11-01", "2026-11-01T00:00:00Z"],
    [String(now - hour), utc(now - hour)],
  ])("a line with the time %s never has the price of another time", async (typed, at) => {
    const list = fileOf("line.txt", `ethereum:${weth} ${typed}\n`);
    for (const more of [[], ["--at", "-3d"]]) {
      const { exit, stdout } = await priced([`@${list}`, ...more]);
      expect([exit, rowsOf(stdout).map((row) => row["at"])]).toEqual([0, [at]]);
    }
  });

  test("an invalid time names its line", async () => {
    const list = fileOf("invalid.txt", `ethereum:${weth} 2026-11-20\n\nethereum:${weth} 2026-13-20\n`);
    for (const more of [[], ["--at-field", "time"]]) {
      const { exit, stderr, urls } = await priced([`@${list}`, ...more]);
      expect([exit, urls]).toEqual([2, []]);
      expect(stderr).toContain(`error: invalid time "2026-13-20" in ${list} line 3: invalid month 13`);
    }
  });

  test.each(["7d", "today", "2026-99-99"])("the symbol %s of a row is not a time", async (symbol) => {
    const row = { address: weth, chain: "ethereum", symbol, price_usd: 1 };
    const list = fileOf("symbols.ndjson", `${JSON.stringify(row)}\n`);
    const { exit, stdout } = await priced([`@${list}`, "--at", "2026-11-20"]);
    expect([exit, rowsOf(stdout).map(({ at }) => at)]).toEqual([0, ["2026-11-20T00:00:00Z"]]);
    const { urls } = await priced([`@${list}`]);
    expect(urls).toEqual([expect.stringContaining("/multi/prices")]);
  });

  test("other words after an asset are its label", async () => {
    const list = fileOf("labels.txt", `ethereum:${weth} 1inch\nethereum:${usdc} Ether today\n`);
    const { exit, stdout } = await priced([`@${list}`, "--at", "-3d"]);
    expect([exit, rowsOf(stdout).map((row) => row["at"])]).toEqual([
      0,
      [1, 2].map(() => utc(now - 72 * hour)),
    ]);
  });

  test("several --at, even equal ones: each asset at each time, from one request per asset", async () => {
    const times = ["-1h", "-1d", "2026-11-20", "-1d"].flatMap((time) => ["--at", time]);
    const { exit, stdout, urls } = await priced(["ethereum", weth, usdc, ...times]);
    const expected = [weth, usdc].flatMap((id) =>
      [now - hour, now - 24 * hour, noon - 12 * hour, now - 24 * hour].map((at) => [id, utc(at)]),
    );
    expect([exit, rowsOf(stdout).map((row) => [row["id"], row["at"]])]).toEqual([0, expected]);
    expect(urls.length).toBe(2);
  });

  test("a row of txns has a price for each token of the pool", async () => {
    const { stdout: trades } = await dexdata(`txns ethereum ${pool} --limit 3 -o ndjson`, {
      env: sandbox.env(),
    });
    const { stdout, exit } = await priced([
      "ethereum",
      `@${fileOf("trades", trades)}`,
      "--at-field",
      "created_at",
    ]);
    expect(exit).toBe(0);
    const expected = rowsOf(trades).flatMap(({ token_0: zero, token_1: one, created_at: at }) => [
      [zero, at],
      [one, at],
    ]);
    expect(rowsOf(stdout).map(({ id, at }) => [id, at])).toEqual(expected);
  });

  test("NDJSON has the same keys as CSV, and rows of the service keep theirs", async () => {
    const at = "2026-11-20T12:00:00Z";
    const script: Script = (request) =>
      request.path.endsWith("/ohlcv")
        ? answerCandles(request, { interval: hour })
        : json({ id: request.path.split("/").at(-1), quote_token_id: usdc });
    const longId = `0x${"a".repeat(64)}`;
    const rows = [
      { lot: 1, id: "7", network: "ethereum", token: weth, time: at },
      { Chain: "ethereum", Asset: usdc, time: at },
      { address: `ethereum:${weth}`, time: at },
      { network: "ethereum", pool, time: at },
      { network: "ethereum", id: usdc, time: at },
      { chain: "ethereum", id: weth, symbol: "WETH", decimals: 18, time: at },
      { chain: "ethereum", id: pool, dex_id: "uniswap_v3", tokens: [], time: at },
      { chain: "ethereum", id: longId, dex_id: "uniswap_v4", tokens: [], time: at },
    ];
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
    const file = fileOf("keys.ndjson", `\u{feff}${lines.join("")}`);
    const { stdout, stderr } = await priced([`@${file}`, "--at-field", "time"], script);
    const priceOf = ({ id, price_usd: usd }: Readonly<Record<string, unknown>>) => [id, usd !== null];
    expect(rowsOf(stdout).map(priceOf), stderr).toEqual([
      [weth, true],
      [usdc, true],
      [weth, true],
      [pool, false],
      [usdc, true],
      [weth, true],
      [pool, false],
      [longId, false],
    ]);
  });

  test.each([
    [
      "no key for an asset",
      { network: "ethereum", coin: weth },
      "line 1: no key with addresses: token, asset, address or pool\n  hint: its keys: network, coin, time",
    ],
    ["no network", { token: weth }, "line 1: no network\n  hint: add it as network or chain"],
    ["an unknown name", { token: "pepe" }, 'line 1: unknown name "pepe"'],
  ])("NDJSON with %s: exit 2 before a request", async (name, row, problem) => {
    const file = fileOf(`${name}.ndjson`, JSON.stringify({ ...row, time: "2026-11-20" }));
    const { exit, stderr, urls } = await priced([`@${file}`, "--at-field", "time"]);
    expect([exit, urls]).toEqual([2, []]);
    expect(stderr).toContain(problem);
  });

  test.each([
    ["prices", "list one asset per line; for prices at the times in a column, add --at-field <column>"],
    ["token", "list one asset per line"],
    ["stream", "list one asset per line"],
  ])("%s: a list in CSV without --at-field is recognized", async (command, hint) => {
    const file = fileOf("asset.csv", `asset,time\nethereum:${weth},2026-11-20\n`);
    for (const words of [`@${file}`, `ethereum @${file}`]) {
      const { exit, stderr } = await dexdata(`${command} ${words} --error-format text`, {
        env: sandbox.env(),
      });
      expect([exit, stderr]).toEqual([
        2,
        `error: ${file} line 1: CSV is not a list of assets\n  hint: ${hint}\n`,
      ]);
    }
  });

  test.each([
    ["no such column", `token,network\n${weth},ethereum\n`, `invalid --at-field "time": `],
    ["no addresses", `network,time\nethereum,2026-11-20\n`, "no column with addresses"],
    [
      "a column that appears twice",
      `token,network,time,time\n${weth},ethereum,2026-11-20,2026-11-19\n`,
      "the column time appears twice",
    ],
    [
      "a cell too many",
      `token,network,time\n${weth},ethereum,2026-11-20,1\n`,
      "line 2 has 4 fields, but the header has 3\n  hint: put a field that contains a delimiter in quotes",
    ],
    [
      "a cell too few",
      `token,time\nethereum:${weth},2026-11-20\n\n1\n`,
      "line 4 has 1 field, but the header has 2",
    ],
    [
      "a quote that is not closed",
      `token,time\nethereum:${weth},2026-11-20\n"ethereum:${weth},2026-11-20\n1,2\n`,
      "line 3: a quote is not closed\n  hint: put the entire field in quotes",
    ],
    [
      "a quote in a field",
      `token,time\nethereum:${weth}"x",2026-11-20\n`,
      "line 2: a quote in the middle of a field",
    ],
    [
      "a JSON array",
      `[{"id":"${weth}","chain":"ethereum","time":"2026-11-20"}]\n`,
      "JSON arrays are not accepted",
    ],
    ["a JSON array on several lines", `[\n  {"id": "${weth}"}\n]\n`, "as -o ndjson prints them"],
    ["UTF-16", Buffer.from("token,time\n", "utf16le").toString("latin1"), "must be UTF-8"],
    [
      "several assets in a cell",
      `token,time\n"ethereum:${weth},${usdc}",2026-11-20\n`,
      "line 2: CSV is not a list of assets\n  hint: list one asset per line\n",
    ],
    [
      "transactions",
      "chain,pool_id,created_at,log_index,time\n1,2,3,4,5\n",
      "use rows of txns as NDJSON: -o ndjson",
    ],
    [
      "an invalid time",
      `token,network,time\n${weth},ethereum,2026-11-20 12:00\n`,
      'invalid time "2026-11-20 12:00" in ',
    ],
    ["no time", `token,network,time\n${weth},ethereum,\n`, "line 2: time is missing"],
    [
      "no network",
      `token,time\n${weth},2026-11-20\n`,
      "line 2: no network\n  hint: add it as network or chain",
    ],
    ["an unknown name", `token,time\npepe,2026-11-20\n`, 'line 2: unknown name "pepe"'],
    ["no address", `token,network,time\n,ethereum,2026-11-20\n`, "line 2: no address"],
    [
      "a damaged address",
      `token,network,time\n${weth.slice(1)},ethereum,2026-11-20\n`,
      "line 2: invalid address",
    ],
  ])("CSV with %s: exit 2 before a request", async (name, csv, problem) => {
    const { exit, stderr, urls } = await priced([`@${fileOf(name, csv)}`, "--at-field", "time"]);
    expect({ exit, urls, has: stderr.includes(problem) ? problem : stderr }).toEqual({
      exit: 2,
      urls: [],
      has: problem,
    });
  });

  test.each([
    [["--interval", "1m"], "missing time for ethereum:"],
    [["--lake", "."], "missing time for ethereum:"],
    [["--at", "-2h", "--max-age", "30m"], 'invalid --max-age "30m"'],
    [["--at", "-2h", "--pool", "--in", weth], "--in cannot be used with pools"],
    [["--at", "-2h", "--watch", "10s"], "--watch"],
    [["--at", "-2h", "--missing", "skip"], "--missing skip"],
    [["--at", "-2h", "--lake", "/nowhere"], '--lake "/nowhere": not a directory of dexdata sync'],
    [["--at", "-2h", "--lake", "/dev/null"], '--lake "/dev/null": not a directory of dexdata sync'],
    [["--at", "12:00"], 'invalid --at "12:00": '],
    [["--at", "-2h", "--in", "-"], 'invalid --in "-": must be one token'],
    [["--at", "-2h", "--in", "@tokens.txt"], 'invalid --in "@tokens.txt": must be one token'],
    [["--at", "-2h", "--in", "https://a.b/c"], 'invalid --in "https://a.b/c": '],
  ])("%j: exit 2 before a request", async (flags, problem) => {
    const address = flags.includes("--pool") ? pool : weth;
    const { exit, stderr, urls } = await priced(["ethereum", address, ...flags]);
    expect({ exit, urls, has: stderr.includes(problem) ? problem : stderr }).toEqual({
      exit: 2,
      urls: [],
      has: problem,
    });
  });
});

const paidBy = (url: string) => ({
  DEXDATA_PRO_BASE_URL: url,
  DEXDATA_API_KEY: "api_pro_s3cr3tPart",
  DEXDATA_TIER: "pro",
});

describe("interrupted and repeated", () => {
  const lots = fileOf(
    "many",
    Array.from(
      { length: 60 },
      (_, index) => `ethereum:${[weth, usdc][index % 2]} ${utc(noon - index * 3 * hour)}\n`,
    ).join(""),
  );
  const words = [`@${lots}`, "--interval", "1m", "--at-field", "time"];
  const service: Script = (request) =>
    answerCandles(request, { interval: 60, has: (opens) => opens % 420 === 0 });

  // The newest candles are requested first, and the first row has the oldest time.
  test("what precedes the first row is kept, and --resume requests only the rest", async () => {
    const { url, requests } = await serveInTest(service);
    const sorted = fileOf("sorted", readFileSync(lots, "utf8").trimEnd().split("\n").toReversed().join("\n"));
    const out = path.join(folder, "sorted.ndjson");
    const env = { ...paidBy(url), DEXDATA_NOW: utc(now) };
    const asked = ["prices", `@${sorted}`, ...words.slice(1), "--rpm", "unlimited"];
    const pull = async (...more: readonly string[]) =>
      await dexdata([...asked, "--out", out, ...more], { env });
    const first = await pull("--max-credits", "2");
    expect(first).toMatchObject({ exit: 5, stdout: "" });
    expect(first.stderr).toMatch(/2 spent, next request costs 1; 6 rows written[^]*continue: .* --resume/u);
    expect(await pull("--resume")).toMatchObject({ exit: 0 });
    const urls = requests.map((each) => each.url);
    expect(new Set(urls).size).toBe(urls.length);
    const rows = rowsOf(readFileSync(out, "utf8"));
    expect(rows).toHaveLength(60);
    // Without a file, nothing can be continued, so the prices that are known are printed.
    const { exit, stdout } = await dexdata([...asked, "--max-credits", "2"], { env });
    expect([exit, rowsOf(stdout)]).toEqual([5, rows.slice(-6)]);
  });

  test("--max-credits stops it, and --resume requests only the rest; rows and receipt as of one run", async () => {
    const { url, requests } = await serveInTest(service);
    const env = { ...paidBy(url), DEXDATA_NOW: utc(now) };
    const pull = async (name: string, ...more: readonly string[]): Promise<number> =>
      (
        await dexdata(["prices", ...words, "--rpm", "unlimited", "--out", path.join(folder, name), ...more], {
          env,
        })
      ).exit;
    expect(await pull("whole")).toBe(0);
    const whole = requests.map((each) => each.url);
    const receipt = path.join(folder, "parts.json");
    const exits: number[] = [];
    while (exits.at(-1) !== 0 && exits.length < whole.length)
      exits.push(await pull("parts", "--resume", "--receipt", receipt, "--max-credits", "4"));
    expect(exits).toEqual([5, 5, 5, 5, 0]);
    expect(readFileSync(path.join(folder, "parts"), "utf8")).toBe(
      readFileSync(path.join(folder, "whole"), "utf8"),
    );
    expect(
      requests
        .slice(whole.length)
        .map((each) => each.url)
        .toSorted(),
    ).toEqual(whole.toSorted());
    const facts = { rows: 60, inputs: 60, complete: true, requests: whole.length, missing: 0 };
    expect(JSON.parse(readFileSync(receipt, "utf8"))).toMatchObject(facts);
  });

  test("--lake: what sync has needs no request, of tokens and of pools", async () => {
    const lake = path.join(folder, "lake");
    mkdirSync(path.join(folder, "cache"));
    const env = { ...sandbox.env(), XDG_CACHE_HOME: path.join(folder, "cache") };
    for (const [asset, kind] of [
      [`ethereum:${neon}`, "token-ohlcv"],
      [`ethereum:${pool}`, "ohlcv"],
    ])
      expect(
        await dexdata(
          `sync ${lake}-${kind} ${asset} --kind ${kind} --interval 1h --from -9d --rpm unlimited`,
          { env },
        ),
      ).toMatchObject({ exit: 0 });
    for (const [asset, kind, flag] of [
      [neon, "token-ohlcv", ""],
      [pool, "ohlcv", "--pool"],
    ]) {
      const file = fileOf(
        `times-${kind}`,
        Array.from(
          { length: 40 },
          (_, index) => `ethereum:${asset} ${utc(now - (index + 3) * 5 * hour)}\n`,
        ).join(""),
      );
      const argv = `prices @${file} --at-field time ${flag} -o ndjson`;
      const plain = await dexdata(argv, { env });
      sandbox.takeLog();
      const stored = await dexdata(`${argv} --lake ${lake}-${kind}`, { env });
      expect(stored).toMatchObject({ exit: 0, stdout: plain.stdout });
      expect(sandbox.takeLog()).toEqual([]);
      const other = await dexdata(`${argv} --lake ${lake}-${kind} --interval 30m`, { env });
      expect(other.exit).toBe(0);
      expect(sandbox.takeLog().length).toBeGreaterThan(0);
    }
  });

  test("--lake: the lost part of a month that still grows is requested", async () => {
    const lake = path.join(folder, "lake-lost");
    const asset = `ethereum:${pool}`;
    const synced = await dexdata(
      `sync ${lake} ${asset} --kind ohlcv --interval 1h --from 2026-11-05 --rpm unlimited`,
      { env: sandbox.env("free") },
    );
    expect(synced.stderr).toContain("to 2026-11-14T08:58:00Z are lost");
    const argv = ["prices", asset, "--pool", "-o", "ndjson"];
    for (const at of ["2026-11-08T12:00Z", "2026-11-14T09:30Z", "2026-11-15T12:00Z"]) argv.push("--at", at);
    const { stdout } = await dexdata(argv, { env: sandbox.env() });
    expect(rowsOf(stdout).map((row) => row["reason"])).toEqual([null, null, null]);
    const stored = await dexdata([...argv, "--lake", lake], { env: sandbox.env() });
    expect(stored).toMatchObject({ exit: 0, stdout });
  });
});
