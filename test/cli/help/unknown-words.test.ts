import { describe, expect, test } from "vitest";
import { dexdata } from "../../harness/dexdata.ts";

const cases: readonly (readonly [string, string, string])[] = [
  ["pol", 'unknown command "pol"', "did you mean pool?"],
  ["transactions", 'unknown command "transactions"', "did you mean txns?"],
  ["signin", 'unknown command "signin"', "see: dexdata --help; for a token or pool: dexdata search signin"],
  ["pool search ethereum", 'unknown command "pool search"', "did you mean pools search?"],
  ["token search", 'unknown command "token search"', "did you mean tokens search?"],
  [
    "ethereum",
    'unknown command "ethereum"',
    "put the command before the network, e.g. dexdata pools search ethereum",
  ],
  [
    "eth pools",
    'unknown command "eth"',
    "put the command before the network, e.g. dexdata pools search ethereum",
  ],
  [
    "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
    'unknown command "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640"',
    "look up the address: dexdata search 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
  ],
  ["polls", 'unknown command "polls"', "did you mean pools search?"],
  ["names", 'unknown command "names"', "see: dexdata name --help"],
  ["autx", 'unknown command "autx"', "see: dexdata auth --help"],
  ["logout", 'unknown command "logout"', "did you mean auth logout?"],
  ["zzzzzz", 'unknown command "zzzzzz"', "see: dexdata --help; for a token or pool: dexdata search zzzzzz"],
  ["pools ethereum", 'unknown command "pools ethereum"', "did you mean pools search ethereum?"],
  ["tokens eth", 'unknown command "tokens eth"', "did you mean tokens search ethereum?"],
  ...["txns", "pool", "ohlcv", "prices", "dexes", "pools search", "stream", "api", "trades"].map(
    (words) =>
      [
        `${words} help`,
        `unknown command "${words === "trades" ? "txns" : words} help"`,
        `see: dexdata ${words} --help`,
      ] as const,
  ),
  ["txns base 0x1 -f", 'unknown flag -f for "dexdata txns"', "see: dexdata txns --help"],
  ["txns base 0x1 -a", 'unknown flag -a for "dexdata txns"', "did you mean --all?"],
  ["txns base 0x1 -e", 'unknown flag -e for "dexdata txns"', "see: dexdata txns --help"],
  [
    "ohlcv base 0x1 --timeframe 1h",
    'unknown flag --timeframe for "dexdata ohlcv"',
    "did you mean --interval?",
  ],
  ["prices base 0x1 --date 2026-11-20", 'unknown flag --date for "dexdata prices"', "did you mean --at?"],
  ["txns base 0x1 --date 2026-11-20", 'unknown flag --date for "dexdata txns"', "did you mean --day?"],
  ["stream base 0x1 --duration 5s", 'unknown flag --duration for "dexdata stream"', "did you mean --for?"],
  ["ohlcv base 0x1 --last 5", 'unknown flag --last for "dexdata ohlcv"', "did you mean --count-back?"],
  [
    "prices --chain base 0x1",
    'unknown flag --chain for "dexdata prices"',
    "pass it as an argument: dexdata prices <network> <address…|@file|->",
  ],
  ["pools search --chain base", 'unknown flag --chain for "dexdata pools search"', "did you mean --chains?"],
  ["pools search --top 5", 'unknown flag --top for "dexdata pools search"', "did you mean --limit?"],
  ["zz'zz", `unknown command "zz'zz"`, "see: dexdata --help"],
  ["usage --zz'zz=secret", `unknown flag --zz'zz for "dexdata usage"`, "see: dexdata usage --help"],
  [
    "pools search --volume-min 5",
    'unknown flag --volume-min for "dexdata pools search"',
    "did you mean --volume-usd-24h-min?",
  ],
  ["txns base 0x1 --start -1h", 'unknown flag --start for "dexdata txns"', "did you mean --from?"],
  [
    "txns base 0x1 --interval 1h",
    'unknown flag --interval for "dexdata txns"',
    "--interval works with: prices, ohlcv, sync, stream",
  ],
  [
    "pools search --network base",
    'unknown flag --network for "dexdata pools search"',
    "pass it as an argument: dexdata pools search [network]",
  ],
  [
    "stream --network base",
    'unknown flag --network for "dexdata stream"',
    "pass it as an argument: dexdata stream <network:address…|@file|->",
  ],
  [
    "search pepe --network base",
    'unknown flag --network for "dexdata search"',
    "search looks on all networks; for one: dexdata tokens search <network> or dexdata pools search <network>",
  ],
  ...["usage", "networks", "doctor", "verify"].map(
    (words) =>
      [
        `${words} --network base`,
        `unknown flag --network for "dexdata ${words}"`,
        `see: dexdata ${words} --help`,
      ] as const,
  ),
  [
    "usage --api-key x",
    'unknown flag --api-key for "dexdata usage"',
    "do not pass the key as an argument; use dexdata auth login, --key-file, or DEXDATA_API_KEY",
  ],
  [
    "txns base 0x1 --quiet=1",
    "--quiet does not take a value",
    "use --quiet without a value, or leave it out",
  ],
  [
    "pools search --no-strict=secret",
    "--no-strict does not take a value",
    "use --no-strict without a value, or leave it out",
  ],
  ["auth logout --all=true", "--all does not take a value", "use --all without a value, or leave it out"],
  ["networks --help=1", "--help does not take a value", "use --help without a value, or leave it out"],
  ["dexes base --zzzzzz=1", 'unknown flag --zzzzzz for "dexdata dexes"', "see: dexdata dexes --help"],
  ["dexes base --zzzzzz", 'unknown flag --zzzzzz for "dexdata dexes"', "see: dexdata dexes --help"],
];

describe("an unknown word", () => {
  test.each(cases)("%s: %s; %s", async (words, message, next) => {
    const { exit, stdout, stderr } = await dexdata(`${words} --error-format text`);
    expect({ exit, stdout, stderr }).toEqual({
      exit: 2,
      stdout: "",
      stderr: `error: ${message}\n  hint: ${next}\n`,
    });
  });

  test.each([
    ["stream ethereum:0x1 --error-format text -- cat", "--when"],
    ["prices weth --error-format text -- ./page.sh a b", "--when"],
    ["txns ethereum 0x1 --error-format text -- /bin/true", "--when or --follow"],
  ])("%s: a program requires %s", async (words, flags) => {
    const { exit, stderr } = await dexdata(words);
    expect([exit, stderr]).toEqual([
      2,
      `error: a program after -- requires ${flags}\n  hint: add --when and a condition, or remove the program\n`,
    ]);
  });

  test.each(["prices weth", "pools search"])('"%s" in quotes is not one word', async (word) => {
    const { exit, stderr } = await dexdata([word, "--error-format", "text"]);
    expect([exit, stderr]).toEqual([
      2,
      `error: unknown command "${word}"\n  hint: without quotes: dexdata ${word}\n`,
    ]);
  });

  test("after --, addresses are arguments", async () => {
    for (const words of ["token ethereum -- 0x12", "token -- ethereum 0x12", "prices -- ethereum:0x12"])
      expect((await dexdata(words)).stderr).toContain("a token address on ethereum is 0x");
  });

  test.each([
    ["transactions", "txns_24h"],
    ["volume_24h", "volume_usd_24h"],
    ["price_change_6h", "price_change_percentage_6h"],
    ["liquidity", "liquidity_usd"],
  ])("--order-by %s suggests %s", async (typed, meant) => {
    const { exit, stderr } = await dexdata(`pools search --order-by ${typed} --error-format text`);
    expect({ exit, next: stderr.split("\n")[1] }).toEqual({
      exit: 2,
      next: `  hint: did you mean ${meant}?`,
    });
  });

  test("suggests the slug for the common name of a network, even among several", async () => {
    for (const words of ["pools search eth", "pools search --chains base,eth"]) {
      const { exit, stderr } = await dexdata(`${words} --sandbox --error-format text`);
      expect(exit).toBe(3);
      expect(stderr).toMatch(/^error: unknown network "eth"[^]*did you mean ethereum\?\n$/u);
    }
  });

  test("suggests the ID for the display name of a DEX that matched nothing, on one network and on all", async () => {
    for (const network of [["ethereum"], []]) {
      const words = ["pools", "search", ...network, "--dex", "Uniswap V3", "--sandbox"];
      const { exit, stdout, stderr } = await dexdata(words, { isTerminal: { stderr: true } });
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
      expect(stderr).toContain("did you mean --dex uniswap_v3?");
    }
  });
});
