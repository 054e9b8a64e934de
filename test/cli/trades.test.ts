import path from "node:path";
import { asyncBufferFromFile, parquetMetadataAsync } from "hyparquet";
import { describe, expect, test } from "vitest";
import { dexdata, run } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { envOf } from "../tail/following.ts";

const sandbox = useSandbox();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const window = { isTerminal: { stdout: true }, columns: 80 };
const paths = (): readonly string[] => sandbox.takeLog().map(({ url }) => url.split("?")[0] ?? "");

describe("a table of trades", () => {
  test("shows signed amounts in tokens, the type and the size in USD, for one more request", async () => {
    sandbox.takeLog();
    const words = `txns ethereum ${pool} --limit 4 -q`;
    const { exit, stdout } = await dexdata(words, { ...window, env: { ...sandbox.env(), NO_COLOR: "1" } });
    expect(exit).toBe(0);
    const [heading = "", ...lines] = stdout.trimEnd().split("\n");
    expect(heading.trim().split(/\s{2,}/u)).toEqual([
      "TIME",
      "TOKEN 0",
      "TOKEN 1",
      "TYPE",
      "SIZE USD",
      "TRANSACTION",
    ]);
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      // Some trades have no price, and so no size.
      expect(line).toMatch(
        / [+-][\d,.]+ USDC {2,}[+-][\d,.]+ WETH {2,}(?:swap|liquidity) +(?:[\d.]+[KM]?|–) +0x\w{4}…\w{4}$/u,
      );
      expect(line.length).toBeLessThanOrEqual(80);
    }
    expect(paths()).toEqual([
      `/networks/ethereum/pools/${pool}/transactions`,
      `/networks/ethereum/pools/${pool}`,
    ]);
  });

  test("agrees with the raw rows", async () => {
    const words = `txns ethereum ${pool} --limit 5 -q --to 2026-11-21T08:00:00Z`;
    const raw = rowsOf((await dexdata(`${words} -o ndjson`, { env: sandbox.env() })).stdout);
    const { stdout } = await dexdata(`${words} -o table`, { env: sandbox.env() });
    for (const [index, line] of stdout.trimEnd().split("\n").slice(1).entries()) {
      const row = raw[index] ?? {};
      const shown = /([+-][\d,.]+) USDC +([+-][\d,.]+) WETH +\w+ +([\d.]*)([KM]?) /u.exec(line) ?? [];
      const [amount0, amount1, size] = [1, 2, 3].map((at) => Number((shown[at] ?? "").replaceAll(",", "")));
      expect(amount0).toBeCloseTo(Number(row["amount_0"]) / 1e6, 1);
      expect(amount1).toBeCloseTo(Number(row["amount_1"]) / 1e18, 3);
      if (typeof row["price_0_usd"] !== "number") continue;
      const values = [
        (Number(row["amount_0"]) / 1e6) * row["price_0_usd"],
        (Number(row["amount_1"]) / 1e18) * Number(row["price_1_usd"]),
      ].map(Math.abs);
      const isSwap = Number(row["amount_0"]) * Number(row["amount_1"]) < 0;
      const usd = values.reduce((sum, value) => sum + value) / (isSwap ? 2 : 1);
      const scale =
        new Map([
          ["K", 1e3],
          ["M", 1e6],
        ]).get(shown[4] ?? "") ?? 1;
      expect(Math.abs(Number(size) * scale - usd) / usd).toBeLessThan(0.01);
    }
  });

  test("marks amounts as raw if the pool cannot be read", async () => {
    const row = {
      id: "0x01",
      log_index: 1,
      token_0: usdc,
      token_1: weth,
      token_0_symbol: "USDC",
      amount_0: "-4612276137",
      amount_1: "1360537411909158955",
      created_at: "2026-11-21T08:00:00Z",
    };
    const server = await serveInTest(({ url }) =>
      url.includes("/transactions")
        ? json({ transactions: [row], page_info: { limit: 1, page: 1, total_items: 1, total_pages: 1 } })
        : json({ error: "internal" }, { status: 500 }),
    );
    const { exit, stdout } = await dexdata(`txns ethereum ${pool} --limit 1 -o table --retries 0 -q`, {
      env: { DEXDATA_BASE_URL: server.url },
    });
    expect(exit).toBe(0);
    expect(stdout).toContain("-4612276137 raw USDC");
    expect(stdout).toContain("1360537411909158955 raw");
  });

  test.each(["0x10", "", "1e", "Infinity"])(
    "an amount %j has no value for programs either",
    async (amount) => {
      const row = { id: "0x1", log_index: 1, token_0: usdc, token_1: weth, amount_0: amount, amount_1: "-5" };
      const prices = { price_0_usd: 1, price_1_usd: 2, created_at: "2026-11-20T00:00:00Z" };
      const tokens = [usdc, weth].map((id) => ({ id, symbol: "T", decimals: 0 }));
      const page_info = { limit: 1, page: 1, total_items: 1, total_pages: 1 };
      const server = await serveInTest(({ url }) =>
        url.includes("/transactions")
          ? json({ transactions: [{ ...row, ...prices }], page_info })
          : json({ id: pool, chain: "ethereum", tokens }),
      );
      const env = { DEXDATA_BASE_URL: server.url, HOME: temporaryFolder() };
      const { stdout } = await dexdata(`txns ethereum ${pool} -o ndjson --amounts tokens -q`, { env });
      expect(rowsOf(stdout)[0]).toMatchObject({ amount_0_tokens: null, size_usd: null, type: "?" });
    },
  );

  test("programs get raw rows without another request", async () => {
    sandbox.takeLog();
    const { stdout } = await dexdata(`txns ethereum ${pool} --limit 2 -o ndjson`, { env: sandbox.env() });
    expect(rowsOf(stdout)[0]).toMatchObject({ token_0_symbol: "USDC" });
    expect(paths()).toHaveLength(1);
  });

  test("the decimals are remembered, so that a second table costs one request", async () => {
    const home = temporaryFolder();
    const options = { ...window, env: { ...sandbox.env(), NO_COLOR: "1", HOME: home } };
    await dexdata(`txns ethereum ${pool} --limit 1 -q`, options);
    sandbox.takeLog();
    const { stdout } = await dexdata(`txns ethereum ${pool} --limit 1 -q`, options);
    expect(stdout).toContain(" USDC ");
    expect(stdout).not.toContain("raw");
    expect(paths()).toHaveLength(1);
  });
});

describe("--amounts tokens", () => {
  const options = () => ({ env: { ...sandbox.env(), HOME: temporaryFolder() } });
  const words = `txns ethereum ${pool} --limit 150 -q --to 2026-11-21T08:00:00Z`;

  test("adds to every format, and leaves the rows of the service as they were", async () => {
    const plain = (await dexdata(`${words} -o ndjson`, options())).stdout.trimEnd().split("\n");
    sandbox.takeLog();
    const { stdout } = await dexdata(`${words} --amounts tokens -o ndjson`, options());
    expect(paths().filter((each) => each.endsWith(pool))).toHaveLength(1);
    const rows = rowsOf(stdout);
    for (const [index, line] of stdout.trimEnd().split("\n").entries()) {
      expect(line.startsWith(`${plain[index]?.slice(0, -1)},"amount_0_tokens":"`)).toBe(true);
      const row = rows[index] ?? {};
      const [tokens, type] = [String(row["amount_0_tokens"]), row["type"]];
      expect(Number(tokens)).toBeCloseTo(Number(row["amount_0"]) / 1e6, 6);
      const isSwap = Number(row["amount_0"]) * Number(row["amount_1"]) < 0;
      expect(type).toBe(isSwap ? "swap" : "liquidity");
    }
    expect(new Set(rows.map((row) => row["type"]))).toEqual(new Set(["swap", "liquidity"]));
    const list = (await dexdata(`${words} --amounts tokens -o json`, options())).stdout;
    expect(JSON.parse(list)).toEqual(rows);
    const fields = ["amount_0_tokens", "amount_1_tokens", "size_usd", "type"];
    for (const [format, separator] of [
      ["csv", ","],
      ["tsv", "\t"],
    ] as const) {
      const lines = (await dexdata(`${words} --amounts tokens -o ${format}`, options())).stdout;
      const [header = "", ...cells] = lines.trimEnd().split("\n");
      expect(header.split(separator).slice(-4)).toEqual(fields);
      const wanted = rows.map((row) => fields.map((field) => row[field] ?? (format === "csv" ? "" : "\\N")));
      expect(cells.map((line) => line.split(separator).slice(-4))).toEqual(
        wanted.map((each) => each.map(String)),
      );
    }
  });

  test("is null with one warning that names the pools if the decimals are unknown", async () => {
    const row = (id: string) =>
      `{"id":"${id}","log_index":1,"token_0":"${usdc}","token_1":"${weth}","amount_0":-5,"amount_1":7,"created_at":"2026-11-21T08:00:00Z"}`;
    const server = await serveInTest(({ url }) =>
      url.includes("/transactions")
        ? {
            ...json({}),
            body: `{"transactions":[${row("0x1")},${row("0x2")}],"page_info":{"limit":10,"page":1,"total_items":2,"total_pages":1}}`,
          }
        : json({ error: "internal" }, { status: 500 }),
    );
    const env = { DEXDATA_BASE_URL: server.url, HOME: temporaryFolder() };
    const shown = await dexdata(`txns ethereum ${pool} -o ndjson --amounts tokens --retries 0`, { env });
    expect(shown.exit).toBe(0);
    expect(
      rowsOf(shown.stdout).map((each) => [each["amount_0_tokens"], each["size_usd"], each["type"]]),
    ).toEqual(Array.from({ length: 2 }, () => [null, null, "swap"]));
    const warnings = shown.stderr.split("\n").filter((line) => line.startsWith("warning: unknown token"));
    expect(warnings).toEqual([
      `warning: unknown token decimals, so amounts in tokens are null: ethereum:${pool}`,
    ]);
  });

  test("of several pools, each warning names only the new ones", async () => {
    const address = (name: string): string => `0x${name.padStart(40, "0")}`;
    let responses = 0;
    const server = await serveInTest(({ path: asked }) => {
      if (!asked.endsWith("/transactions")) return json({ message: "no" }, { status: 404 });
      responses += 1;
      const pool_id = asked.split("/").at(-2);
      const created_at = "2026-11-21T08:00:00Z";
      const row = {
        id: `0x${responses}`,
        log_index: 1,
        pool_id,
        token_0: usdc,
        token_1: weth,
        amount_0: 1,
        created_at,
      };
      return json({
        transactions: [row],
        page_info: { limit: 100, page: 1, total_items: 1, total_pages: 1 },
      });
    });
    const pools = ["a", "b", "c"].map((name) => `ethereum:${address(name)}`);
    const argv = `txns ${pools.join(" ")} --follow --from 2026-11-21T07:00:00Z --for 5m --amounts tokens -o ndjson`;
    const context = createTestContext({ flows: true, speed: 300, env: envOf(server.url) });
    const { stderr } = await run(argv.split(" "), context);
    const named = [...stderr.matchAll(/^warning: unknown token .* are null: (.*)$/gmu)].map(
      ([, each]) => each,
    );
    expect(named.join(", ").split(", ").toSorted()).toEqual(pools);
  });

  test("is not null for a pool because another pool of its token could not be read", async () => {
    const others = await dexdata(`pools search ethereum --token ${weth} --limit 3 -o ndjson`, options());
    const pools = rowsOf(others.stdout).map(({ id }) => String(id));
    const { restPaid } = sandbox.running();
    const server = await serveInTest(async ({ url, path: asked, headers }) => {
      if (asked.endsWith(`/pools/${pools[0]}`)) return json({ message: "no" }, { status: 404 });
      const response = await fetch(restPaid + url, {
        headers: { authorization: String(headers.authorization) },
      });
      return json(await response.text(), { status: response.status });
    });
    const env = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: server.url, HOME: temporaryFolder() };
    const all = pools.map((id) => `ethereum:${id}`).join(" ");
    const { stdout, stderr } = await dexdata(`txns ${all} --limit 5 --amounts tokens -o ndjson`, { env });
    const known = rowsOf(stdout).filter(({ pool_id: id }) => id !== pools[0]);
    expect(known.map((row) => row["amount_0_tokens"] === null || row["amount_1_tokens"] === null)).toEqual(
      Array.from({ length: 10 }, () => false),
    );
    expect(stderr).toContain(`amounts in tokens are null: ethereum:${pools[0]}\n`);
  });

  test("has its fields in the list of fields, and Parquet has them as columns", async () => {
    const listed = await dexdata(["txns", "--amounts", "tokens", "--fields", "?", "-o", "csv"], options());
    expect(listed.stdout).toMatch(/\namount_1_tokens,string,.*added by dexdata\n.*\ntype,string,/u);
    const file = path.join(temporaryFolder(), "swaps.parquet");
    expect((await dexdata([...words.split(" "), "--amounts", "tokens", "--out", file], options())).exit).toBe(
      0,
    );
    const checked = await dexdata(["verify", file, "-q", "-o", "ndjson"], options());
    expect([checked.exit, checked.stdout]).toEqual([0, ""]);
    const { schema } = await parquetMetadataAsync(await asyncBufferFromFile(file));
    const columns = schema.map(({ name, type }) => `${name} ${type}`);
    expect(columns.slice(-5)).toEqual([
      "amount_0_tokens BYTE_ARRAY",
      "amount_1_tokens BYTE_ARRAY",
      "size_usd DOUBLE",
      "type BYTE_ARRAY",
      "other BYTE_ARRAY",
    ]);
  });

  test.each(["csv", "tsv"])("is the unit of the columns that %s output was asked for", async (format) => {
    const named = `txns ethereum ${pool} --limit 1 -q -o ${format} --columns`;
    const header = async (rest: string) =>
      (await dexdata(`${named} ${rest}`, options())).stdout.split("\n")[0]?.split(/[,\t]/u);
    const raw = ["created_at", "token_0_symbol", "amount_0", "token_1_symbol", "amount_1"];
    expect(await header("time,token-0,token-1")).toEqual(raw);
    expect(await header("time,token-0,token-1 --amounts tokens")).toEqual(
      raw.map((name) => (name.startsWith("amount") ? `${name}_tokens` : name)),
    );
    expect(await header("time,type,size-usd --amounts tokens")).toEqual(["created_at", "type", "size_usd"]);
  });

  test.each(["type", "size-usd"])(
    "is required for the column %s in CSV, and has no field in the list without it",
    async (name) => {
      sandbox.takeLog();
      const refused = await dexdata(`txns ethereum ${pool} --columns time,${name} -o csv`, options());
      expect([refused.exit, refused.stdout, refused.stderr]).toEqual([
        2,
        "",
        `error: --columns "time,${name}" cannot be used with --output csv: ${name} is not a field of the rows\n` +
          "  hint: add --amounts tokens\n",
      ]);
      expect(sandbox.takeLog()).toEqual([]);
      const listed = (await dexdata("txns --columns ? -o csv", options())).stdout.split("\n");
      expect(listed).toContain(`${name},""`);
      expect(listed).toContain('token-0,"token_0_symbol,amount_0"');
      const inTokens = (await dexdata("txns --columns ? -o csv --amounts tokens", options())).stdout.split(
        "\n",
      );
      expect(inTokens).toContain(`${name},${name.replace("-", "_")}`);
      expect(inTokens).toContain('token-0,"token_0_symbol,amount_0_tokens"');
    },
  );

  test("is refused where rows have no amounts, and accepts only known units", async () => {
    for (const wrong of ["tokens search ethereum --amounts tokens", `txns ethereum ${pool} --amounts usd`])
      expect((await dexdata(wrong, options())).exit).toBe(2);
  });
});

test("CSV of transactions names the network and the pool first, from the request if the rows do not", async () => {
  const row = `{"id":"0x1","log_index":1,"token_0":"${usdc}","token_1":"${weth}","amount_0":"-5","amount_1":"7","created_at":"2026-11-21T08:00:00Z"}`;
  const server = await serveInTest(() => ({
    ...json({}),
    body: `{"transactions":[${row}],"page_info":{"limit":1,"page":1,"total_items":1,"total_pages":1}}`,
  }));
  for (const [format, separator] of [
    ["csv", ","],
    ["tsv", "\t"],
  ] as const) {
    const shown = await dexdata(`txns ethereum ${pool} -o ${format} -q`, {
      env: { DEXDATA_BASE_URL: server.url },
    });
    const [header, line] = shown.stdout.split("\n").map((each) => each.split(separator).slice(0, 3));
    expect(header).toEqual(["chain", "pool_id", "created_at"]);
    expect(line).toEqual(["ethereum", pool, "2026-11-21T08:00:00Z"]);
  }
});

test("a color shows the sign of the first amount", async () => {
  const options = { ...window, env: { ...sandbox.env(), HOME: temporaryFolder(), FORCE_COLOR: "1" } };
  const { stdout } = await dexdata(`txns ethereum ${pool} --limit 20 -q`, options);
  for (const line of stdout.trimEnd().split("\n").slice(1))
    expect(line).toContain(/[+]\S+ USDC/u.test(line) ? "\u001b[32m" : "\u001b[31m");
});

describe("labels", () => {
  const prices = (stdin: string, more = "") =>
    dexdata(`prices - -o table -q ${more}`, { env: sandbox.env(), stdin });

  test("come from symbols in the rows of a list, and from text behind an address", async () => {
    const { stdout } = await prices(
      `{"chain":"ethereum","address":"${weth}","symbol":"WETH"}\nethereum:${usdc} my dollars # a comment\n`,
    );
    expect(stdout).toMatch(
      /^LABEL {7}NETWORK {3}PRICE USD {2}TOKEN\nWETH {8}ethereum .*\nmy dollars {2}ethereum /u,
    );
  });

  test("name an asset in messages", async () => {
    const unknown = `0x${"9".repeat(40)}`;
    const { stderr } = await dexdata("prices - -o ndjson", {
      env: sandbox.env(),
      stdin: `ethereum:${unknown} Nobody\nethereum:${weth}\n`,
    });
    expect(stderr).toContain("warning: no price for Nobody (ethereum:0x9999…9999)\n");
  });

  test("never change what programs get", async () => {
    const { stdout } = await dexdata("prices - -o ndjson", {
      env: sandbox.env(),
      stdin: `ethereum:${weth} Ether\n`,
    });
    expect(stdout).not.toContain("Ether");
  });

  test("come from earlier responses", async () => {
    const options = { ...window, env: { ...sandbox.env(), NO_COLOR: "1", HOME: temporaryFolder() } };
    const none = await dexdata(`prices ethereum ${weth} -o table -q`, options);
    expect(none.stdout).not.toContain("LABEL");
    await dexdata(`token ethereum ${weth} -o table -q`, options);
    const { stdout } = await dexdata(`prices ethereum ${weth} -o table -q`, options);
    expect(stdout).toMatch(/^LABEL .*\nWETH /u);
  });

  test("cannot control the terminal, and have at most 40 characters", async () => {
    const symbol = `\u001b[2J${"W".repeat(60)}`;
    const { stdout } = await prices(`${JSON.stringify({ chain: "ethereum", address: weth, symbol })}\n`);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("W".repeat(30));
    expect(stdout).not.toContain("W".repeat(40));
  });
});
