import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { errorCodes, serviceErrors } from "../../src/api/service-errors.ts";
import { declarations, sandboxDeclarations } from "../../src/library/declarations.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const read = (file: string): string => readFileSync(`src/${file}`, "utf8");
const library = declarations(read("library/public-types.ts"));
const sandbox = sandboxDeclarations(["sandbox/received-request.ts", "library/sandbox-types.ts"].map(read));

test("L1: KnownCode lists every code of the service and of dexdata, and the code of a Failure stays open", () => {
  const known = /^export type KnownCode = (.*);$/mu.exec(library)?.[1] ?? "";
  expect(known.split(" | ").map((word): unknown => JSON.parse(word))).toEqual(errorCodes);
  expect(errorCodes).toEqual(expect.arrayContaining([...Object.keys(serviceErrors), "usage", "max_credits"]));
  expect(library).toContain("  readonly code: KnownCode | (string & {});\n");
});

describe("L2: the documentation of the types is written for programmers", () => {
  test.each([
    ["dexdata", library],
    ["dexdata/sandbox", sandbox],
  ])("%s names no flags and no commands", (_, types) => {
    expect(types.match(/.*(?:--[a-z]|\bflags?\b|\bcommand line\b).*/gu)).toBeNull();
    const commands = allCommands.map(({ words }) => words.split(" ")[0]).join("|");
    expect(types.match(new RegExp(`.*\\bdexdata (?:${commands})\\b.*`, "gu"))).toBeNull();
  });

  test.each([
    ["DexesParams", "network", "Network ID (see `networks()`)"],
    ["PoolsSearchParams", "dex_name", "Only pools on this DEX, specified by its ID (see `dexes()`)"],
    [
      "TokenOhlcvParams",
      "count_back",
      "Get this many of the newest candles; replaces `start` (a whole number, 1 or more)",
    ],
    ["NetworkPoolsSearchParams", "token_address", "Only pools that contain this token"],
    ["MultiPricesParams", "tokens", "Token addresses (one, or an array of any length)"],
    [
      "PoolsSearchParams",
      "chains",
      "Only these networks, e.g. base,solana (an array, or one string with commas)",
    ],
  ])("%s.%s", (type, name, help) => {
    const body = new RegExp(`interface ${type} \\{\\n([^}]*)\\}`, "u").exec(library)?.[1] ?? "";
    expect(new RegExp(`/\\*\\* (.*) \\*/\\n  readonly ${name}\\??:`, "u").exec(body)?.[1]).toBe(help);
  });

  test("multiPrices() promises no past prices, because it has no parameter for a time", () => {
    expect(library).toContain(": Get USD prices of tokens. */\n  multiPrices(");
  });

  test("a method or a parameter in backquotes exists", () => {
    const named = [...library.matchAll(/`(\w+)(\(\))?`/gu)].map(([, name = ""]) => name);
    const params = endpoints.flatMap((endpoint) => endpoint.params.map(({ name }) => name));
    const methods = [...library.matchAll(/^ {2}(\w+)\(/gmu)].map(([, name = ""]) => name);
    expect(named).toEqual(expect.arrayContaining(["poolOhlcv", "dexes", "networks", "start", "dex_name"]));
    const words = [...params, ...methods, "environment", "usage", "ohlcv", "texts", "wait", "dexdata", "N"];
    const unknown = named.filter((name) => !words.includes(name) && !/^(?:[A-Z_]+|\d\S*)$/u.test(name));
    expect(unknown).toEqual([]);
  });
});

test.each([
  ["dexdata", library, 5],
  ["dexdata/sandbox", sandbox, 1],
])("L2: every option and parameter of %s can be given as undefined", (_, types, least) => {
  const given = [...types.matchAll(/^export interface \w+(?:Options|Params)\b.*\{\n([^}]*)\n\}$/gmu)];
  expect(given.length).toBeGreaterThanOrEqual(least);
  const optional = given.flatMap(([body]) => body.match(/^ {2}readonly \w+\?: .*$/gmu) ?? []);
  expect(optional.filter((line) => !line.endsWith(" | undefined;"))).toEqual([]);
});

/** What a program can do with the options of a client that it gets from elsewhere. */
const wrappers = `
import { type Client, type ClientOptions, createClient } from "./library.cjs";

const pool = { network: "a", pool_address: "b" };
export const patient = (options: ClientOptions): Client<number | string> => createClient({ retries: 9, ...options });
export const unset = (limit?: number): Client => {
  const client = createClient({ apiKey: undefined, signal: undefined, onWait: undefined, numbers: undefined });
  client.networks({}, { limit });
  client.stream({ feed: "ohlcv", assets: [], since: limit });
  return client;
};
export const chosen = (isExact: boolean) => createClient({ numbers: isExact ? "text" : "number" });
export async function price(options: ClientOptions): Promise<number | string | null | undefined> {
  return (await patient(options).pool(pool)).last_price;
}
export async function prices(): Promise<readonly [number | null | undefined, string | null | undefined]> {
  const [double, text] = [createClient({ retries: 9 }), createClient({ numbers: "text" })];
  return [(await double.pool(pool)).last_price, (await text.pool(pool)).last_price];
}
// @ts-expect-error it may be a string
export const double: Client<number> = patient({});
// @ts-expect-error another word
createClient({ numbers: "digits" });
`;

test("L2: functions that pass on the options of a client compile", { timeout: 60_000 }, () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, "library.d.cts"), library);
  writeFileSync(path.join(folder, "wrappers.mts"), wrappers);
  const flags = [
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--module",
    "nodenext",
    "--types",
    "",
  ];
  const tsc = path.resolve("node_modules/.bin/tsc");
  const words = [tsc, ...flags, "--target", "es2023", "wrappers.mts"];
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});
