import { expect, test } from "vitest";
import { createMarket } from "../harness/bundled-sandbox.ts";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { isLong } from "../harness/long.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

const namesOf = (stdout: string): readonly string[] =>
  rowsOf(stdout).map(({ id, log_index }) => `${String(id)} ${String(log_index)}`);

const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
const publicSandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY, dialect: "public" });

const market = createMarket({ seed: 1 });
const expected = (limit: number): readonly string[] => {
  const ethereum = market.network("ethereum");
  const facts = ethereum === undefined ? undefined : market.pool(ethereum, pool, sandboxNow / 1000);
  if (facts === undefined) throw new Error("the market has this pool");
  const rows = market.transactions(facts, { to: sandboxNow / 1000, limit });
  expect(rows.length).toBe(limit);
  return rows.map(({ id, logIndex }) => `${id} ${logIndex}`);
};

const sizes = [
  ["specification", 250, 3],
  ["specification", 10_350, 105],
  ["specification", 25_000, 254],
  ["specification", 60_000, 607],
  ["public", 250, 3],
  ["public", 25_000, 255],
] as const;
test.each(sizes.filter(([, rows]) => isLong || rows < 60_000))(
  "%s: %i rows match the market, in order, in at most %i requests",
  async (dialect, rows, most) => {
    const service = dialect === "public" ? publicSandbox : sandbox;
    service.takeLog();
    const { exit, stdout, stderr } = await dexdata(
      `txns ethereum ${pool} --limit ${rows} --rpm unlimited -o ndjson`,
      { env: service.env() },
    );
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(namesOf(stdout)).toEqual(expected(rows));
    const log = service.takeLog();
    expect(log.length).toBeLessThanOrEqual(most);
    const queries = log.map(({ url }) => new URL(url, "http://sandbox").searchParams);
    expect(queries.filter((query) => Number(query.get("page") ?? 1) > 100)).toEqual([]);
    expect(log.filter(({ status }) => status !== 200)).toEqual([]);
  },
);
