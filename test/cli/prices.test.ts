import { describe, expect, test } from "vitest";
import { createMarket } from "../harness/bundled-sandbox.ts";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { planBatches } from "../../src/client/list-plan.ts";

const sandbox = useSandbox();
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const sol = "So11111111111111111111111111111111111111112";
const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

/** Returns 137 inputs: known, unknown and repeated ones, some in another letter case. */
function mixedInputs(): {
  readonly inputs: readonly string[];
  readonly isPriced: (input: string) => boolean;
} {
  const market = createMarket({ seed: 1 });
  const ethereum = market.network("ethereum");
  if (ethereum === undefined) throw new Error("the market has ethereum");
  const at = sandboxNow / 1000;
  const tokens = market.tokens(ethereum, at).slice(0, 90);
  const known = tokens.map(({ address }) => address);
  const unknown = Array.from({ length: 20 }, (_, index) => `0x${String(index).padStart(40, "9")}`);
  const shouted = known.slice(0, 12).map((address) => `0x${address.slice(2).toUpperCase()}`);
  const all = [...known, ...unknown, ...shouted, ...known.slice(0, 15)];
  // The step shares no factor with 137, so the kinds are evenly mixed.
  const inputs = all.map((_, index) => all[(index * 50) % all.length] ?? "");
  const priced = new Set(
    tokens.filter((token) => market.tokenPriceUsd(token, at) !== undefined).map(({ address }) => address),
  );
  return { inputs, isPriced: (input) => priced.has(input.toLowerCase()) };
}

describe("prices of 137 mixed addresses", () => {
  const { inputs, isPriced } = mixedInputs();

  test("rules 79, 83, 84, 86: accounts for every input, in input order, with at most 14 requests", async () => {
    expect(inputs.length).toBe(137);
    sandbox.takeLog();
    const { exit, stdout, stderr } = await dexdata(["prices", "ethereum", ...inputs, "-o", "ndjson"], {
      env: sandbox.env(),
    });
    expect(exit).toBe(0);
    expect(rowsOf(stdout).map(({ id }) => id)).toEqual(
      inputs.filter(isPriced).map((input) => input.toLowerCase()),
    );
    const named = stderr.trimEnd().split("\n");
    expect(named).toEqual(
      inputs.filter((input) => !isPriced(input)).map((input) => `warning: no price for ethereum:${input}`),
    );

    const sent = sandbox
      .takeLog()
      .map(({ url }) => new URL(url, "http://sandbox").searchParams.getAll("tokens"));
    expect(sent.length).toBeLessThanOrEqual(14);
    expect(sent.every((tokens) => tokens.length === 1)).toBe(true);
    const addresses = sent.flatMap(([tokens = ""]) => tokens.split(","));
    expect(new Set(addresses.map((address) => address.toLowerCase())).size).toBe(addresses.length);
  });

  test("--missing null prints a row for each input, in input order", async () => {
    const { exit, stdout, stderr } = await dexdata(
      ["prices", "ethereum", ...inputs, "--missing", "null", "-o", "ndjson"],
      {
        env: sandbox.env(),
      },
    );
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const prices = rowsOf(stdout);
    expect(prices.map(({ id }) => String(id).toLowerCase())).toEqual(
      inputs.map((input) => input.toLowerCase()),
    );
    expect(prices.map(({ price_usd }) => price_usd !== null)).toEqual(inputs.map(isPriced));
  });

  test("--missing fail prints the rows and exits 8", async () => {
    const { exit, stdout } = await dexdata(
      ["prices", "ethereum", ...inputs, "--missing", "fail", "-o", "ndjson"],
      { env: sandbox.env() },
    );
    expect({ exit, rows: rowsOf(stdout).length }).toEqual({
      exit: 8,
      rows: inputs.filter(isPriced).length,
    });
  });
});

describe("prices", () => {
  test("rules 85, 183: exits 0 without a row if nothing has a price", async () => {
    const { exit, stdout } = await dexdata(`prices ethereum 0x${"1".repeat(40)} -o json`, {
      env: sandbox.env(),
    });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "[]\n" });
  });

  test.each(['"price_usd":null', '"price":1'])(
    "a row with %s is printed, but counts as missing",
    async (member) => {
      const row = `{"id":"${weth}","chain":"ethereum",${member}}`;
      const { url } = await serveInTest(() => json(`[${row}]`));
      const words = ["prices", "ethereum", weth, "--missing", "fail", "-o", "ndjson"];
      const { exit, stdout, stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: url } });
      expect([exit, stdout]).toEqual([8, `${row}\n`]);
      expect(stderr).toContain(`no price for ethereum:${weth}`);
    },
  );

  test("--missing fail says in JSON which prices are missing", async () => {
    const server = await serveInTest(() => json([]));
    const words = ["prices", "ethereum", weth, usdc, "--missing", "fail", "--error-format", "json"];
    const { exit, stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } });
    expect(exit).toBe(8);
    expect(
      stderr
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(
      [weth, usdc].map((id) =>
        expect.objectContaining({ code: "no_price", exit: 8, message: `no price for ethereum:${id}` }),
      ),
    );
  });

  test("rule 87: sends nothing without an address", async () => {
    sandbox.takeLog();
    const { exit, stderr } = await dexdata("prices ethereum", { env: sandbox.env() });
    expect(exit).toBe(2);
    expect(stderr).toContain("missing <address> after network");
    expect(sandbox.takeLog()).toEqual([]);
  });

  test("keeps the order of inputs on several networks", async () => {
    const words = [
      "prices",
      `solana:${sol}`,
      `ethereum:${weth}`,
      `solana:${sol}`,
      `ethereum:${usdc}`,
      "-o",
      "ndjson",
    ];
    sandbox.takeLog();
    const { exit, stdout } = await dexdata(words, { env: sandbox.env() });
    expect(exit).toBe(0);
    expect(rowsOf(stdout).map(({ chain, id }) => `${String(chain)}:${String(id)}`)).toEqual(
      words.slice(1, 5),
    );
    expect(sandbox.takeLog().length).toBe(2);
  });

  const ton = `0:${"b1".repeat(32)}`;
  test.each<readonly [string, string, readonly string[]]>([
    [`ethereum ${weth} solana:${sol}`, "", [`ethereum:${weth}`, `solana:${sol}`]],
    ["ethereum -", `solana:${sol}\n${weth}\n`, [`solana:${sol}`, `ethereum:${weth}`]],
    [`- ethereum:${weth}`, `solana:${sol}\n`, [`solana:${sol}`, `ethereum:${weth}`]],
    [`ton ${ton} 0x2::sui::SUI`, "", [`ton:${ton}`, "ton:0x2::sui::SUI"]],
    ["ton -", `${ton}\n0x2::sui::SUI\n`, [`ton:${ton}`, "ton:0x2::sui::SUI"]],
  ])("prices %s: an input with its own network is fetched from there", async (words, stdin, named) => {
    const server = await serveInTest(() => json([]));
    const { exit, stderr } = await dexdata(`prices ${words} -o ndjson`, {
      env: { DEXDATA_BASE_URL: server.url },
      stdin,
    });
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: named.map((each) => `warning: no price for ${each}\n`).join(""),
    });
  });

  test("reads the rows of another command, including their networks", async () => {
    const rows = await dexdata("tokens search --chains celo,scroll --limit 12 -o ndjson", {
      env: sandbox.env(),
    });
    const { exit, stdout } = await dexdata("prices -", {
      env: { ...sandbox.env(), DEXDATA_OUTPUT: "ndjson" },
      stdin: rows.stdout,
    });
    expect(exit).toBe(0);
    expect(rowsOf(stdout).map(({ chain, id }) => ({ chain, id }))).toEqual(
      rowsOf(rows.stdout).map(({ chain, address }) => ({ chain, id: address })),
    );
  });

  test("rule 84: matches base58 addresses exactly, including letter case", async () => {
    const shouted = sol.replace("So", "so");
    const server = await serveInTest(() => json([{ id: sol, chain: "solana", price_usd: 1 }]));
    const { stdout, stderr } = await dexdata(`prices solana ${shouted} ${sol} -o ndjson`, {
      env: { DEXDATA_BASE_URL: server.url },
    });
    expect(rowsOf(stdout).map(({ id }) => id)).toEqual([sol]);
    expect(stderr).toBe(`warning: no price for solana:${shouted}\n`);
  });

  test("rules 84, 86: requests both spellings of a Sui token once, and gives both its price", async () => {
    const short = "0x2::sui::SUI";
    const long = `0x${"2".padStart(64, "0")}::sui::SUI`;
    const server = await serveInTest(() => json([{ id: long, chain: "sui", price_usd: 1 }]));
    const { exit, stdout, stderr } = await dexdata(`prices sui ${short} ${long} -o ndjson --missing fail`, {
      env: { DEXDATA_BASE_URL: server.url },
    });
    expect({ exit, stderr, ids: rowsOf(stdout).map(({ id }) => id) }).toEqual({
      exit: 0,
      stderr: "",
      ids: [long, long],
    });
    expect(server.requests.map(({ query }) => query.get("tokens"))).toEqual([short]);
  });

  test("prints the other rows if one network is rejected, names the rejected one, and exits 8", async () => {
    const words = `prices ethereum:${weth} eth:${weth} ethereum:${usdc} -o ndjson --error-format text`;
    const { exit, stdout, stderr } = await dexdata(words, { env: sandbox.env() });
    expect({ exit, ids: rowsOf(stdout).map(({ id }) => id) }).toEqual({ exit: 8, ids: [weth, usdc] });
    expect(stderr).toBe('error: unknown network "eth"\n  hint: did you mean ethereum?\n');
  });

  test("keeps extra fields and digits", async () => {
    const body = `[{"id":"${weth}","chain":"ethereum","price_usd":2684.3600000000000001,"last_updated":"2026-09-28T13:06:30Z"}]`;
    const server = await serveInTest(() => json(body));
    const { stdout } = await dexdata(`prices ethereum ${weth} -o ndjson`, {
      env: { DEXDATA_BASE_URL: server.url },
    });
    expect(stdout).toBe(`${body.slice(1, -1)}\n`);
  });
});

describe("batches", () => {
  test("rules 79, 80: contain at most ten addresses and 2,000 characters", () => {
    const bounds = { max: 10, maxLength: 2000 };
    const long = (index: number): string => `${index}`.padStart(400, "a");
    const subjects = Array.from({ length: 23 }, (_, index) => ({ network: "sui", address: long(index) }));
    const batches = planBatches(subjects, bounds);
    expect(batches.map(({ addresses }) => addresses.length)).toEqual([4, 4, 4, 4, 4, 3]);
    expect(batches.every(({ addresses }) => addresses.join(",").length <= 2000)).toBe(true);
    const short = subjects.map(({ network }, index) => ({ network, address: String(index) }));
    expect(planBatches(short, bounds).map(({ addresses }) => addresses.length)).toEqual([10, 10, 3]);
  });

  test("five addresses of 399 characters fit exactly, one character more does not", () => {
    const bounds = { max: 10, maxLength: 1999 };
    const of = (length: number) =>
      Array.from({ length: 5 }, (_, index) => ({
        network: "sui",
        address: String(index).padEnd(length, "a"),
      }));
    expect(planBatches(of(399), bounds).length).toBe(1);
    expect(planBatches(of(400), bounds).length).toBe(2);
  });

  test("rejects an address that is too long for a request before sending anything", async () => {
    sandbox.takeLog();
    const { exit, stderr } = await dexdata(["prices", "sui", `0x${"a".repeat(2000)}`], {
      env: sandbox.env(),
    });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/must be at most 2000 characters, not 2002/u);
    expect(sandbox.takeLog()).toEqual([]);
  });
});
