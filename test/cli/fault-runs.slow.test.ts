import { expect, test } from "vitest";
import { createMarket, parseFaults, startSandbox } from "../harness/bundled-sandbox.ts";
import { dexdata } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const [seeds, rows] = isLong ? [50, 20_000] : [8, 3000];
const faults = "429=1:5%,500:3%,reset-body:1%,reset-before:1%,truncate:1%";

test.each(Array.from({ length: seeds }, (_, index) => index + 1))(
  `a pull of ${rows} rows with injected faults loses and repeats none (seed %i)`,
  async (seed) => {
    const parsed = parseFaults(faults);
    let requests = 0;
    const sandbox = await startSandbox({
      seed,
      now: () => sandboxNow,
      elapsed: () => performance.now(),
      requestsPerMinute: Number.POSITIVE_INFINITY,
      faults: parsed,
      log: () => {
        requests += 1;
      },
    });
    try {
      const env = {
        DEXDATA_PRO_BASE_URL: sandbox.restPaid,
        DEXDATA_API_KEY: sandbox.keys.pro,
        DEXDATA_TIER: "pro",
      };
      const words = `txns ethereum ${pool} --limit ${rows} --rpm unlimited --retries 10 -o ndjson`;
      const { exit, stdout, stderr } = await dexdata(words, { env });
      // Notes about waits are allowed, nothing else.
      const said = stderr
        .split("\n")
        .filter((line) => line !== "" && !/^note: .*(?:waiting|retrying in) /u.test(line));
      expect({ exit, said }).toEqual({ exit: 0, said: [] });

      const market = createMarket({ seed });
      const ethereum = market.network("ethereum");
      const facts = ethereum === undefined ? undefined : market.pool(ethereum, pool, sandboxNow / 1000);
      if (facts === undefined) throw new Error("the market has this pool");
      const expected = market.transactions(facts, { to: sandboxNow / 1000, limit: rows });
      expect(rowsOf(stdout).map(({ id, log_index: index }) => `${String(id)} ${String(index)}`)).toEqual(
        expected.map(({ id, logIndex }) => `${id} ${logIndex}`),
      );
    } finally {
      await sandbox.close();
    }
    expect(requests).toBeGreaterThanOrEqual(rows / 100);
  },
  isLong ? 120_000 : 30_000,
);
