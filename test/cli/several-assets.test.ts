import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const sandbox = useSandbox({ requestsPerMinute: 100_000 });

const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const POOL = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const OTHER = "0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b";

async function run(words: string, stdin = "", env: Readonly<Record<string, string>> = sandbox.env()) {
  sandbox.takeLog();
  const { exit, stdout, stderr } = await dexdata(`${words} --error-format text`, {
    env,
    now: sandboxNow,
    stdin,
  });
  return { exit, stdout, stderr, requests: sandbox.takeLog().length };
}

const list = `# two\nethereum:${WETH} the ether\n"${USDC}"\n{"chain":"ethereum","id":"${WETH.toUpperCase().replace("X", "x")}"}\n`;

test("two spellings of an address are one request", async () => {
  const words = `token ethereum ${WETH} ${WETH.toUpperCase().replace("X", "x")} --fields id`;
  const { stdout, requests } = await run(words);
  expect({ rows: rowsOf(stdout), requests }).toEqual({ rows: [{ id: WETH }, { id: WETH }], requests: 1 });
  const estimate = await run(`${words} --estimate -o json`);
  expect(toRow(estimate.stdout)).toMatchObject({ requests: 1, credits: 1 });
});

describe("candles of several assets", () => {
  test.each([
    ["tokens", "", [WETH, USDC], list],
    ["pools", "--pool", [POOL, OTHER], `{"chain":"ethereum","id":"${POOL}"}\nethereum:${OTHER}\n${POOL}\n`],
  ])("of %s follow each other, each row with its asset in front", async (_, flag, addresses, input) => {
    const flags = `${flag} --from -3h --fill null -o ndjson`;
    const lines: string[] = [];
    for (const address of addresses) {
      const { stdout } = await run(`ohlcv ethereum ${address} ${flags}`);
      const asset = `{"chain":"ethereum","id":"${address}",`;
      lines.push(...stdout.split("\n").flatMap((line) => (line === "" ? [] : [asset + line.slice(1)])));
    }
    expect(lines.length).toBeGreaterThan(4);
    const many = await run(`ohlcv ethereum - ${flags}`, input);
    expect(many).toEqual({
      exit: 0,
      stdout: `${lines.join("\n")}\n`,
      stderr: "warning: skipping 1 repeated asset\n",
      requests: 2,
    });
    const words = await run(`ohlcv ethereum ${addresses.join(" ")} ${flags}`);
    expect(words).toEqual({ ...many, stderr: "" });
    const array = await run(`ohlcv ethereum ${addresses.join(" ")} ${flags.replace("ndjson", "json")}`);
    expect(array.stdout).toBe(`[${lines.join(",")}]\n`);
  });

  test("have the asset's columns in csv, and the label from the list in a table", async () => {
    const csv = await run("ohlcv ethereum - --from -2h -o csv", list);
    const [header, first] = csv.stdout.split("\n");
    expect(header).toBe("id,chain,time_open,open,high,low,close,volume,filled,partial");
    expect(first).toMatch(new RegExp(`^${WETH},ethereum,2026-11-21T07:00:00Z,`, "u"));
    const table = await run("ohlcv ethereum - --from -2h -o table", list);
    expect(table.stdout).toMatch(/^ASSET .*OPENS/u);
    expect(table.stdout).toMatch(/^the ether /mu);
    expect(table.stdout).toMatch(/^0xa0b8…eb48 /mu);
    const fields = await run("ohlcv ethereum - --from -2h --fields chain,id,close", list);
    expect(rowsOf(fields.stdout)[0]).toMatchObject({ chain: "ethereum", id: WETH });
    expect(fields.stderr).not.toContain("no row has");
  });

  test("keep their rows if one asset is unknown, and exit 8", async () => {
    const outcome = await run(`ohlcv ethereum ${WETH} 0x${"1".repeat(40)} --from -2h -o ndjson`);
    expect(outcome).toMatchObject({ exit: 8, requests: 2 });
    expect(rowsOf(outcome.stdout)).toHaveLength(2);
    expect(outcome.stderr).toMatch(
      /^error: token 0x1{40} not found on ethereum\n  hint: for candles of a pool, add --pool; [^\n]+\n$/u,
    );
  });

  test("are counted by --estimate and described by --receipt", async () => {
    const estimate = await run(`ohlcv ethereum ${WETH} ${USDC} --from -2h --estimate -o json`);
    expect(toRow(estimate.stdout)).toMatchObject({ requests: 2, credits: 2, rows_at_most: 4 });
    const receipt = path.join(temporaryFolder(), "receipt.json");
    await run(`ohlcv ethereum ${WETH} ${USDC} --from -2h --receipt ${receipt} -o ndjson`);
    expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({
      inputs: 2,
      rows: 4,
      complete: true,
      first_row: { chain: "ethereum", id: WETH },
      last_row: { chain: "ethereum", id: USDC },
    });
  });

  test("of a list with one asset are the same as without a list", async () => {
    const one = await run(`ohlcv ethereum ${WETH} --from -3h -o csv`);
    expect(await run("ohlcv - --from -3h -o csv", `ethereum:${WETH} label\n`)).toEqual(one);
  });
});

describe("transactions of several pools", () => {
  test("follow each other, up to the limit for each", async () => {
    const one = await run(`txns ethereum ${POOL} --limit 3 -o ndjson`);
    const other = await run(`txns ethereum ${OTHER} --limit 3 -o ndjson`);
    const both = await run(`txns ethereum ${POOL} ${OTHER} --limit 3 -o ndjson`);
    expect(both).toEqual({ exit: 0, stdout: one.stdout + other.stdout, stderr: "", requests: 2 });
    const usual = await run(`txns - -o ndjson`, `ethereum:${POOL}\nethereum:${OTHER}\n`);
    expect(rowsOf(usual.stdout)).toHaveLength(20);
    expect(usual.stderr).toBe("more rows available for 2 of 2 inputs; use e.g. --limit 50 or --all\n");
    const csv = await run(`txns ethereum ${POOL} ${OTHER} --limit 1 -o csv`);
    expect(csv.stdout).toMatch(/^chain,pool_id,created_at,.*,id,log_index\nethereum,0x88e6/u);
    expect((await run(`txns ethereum ${POOL} --limit 1 -o csv`)).stdout).toMatch(
      /^chain,pool_id,created_at,/u,
    );
  });

  test("are estimated for all of them", async () => {
    const limited = await run(`txns ethereum ${POOL} ${OTHER} --limit 150 --estimate -o json`);
    expect(toRow(limited.stdout)).toMatchObject({ requests: 4, rows_at_most: 300 });
    const all = await run(`txns ethereum ${POOL} ${OTHER} --all --estimate -o json`);
    expect(toRow(all.stdout)).toMatchObject({ requests: null, certainty: "unknown" });
  });

  test("are resumed where an interrupted pull ended, byte for byte", async () => {
    const rowOf = (pool: string, index: number) => ({
      id: `0x${index}`,
      log_index: index,
      pool_id: pool,
      token_0: "0xa",
      token_1: "0xb",
      amount_0: "1",
      amount_1: "-1",
      created_at: "2026-11-21T08:00:00Z",
    });
    let broken = true;
    const server = await serveInTest(({ url }) => {
      const pool = /pools\/(0x\w+)\//u.exec(url)?.[1] ?? "";
      if (broken && pool === OTHER) return json({ error: "x", message: "no" }, { status: 501 });
      const rows = [3, 2, 1].map((index) => rowOf(pool, index));
      return json({ transactions: rows, page_info: { limit: 10, page: 1, total_items: 3, total_pages: 1 } });
    });
    const env = {
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_API_KEY: "api_dev_0123456789",
      DEXDATA_TIER: "dev",
    };
    const folder = temporaryFolder();
    const [file, whole] = [path.join(folder, "a.ndjson"), path.join(folder, "b.ndjson")];
    const words = `txns ethereum ${POOL} ${OTHER} --limit 10`;
    const first = await run(`${words} --out ${file} --resume`, "", env);
    expect(first.exit).toBe(7);
    expect(rowsOf(readFileSync(file, "utf8"))).toHaveLength(3);
    broken = false;
    const before = server.requests.length;
    expect(await run(`${words} --out ${file} --resume`, "", env)).toMatchObject({ exit: 0, stderr: "" });
    expect(server.requests.slice(before).every(({ url }) => url.includes(OTHER))).toBe(true);
    expect(await run(`${words} --out ${whole}`, "", env)).toMatchObject({ exit: 0 });
    expect(readFileSync(file, "utf8")).toBe(readFileSync(whole, "utf8"));
    expect(rowsOf(readFileSync(whole, "utf8"))).toHaveLength(6);
  });
});

test.each([
  [
    `txns ethereum ${POOL} ${OTHER} --watch 5s`,
    "--watch cannot be used with several assets: txns was given 2",
  ],
  [
    `txns ethereum ${POOL} ${OTHER} --cursor x`,
    "--cursor cannot be used with several assets: txns was given 2",
  ],
  [`ohlcv ethereum ${WETH} ${USDC} --chart`, "--chart cannot be used with several assets: ohlcv was given 2"],
  [
    `ohlcv ethereum ${WETH} ${USDC} --watch 5s`,
    "--watch cannot be used with several assets: ohlcv was given 2",
  ],
  ["prices ethereum WETH", 'unknown name "WETH"'],
  ["token solana USDC", 'unknown name "USDC"'],
  [
    "token solana 4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R00",
    'invalid <address> "4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R00": a token address on solana is 32 to 44 base58 characters',
  ],
  [
    `pool base:WETH`,
    'invalid <address> "WETH": a pool address on base is 0x followed by 40 or 64 hexadecimal digits',
  ],
])("%s is rejected before any request", async (words, message) => {
  const { exit, stdout, stderr, requests } = await run(words);
  expect({ exit, stdout, requests }).toEqual({ exit: 2, stdout: "", requests: 0 });
  expect(stderr.split("\n")[0]).toBe(`error: ${message}`);
});

describe("a pull of several pools that ends in the first list, or after it", () => {
  const hint =
    /hint: some inputs were not processed; for a resumable pull: dexdata txns \S+ \S+ .*--out FILE --resume\n$/u;
  test.each([
    ["in it", "--limit 150", 100],
    ["after it", "--all --from -30m", 69],
  ])("%s: names neither a page of one pool nor an end", async (_, flags, rows) => {
    const receipt = path.join(temporaryFolder(), "receipt.json");
    const words = `txns ethereum:${POOL} ethereum:${OTHER} ${flags} --max-credits 1 --stats --receipt ${receipt}`;
    const { exit, stdout, stderr } = await run(words);
    expect({ exit, rows: rowsOf(stdout).length }).toEqual({ exit: 5, rows });
    expect(stderr).toMatch(hint);
    expect(stderr).toMatch(/^1 request, 1 credit .*, more rows available$/mu);
    expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({ complete: false, more: true, next: null });
  });
});

describe("an input that ends a pull, while later ones are paid for", () => {
  const addresses = Array.from({ length: 40 }, (_, index) => `0x${String(index).padStart(40, "a")}`);

  test.each(["prices", "pool"])(
    "%s: keeps the rows of the others, and resumes at the first",
    async (command) => {
      let requests = 0;
      const server = await serveInTest(async ({ url, path: route }) => {
        requests += 1;
        if (requests === 2) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          return json({ error: "payment_required", message: "no credits" }, { status: 402 });
        }
        const ids = new URL(url, "http://x").searchParams.get("tokens")?.split(",");
        const rowOf = (id: string) => ({ id, chain: "ethereum", price_usd: 1 });
        return json(ids === undefined ? rowOf(route.split("/").at(-1) ?? "") : ids.map(rowOf));
      });
      const env = { DEXDATA_BASE_URL: server.url };
      const words = `${command} ethereum ${addresses.join(" ")} --rpm unlimited`;
      const { exit, stdout, stderr } = await run(words, "", env);
      const perRequest = command === "prices" ? 10 : 1;
      const paid = perRequest * (server.requests.length - 1);
      expect({ exit, rows: rowsOf(stdout).length }).toEqual({ exit: 5, rows: paid });
      expect(paid).toBeGreaterThan(perRequest);
      expect(stderr).toContain(`${paid} rows written`);

      const file = path.join(temporaryFolder(), "rows.ndjson");
      requests = 0;
      expect(await run(`${words} --out ${file}`, "", env)).toMatchObject({ exit: 5 });
      requests = 2;
      expect(await run(`${words} --out ${file} --resume`, "", env)).toMatchObject({ exit: 0 });
      expect(rowsOf(readFileSync(file, "utf8")).map(({ id }) => id)).toEqual(addresses);
      expect(requests - 2).toBe(addresses.length / perRequest - 1);
    },
  );
});

describe("inputs on a network that the service rejects", () => {
  const [known, later] = [`ethereum:${WETH}`, `bsc:${WETH}`];
  const unknown = Array.from({ length: 12 }, (_, index) => `nowhere:0x${String(index).padStart(40, "a")}`);
  const receipt = () => path.join(temporaryFolder(), "receipt.json");
  let isPaid = true;

  async function service() {
    return await serveInTest(async ({ url, path: route }) => {
      const network = route.split("/")[2] ?? "";
      const ids = new URL(url, "http://x").searchParams.get("tokens")?.split(",") ?? [];
      if (network.endsWith("where")) return json({ error: "unsupported_network" }, { status: 404 });
      if (network !== "base" || isPaid) return json(ids.map((id) => ({ id, chain: network, price_usd: 1 })));
      await new Promise((resolve) => setTimeout(resolve, 100));
      return json({ error: "payment_required" }, { status: 402 });
    });
  }

  test("are each counted, and reported once", async () => {
    const [{ url }, file] = [await service(), receipt()];
    const words = `prices ${[known, ...unknown, later].join(" ")} --receipt ${file}`;
    const { exit, stdout, stderr } = await run(words, "", { DEXDATA_BASE_URL: url });
    expect({ exit, rows: rowsOf(stdout).length }).toEqual({ exit: 8, rows: 2 });
    expect(stderr.match(/unknown network "nowhere"/gu)).toHaveLength(1);
    expect(toRow(readFileSync(file, "utf8"))).toMatchObject({ refused: 12, why_not: "12 inputs rejected" });
  });

  test("end a pull without rows, and are still reported once", async () => {
    const { url } = await service();
    const words = `prices ${unknown.join(" ")} elsewhere:${WETH}`;
    const { exit, stderr } = await run(words, "", { DEXDATA_BASE_URL: url });
    expect(exit).toBe(3);
    expect(stderr).toContain('unknown network "elsewhere"');
    expect(stderr.match(/unknown network "nowhere"/gu)).toHaveLength(1);
  });

  test("are reported one by one if the service says something else about each", async () => {
    const { url } = await serveInTest(({ path: asked }) =>
      asked.endsWith(WETH)
        ? json({ id: WETH, chain: "ethereum" })
        : json({ message: `bad ${asked}` }, { status: 400 }),
    );
    const words = `pool ethereum ${WETH} ${POOL} ${OTHER} --error-format json`;
    const { exit, stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: url } });
    expect(exit).toBe(8);
    expect(stderr.match(/"service_message":"bad [^"]*"/gu)).toHaveLength(2);
  });

  test("are counted once by a pull that ended before them and was resumed", async () => {
    const [{ url }, file] = [await service(), receipt()];
    const out = path.join(temporaryFolder(), "rows.ndjson");
    const inputs = [known, `base:${WETH}`, ...unknown, later].join(" ");
    const words = `prices ${inputs} --out ${out} --resume --receipt ${file}`;
    isPaid = false;
    expect(await run(words, "", { DEXDATA_BASE_URL: url })).toMatchObject({ exit: 5 });
    isPaid = true;
    expect(await run(words, "", { DEXDATA_BASE_URL: url })).toMatchObject({ exit: 8 });
    expect(toRow(readFileSync(file, "utf8"))).toMatchObject({ rows: 3, refused: 12 });
  });
});

test("an input that fails before the pull ends is named at once, and counted by the run that resumes the pull", async () => {
  const [known, unknown, broken] = ["1", "2", "3"].map((digit) => `0x${digit.repeat(40)}`);
  let status = 501;
  const server = await serveInTest(({ path: asked }) => {
    if (asked.endsWith(`${unknown}`)) return json({ error: "not_found", resource: "pool" }, { status: 404 });
    return asked.endsWith(`${broken}`) ? json({ id: broken }, { status }) : json({ id: known });
  });
  const env = { DEXDATA_BASE_URL: server.url };
  const file = path.join(temporaryFolder(), "rows.ndjson");
  const words = `pool ethereum ${known} ${unknown} ${broken} --out ${file} --resume`;
  const first = await run(words, "", env);
  expect(first.exit).toBe(7);
  expect(first.stderr).toMatch(
    /^error: pool 0x2+ not found on ethereum\n.*\nerror: the service failed \(HTTP 501\); 1 row written\n/u,
  );
  status = 200;
  expect(await run(words, "", env)).toMatchObject({
    exit: 8,
    stderr: "warning: 1 input rejected since the pull began\n",
  });
});
