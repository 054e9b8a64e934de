import { describe, expect, test } from "vitest";
import type { EndpointId } from "../../src/api/endpoints/all.ts";
import { textWidth } from "../../src/cli/render/values/width.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { render } from "../render/render.ts";

const sandbox = useSandbox();
const pool = "ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const prices =
  "prices ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 solana:So11111111111111111111111111111111111111112";

async function run(words: readonly string[]): Promise<Outcome> {
  return await dexdata(words, { env: sandbox.env() });
}

/** No other word in a table is this long. */
const addressesIn = (text: string): readonly string[] => text.match(/\b[0-9A-Za-z]{26,}\b/gu) ?? [];

const lists: readonly List[] = [
  {
    command: "pools search ethereum --limit 8 --detailed",
    endpoint: "network_pools_search",
    group: "rows",
    next: "pool",
  },
  {
    command: "pools search --chains ethereum,solana,sui --limit 8 --detailed",
    endpoint: "pools_search",
    group: "rows",
    next: "pool",
  },
  {
    command: "tokens search ethereum --limit 8 --detailed",
    endpoint: "network_tokens_search",
    group: "rows",
    next: "token",
  },
  {
    command: "tokens search --chains ethereum,solana,sui --limit 8 --detailed",
    endpoint: "tokens_search",
    group: "rows",
    next: "token",
  },
  { command: "search weth --type pools", endpoint: "search", group: "pools", next: "pool" },
  { command: "search weth --type tokens", endpoint: "search", group: "tokens", next: "token" },
  { command: prices, endpoint: "multi_prices", group: "rows", next: "token" },
  { command: `txns ${pool} --limit 5`, endpoint: "pool_transactions", group: "rows" },
  { command: "networks", endpoint: "networks", group: "rows" },
  { command: "dexes ethereum", endpoint: "dexes", group: "rows" },
  { command: `ohlcv ${pool} --pool --count-back 5`, endpoint: "pool_ohlcv", group: "rows" },
];

interface List {
  readonly command: string;
  readonly endpoint: EndpointId;
  readonly group: string;
  /** The command that accepts the addresses of the table. */
  readonly next?: "pool" | "token";
}

describe.each(lists)("the table of $command", ({ command, endpoint, group, next }) => {
  test("has no line wider than the terminal, and only complete addresses, at 20 to 200 columns", async () => {
    const { exit, stdout } = await run([...command.split(" "), "-o", "json"]);
    expect(exit).toBe(0);
    const known = new Set(addressesIn(stdout));
    const namesNoNetwork = command.includes("--chains") || command.startsWith("search");
    for (let columns = 20; columns <= 200; columns += 9) {
      const table = await render([[group, stdout]], { endpoint, groups: [group], columns });
      const shown = addressesIn(table);
      expect(table.split("\n").filter((line) => textWidth(line) > columns)).toEqual([]);
      expect(shown.filter((address) => !known.has(address))).toEqual([]);
      // An address is of no use without its network.
      if (shown.length > 0 && namesNoNetwork) expect(table).toContain("NETWORK");
    }
  });

  test.runIf(next !== undefined)("has addresses that the next command accepts", async () => {
    const { stdout } = await run([...command.split(" "), "-o", "wide"]);
    const [head = "", ...lines] = stdout.trimEnd().split("\n");
    const networkAt = head.indexOf("NETWORK");
    for (const line of lines.slice(0, 2)) {
      const network = line.slice(networkAt).split(" ")[0] ?? "";
      const address = addressesIn(line).at(-1) ?? "";
      expect([line, (await run([next ?? "", network, address])).exit]).toEqual([line, 0]);
    }
  });
});
