import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

// This file sends more requests per minute than any plan allows.
const sandbox = useSandbox({ requestsPerMinute: 100_000 });

const POOL = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const SOL = "So11111111111111111111111111111111111111112";

async function runCommand(words: string, stdin = "") {
  sandbox.takeLog();
  const { exit, stdout, stderr } = await dexdata(`${words} --error-format text`, {
    env: sandbox.env(),
    now: sandboxNow,
    stdin,
  });
  return { exit, stdout, stderr, requests: sandbox.takeLog().map(({ url }) => url) };
}

/** Writes a list to a file. */
function listFile(text: string): string {
  const file = path.join(temporaryFolder(), "list.txt");
  writeFileSync(file, text);
  return file;
}

const list = [
  "\uFEFF# my tokens",
  "",
  `ethereum:${WETH}`,
  `  ${WETH}   # the same one`,
  `"${USDC}"\r`,
  `"solana:${SOL}"`,
  "   # nothing here",
  `{"chain":"solana","address":"${SOL}","symbol":"SOL"}`,
  `{"name":"sol","network":"solana","address":"${SOL}","kind":"token"}`,
  `{"group":"tokens","row":{"id":"${USDC}","chain":"ethereum","symbol":"USDC"}}`,
].join("\n");

const plain = [WETH, WETH, USDC].map((address) => `ethereum:${address}`).join(" ");
const listed = `${plain} solana:${SOL} solana:${SOL} solana:${SOL} ethereum:${USDC}`;

describe("a list of assets", () => {
  test.each(["prices", "token"])(
    "%s reads one from stdin or a file with the same result as from arguments",
    async (command) => {
      const words = await runCommand(`${command} ${listed} -o ndjson`);
      expect(words).toMatchObject({ exit: 0, stderr: "" });
      expect(rowsOf(words.stdout).length).toBeGreaterThan(1);
      expect(await runCommand(`${command} ethereum - -o ndjson`, list)).toEqual(words);
      expect(await runCommand(`${command} ethereum @${listFile(list)} -o ndjson`)).toEqual(words);
    },
  );

  test("pool, txns and ohlcv read one from a file too", async () => {
    const file = listFile(`# the pool\nethereum:${POOL}\n`);
    for (const [command, flags] of [
      ["pool", "-o ndjson"],
      ["txns", "--limit 3 -o ndjson"],
      ["ohlcv", "--pool --from -3h -o ndjson"],
    ]) {
      const words = await runCommand(`${command} ethereum ${POOL} ${flags}`);
      expect(words.exit).toBe(0);
      expect(await runCommand(`${command} @${file} ${flags}`)).toEqual(words);
    }
  });

  test("with one entry still produces an array of records", async () => {
    const { stdout } = await runCommand(`pool @${listFile(`ethereum:${POOL}`)} -o json`);
    expect(stdout).toMatch(/^\[\{.*\}\]\n$/u);
  });

  test("without entries, or with only comments, sends nothing", async () => {
    for (const text of ["", "\n\n", "# none\n"])
      for (const command of ["prices ethereum", "pool"]) {
        const words = `${command} @${listFile(text)} -o ndjson`;
        expect(await runCommand(words)).toMatchObject({ exit: 0, stdout: "", requests: [] });
      }
  });

  const form = "a token address on ethereum is 0x followed by 40 hexadecimal digits";
  const poolForm = "a pool address on ethereum is 0x followed by 40 or 64 hexadecimal digits";
  test.each([
    ["0x12", 'invalid address "0x12"', form],
    [WETH.slice(0, -1), `invalid address "${WETH.slice(0, -1)}"`, form],
    [`${WETH}0`, `invalid address "${WETH}0"`, form],
    [WETH.slice(2), `invalid address "${WETH.slice(2)}"`, form],
    [
      "WETH",
      'unknown name "WETH"',
      "find it: dexdata search weth; name it: dexdata name add weth <network:address>",
    ],
    ['{"chain":"ethereum","id":"0x1"}', 'invalid address "0x1"', form],
    ['{"group":"constructor","row":{"chain":"ethereum","id":"0x1"}}', 'invalid address "0x1"', form],
    [`${WETH},WETH`, "CSV is not a list of assets", "list one asset per line"],
    [
      "2026-11-24 14:00,buy,PEPE",
      "more than one asset",
      "list one asset per line; only prices --at-field <column> reads CSV",
    ],
    ["chain;price_usd;id", "CSV is not a list of assets", "list one asset per line"],
    ["solana:0x12", 'invalid address "0x12"', "a token address on solana is 32 to 44 base58 characters"],
    [
      'A,"0x2"',
      `invalid address "A,"0x2""`,
      "list one asset per line; only prices --at-field <column> reads CSV",
    ],
    [`sui 0x2`, 'invalid address "sui 0x2"', "write network:address, without spaces or quotes"],
    [`sui:0x2 0x3`, 'invalid address "0x2 0x3"', "write network:address, without spaces or quotes"],
    [`sui:'0x2'`, `invalid address "'0x2'"`, "write network:address, without spaces or quotes"],
    [`"${WETH}",`, "invalid JSON string", ""],
    ['""', "invalid JSON string", ""],
    [`["${WETH}"]`, "JSON arrays are not accepted", "list one asset per line, as -o ndjson prints them"],
    ["x".repeat(500), `invalid address "${"x".repeat(80)}…"`, form],
  ])("with the line %s is rejected before any request", async (line, problem, hint) => {
    for (const command of ["prices", "token", "pool"]) {
      const own = hint === form ? poolForm : hint.replace("a token address", "a pool address");
      const isCsvOfPrices = command === "prices" && problem.startsWith("CSV");
      const column = "; for prices at the times in a column, add --at-field <column>";
      const shown = command === "pool" ? own : isCsvOfPrices ? hint + column : hint;
      const hints = shown === "" ? "" : `  hint: ${shown}\n`;
      expect(await runCommand(`${command} ethereum -`, `# one\n${line}\n`)).toEqual({
        exit: 2,
        stdout: "",
        stderr: `error: stdin line 2: ${problem}\n${hints}`,
        requests: [],
      });
    }
  });

  test.each([
    ["upper case", `ethereum:0x${"AB".repeat(20)}`],
    ["a coin type of Sui", "sui:0x2::sui::SUI"],
    ["a generic type of Aptos", "aptos:0x1::pool::Pool<0x1::a::A,0x2::b::B>"],
    ["a short one of Aptos", "aptos:0xa"],
    ["a raw one of TON", "ton:0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe"],
    ["one of Tron", "tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"],
    ["a denomination of Sei", "sei:factory/sei1abc/usd"],
    ["one of a network that this program does not know", "nosuch:#*!"],
    ["a row of the service", `{"chain":"ethereum","id":"${WETH}"}`],
    ["a row of the service with an ID in another form", '{"chain":"ethereum","id":"0x1-0x2"}'],
    [
      "a row of a group that no search has",
      `{"group":"constructor","row":{"chain":"ethereum","id":"${WETH}"}}`,
    ],
  ])("%s is sent to the service unchecked", async (_, line) => {
    const { requests } = await runCommand("token -", line);
    expect(requests.length).toBeGreaterThan(0);
  });

  test("addresses in arguments must not contain quotes or spaces", async () => {
    for (const word of [`"${WETH}"`, `'${WETH}'`, `${WETH} x`])
      for (const command of ["prices", "token", "pool"]) {
        const { exit, stderr } = await dexdata([command, "ethereum", word], { env: sandbox.env() });
        expect(exit).toBe(2);
        expect(stderr).toMatch(/must be an address or ID, without (?:spaces|quotes)/u);
      }
    expect(sandbox.takeLog()).toEqual([]);
  });
});

describe("rows of another kind", () => {
  test("from a search are skipped, and counted by kind", async () => {
    const found = await runCommand("search pepe -o ndjson");
    const rows = rowsOf(found.stdout);
    const [tokens = 0, pools = 0] = ["tokens", "pools"].map(
      (group) => rows.filter((row) => row["group"] === group).length,
    );
    expect({ tokens, pools, all: rows.length }).toEqual({ tokens: 1, pools: 20, all: 21 });
    for (const command of ["token", "prices"]) {
      const { exit, stdout, stderr, requests } = await runCommand(`${command} - -o ndjson`, found.stdout);
      expect({ exit, stderr }).toEqual({
        exit: 0,
        stderr: `warning: stdin: using 1 token, skipping 20 pools; ${command} takes tokens\n`,
      });
      expect([requests.length, rowsOf(stdout).length]).toEqual([1, 1]);
    }
    const asPools = await runCommand(
      "pool - -o ndjson",
      `${found.stdout}{"group":"dexes","row":{"id":"x","chain":"base"}}\n`,
    );
    expect(asPools).toMatchObject({
      exit: 0,
      stderr: "warning: stdin: using 20 pools, skipping 1 token and 1 DEX; pool takes pools\n",
    });
    expect(asPools.requests.length).toBe(20);
  });

  test("from a list of names are skipped, too", async () => {
    const names = [
      { name: "weth", network: "ethereum", address: WETH, kind: "token" },
      { name: "main", network: "ethereum", address: POOL, kind: "pool" },
    ];
    const stdin = names.map((row) => JSON.stringify(row)).join("\n");
    const { exit, stderr, requests } = await runCommand("prices - -o ndjson", stdin);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: "warning: stdin: using 1 token, skipping 1 pool; prices takes tokens\n",
    });
    expect(requests).toEqual([`/networks/ethereum/multi/prices?tokens=${WETH}`]);
  });

  /** A row of each kind, as the commands print them. */
  const sources = {
    token: [
      "tokens search ethereum --limit 1",
      "tokens search ethereum --limit 1 --detailed",
      "tokens search --limit 1",
      `token ethereum ${WETH}`,
      "search pepe --type tokens",
    ],
    pool: [
      "pools search ethereum --limit 1",
      "pools search ethereum --limit 1 --detailed",
      "pools search --limit 1 --fields id,chain,tokens.0.id",
      `pool ethereum ${POOL}`,
      "search pepe --type pools",
    ],
    DEX: ["dexes ethereum --limit 1"],
    network: ["networks --limit 1"],
  } as const;

  const takers = [
    { command: "token", takes: "token", flags: "" },
    { command: "prices", takes: "token", flags: "" },
    { command: "pool", takes: "pool", flags: "" },
    { command: "txns", takes: "pool", flags: "--limit 1" },
    { command: "ohlcv", takes: "token", flags: "--from -3h" },
    { command: "ohlcv", takes: "pool", flags: "--pool --from -3h" },
    { command: "stream", takes: "token", flags: "--limit 1" },
    { command: "stream", takes: "token", flags: "--feed ohlcv --limit 1" },
    { command: "stream", takes: "pool", flags: "--feed transactions --limit 1" },
  ];

  const printed = Object.entries(sources).flatMap(([kind, commands]) =>
    commands.map((words) => ({ kind, words })),
  );
  const rows = new Map<string, string>();
  beforeEach(async () => {
    for (const { words } of printed)
      if (!rows.has(words))
        rows.set(words, (await runCommand(`${words} -o ndjson`)).stdout.split("\n")[0] ?? "");
  });

  describe.each(printed)("$words", ({ kind, words }) => {
    test.each(takers.filter(({ takes }) => takes !== kind))(
      "is rejected as input of $command $flags before any request",
      async ({ command, takes, flags }) => {
        const row = rows.get(words) ?? "";
        expect(row).not.toBe("");
        const { exit, stdout, stderr, requests } = await runCommand(`${command} - ${flags}`, `${row}\n`);
        expect({ exit, stdout, requests }).toEqual({ exit: 2, stdout: "", requests: [] });
        const taker = command === "stream" ? "this stream" : command;
        expect(stderr.split("\n")[0]).toBe(`error: stdin has 1 ${kind}, but ${taker} takes ${takes}s`);
      },
    );

    test.each(takers.filter(({ command, takes }) => takes === kind && command !== "stream"))(
      "is accepted as input of $command $flags",
      async ({ command, flags }) => {
        const { exit, stderr } = await runCommand(`${command} - ${flags}`, `${rows.get(words)}\n`);
        expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      },
    );
  });

  test.each([
    ["pools search ethereum --limit 1", "token", "to show pools: dexdata pool -"],
    ["pools search ethereum --limit 1", "ohlcv", "for candles of a pool, add --pool"],
    ["tokens search ethereum --limit 1", "pool", "to show tokens: dexdata token -"],
    ["tokens search ethereum --limit 1", "ohlcv --pool", "for candles of a token, leave out --pool"],
    ["pools search ethereum --limit 1", "stream", "for pools, use --feed transactions"],
    ["tokens search ethereum --limit 1", "stream --feed transactions", "use --by token"],
  ])("from %s passed to %s cause an error with a hint", async (words, command, hint) => {
    const [name = "", ...flags] = command.split(" ");
    const { stderr } = await runCommand([name, "-", ...flags].join(" "), rows.get(words));
    expect(stderr.split("\n")[1]).toBe(`  hint: ${hint}`);
  });

  test("from a search cause an error that shows how to search for the required kind", async () => {
    const found =
      '{"group":"pools","row":{"id":"0x1","chain":"base"}}\n{"group":"dexes","row":{"dex_id":"curve"}}';
    const { stderr } = await runCommand("token -", found);
    expect(stderr).toBe(
      "error: stdin has 1 pool and 1 DEX, but token takes tokens\n  hint: search only for them: dexdata search <query> --type tokens\n",
    );
  });

  test("a list of pools may contain symbols as labels", async () => {
    const line = JSON.stringify({ chain: "ethereum", id: POOL, symbol: "USDC/WETH" });
    expect(await runCommand("pool -", line)).toMatchObject({ exit: 0, stderr: "" });
  });

  test("rows that could be of either kind are sent to the service", async () => {
    for (const [words, command] of [
      ["pools search ethereum --limit 1 --fields id,chain,price_usd", "pool"],
      ["pools search ethereum --limit 1 --fields id,chain", "pool"],
      ["tokens search ethereum --limit 1 --fields address,chain", "token"],
      [`prices ethereum ${WETH}`, "token"],
      ["search pepe --type tokens --fields id,chain,symbol", "token"],
    ]) {
      const { stdout } = await runCommand(`${words} -o ndjson`);
      expect(await runCommand(`${command} -`, stdout)).toMatchObject({ exit: 0, stderr: "" });
    }
  });
});
