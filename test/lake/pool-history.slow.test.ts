import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isObject, member } from "../../src/base/json/json-scan.ts";
import { dexdata } from "../harness/dexdata.ts";
import { periodsBelow, rowsBelow } from "../harness/lake.ts";
import { type Kill, prepareKill } from "../harness/lake-history/kill-run.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const hour = 3_600_000;
const size = isLong
  ? { hours: 168, searched: 500, listed: 20, kills: 50, outages: 12 }
  : { hours: 8, searched: 120, listed: 2, kills: 3, outages: 1 };
const random = createRandom(48);
const root = path.join(temporaryFolder(), "lake");
let now = sandboxNow;
const sandbox = useSandbox({
  now: () => now,
  requestsPerMinute: Number.POSITIVE_INFINITY,
  log: () => arrived(),
});
let requests = 0;
let kill: ReturnType<typeof prepareKill> | undefined;
let number = 0;
function arrived(): void {
  // The run that was killed sends nothing more.
  if (kill !== undefined && existsSync(`${root}.killed`)) return;
  requests += 1;
  number += 1;
  kill?.arrived(number);
}

async function run(words: readonly string[], env = sandbox.env()) {
  return await dexdata([...words, "--error-format", "text"], { env, now });
}

async function listOf(...words: readonly string[]): Promise<readonly object[]> {
  const { stdout } = await run(["pools", "search", "ethereum", "-o", "ndjson", ...words]);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line))
    .filter(isObject);
}

/** As many times as wanted, among this many hours. */
function chosen(count: number): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (let index = 0; index < count; index += 1) {
    const at = 1 + Math.floor(random() * (size.hours - 1));
    times.set(at, (times.get(at) ?? 0) + 1);
  }
  return times;
}

async function killedRun(words: readonly string[]): Promise<void> {
  const by = (["request", "rename", "renamed"] as const)[Math.floor(random() * 3)] ?? "request";
  const wanted: Kill = { by, number: 1 + Math.floor(random() * (by === "request" ? size.listed + 2 : 2)) };
  [kill, number] = [prepareKill(root, wanted), 0];
  await run(words);
  kill.end();
  kill = undefined;
}

const timesOf = (rows: readonly object[], field: string): readonly number[] =>
  [...new Set(rows.map((row) => Date.parse(String(member(row, field)))))].toSorted(
    (one, other) => one - other,
  );

/** Compares the rows of one time with the market. Returns how many were compared. */
async function compare(rows: readonly object[], asOf: number): Promise<number> {
  now = asOf;
  const market = new Map(
    (await listOf("--order-by", "txns_24h", "--limit", String(size.searched))).map((row) => [
      member(row, "id"),
      row,
    ]),
  );
  for (const row of rows) {
    const created = String(member(row, "created_at"));
    const id = member(row, "id");
    const own =
      market.get(id) ??
      (await listOf("--created-after", created, "--created-before", created, "--all")).find(
        (each) => member(each, "id") === id,
      );
    const { tokens: _tokens, ...values } = Object(own);
    // A stored row has no nulls.
    expect(row).toMatchObject(
      Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
    );
  }
  return rows.length;
}

test(
  "each hour is complete or named lost, with the market's values, whatever interrupts the runs",
  async () => {
    const pools = (await listOf("--limit", String(size.listed))).map(
      (row) => `ethereum:${String(member(row, "id"))}`,
    );
    const [kills, outages] = [chosen(size.kills), chosen(size.outages)];
    const search = `ethereum --order-by txns_24h --limit ${size.searched}`;
    requests = 0;
    await run(["sync", root, "--search", search, "--list", "big"]);
    await run(["sync", root, ...pools, "--kind", "pools"]);
    for (let index = 1; index < size.hours; index += 1) {
      now = sandboxNow + index * hour;
      if (outages.has(index)) {
        const unreachable = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: "http://127.0.0.1:9" };
        expect((await run(["sync", root, "--retries", "0"], unreachable)).exit).not.toBe(0);
        continue;
      }
      for (let left = kills.get(index) ?? 0; left > 0; left -= 1) {
        await killedRun(["sync", root]);
        now += 30_000;
      }
      expect([0, 8]).toContain((await run(["sync", root])).exit);
    }
    const sent = requests;
    const rows = (await rowsBelow(root)).filter(isObject);
    const hours = Array.from(
      { length: size.hours },
      (_, index) => Math.floor(sandboxNow / hour + index) * hour,
    );
    const lists = new Map<string, readonly object[]>();
    for (const name of ["big", "pools"]) {
      const own = (await rowsBelow(path.join(root, "pools", "network=ethereum", `list=${name}`))).filter(
        isObject,
      );
      lists.set(name, own);
      const lost = (await periodsBelow(root))
        .filter(({ file }) => file.includes(`list=${name}`))
        .flatMap(({ footer }) =>
          footer.lost.flatMap(({ from, to }) => hours.filter((at) => at >= from * 1000 && at < to * 1000)),
        );
      const read = timesOf(own, "period");
      expect([...read, ...lost].toSorted((one, other) => one - other)).toEqual(hours);
      expect(lost).toEqual(hours.filter((_, index) => outages.has(index)));
    }
    const ids = (own: readonly object[]): number => new Set(own.map((row) => member(row, "id"))).size;
    expect(ids(lists.get("pools") ?? [])).toBe(size.listed);
    expect(ids(lists.get("big") ?? [])).toBeGreaterThan(size.searched);
    const ranked = rows.filter((row) => typeof member(row, "rank") === "number");
    const pages =
      timesOf(ranked, "period").length * Math.ceil(size.searched / 100) + rows.length - ranked.length;
    let compared = 0;
    for (const asOf of timesOf(rows, "as_of"))
      compared += await compare(
        rows.filter((row) => Date.parse(String(member(row, "as_of"))) === asOf),
        asOf,
      );
    process.stdout.write(
      `${JSON.stringify({ ...size, rows: rows.length, compared, pages, sent, ratio: sent / pages })}\n`,
    );
    expect(compared).toBe(rows.length);
    expect(sent / pages).toBeLessThanOrEqual(isLong ? 1.02 : 1.1);
    expect((await run(["verify", root])).exit).toBe(0);
  },
  isLong ? 3_600_000 : 120_000,
);
