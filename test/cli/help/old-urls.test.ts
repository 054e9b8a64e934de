import { describe, expect, test } from "vitest";
import { dexdata } from "../../harness/dexdata.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const dai = "0x6b175474e89094c44da98b954eedeac495271d0f";

/** Specification, Removed endpoints, with and without parameters: the URL, the command, parts of the notes. */
const urls: readonly (readonly [string, string, ...string[]])[] = [
  ["/pools", "dexdata pools search", "/pools was removed; its replacement is /pools/search"],
  [
    "/pools?limit=5&page=2",
    "dexdata pools search --limit 5",
    "a page number cannot be converted to a cursor",
    "--limit 10",
  ],
  ["/pools?token_address=0x1", "dexdata pools search", "token_address=0x1: requires a network"],
  ["/networks/ethereum/pools", "dexdata pools search ethereum"],
  ["/networks/ethereum/pools?page=0&limit=20", "dexdata pools search ethereum --limit 20"],
  [
    "/networks/ethereum/pools?sort_by=volume_usd&sort_dir=asc",
    "dexdata pools search ethereum --order-by volume_usd_24h --sort asc",
    "sort_by is now called order_by",
    "sort_dir is now called sort",
    "order_by=volume_usd is now called volume_usd_24h",
  ],
  [
    "/networks/ethereum/pools/filter?volume_24h_min=1000&txns_24h_min=5&created_after=1762000000",
    "dexdata pools search ethereum --volume-usd-24h-min 1000 --txns-24h-min 5 --created-after 1762000000",
    "volume_24h_min is now called volume_usd_24h_min",
  ],
  [
    "/networks/ethereum/dexes/uniswap_v3/pools?limit=3",
    "dexdata pools search ethereum --limit 3 --dex uniswap_v3",
  ],
  ["/networks/ethereum/dexes/Uniswap%20V3/pools", "dexdata pools search ethereum --dex 'Uniswap V3'"],
  [
    `/networks/ethereum/tokens/${weth}/pools?order_by=transactions&reorder=true`,
    `dexdata pools search ethereum --order-by txns_24h --token ${weth}`,
    "reorder=true: unknown parameter, which the service would silently ignore; omitted",
  ],
  [
    "/networks/ethereum/tokens/filter?fdv_min=1000000&sort_by=price_usd",
    "dexdata tokens search ethereum --fdv-usd-min 1000000",
    "order_by=price_usd: the service cannot sort tokens by price",
  ],
  [
    "/networks/ethereum/tokens/top?limit=5&detailed=true",
    "dexdata tokens search ethereum --limit 5 --detailed",
  ],
  [
    `/stream?method=t_p&chain=ethereum&address=${weth}&limit=1`,
    `dexdata stream ethereum:${weth} --limit 1`,
    "/stream was removed; its replacement is /sse/prices",
  ],
  [
    `/sse/prices?method=token_price&chain=ethereum&address=${weth}&limit=0`,
    `dexdata stream ethereum:${weth}`,
    "limit=0: the service would reject this value; omitted",
  ],
  ["/stream", "dexdata stream @assets.txt", "the assets of a POST request are in its body"],
  // Current endpoints
  ["/networks", "dexdata networks", "/networks is still part of the API"],
  [
    "/networks/ethereum/pools/search?order_by=liquidity_usd",
    "dexdata pools search ethereum --order-by liquidity_usd",
  ],
  [
    `/networks/ethereum/multi/prices?tokens=${weth},${usdc}&tokens=${dai}`,
    `dexdata prices ethereum ${weth} ${usdc} ${dai}`,
  ],
  [
    `/networks/ethereum/pools/${pool}/transactions?page=2&limit=100&from=-1h`,
    `dexdata txns ethereum ${pool} --page 2 --limit 100 --from -1h`,
  ],
  [
    `/networks/ethereum/pools/${pool}/ohlcv?start=2026-11-01&limit=7&interval=24h&inversed=true`,
    `dexdata ohlcv ethereum ${pool} --pool --from 2026-11-01 --to 2026-11-08T00:00:00Z --interval 24h --inversed`,
    "converted to --to 2026-11-08T00:00:00Z, which is this many intervals after the start",
  ],
  [
    `/networks/ethereum/pools/${pool}/ohlcv?start=2026-11-01`,
    `dexdata ohlcv ethereum ${pool} --pool --from 2026-11-01 --interval 24h`,
  ],
  ["/search?query=wrapped+ether", "dexdata search wrapped ether"],
  ["https://example.org/v1/usage/", "dexdata usage"],
  [
    `/sse/transactions?method=token&chain=ethereum&address=${weth}&limit=1`,
    `dexdata stream ethereum:${weth} --feed transactions --by token --limit 1`,
  ],
];

/** `migrate` is what the command was called in earlier versions. */
describe.each(["explain", "migrate"])("dexdata %s with an old URL", (name) => {
  test.each(urls)("%s: %s", async (url, command, ...expectedNotes) => {
    const { exit, stdout, stderr } = await dexdata([name, url]);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${command}\n` });
    for (const note of expectedNotes) expect(stderr).toContain(note);
  });

  // No server listens on port 1, so a command line that is accepted ends with a refused connection.
  const nowhere = { DEXDATA_BASE_URL: "http://127.0.0.1:1", DEXDATA_RETRIES: "0" };
  const restCommands = urls
    .map(([, command]) => command)
    .filter((command) => !command.startsWith("dexdata stream"));
  test.each(restCommands)("%s is a valid command line", async (command) => {
    const words = (command.match(/'[^']*'|\S+/gu) ?? []).map((word) => word.replaceAll("'", ""));
    const { exit, stderr } = await dexdata(words.slice(1), { env: nowhere });
    expect({ exit, ...JSON.parse(stderr) }).toMatchObject({ exit: 7, code: "network" });
  });

  test("sends no request to any host, and never repeats a key in the URL", async () => {
    const key = "api_pro_0123456789abcdef";
    for (const url of [
      `https://${key}@example.org/networks/ethereum/pools?limit=5`,
      `https://user:${key}@example.org/networks/ethereum/pools?limit=5`,
      `https://example.org/networks/ethereum/pools?api_key=${key}&limit=5`,
      `https://example.org/networks/ethereum/pools?limit=5&x=${key}`,
      `example.org/networks/ethereum/pools?authorization=Bearer+${key}&limit=5`,
    ]) {
      const { exit, stdout, stderr } = await dexdata([name, url]);
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: "dexdata pools search ethereum --limit 5\n" });
      expect(stderr).toContain("removed a key from the URL");
      expect(stderr).not.toContain("0123456789");
    }
  });

  test("hides a key wherever it is", async () => {
    const key = "api_supersecretkey123456789";
    for (const url of [`/networks/${key}/pools`, `/networks/base/pools?x=Bearer${key}`])
      for (const format of ["text", "json"]) {
        const { stdout, stderr } = await dexdata([name, url, ...(format === "json" ? ["-o", "json"] : [])]);
        expect(stdout + stderr).not.toContain("secretkey");
      }
  });

  test("prints command, removed endpoint and notes as one object with -o json", async () => {
    const { stdout, stderr } = await dexdata([name, "/pools?page=3", "-o", "json"]);
    expect({ stderr, ...JSON.parse(stdout) }).toMatchObject({
      stderr: "",
      command: "dexdata pools search",
      removed: "/pools",
      replacement: "/pools/search",
      notes: [expect.stringContaining("page=3: a page number cannot be converted to a cursor")],
    });
  });

  test("of an explorer: the hint looks up the address", async () => {
    const address = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
    for (const [url, hint] of [
      [`https://etherscan.io/address/${address}`, `  hint: look up the address: dexdata search ${address}`],
      [`https://etherscan.io/tx/0x${"1".repeat(64)}`, ""],
    ] as const) {
      const { exit, stderr } = await dexdata(["explain", url, "--error-format", "text"]);
      expect([exit, stderr.split("\n")[1]]).toEqual([2, hint]);
    }
  });

  const refused: readonly (readonly [string, string])[] = [
    ["", "missing <code>: an error code, HTTP status, exit code, or the URL of an API endpoint"],
    ["/nothing/here", "not an API URL"],
    [
      "/networks/ethereum/weather",
      'unknown API path "/networks/ethereum/weather": neither current nor removed',
    ],
    ["/networks/ethereum/pools/%zz", "is not valid percent-encoded UTF-8"],
    [
      "/networks/ethereum/dexes/%1b%5b31m/pools",
      "contains characters that cannot be shown on a command line",
    ],
    ["/sse/nothing", 'unknown stream path "/sse/nothing"'],
    [
      "/networks/--base-url=http:%2F%2F127.0.0.1%2Fstolen/pools",
      '"--base-url=http://127.0.0.1/stolen" would be a flag in a command',
    ],
    ["/networks/ethereum/tokens/--key-file=a", '"--key-file=a" would be a flag in a command'],
    ["/networks/ethereum/dexes/--out=x/pools", '"--out=x" would be a flag in a command'],
    ["/networks/@etc/pools", '"@etc" would be a file in a command'],
    ["/search?query=weth+-x", '"-x" would be a flag in a command'],
    ["/networks/ethereum/multi/prices?tokens=0x1,@x", '"@x" would be a file in a command'],
    ["/sse/prices?method=t_p&chain=--out=x&address=0x1", '"--out=x:0x1" would be a flag in a command'],
    [
      "/networks/ethereum/tokens/search/pools/x",
      'unknown API path "/networks/ethereum/tokens/search/pools/x": neither current nor removed',
    ],
  ];
  test.each(refused)("%s: %s", async (url, message) => {
    const { exit, stdout, stderr } = await dexdata([name, url]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(JSON.stringify(message).slice(1, -1));
    expect(stderr).not.toContain("\u001b");
  });
});
