import { describe, expect, test } from "vitest";
import { dexdata } from "../../harness/dexdata.ts";

const cases: readonly (readonly [string, string, string])[] = [
  ["pol", '"pol": dexdata has no such command', "did you mean pool?"],
  ["price ethereum 0x1", '"price": dexdata has no such command', "did you mean prices?"],
  ["candles ethereum 0x1", '"candles": dexdata has no such command', "did you mean ohlcv?"],
  ["transactions", '"transactions": dexdata has no such command', "did you mean txns?"],
  ["login", '"login": dexdata has no such command', "did you mean auth login?"],
  ["pool search ethereum", '"pool search": dexdata has no such command', "did you mean pools search?"],
  ["token search", '"token search": dexdata has no such command', "did you mean tokens search?"],
  [
    "ethereum",
    '"ethereum": dexdata has no such command',
    "the command comes first, then the network, such as: dexdata pools search ethereum",
  ],
  [
    "eth pools",
    '"eth": dexdata has no such command',
    "the command comes first, then the network, such as: dexdata pools search ethereum",
  ],
  [
    "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
    '"0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640": dexdata has no such command',
    "look the address up: dexdata search 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
  ],
  ["polls", '"polls": dexdata has no such command', "did you mean pools search?"],
  ["zzzzzz", '"zzzzzz": dexdata has no such command', "see: dexdata --help"],
  [
    "pools search --volume-min 5",
    "--volume-min: dexdata pools search has no such flag",
    "did you mean --volume-usd-24h-min?",
  ],
  ["networks --json", "--json: dexdata networks has no such flag", "did you mean --output json?"],
  ["txns base 0x1 --start -1h", "--start: dexdata txns has no such flag", "did you mean --from?"],
  [
    "txns base 0x1 --interval 1h",
    "--interval: dexdata txns has no such flag",
    "it belongs to: ohlcv, stream",
  ],
  [
    "pools search --network base",
    "--network: dexdata pools search has no such flag",
    "it is a word, not a flag: dexdata pools search [network]",
  ],
  [
    "usage --api-key x",
    "--api-key: dexdata usage has no such flag",
    "a key is never typed as a word: dexdata auth login, --key-file, or DEXDATA_API_KEY",
  ],
  ["txns base 0x1 --quiet=1", "--quiet: takes no value", "write --quiet alone, or leave it out"],
  [
    "pools search --no-strict=secret",
    "--no-strict: takes no value",
    "write --no-strict alone, or leave it out",
  ],
  ["auth logout --all=true", "--all: takes no value", "write --all alone, or leave it out"],
  ["networks --help=1", "--help: takes no value", "write --help alone, or leave it out"],
  ["dexes base --zzzzzz=1", "--zzzzzz: dexdata dexes has no such flag", "see: dexdata dexes --help"],
  ["dexes base --zzzzzz", "--zzzzzz: dexdata dexes has no such flag", "see: dexdata dexes --help"],
];

describe("a word that nobody knows", () => {
  test.each(cases)("%s: %s; %s", async (words, message, next) => {
    const { exit, stdout, stderr } = await dexdata(`${words} --error-format text`);
    expect({ exit, stdout, stderr }).toEqual({
      exit: 2,
      stdout: "",
      stderr: `error: ${message}\n  hint: ${next}\n`,
    });
  });

  test.each([
    ["transactions", "txns_24h"],
    ["volume_24h", "volume_usd_24h"],
    ["price_change_6h", "price_change_percentage_6h"],
    ["liquidity", "liquidity_usd"],
  ])("--order-by %s gets %s", async (typed, meant) => {
    const { exit, stderr } = await dexdata(`pools search --order-by ${typed} --error-format text`);
    expect({ exit, next: stderr.split("\n")[1] }).toEqual({ exit: 2, next: `  did you mean ${meant}?` });
  });

  test("a network's common name gets its slug, also among several", async () => {
    for (const words of ["pools search eth", "pools search --chains base,eth"]) {
      const { exit, stderr } = await dexdata(`${words} --sandbox --error-format text`);
      expect(exit).toBe(3);
      expect(stderr).toMatch(/^error: unknown network "eth"[^]*did you mean ethereum\?\n$/u);
    }
  });

  test("a DEX's display name that found nothing gets its id, on one network and on all", async () => {
    for (const network of [["ethereum"], []]) {
      const words = ["pools", "search", ...network, "--dex", "Uniswap V3", "--sandbox"];
      const { exit, stdout, stderr } = await dexdata(words, { isTerminal: { stderr: true } });
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
      expect(stderr).toContain("did you mean --dex uniswap_v3?");
    }
  });
});
