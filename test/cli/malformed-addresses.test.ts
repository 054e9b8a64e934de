import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { AddressOf } from "../../src/api/known-networks.ts";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { feeds } from "../../src/api/feeds.ts";
import type { Param } from "../../src/api/param.ts";
import { methodName } from "../../src/library/read-params.ts";
import { allCommands } from "../../src/cli/all-commands.ts";
import { dexdata } from "../harness/dexdata.ts";
import { empty, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { failureOf, openLibrary } from "../library/open-library.ts";

/** Counts the requests. Nothing may reach it, unless the test says so. */
let server: ScriptedServer;
beforeEach(async () => (server = await serveInTest(() => empty(404))));

const folder = temporaryFolder();
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const V4 = `0x${"ab".repeat(32)}`;

/** Neither a token nor a pool on an EVM network. */
const malformed = [
  "0x",
  "0x00",
  WETH.slice(0, -1),
  `${WETH}0`,
  V4.slice(0, -1),
  `${V4}0`,
  `${WETH.slice(0, -1)}g`,
];

async function runCommand(words: readonly string[], stdin = "") {
  const env = {
    DEXDATA_API_KEY: "api_pro_1",
    DEXDATA_TIER: "pro",
    DEXDATA_BASE_URL: server.url,
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_STREAMING_URL: server.url,
    DEXDATA_STREAMING_PRO_URL: server.url,
  };
  const { exit, stdout, stderr } = await dexdata([...words, "--error-format", "text"], { env, stdin });
  return { exit, stdout, stderr, requests: server.requests.length };
}

const flagsOf: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ohlcv: [[], ["--pool"], ["--chart"], ["--watch", "30s"], ["--estimate"]],
  pool: [[], ["--watch", "30s"]],
  prices: [[], ["--missing", "null"], ["--estimate"]],
  stream: Object.values(feeds).flatMap(({ name, kinds }) =>
    kinds.map(({ by }) => ["--feed", name, "--by", by, "--max-reconnects", "0"]),
  ),
  sync: [[], ["--kind", "ohlcv"], ["--kind", "token-ohlcv"], ["--estimate"]],
  token: [[], ["--watch", "30s"]],
  txns: [
    [],
    ["--all", "--out", path.join(folder, "rows.ndjson")],
    ["--follow"],
    ["--follow", "--poll", "15s"],
  ],
};

const takers = allCommands.filter(({ positionals }) =>
  positionals.some(({ suggests }) => suggests === "addresses"),
);

test("the table has every command that takes addresses", () => {
  expect(takers.map(({ words }) => words).toSorted()).toEqual(Object.keys(flagsOf));
});

let files = 0;
function listFile(line: string): string {
  const file = path.join(folder, `list-${(files += 1)}`);
  writeFileSync(file, `# one\n${line}\n`);
  return file;
}

/** Every way to name one asset, each with the text of stdin. */
function waysOf(
  command: string,
  address: string,
): readonly (readonly [words: readonly string[], stdin?: string])[] {
  const before = command === "sync" ? ["sync", path.join(folder, "lake")] : command.split(" ");
  const row = JSON.stringify({ chain: "ethereum", id: address });
  return [
    ...(command === "sync" ? [] : [[[...before, "ethereum", address]] as const]),
    [[...before, `ethereum:${WETH}`, `ethereum:${address}`]],
    [[...before, "-"], `ethereum:${address}\n`],
    [[...before, "-"], `${row}\n`],
    [[...before, `@${listFile(`ethereum:${address}`)}`]],
    [[...before, `@${listFile(row)}`]],
  ];
}

describe.each(takers.map(({ words }) => words))("%s", (command) => {
  const cases = (flagsOf[command] ?? []).map((flags) => ({ flags, given: flags.join(" ") }));
  test.each(cases)("with $given: refuses a malformed address, and sends nothing", async ({ flags }) => {
    for (const [index, address] of malformed.entries()) {
      const ways = waysOf(command, address);
      // Each address in each way for one command; otherwise, each address in one way and each way with one address.
      const isEach = command === "prices" && flags.length === 0;
      const chosen = isEach ? ways : ways.filter((_, way) => index % ways.length === way);
      for (const [words, stdin] of chosen) {
        const { exit, stdout, stderr, requests } = await runCommand([...words, ...flags], stdin);
        expect({ exit, stdout, requests, words }).toEqual({ exit: 2, stdout: "", requests: 0, words });
        expect(stderr).toContain(`"${address}"`);
        expect(stderr).toMatch(
          /an? (?:token|pool) address on ethereum is 0x followed by 40 (?:or 64 )?hexadecimal digits/u,
        );
      }
    }
  });
});

test.each(takers.map(({ words }) => words))(
  "%s refuses a pair of symbols on any network",
  async (command) => {
    const before = command === "sync" ? ["sync", path.join(folder, "lake")] : command.split(" ");
    const flags = command === "stream" ? ["--max-reconnects", "0"] : [];
    for (const network of ["ethereum", "sui"])
      for (const asset of [`${network}:WETH/USDC`, `@${listFile(`${network}:WETH/USDC`)}`]) {
        const { exit, stdout, stderr, requests } = await runCommand([...before, asset, ...flags]);
        expect({ exit, stdout, requests, asset }).toEqual({ exit: 2, stdout: "", requests: 0, asset });
        expect(stderr).toContain('"WETH/USDC"');
        expect(stderr).toContain("a pair of symbols is not an address");
      }
  },
);

test("a longer address with a slash is left to the service", async () => {
  const { requests } = await runCommand(["prices", "cosmos", `ibc/${"27394FB0".repeat(8)}`]);
  expect(requests).toBeGreaterThan(0);
});

const addressOf = ({ kind }: Param): AddressOf | undefined =>
  kind.kind === "address" || kind.kind === "list" ? kind.of : undefined;

const filters = endpoints.flatMap(({ command, params }) =>
  params.flatMap((param) =>
    param.flag !== undefined && addressOf(param) !== undefined ? [[command, param.flag] as const] : [],
  ),
);

test("there are filters by address", () => expect(filters).toContainEqual(["pools search", "token"]));

test.each(filters)("%s --%s refuses a malformed address, and sends nothing", async (command, flag) => {
  for (const address of malformed)
    expect(await runCommand([...command.split(" "), "ethereum", `--${flag}`, address])).toEqual({
      exit: 2,
      stdout: "",
      stderr: expect.stringContaining(
        `error: invalid --${flag} "${address}": a token address on ethereum is 0x`,
      ),
      requests: 0,
    });
});

describe("the library", () => {
  const methods = endpoints.flatMap((endpoint) => {
    const param = endpoint.params.find((each) => addressOf(each) !== undefined);
    return param === undefined ? [] : [[methodName(endpoint), param.name] as const];
  });

  test.each(methods)("%s refuses a malformed %s, and sends nothing", async (method, name) => {
    const client = openLibrary({ baseUrl: server.url });
    const call: unknown = Reflect.get(client, method);
    if (typeof call !== "function") throw new Error(`no method ${method}`);
    for (const address of malformed)
      expect(
        await failureOf(
          async () => await Reflect.apply(call, client, [{ network: "ethereum", [name]: address }]),
        ),
      ).toMatchObject({
        code: "usage",
        message: expect.stringContaining(`invalid ${name} "${address}": a `),
      });
    expect(server.requests).toEqual([]);
  });

  test("a batch and a stream with one malformed address send nothing", async () => {
    const client = openLibrary({ baseUrl: server.url, streamingUrl: server.url });
    const assets = [WETH, "0x00"].map((address) => ({ network: "ethereum", address }));
    expect(() => client.multiPrices({ network: "ethereum", tokens: [WETH, "0x00"] })).toThrow(
      'tokens "0x00"',
    );
    const first = client.stream({ feed: "prices", assets })[Symbol.asyncIterator]();
    const { code, message } = await failureOf(async () => await first.next());
    expect([code, message]).toEqual([
      "usage",
      "invalid asset ethereum:0x00: a token address on ethereum is 0x followed by 40 hexadecimal digits",
    ]);
    expect(server.requests).toEqual([]);
  });
});

test.each([
  [["pool", "ethereum", WETH]],
  [["pool", "ethereum", WETH.toUpperCase().replace("0X", "0x")]],
  [["pool", "ethereum", V4]],
  [["txns", "ethereum", V4]],
  [["token", "ethereum", WETH]],
  [["pool", "sui", "0x2"]],
  [["token", "aptos", "0xa"]],
  [["token", "ronin", "0x12"]],
  [["pool", "nosuch", "0x00"]],
  [["pools", "search", "sui", "--token", "0x2"]],
  [["stream", "aptos:0xa", "--max-reconnects", "0"]],
])("%j is sent: the service might know the address", async (words) => {
  expect((await runCommand(words)).requests).toBeGreaterThan(0);
});

test("the ID of a pool is not a token", async () => {
  const { exit, stderr, requests } = await runCommand(["token", "base", V4]);
  expect({ exit, requests, stderr }).toEqual({
    exit: 2,
    requests: 0,
    stderr:
      `error: invalid <address> "${V4}": a token address on base is 0x followed by 40 hexadecimal digits\n` +
      `  hint: it looks like the ID of a pool: dexdata pool base ${V4}\n`,
  });
});
