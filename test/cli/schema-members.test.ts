import { describe, expect, test } from "vitest";
import { endpoints } from "../../src/api/endpoints/all.ts";
import type { RecordShape } from "../../src/api/record.ts";
import { knownRecords } from "../../src/cli/commands/schema/known-records.ts";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";

// A network with few pools, because its market is created quickly.
const token = "0x3e75a8e0409ef1ff79c2b7b1d85fe309c46347bc";
const pool = "0xf19559e278ae925ab609505cc38955b0e1d2a915";

/** The arguments of each endpoint. */
const calls: Readonly<Record<string, readonly string[]>> = {
  pool: [`pool fantom ${pool}`],
  pool_transactions: [`txns fantom ${pool} --limit 20`],
  multi_prices: [`prices fantom ${token} 0x0000000000000000000000000000000000000001 --missing null`],
  token: [`token fantom ${token}`],
  network_tokens_search: ["tokens search fantom", "tokens search fantom --detailed"],
  tokens_search: ["tokens search --chains fantom", "tokens search --chains fantom --detailed"],
  network_pools_search: ["pools search fantom", "pools search fantom --detailed"],
  pools_search: ["pools search --chains fantom", "pools search --chains fantom --detailed"],
  search: ["search usdc --type tokens", "search usdc --type pools", "search uniswap --type dexes"],
  networks: ["networks"],
  dexes: ["dexes fantom"],
  token_ohlcv: [`ohlcv fantom ${token} --count-back 3 --fill null`],
  pool_ohlcv: [`ohlcv fantom ${pool} --pool --count-back 3`],
  usage: ["usage"],
};

const records = new Map(knownRecords().map(({ name, record }) => [name, record]));

test("the table has every endpoint", () => {
  expect(Object.keys(calls).toSorted()).toEqual(endpoints.map(({ id }) => id).toSorted());
});

function unknownIn(value: unknown, shape: RecordShape, path = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const place = `${path}${name}`;
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) return [place];
    const { type } = field;
    if (!("record" in type)) return [];
    const items: readonly unknown[] = type.kind === "list" && Array.isArray(inner) ? inner : [inner];
    return items.flatMap((item) => unknownIn(item, type.record, `${place}.`));
  });
}

/** Streams of each record; the clock runs two hours per second, so that they have events. */
const streams: Readonly<Record<string, string>> = {
  "price-event": `fantom:${token}`,
  "transaction-event": `fantom:${pool} --feed transactions`,
  "candle-event": `fantom:${token} --feed ohlcv`,
  "token-reserves-event": `fantom:${token} --feed reserves`,
  "pool-reserves-event": `fantom:${pool} --feed reserves --by pool`,
};

test("the table has every event", () => {
  const events = [...records.keys()].filter((name) => name.endsWith("-event"));
  expect(Object.keys(streams).toSorted()).toEqual(events.toSorted());
});

describe.each(["spec", "public"] as const)("the sandbox's events in the dialect %s", (dialect) => {
  const started = performance.now();
  const sandbox = useSandbox({ dialect, now: () => sandboxNow + (performance.now() - started) * 7200 });
  // The specification has no feed of reserves.
  const served = Object.entries(streams).filter(
    ([, words]) => dialect === "public" || !words.includes("reserves"),
  );
  test.each(served)("have no members that the schema of %s lacks", async (name, words) => {
    const { exit, stdout } = await dexdata(`stream ${words} --limit 2 -q`, { env: sandbox.env(), speed: 1 });
    const found = rowsOf(stdout);
    expect({ exit, isEmpty: found.length === 0 }).toEqual({ exit: 0, isEmpty: false });
    expect(found.flatMap((row) => unknownIn(row, records.get(name) ?? {}))).toEqual([]);
  });
});

describe.each(["spec", "public"] as const)("the sandbox's rows in the dialect %s", (dialect) => {
  const sandbox = useSandbox({ dialect });
  test.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    "have no members that the schema of %s lacks",
    async (id, { rows }) => {
      const shapes = Object.values(rows).map(({ name }) => records.get(name) ?? {});
      for (const words of calls[id] ?? []) {
        const { exit, stdout } = await dexdata(`${words} -o ndjson -q`, { env: sandbox.env() });
        const found = rowsOf(stdout);
        expect({ words, exit, isEmpty: found.length === 0 }).toEqual({ words, exit: 0, isEmpty: false });
        const unknown = found.flatMap(
          (row) =>
            shapes.map((shape) => unknownIn(row, shape)).toSorted((a, b) => a.length - b.length)[0] ?? [],
        );
        expect({ words, unknown: [...new Set(unknown)] }).toEqual({ words, unknown: [] });
      }
    },
  );
});
