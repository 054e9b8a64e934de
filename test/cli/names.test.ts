import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { dexdata } from "../harness/dexdata.ts";
import { toRow } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { json, type Script } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import type { TestContextOptions } from "../harness/test-context.ts";
import { stream } from "../tail/keeping.ts";

const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const POOL = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
/** Trades in few pools, so that the sandbox has less to fold. */
const QUIET = "0x85ade1e7513bf30c550191a1094cf6cafc120926";
/** Of a network with few pools, because its market is created quickly. */
const COIN = "0x3e75a8e0409ef1ff79c2b7b1d85fe309c46347bc";
const DOLLAR = "0xab63e3f3b69ced5cd66de4ad7edbcdf07abc43d5";
const TERMINAL = { isTerminal: true, columns: 120 } as const;

/** Runs commands with one home directory. */
function useHome(env: () => Readonly<Record<string, string>> = () => ({})) {
  const home = temporaryFolder();
  const run = async (words: string | readonly string[], options: TestContextOptions = {}) =>
    await dexdata(words, { ...options, env: { HOME: home, ...env(), ...options.env } });
  return { home, run };
}

describe("name", () => {
  const { run, home } = useHome();

  test("keeps names per service and seed, in any case, and replaces one only with --force", async () => {
    expect(
      await run(`name add WETH ethereum:${WETH.toUpperCase().replace("0X", "0x")} --sandbox`),
    ).toMatchObject({
      exit: 0,
      stdout: "",
      stderr: "",
    });
    const row = { name: "weth", network: "ethereum", address: WETH, kind: "" };
    const listed = await run("name list --sandbox -o json");
    expect(JSON.parse(listed.stdout)).toEqual([row]);
    for (const other of ["", "--sandbox --seed 2", "--base-url http://127.0.0.1:1"])
      expect(await run(`name list ${other} -o json`)).toMatchObject({ exit: 0, stdout: "[]\n" });
    expect(await run(`name add weth ethereum:${WETH} --sandbox`)).toMatchObject({ exit: 0, stderr: "" });
    const taken = await run(`name add weth ethereum:${USDC} --sandbox`);
    expect(taken).toMatchObject({ exit: 2 });
    expect(taken.stderr).toContain(`is already the name of ethereum:${WETH}`);
    expect(await run(`name add Weth ethereum:${USDC} --sandbox --force`)).toMatchObject({ exit: 0 });
    expect((await run("name list --sandbox -o json")).stdout).toContain(USDC);
    expect(await run("name remove wETH --sandbox")).toMatchObject({ exit: 0, stderr: "" });
    expect((await run("name remove weth --sandbox")).stderr).toBe('warning: "weth" is not a name\n');
    expect((await run("name list --sandbox -o json")).stdout).toBe("[]\n");
  });

  test("an alert of --watch has the name of its asset", async () => {
    expect(await run(`name add dollar ethereum:${USDC} --sandbox`)).toMatchObject({ exit: 0 });
    const words = "prices dollar --watch 5s --for 8s --sandbox --when".split(" ");
    const { stdout, stderr } = await run([...words, "price_usd > 0.1"], { flows: true });
    expect(toRow(stdout), stderr).toMatchObject({ asset: `ethereum:${USDC}`, label: "dollar" });
  });

  test("so has an alert of --blind", async () => {
    const server = await serveInTest((_, index) =>
      index === 0 ? json([{ id: USDC, chain: "ethereum", price_usd: 1 }]) : json({}, { status: 503 }),
    );
    const service = `--base-url ${server.url}`;
    expect(await run(`name add dollar ethereum:${USDC} ${service}`)).toMatchObject({ exit: 0 });
    const words = `prices dollar --watch 5s --blind 20s --for 1m --retries 0 ${service} --when`.split(" ");
    const { stdout, stderr } = await run([...words, "price_usd < 0.1"], { flows: true });
    expect(toRow(stdout), stderr).toMatchObject({ alert: "blind", labels: ["dollar"] });
  });

  test("an alert of txns --follow has the name of its pool", async () => {
    expect(await run(`name add main ethereum:${POOL} --sandbox`)).toMatchObject({ exit: 0 });
    const words = "txns main --follow --from -5m --for 1m --limit 1 --sandbox --when".split(" ");
    const { stdout, stderr } = await run([...words, "size_usd > 1"], { flows: true });
    expect(toRow(stdout), stderr).toMatchObject({ asset: `ethereum:${POOL}`, label: "main" });
  });

  test.each([
    ["sui", /sui\\" is a network[^]*give it another name: sui-token/u],
    ["Base", /Base\\" is a network[^]*base-token/u],
    [WETH, /invalid <name>/u],
    ["0x2", /invalid <name>/u],
    [`ethereum:${WETH}`, /invalid <name>/u],
    ["@list", /invalid <name>/u],
    ["-", /invalid <name>/u],
    ["_x", /invalid <name>/u],
    ["0.0.1234", /invalid <name>/u],
    ["a".repeat(41), /invalid <name>/u],
    ["So11111111111111111111111111111111111112", /invalid <name>/u],
    ["search", /invalid <name>[^]*the words search, filter, top and help are not names/u],
    ["help", /invalid <name>/u],
    ["api_of_a_key_0123456789abcdef", /invalid argument \\"api_…\\": must not contain an API key/u],
  ])("refuses %s as a name", async (name, message) => {
    const { exit, stderr } = await run(["name", "add", name, `ethereum:${WETH}`]);
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringMatching(message) });
  });

  test("rejects what is not an asset, and warns about a misspelled network", async () => {
    expect(await run("name add x ethereum:0x12")).toMatchObject({ exit: 2 });
    expect(await run("name add x weth")).toMatchObject({ exit: 2 });
    expect((await run("name add x ethereum: --error-format text")).stderr).toMatch(
      /^error: invalid <network:address> "ethereum:": must be network:address\n/u,
    );
    const misspelled = await run("name add x etherium:0x12");
    expect(misspelled.stderr).toBe('warning: "etherium" is not a known network; did you mean ethereum?\n');
  });

  test("a damaged file ends a run with names, but not one with addresses", async () => {
    writeFileSync(path.join(home, ".config/dexdata/names.json"), "{");
    expect(await run("prices weth --sandbox")).toMatchObject({ exit: 2, stdout: "" });
    expect(await run(`name add b ethereum:${WETH}`)).toMatchObject({ exit: 2 });
    expect(await run(`prices ethereum:${WETH} --sandbox -o table`)).toMatchObject({ exit: 0, stderr: "" });
  });

  test("a file with an invalid name is not changed, because that name would be lost", async () => {
    const file = path.join(home, ".config/dexdata/names.json");
    const url = "--base-url http://127.0.0.1:1 --error-format text";
    const withOther = (other: unknown): string =>
      JSON.stringify({ "http://127.0.0.1:1": { Weth: `ethereum:${WETH}`, other } });
    for (const value of [`ethereum:${USDC} wallet`, { network: "ethereum" }, USDC, null]) {
      writeFileSync(file, withOther(value));
      for (const words of ["name list", "prices weth", `name add b ethereum:${WETH}`])
        expect(await run(`${words} ${url}`)).toMatchObject({
          exit: 2,
          stdout: "",
          stderr: `error: ${file}: the value of "other" must be network:address\n  hint: fix or move the file, then try again\n`,
        });
      expect(readFileSync(file, "utf8")).toBe(withOther(value));
    }
    writeFileSync(file, withOther(`ethereum:${USDC} token`));
    expect(await run(`name remove WETH ${url}`)).toMatchObject({ exit: 0, stderr: "" });
  });
});

const sandbox = useSandbox({ requestsPerMinute: 100_000 });

/** The commands that take assets: the description of their arguments tells. */
const takers = allCommands.filter(({ positionals }) =>
  positionals.some(({ suggests }) => suggests === "addresses"),
);
const ofPool = new Set(["pool", "txns", "sync"]);

describe.each(takers.map(({ words }) => words))("%s", (words) => {
  const { run, home } = useHome(() => sandbox.env());
  const [name, address] = ofPool.has(words) ? ["main", POOL] : ["quiet", QUIET];
  const list = path.join(home, "names.txt");
  const before = words === "sync" ? `sync ${home}/lake-%` : words;
  const after = { stream: "--limit 1", sync: "--kind ohlcv --interval 24h", txns: "--limit 3" }[words] ?? "";
  // The clock of the other sandbox is stopped, so it has no events.
  const service = words === "stream" ? "--sandbox" : "";
  const results = async (assets: string) => {
    const command = before.replace("%", assets.replaceAll(/\W/gu, ""));
    const { exit, stdout, stderr } = await run(
      `${command} ${assets} ${after} ${service} --now 2026-11-21T08:54:00Z`,
    );
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.not.stringContaining("error") });
    if (words === "sync") return readFileSync(path.join(command.slice(5), "assets.ndjson"), "utf8");
    // Events depend on the time.
    return words === "stream" ? stdout.includes(address) : stdout;
  };

  beforeAll(async () => {
    await run(`name add main ethereum:${POOL} ${service}`);
    await run(`name add quiet ethereum:${QUIET} ${service}`);
    writeFileSync(list, `${name.toUpperCase()} # a comment\n`);
  });

  test("accepts a name as an argument, after a network and in a list, like the address", async () => {
    const expected = await results(`ethereum:${address}`);
    const forms = [name, name.toUpperCase(), `$${name}`, `@${list}`];
    if (words !== "sync") forms.push(`ethereum ${name}`, `ethereum @${list}`);
    for (const form of forms) expect([form, await results(form)]).toEqual([form, expected]);
  });

  test("ends with exit code 2 before a request if the name is unknown", async () => {
    const server = await serveInTest(() => json([]));
    const env = { DEXDATA_BASE_URL: server.url, DEXDATA_STREAMING_URL: server.url };
    writeFileSync(list, `ethereum:${address}\npepe\n`);
    const forms = ["pepe", `ethereum:${address} pepe`, `@${list}`];
    if (words !== "sync") {
      forms.push("ethereum pepe", `ethereum @${list}`, `base ${name}`, `pepe ${name}`);
      // The form of the addresses of this network is not known.
      writeFileSync(`${list}.tron`, "pepe\n");
      forms.push("tron pepe", `tron @${list}.tron`);
    }
    for (const form of forms) {
      const outcome = await run(`${before.replace("%", "u")} ${form} ${after} --error-format json`, {
        env,
      });
      const { code, next } = toRow(outcome.stderr);
      expect([form, outcome.exit, code]).toEqual([form, 2, "unknown_name"]);
      expect(next).toMatch(/dexdata search \w+; name it: dexdata name add \w+ <network:address>$/u);
    }
    expect(server.requests).toHaveLength(0);
  });
});

describe("names in flags and messages", () => {
  const { run, home } = useHome(() => sandbox.env());

  beforeAll(async () => {
    await run(`name add main ethereum:${POOL}`);
    await run(`name add weth ethereum:${WETH}`);
    await run(`name add coin fantom:${COIN}`);
    await run(`name add other base:${WETH}`);
  });

  test("--token accepts the name of a token of the network", async () => {
    const byName = await run("pools search fantom --token $COIN");
    expect(byName).toMatchObject({ exit: 0 });
    expect(byName.stdout).toBe((await run(`pools search fantom --token ${COIN}`)).stdout);
    const other = await run("pools search fantom --token other --error-format text");
    const hint =
      "find it: dexdata search other; use its address on fantom, or give it another name: dexdata name add <name> fantom:<address>";
    expect([other.exit, other.stderr]).toEqual([
      2,
      `error: "other" is the name of an asset on base, not on fantom\n  hint: ${hint}\n`,
    ]);
    const asked = await run("pools search fantom --token other", { ...TERMINAL, typed: [""] });
    expect(asked.stderr).toMatch(
      /^"other" is the name of an asset on another network; searching for a token/u,
    );
  });

  test.each([`fantom:${COIN}`, "fantom:coin", `fantom:${COIN},coin`])(
    "--token %s is the token of the network",
    async (typed) => {
      const found = await run(`pools search fantom --token ${typed}`);
      expect(found).toMatchObject({ exit: 0 });
      expect(found.stdout).not.toBe("");
      expect(found.stdout).toBe((await run(`pools search fantom --token ${COIN}`)).stdout);
    },
  );

  test("--token can have the network in several values, each of another token", async () => {
    const named = await run(`pools search fantom --token fantom:${COIN} --token fantom:${DOLLAR}`);
    expect(named).toMatchObject({ exit: 0 });
    expect(named.stdout).not.toBe("");
    expect(named.stdout).toBe((await run(`pools search fantom --token ${COIN} --token ${DOLLAR}`)).stdout);
  });

  test.each([`base:${WETH}`, `${USDC},base:${WETH}`, `unknown --token base:${WETH}`])(
    "--token %s: another network than the one of the search is rejected",
    async (typed) => {
      const { exit, stdout, stderr } = await run(
        `pools search fantom --token ${typed} --error-format text -v`,
        { isTerminal: true },
      );
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(stderr).toBe(
        `error: invalid --token "base:${WETH}": must be a token on fantom, the network of the search\n` +
          `  hint: use fantom:<address>, or search the other network: dexdata pools search base --token ${WETH}\n`,
      );
    },
  );

  test("--token with its network does not replace the network of the search", async () => {
    const { exit, stderr } = await run(`pools search --token ethereum:${WETH}`);
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: expect.stringContaining("--token requires a network"),
    });
  });

  test("receipts, checkpoints and printed commands have addresses", async () => {
    const [out, receipt] = [path.join(home, "rows.ndjson"), path.join(home, "receipt.json")];
    const words = `txns main --all --page-size 10 --max-credits 2 --from -20m --to now --out ${out} --receipt ${receipt}`;
    const cut = await run(words);
    expect(cut.exit).toBe(5);
    expect(cut.stderr).toContain(`dexdata txns ethereum:${POOL}`);
    const written = [cut.stderr, readFileSync(`${out}.resume`, "utf8"), readFileSync(receipt, "utf8")];
    for (const text of written) expect(text).not.toMatch(/\bmain\b/u);
    expect(await run(`${words.replace("--max-credits 2 ", "")} --resume`)).toMatchObject({ exit: 0 });
    const more = await run("txns ethereum main");
    expect(more.stderr).toContain(`next page: dexdata txns ethereum ${POOL} `);
  });

  test("the label in tables and messages is the name, and rows do not have it", async () => {
    const table = await run(`prices ethereum:${WETH} ethereum:${USDC}`, TERMINAL);
    expect(table.stdout).toMatch(/weth +ethereum/u);
    expect((await run(`prices weth -o ndjson`)).stdout).not.toContain("weth");
    await run(`name add nothing ethereum:0x${"1".repeat(40)}`);
    expect((await run("prices nothing weth")).stderr).toContain(
      "no price for nothing (ethereum:0x1111…1111)",
    );
  });

  test("a name that is known to be of the other kind is refused", async () => {
    const words = ["ohlcv", "usdc", "--pool", "--from", "-2h"];
    const asked = await run(words, { ...TERMINAL, typed: ["1"] });
    expect(asked.stderr).toContain("usdc is now a name of base:");
    const { exit, stderr } = await run("prices usdc");
    expect(exit).toBe(2);
    expect(stderr).toContain('\\"usdc\\" is the name of a pool, but prices takes tokens');
    await run("prices dai", { ...TERMINAL, typed: ["1"] });
    const ofPools = await run("txns dai --error-format text");
    expect([ofPools.exit, ofPools.stderr]).toEqual([
      2,
      expect.stringMatching(
        /takes pools\n {2}hint: find its pools: dexdata pools search \w+ --token dai\n$/u,
      ),
    ]);
  });

  test("a word that cannot be a network needs no request, and the 404 for another one has the same hint", async () => {
    const server = await serveInTest(() =>
      json({ error: "unsupported_network", message: "unsupported" }, { status: 404 }),
    );
    const env = { DEXDATA_BASE_URL: server.url };
    const capital = await run("tokens search PEPE --error-format text", { env });
    expect(capital.stderr).toMatch(
      /^error: unknown network "PEPE"\n  hint: for an asset: dexdata search pepe\n$/u,
    );
    expect([capital.exit, server.requests.length]).toEqual([2, 0]);
    const small = await run("tokens search pepe --sandbox --error-format text", {
      env: { DEXDATA_BASE_URL: undefined },
    });
    expect([small.exit, small.stderr]).toEqual([
      3,
      expect.stringContaining("; for an asset: dexdata search pepe --sandbox\n"),
    ]);
    const pools = await run("pools search pepe --error-format text", { env });
    expect(pools.stderr).toContain("for the pools of a token: dexdata pools search <network> --token pepe\n");
  });
});

const token = (id: string, more: object = {}) => ({
  id,
  chain: "ethereum",
  symbol: "PEPE",
  name: "Pepe",
  price_usd: 1,
  ...more,
});
const [REAL, FAKE] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];
const found = {
  tokens: [
    token(FAKE, { liquidity_usd: 5, volume_usd: 900 }),
    token(`0x${"c".repeat(40)}`, {
      symbol: "PEPE2",
      price_usd: 0.0000085986,
      liquidity_usd: 9e9,
      volume_usd: 1,
    }),
    token(REAL, { liquidity_usd: 7e6, volume_usd: 1, created_at: "2023-04-14T00:00:00Z" }),
    token(`0x${"d".repeat(40)}`, { chain: "base" }),
  ],
  pools: [],
  dexes: [],
};
const answers: Script = ({ path: asked }) =>
  json(asked === "/search" ? found : [{ id: REAL, chain: "ethereum", price_usd: 2 }]);

describe("an unknown word at a terminal", () => {
  test("leads to one search, and the number chosen is used and kept", async () => {
    const server = await serveInTest(answers);
    const { run } = useHome(() => ({ DEXDATA_BASE_URL: server.url }));
    const asked = await run("prices pepe --max-credits 2", {
      ...TERMINAL,
      typed: ["0", "1"],
      env: { LANG: "C.UTF-8" },
    });
    expect(asked).toMatchObject({ exit: 0 });
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/search?query=pepe",
      `/networks/ethereum/multi/prices?tokens=${REAL}`,
    ]);
    const lines = asked.stderr.split("\n");
    expect(lines[0]).toBe('"pepe" is not a name yet; searching for a token (1 request, 1 credit)');
    expect(lines[2]).toMatch(/^1 +PEPE +Pepe +ethereum +1.0\d* +7.00M +1 +2023-04-14 +0xa{40}$/u);
    expect(lines[3]).toMatch(/^2 +PEPE .* 0xb{40}$/u);
    expect(lines[5]).toMatch(/^4 +PEPE2 .* 0\.0₅85986 /u);
    expect(asked.stderr).toContain(
      "warning: 2 tokens on ethereum have the symbol PEPE; compare the addresses",
    );
    expect(asked.stderr).toContain('"0" is not a number from 1 to 4');
    expect(asked.stderr).toContain(
      `pepe is now a name of ethereum:${REAL}; to undo: dexdata name remove pepe`,
    );
    expect(await run("prices pepe -o ndjson")).toMatchObject({ exit: 0, stderr: "" });
    expect(server.requests).toHaveLength(3);
  });

  test.each([60, 80])("shows complete addresses in %i columns if they must be compared", async (columns) => {
    const server = await serveInTest(answers);
    const { run } = useHome(() => ({ DEXDATA_BASE_URL: server.url }));
    const { stderr } = await run("prices pepe", { ...TERMINAL, columns, typed: [""] });
    expect(stderr).toContain("compare the addresses");
    expect(stderr).toMatch(/\n#  SYMBOL  NETWORK .*LIQUIDITY .*ADDRESS\n1 .* 0xa{40}\n2 .* 0xb{40}\n/u);
  });

  test.each([
    [60, /^# +SYMBOL +NETWORK +PRICE USD +LIQUIDITY +ADDRESS$/mu],
    [45, /^# +SYMBOL +NETWORK +LIQUIDITY +ADDRESS$/mu],
  ])("fits in %i columns", async (columns, heads) => {
    const { run } = useHome(() => ({ DEXDATA_SANDBOX: "1" }));
    const { stderr } = await run("prices weth", { ...TERMINAL, columns, typed: [""] });
    expect(stderr).toMatch(heads);
  });

  test("is chosen by nothing but a number; the credit of the search counts against --max-credits", async () => {
    const server = await serveInTest(answers);
    const { run } = useHome(() => ({ DEXDATA_BASE_URL: server.url }));
    expect(await run("prices pepe", { ...TERMINAL, typed: [""] })).toMatchObject({ exit: 2, stdout: "" });
    expect(await run("prices pepe", { ...TERMINAL, typed: ["x", "9", "-1"] })).toMatchObject({ exit: 2 });
    expect(await run("prices solana pepe", { ...TERMINAL, typed: ["1"] })).toMatchObject({ exit: 2 });
    expect((await run("name list -o json")).stdout).toBe("[]\n");
    const twice = await run("prices pepe PEPE", { ...TERMINAL, typed: ["1"] });
    expect(twice).toMatchObject({ exit: 0 });
    await run("name remove pepe");
    const limited = await run("prices pepe --max-credits 1", { ...TERMINAL, typed: ["1"] });
    expect(limited).toMatchObject({ exit: 5 });
    expect(limited.stderr).toContain("--max-credits of 1 reached: 1 spent, next request costs 1");
  });

  test("the note about simulated data is printed once, before the search", async () => {
    const { run } = useHome(() => ({ DEXDATA_SANDBOX: "1" }));
    const asked = await run("prices pepe", { ...TERMINAL, typed: ["1"] });
    expect(asked).toMatchObject({ exit: 0 });
    expect(asked.stderr.split("simulated data, because")).toHaveLength(2);
  });

  test("the rate of a stream's costs excludes the search", async () => {
    const server = await serveInTest((request, attempt) =>
      request.path === "/search" ? answers(request, attempt) : stream([]),
    );
    const { run } = useHome(() => ({ DEXDATA_BASE_URL: server.url, DEXDATA_STREAMING_URL: server.url }));
    const asked = await run("stream pepe --for 3m", { ...TERMINAL, typed: ["1"], flows: true });
    expect(asked.stderr).toContain("0 events, 1 credit");
    expect(asked.stderr).not.toContain("at the current rate");
  });

  test("the summary and the receipt include the search", async () => {
    let left = 50;
    const server = await serveInTest(async (request, attempt) => {
      left -= (request.query.get("tokens") ?? "").split(",").length;
      return { ...(await answers(request, attempt)), headers: { "x-credits-remaining": String(left) } };
    });
    const { run } = useHome(() => ({ DEXDATA_BASE_URL: server.url }));
    const folder = temporaryFolder();
    const [out, receipt] = [path.join(folder, "rows.csv"), path.join(folder, "receipt.json")];
    const words = `prices pepe weth --max-credits 5 --out ${out} --receipt ${receipt}`;
    const asked = await run(words, { ...TERMINAL, typed: ["1", "1"] });
    expect(asked).toMatchObject({ exit: 0 });
    expect(asked.stderr).toContain("3 requests, 4 credits (46 left)");
    expect(JSON.parse(readFileSync(receipt, "utf8"))).toMatchObject({
      requests: 3,
      credits: { spent: 4, in_doubt: 0, before: 50, after: 46 },
    });
  });

  test.each([
    ["prices pepe --no-input", {}],
    ["prices tokens.txt", {}],
    ["prices pepe -q", {}],
    ["prices pepe --estimate", {}],
    ["prices pepe --error-format json", {}],
    ["prices pepe", { env: { CI: "true" } }],
    ["prices pepe", { env: { DEXDATA_NO_INPUT: "1" } }],
    ["prices pepe", { isTerminal: { stdout: true, stderr: true } }],
    ["prices pepe", { isTerminal: { stdin: true, stdout: true } }],
  ])("%s %o shows no prompt", async (words, options) => {
    const server = await serveInTest(answers);
    const { run } = useHome(() => ({ DEXDATA_BASE_URL: server.url }));
    expect(await run(words, { ...TERMINAL, typed: ["1"], ...options })).toMatchObject({
      exit: 2,
      stdout: "",
    });
    expect(server.requests).toHaveLength(0);
  });
});

test("an address that has the form of a name is accepted with its network, as a word and in a list", async () => {
  const server = await serveInTest(() => json([{ id: "usdt", chain: "tron", price_usd: 2 }]));
  const { run, home } = useHome(() => ({ DEXDATA_BASE_URL: server.url }));
  const list = path.join(home, "list");
  writeFileSync(list, "tron:usdt\n");
  for (const form of ["tron:usdt", `@${list}`, `tron @${list}`])
    expect(await run(`prices ${form} -o ndjson`)).toMatchObject({ exit: 0, stderr: "" });
  expect(new Set(server.requests.map(({ url }) => url))).toEqual(
    new Set(["/networks/tron/multi/prices?tokens=usdt"]),
  );
});

test("the rest of a long choice is found by a search of that kind alone", async () => {
  const pools = Array.from({ length: 9 }, (_, index) => ({
    id: `0x${String(index).repeat(40)}`,
    chain: "ethereum",
    tokens: [{ symbol: "PEPE" }, { symbol: "WETH" }],
  }));
  const server = await serveInTest(() => json({ tokens: found.tokens, pools, dexes: [] }));
  const { run } = useHome(() => ({ DEXDATA_BASE_URL: server.url }));
  const { stderr } = await run("pool ethereum pepe", { ...TERMINAL, typed: [""] });
  expect(stderr).toContain("\n1 more: dexdata search pepe --type pools\n");
});

test("at a terminal, a word after a network whose addresses are unknown leads to a search", async () => {
  const server = await serveInTest(() => json({ tokens: [], pools: [], dexes: [] }));
  const { run } = useHome(() => ({ DEXDATA_BASE_URL: server.url }));
  const { exit, stderr } = await run("prices tron usdt", { ...TERMINAL, typed: [""] });
  expect(exit).toBe(2);
  expect(stderr).toMatch(
    /no token found on tron\n {2}hint: name it: dexdata name add usdt <network:address>\n$/u,
  );
  expect(server.requests.map(({ url }) => url)).toEqual(["/search?query=usdt"]);
});

test.each([
  ["price", "prices"],
  ["trades", "txns"],
  ["swaps", "txns"],
  ["candles", "ohlcv"],
  ["chains", "networks"],
])("%s is %s, but help does not list it", async (hidden, words) => {
  const asset = ofPool.has(words) ? POOL : QUIET;
  const rest = `${words === "networks" ? "" : `ethereum:${asset}`} --sandbox --now 2026-11-21T08:54:00Z`;
  expect(await dexdata(`${hidden} ${rest}`)).toMatchObject({
    exit: 0,
    stdout: (await dexdata(`${words} ${rest}`)).stdout,
  });
  expect((await dexdata(`${hidden} --help`)).stdout).toBe((await dexdata(`${words} --help`)).stdout);
  expect((await dexdata("--help")).stdout).not.toMatch(new RegExp(`^ +${hidden}\\b`, "mu"));
});

test("chart is ohlcv --chart, and login is auth login", async () => {
  const rest = `ethereum:${QUIET} --sandbox --now 2026-11-21T08:54:00Z`;
  const chart = await dexdata(`chart ${rest}`);
  expect(chart).toMatchObject({ exit: 0, stdout: (await dexdata(`ohlcv ${rest} --chart`)).stdout });
  expect((await dexdata("login x")).stderr).toContain("do not pass the key as an argument");
});
