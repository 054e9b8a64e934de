import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpointFlags } from "../../src/cli/commands/flags/endpoint-flags.ts";
import { commandGroups } from "../../src/cli/commands/command.ts";
import { flagsOnPage } from "../../src/cli/program/help/flag-rows.ts";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { dexdata } from "../harness/dexdata.ts";
import { json, type ScriptedServer, startScriptedServer } from "../harness/scripted-server.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer(() => json([]));
});
afterAll(async () => await server.close());

const run = async (words: string | readonly string[], stdin = "") =>
  await dexdata(words, { env: { DEXDATA_BASE_URL: server.url, DEXDATA_OUTPUT: "table" }, stdin });

const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

/** Pages of explorers. Of a transaction, the hash is not an address. */
const urls: readonly (readonly [string, string | RegExp, string?])[] = [
  ...["prices", "stream", "pool ethereum", "sync lake"].map(
    (command) =>
      [
        `${command} https://etherscan.io/token/${WETH}#code`,
        `invalid argument "https://etherscan.io/token/${WETH}#code": must be a network and an address, not a URL`,
        `use the address: ${WETH}`,
      ] as const,
  ),
  [
    "prices https://solscan.io/token/So11111111111111111111111111111111111111112?x=1",
    /must be a network and an address, not a URL$/u,
    "use the address: So11111111111111111111111111111111111111112",
  ],
  ...[
    ["https://dexscreener.com/base/0x4ed4e862860bed51a9570b96d89af5e1b0efefed", "base"],
    ["https://www.geckoterminal.com/eth/pools/0x4ed4e862860bed51a9570b96d89af5e1b0efefed?tab=1", "ethereum"],
  ].map(
    ([url, network]) =>
      [
        `token ${url}`,
        `invalid argument "${url}": must be a network and an address, not a URL`,
        `use the address: ${network}:0x4ed4e862860bed51a9570b96d89af5e1b0efefed`,
      ] as const,
  ),
  [
    `pools search ethereum --token https://etherscan.io/token/${WETH}`,
    /^invalid --token .*: must be an address or ID, not a URL$/u,
    `use the address: ${WETH}`,
  ],
  [
    `pools search https://etherscan.io/tx/0x${"1".repeat(64)}`,
    /^invalid <network> .*: must be a network ID such as ethereum, not a URL$/u,
  ],
  [`name add weth https://etherscan.io/token/${WETH}`, /^invalid <network:address> .*, not a URL$/u],
  [
    `search https://etherscan.io/token/${WETH}`,
    /^invalid <query> .*: must be a name, symbol or address, not a URL$/u,
    `use the address: ${WETH}`,
  ],
];

/** The arguments, the first line on stderr after `error: `, and the hint. */
const refused: readonly (readonly [string, string | RegExp, (string | RegExp)?])[] = [
  ["pools search --limit abc", 'invalid --limit "abc": must be a whole number, 1 or more'],
  ["pools search --limit -5", 'invalid --limit "-5": must be a whole number, 1 or more'],
  ["pools search --limit 1.5", 'invalid --limit "1.5": must be a whole number, 1 or more'],
  [
    "pools search --limit 1,000",
    'invalid --limit "1,000": must be a whole number, 1 or more',
    "write it without separators: 1000",
  ],
  ["pools search --liquidity-usd-min 1,5", /^invalid --liquidity-usd-min "1,5": must be a number [^;]*$/],
  ["pools search --limit 0", 'invalid --limit "0": must be a whole number, 1 or more'],
  ["pools search --limit 1e20", 'invalid --limit "1e20": must be a whole number from 1 to 999999999999999'],
  [
    "pools search --limit 99999999999999999999",
    'invalid --limit "99999999999999999999": must be a whole number from 1 to 999999999999999',
  ],
  [
    "networks --max-credits 9000000b",
    'invalid --max-credits "9000000b": must be a whole number from 0 to 999999999999999',
  ],
  [
    "pools search --txns-24h-min 1000000000000000",
    'invalid --txns-24h-min "1000000000000000": must be a whole number from 0 to 999999999999999',
  ],
  ["pools search --page-size 101", 'invalid --page-size "101": must be a whole number from 1 to 100'],
  ["dexes base --page 1001", 'invalid --page "1001": must be a whole number from 1 to 1000'],
  [
    "txns base 0x0000000000000000000000000000000000000001 --page 101",
    'invalid --page "101": must be a whole number from 1 to 100',
  ],
  ["pools search --all --limit 5", "--all and --limit cannot be used together", "use only one of them"],
  [
    "txns base 0x0000000000000000000000000000000000000001 --cursor a --page 2",
    "--cursor and --page cannot be used together",
    "use only one of them",
  ],
  [
    "txns base 0x0000000000000000000000000000000000000001 --from 2026-02-30",
    /^invalid --from "2026-02-30": February 2026 has 28 days/,
  ],
  [
    "txns base 0x0000000000000000000000000000000000000001 --from 1700000000000",
    /^invalid --from "1700000000000": .*milliseconds/,
    "use 1700000000",
  ],
  [
    "txns base 0x0000000000000000000000000000000000000001 --from 20230328",
    /^invalid --from "20230328": /,
    "did you mean 2023-03-28?",
  ],
  ["txns base 0x0000000000000000000000000000000000000001 --from 3w", /^invalid --from "3w": .*s, m, h/],
  [
    "txns base 0x0000000000000000000000000000000000000001 --from 2026-01-01T00:00:00",
    /^invalid --from "2026-01-01T00:00:00": .*offset/,
  ],
  [
    "txns 0x0000000000000000000000000000000000000001",
    'missing network for "0x0000000000000000000000000000000000000001"',
    "write it first, as in: ethereum 0x0000000000000000000000000000000000000001; to find the network: dexdata search 0x0000000000000000000000000000000000000001",
  ],
  ...urls,
  ...["prices", "stream", "txns", "ohlcv"].map(
    (command) =>
      [
        `${command} ${WETH} ethereum`,
        `invalid <network> "${WETH}": must be a network ID such as ethereum, not an address`,
        `write the network first: <network> ${WETH}`,
      ] as const,
  ),
  ...["prices", "stream", "pool"].flatMap((command) =>
    ["weth,usdc", "weth,usdc dai"].map(
      (words) =>
        [
          `${command} ${words}`,
          'invalid argument "weth,usdc": must be one network or address; separate addresses with spaces',
        ] as const,
    ),
  ),
  [
    "prices ethereum/weth",
    'invalid argument "ethereum/weth": must be network:address',
    "write ethereum weth",
  ],
  [
    "txns WETH/USDC",
    'invalid argument "WETH/USDC": a pair of symbols is not an address',
    "find the pool: dexdata pools search <network> --token WETH --token USDC",
  ],
  [
    "ohlcv ethereum 4h",
    'unknown name "4h"',
    "a duration is the value of a flag, e.g. --interval 4h or --from -4h",
  ],
  [
    "stream reserves ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    'unknown name "reserves"',
    "the feed of a stream is the value of a flag: --feed reserves",
  ],
  ["name rm weth", 'unknown command "name rm"', "did you mean name remove?"],
  ["auth use work", 'unknown command "auth use"', "did you mean auth switch?"],
  ["config delete output", 'unknown command "config delete"', "did you mean config unset?"],
  ["ethpad", 'unknown command "ethpad"', "see: dexdata --help; for a token or pool: dexdata search ethpad"],
  // Addresses that a screen has shortened.
  [
    "token ethereum 0x6108…30d5",
    'invalid <address> "0x6108…30d5": a token address on ethereum is 0x followed by 40 hexadecimal digits',
  ],
  [
    "token ethereum 0x6108...30d5",
    /^invalid <address> "0x6108\.\.\.30d5": a token address on ethereum is 0x/,
  ],
  ["token 0x6108…30d5", 'missing network for "0x6108…30d5"'],
  [
    "pools search ethereum --token 0x6108…30d5",
    'invalid --token "0x6108…30d5": must be an address or ID, without "…"',
    "for complete addresses in tables: -o wide",
  ],
  ...["ethereum base", "ethereum,base"].map(
    (words) =>
      [
        `pools search ${words}`,
        'unexpected argument "base"',
        "for several networks: dexdata pools search --chains ethereum,base",
      ] as const,
  ),
  [
    "pools search ethereum pepe",
    'unexpected argument "pepe"',
    "for the pools of a token: dexdata pools search <network> --token pepe",
  ],
  ...["pools", "tokens"].flatMap(
    (what) =>
      [
        [
          `${what} search ${WETH}`,
          `invalid <network> "${WETH}": must be a network ID such as ethereum, not an address`,
          `find it: dexdata search ${WETH}`,
        ],
        [
          `search ${what} ethereum`,
          `search would look for "${what} ethereum" in names`,
          `did you mean: dexdata ${what} search ethereum? Otherwise, quote the text`,
        ],
      ] as const,
  ),
  ["tokens search WETH", 'unknown network "WETH"', "for an asset: dexdata search weth"],
  [
    "pools search WETH",
    'unknown network "WETH"',
    "for the pools of a token: dexdata pools search <network> --token weth",
  ],
  [`ohlcv base ${WETH} --from 2130-01-01`, 'invalid --from "2130-01-01": must not be in the future'],
  [`txns base ${WETH} --from 2130-01-01 --to now`, 'invalid --from "2130-01-01": must not be in the future'],
  ["txns base 0x0000000000000000000000000000000000000001 --from someday", /^invalid --from "someday": /],
  [
    "txns base 0x0000000000000000000000000000000000000001 --from -1h --to -2h",
    '--from "-1h" (2026-11-21T07:54:00Z) is after --to "-2h" (2026-11-21T06:54:00Z)',
    "swap --from and --to",
  ],
  [
    "pools search --created-after 2026-01-02 --created-before 2026-01-01",
    /^--created-after "2026-01-02" \(2026-01-02T00:00:00Z\) is after --created-before /,
  ],
  ["ohlcv base 0x0000000000000000000000000000000000000001 --from -1h --to -1h", /so the time range is empty/],
  [
    "ohlcv base 0x0000000000000000000000000000000000000001 --from 2026-11-20 --to 2026-11-20",
    /so the time range is empty/,
    "for the entire day, use --day 2026-11-20",
  ],
  [
    "ohlcv base 0x0000000000000000000000000000000000000001 --from 1900-01-01 --interval 1m",
    /^the time range contains 66,\d{3},\d{3} 1m candles; the limit is 50,000,000$/,
    "shorten the range with --from and --to, or use a longer --interval",
  ],
  [
    "ohlcv base 0x0000000000000000000000000000000000000001 --from -1h --count-back 3",
    "--count-back and --from cannot be used together",
    "both set the start; remove one of them",
  ],
  [
    "ohlcv base 0x0000000000000000000000000000000000000001 --fill zero",
    'invalid --fill "zero": must be one of null, previous',
  ],
  [
    "ohlcv base 0x0000000000000000000000000000000000000001 --count-back 0",
    'invalid --count-back "0": must be a whole number, 1 or more',
  ],
  [
    "ohlcv base 0x0000000000000000000000000000000000000001 --interval 3h",
    'invalid --interval "3h": must be one of 1m, 5m, 10m, 15m, 30m, 1h, 2h, 4h, 6h, 8h, 12h, 24h, 1d, 1w',
    "did you mean 4h?",
  ],
  ["ohlcv base 0x0000000000000000000000000000000000000001 --inversed", "--inversed requires --pool"],
  [
    "tokens search --order-by price_usd",
    /^invalid --order-by "price_usd": .*price_usd is in the rows; must be one of volume_usd_24h, volume_usd_7d, volume_usd_30d, liquidity_usd, txns_24h, price_change_percentage_24h, created_at, fdv_usd$/,
  ],
  [
    "tokens search --order-by price_change_percentage_1h",
    /^invalid --order-by "price_change_percentage_1h": sorts pools only/,
  ],
  [
    "tokens search --order-by volume",
    /^invalid --order-by "volume": must be one of /,
    "did you mean volume_usd_24h?",
  ],
  ["pools search --order-by volume_usd", /^invalid --order-by "volume_usd": .*volume_usd_24h/],
  ["pools search --sort up", 'invalid --sort "up": must be one of asc, desc'],
  [
    "pools search --liquidity-usd-min 1,000",
    /^invalid --liquidity-usd-min "1,000": must be a number/,
    "write it without separators: 1000",
  ],
  [
    "pools search --liquidity-usd-min 5x",
    /^invalid --liquidity-usd-min "5x": must be a number such as 250000, 250k, 1.5m, 2b, 9.1e-13 or -20$/,
  ],
  [
    "pools search --token 0x0000000000000000000000000000000000000001",
    "--token requires a network: the search across networks ignores it",
    "dexdata pools search <network> --token …",
  ],
  ["pools search base --chains a", "--chains cannot be used with a network argument", "use only one of them"],
  ["pools search --chains a,,b", /^invalid --chains "a,,b": /],
  [
    "pools search --sort-by x",
    'unknown flag --sort-by for "dexdata pools search"',
    "did you mean --order-by?",
  ],
  // A name that every object inherits is not a flag.
  [
    "pools search base --constructor",
    'unknown flag --constructor for "dexdata pools search"',
    "see: dexdata pools search --help",
  ],
  ...[
    ["pools search base --min-liquidity", "--liquidity-usd-min"],
    ["pools search base --volume-max", "--volume-usd-24h-max"],
    ["tokens search base --min-fdv", "--fdv-usd-min"],
    ["stream base:0x1 --above", "--when"],
    ["stream base:0x1 --trades", "--feed transactions"],
    ["ohlcv base 0x1 -i", "--interval"],
    ["networks --pretty", "--output json"],
  ].map(
    ([line = "", meant]) =>
      [`${line} 5`, /^unknown flag -\S+ for "dexdata /, `did you mean ${meant}?`] as const,
  ),
  ["pools search --sort-dir x", 'unknown flag --sort-dir for "dexdata pools search"', "did you mean --sort?"],
  [
    "pools search --volume-24h-min 5",
    'unknown flag --volume-24h-min for "dexdata pools search"',
    "did you mean --volume-usd-24h-min?",
  ],
  ["pools search -n 1", 'unknown flag -n for "dexdata pools search"', "did you mean --limit?"],
  ["networks -l 5", 'unknown flag -l for "dexdata networks"', "did you mean --limit?"],
  ["pools search -n10", 'unknown flag -n10 for "dexdata pools search"', "did you mean --limit?"],
  [
    "stream base:0x0000000000000000000000000000000000000001 -n 1",
    'unknown flag -n for "dexdata stream"',
    "did you mean --limit?",
  ],
  [
    "ohlcv base 0x0000000000000000000000000000000000000001 -n 5",
    'unknown flag -n for "dexdata ohlcv"',
    "did you mean --count-back?",
  ],
  [
    "pool base 0x0000000000000000000000000000000000000001 -n 5",
    'unknown flag -n for "dexdata pool"',
    /^--limit works with: txns, /u,
  ],
  [
    "networks -o jsonl",
    'invalid --output "jsonl": must be one of table, wide, ndjson, json, csv, tsv, parquet',
    "did you mean ndjson?",
  ],
  [
    "networks -o data.csv",
    'invalid --output "data.csv": must be one of table, wide, ndjson, json, csv, tsv, parquet',
    "to write to a file: --out data.csv, or > data.csv",
  ],
  ["networks --parquet", 'unknown flag --parquet for "dexdata networks"', "did you mean --output parquet?"],
  ["networks --retry 3", 'unknown flag --retry for "dexdata networks"', "did you mean --retries?"],
  ["pools search --limt 5", 'unknown flag --limt for "dexdata pools search"', "did you mean --limit?"],
  ["pools serch", 'unknown command "pools serch"', "did you mean pools search?"],
  ["txn base 0x0000000000000000000000000000000000000001", 'unknown command "txn"', "did you mean txns?"],
  [
    "txns base 0x0000000000000000000000000000000000000001 --from",
    "missing value for --from",
    "see: dexdata txns --help",
  ],
  ["search", "missing <query>: a name, symbol or address", "usage: dexdata search <query>"],
  [
    "search x --type pool",
    'invalid --type "pool": must be one of tokens, pools, dexes',
    "did you mean pools?",
  ],
  ["pool base", 'missing <address> after network "base"', "usage: dexdata pool <network> <address…|@file|->"],
  [
    "pool - 0x0000000000000000000000000000000000000001",
    'invalid argument "0x0000000000000000000000000000000000000001": must be network:address, like the other arguments',
  ],
  ["pool", "missing <network> and <address>", "usage: dexdata pool <network> <address…|@file|->"],
  [
    "pool base search",
    'invalid <address> "search": must be an address or ID; this word is reserved by the API',
  ],
  ["pools search base --token -", 'invalid --token "-": must be an address or ID, not a list'],
  ["pools search base --token @t.txt", 'invalid --token "@t.txt": must be an address or ID, not a list'],
  [
    "pools search @networks.txt",
    'invalid <network> "@networks.txt": must be a network ID such as ethereum, not a list',
  ],
  ...["tokens search WETH/USDC", "pools search ethereum:0x1", "dexes ./networks", "dexes %00"].map(
    (words): [string, string, string] => [
      words,
      `invalid <network> "${words.split(" ").at(-1)}": must be a network ID such as ethereum`,
      "list all networks: dexdata networks",
    ],
  ),
  [
    "networks --sandbox --base-url http://127.0.0.1:1",
    "--base-url cannot be used with --sandbox: the sandbox has separate hosts and keys",
    "use only one of them",
  ],
  [
    "prices ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --at-field t",
    "--at-field requires one list of assets: - or @file",
    "usage: dexdata prices [network] <@file|-> --at-field <field>",
  ],
  [
    "config list --timeout 5s",
    'unknown flag --timeout for "dexdata config list"',
    "see: dexdata config list --help",
  ],
  ["sandbox --tier gold", 'unknown flag --tier for "dexdata sandbox"', "see: dexdata sandbox --help"],
  ["help nosuch", 'unknown command or topic "nosuch"', "see: dexdata --help"],
  ["networks --error-format xml", 'invalid --error-format "xml": must be one of text, json'],
  ["pools search --page 5", 'unknown flag --page for "dexdata pools search"', "did you mean --cursor?"],
  ["pool base ..", 'invalid <address> "..": must be an address or ID, without spaces'],
  ["dexes", "missing <network>", "usage: dexdata dexes <network>"],
  ["networks extra", 'unexpected argument "extra"', "usage: dexdata networks"],
  ["networks extra more", 'unexpected argument "extra"', "usage: dexdata networks"],
  ["prices base a,b", 'invalid <address> "a,b": must be one address; separate addresses with spaces'],
  [
    "prices base 0x0000000000000000000000000000000000000001 --missing all",
    'invalid --missing "all": must be one of skip, null, fail',
  ],
  ["networks -o xml", 'invalid --output "xml": must be one of table, wide, ndjson, json, csv, tsv, parquet'],
  ["networks --fields a,,b", /^invalid --fields "a,,b": /],
  ["networks --fields a,b,a", 'invalid --fields "a,b,a": a appears twice'],
  ["networks --timeout 5", /^invalid --timeout "5": must be a duration/, "did you mean 5s?"],
  ["networks --retries x", 'invalid --retries "x": must be a whole number from 0 to 100'],
  [
    "networks --retry-on 200",
    'invalid --retry-on "200": must be HTTP statuses from 400 to 599, separated by commas, e.g. 502,503,504',
  ],
  ["networks --tier pro", "--tier requires --sandbox"],
  [
    "networks --sandbox --tier gold",
    'invalid --tier "gold": must be one of keyless, free, dev, pro, enterprise',
  ],
  ["networks --now 2026-13-01", /^--now "2026-13-01": /],
  ["networks --base-url ftp://x", /^invalid --base-url "ftp:\/\/x": must start with https/],
  [
    "networks --base-url http://example.org",
    /^invalid --base-url .*: must use https; http is accepted only for loopback addresses/,
  ],
];

test.each(["pool", "prices", "stream", "txns"])("%s: an empty argument is not a network", async (command) => {
  const { exit, stderr } = await dexdata([command, "", "--error-format", "text"]);
  expect([exit, stderr]).toEqual([
    2,
    'error: invalid <network> "": must not be empty; enter a network ID such as ethereum\n',
  ]);
});

test.each(["-o=json", "-ojson", "-o json", "-qo=json"])("%s is read like --output=json", async (words) => {
  const { exit, stdout } = await dexdata(`networks --limit 1 ${words}`, { env: { DEXDATA_SANDBOX: "1" } });
  expect({ exit, start: stdout.slice(0, 2) }).toEqual({ exit: 0, start: "[{" });
});

test("a flag that conflicts with DEXDATA_SANDBOX names the variable, and not a flag that was not given", async () => {
  const words = "networks --profile work --error-format text";
  const { exit, stderr } = await dexdata(words, { env: { DEXDATA_SANDBOX: "1" } });
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr:
      "error: --profile cannot be used with DEXDATA_SANDBOX: the sandbox has separate hosts and keys\n" +
      "  hint: unset DEXDATA_SANDBOX\n",
  });
});

describe("invalid input", () => {
  test.each([...refused].map(([words, message, next]) => [words, message, next ?? ""] as const))(
    "%s: is reported as typed, exit 2, before any request",
    async (words, message, next) => {
      const { exit, stdout, stderr } = await run(words);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      const [first = "", second, ...more] = stderr.trimEnd().split("\n");
      expect(first.slice(0, 7)).toBe("error: ");
      if (typeof message === "string") expect(first.slice(7)).toBe(message);
      else expect(first.slice(7)).toMatch(message);
      if (typeof next !== "string") expect(second?.replace("  hint: ", "")).toMatch(next);
      else if (next !== "") expect(second).toBe(`  hint: ${next}`);
      expect(more).toEqual([]);
      expect(server.requests.length).toBe(0);
    },
  );

  const badLines: readonly (readonly [string, string, RegExp])[] = [
    ["no network", "0x0000000000000000000000000000000000000abc", /stdin line 1: no network given/],
    ["broken JSON", '\n{"id":', /stdin line 2: invalid JSON/],
    ["no address", '{"chain":"base"}', /stdin line 1: no address or id/],
    ["a URL", "https://a.io/0x1 weth\n", /"https:\/\/a.io\/0x1" in stdin line 1: must be .*, not a URL/],
  ];
  test.each(badLines)("a line of stdin with %s is reported by its number", async (_, stdin, message) => {
    const { exit, stderr } = await run("pool -", stdin);
    expect(exit).toBe(2);
    expect(stderr).toMatch(message);
  });

  const ranges = endpoints.flatMap((endpoint) =>
    endpoint.params.flatMap(({ name, flag }) =>
      flag?.endsWith("-min") === true
        ? [{ endpoint, lower: flag, upper: flag.replace(/min$/u, "max"), name }]
        : [],
    ),
  );
  test.each(ranges)("$endpoint.id: rejects a minimum of $name above its maximum", async (range) => {
    const { endpoint, lower, upper } = range;
    const words = `${endpoint.command}${endpoint.path.includes("{network}") ? " base" : ""}`;
    expect(await run(`${words} --${lower} 2k --${upper} 999`)).toMatchObject({
      exit: 2,
      stdout: "",
      stderr: `error: --${lower} "2k" is greater than --${upper} "999", so no row can match\n  hint: swap --${lower} and --${upper}\n`,
    });
    expect(server.requests.length).toBe(0);
  });

  test("compares minimum and maximum as numbers, and accepts equal ones", async () => {
    const words =
      "pools search base --price-change-percentage-24h-min -20 --price-change-percentage-24h-max 5";
    const bounds = [words, "pools search base --volume-usd-24h-min 1k --volume-usd-24h-max 1000.0"];
    for (const each of bounds) expect((await run(`${each} --estimate`)).exit).toBe(0);
  });

  test("is one JSON object with --error-format json", async () => {
    const { stderr } = await run("pools search --limit abc --error-format json");
    expect(JSON.parse(stderr)).toEqual({
      code: "usage",
      message: 'invalid --limit "abc": must be a whole number, 1 or more',
      exit: 2,
      retryable: false,
    });
  });
});

describe("help", () => {
  test.each(commandGroups(endpoints).map((group) => [group[0]?.command ?? "", group] as const))(
    "%s --help shows its purpose, its examples, each of its flags, and its cost",
    async (command, group) => {
      const { exit, stdout, stderr } = await run(`${command} --help`);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect(stdout.replaceAll(/\s+/gu, " ")).toContain(group[0]?.summary);
      for (const example of group[0]?.examples ?? []) expect(stdout).toContain(`  ${example}\n`);
      for (const name of Object.keys(flagsOnPage(endpointFlags(group))))
        expect(stdout).toContain(`--${name}`);
      expect(stdout).toMatch(/Cost: 1 credit per \w+[.;].* Plan: /su);
      expect((await run(`help ${command}`)).stdout).toBe(stdout);
    },
  );

  test("lists all commands without an argument, exit 0", async () => {
    const { exit, stdout } = await run([]);
    expect(exit).toBe(0);
    for (const word of ["pool", "txns", "prices", "search", "ohlcv", "usage", "sandbox", "auth", "config"]) {
      expect(stdout).toMatch(new RegExp(`^(?: {2}|Setup: |Reference: |.*, )${word}\\b`, "mu"));
    }
  });

  test("--version prints the versions of dexdata and of the API", async () => {
    expect((await run("networks --version")).stdout).toMatch(/^dexdata \S+ \(API 1\.0\.4\)\n$/u);
  });
});

describe("promise 1: a key in the wrong place", () => {
  const key = "api_pro_0123456789abcdef";
  test.each([
    `networks --api-key=${key}`,
    `networks ${key}`,
    key,
    `auth ${key}`,
    `networks -o ${key}`,
    `networks --retries ${key}`,
    `networks --base-url ${key}`,
    `networks --base-url https://user:${key}@example.org`,
    `pool ${key}`,
    `tokens search --order-by ${key}`,
  ])("%s: is rejected without being repeated, as text and as JSON", async (words) => {
    for (const format of ["text", "json"]) {
      const { exit, stdout, stderr } = await run(`${words} --error-format ${format}`);
      expect(exit).toBe(2);
      expect(stdout + stderr).not.toContain("0123456789");
      expect(stderr).not.toBe("");
    }
  });
});
