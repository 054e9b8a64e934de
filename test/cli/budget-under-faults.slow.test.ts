import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { ledgerInTest, unknownAddresses } from "../harness/ledger.ts";
import { isLong } from "../harness/long.ts";

test("runs with injected faults never exceed --max-credits at the server, and use all of it", async () => {
  for (let seed = 1; seed <= (isLong ? 60 : 10); seed += 1) {
    const faults =
      "truncate:10%,reset-before:5%,reset-headers:5%,reset-body:5%,reset-after:5%,429:10%,500:5%";
    const { env, charged } = await ledgerInTest({ seed, faults });
    const outcome = await dexdata("pool ethereum - --max-credits 25 --retries 40 --parallel 32 --stats", {
      env: env(),
      stdin: unknownAddresses(60),
    });
    const [, certain, , perhaps = 0] = /, (\d+) credits?(, plus up to (\d+))?/u.exec(outcome.stderr) ?? [];
    expect({ seed, exit: outcome.exit }).toEqual({ seed, exit: 5 });
    expect(charged(), `seed ${seed}`).toBeLessThanOrEqual(25);
    expect(Number(certain) + Number(perhaps), `seed ${seed}`).toBe(25);
    expect(charged(), `seed ${seed}`).toBeGreaterThanOrEqual(Number(certain));
  }
}, 180_000);

test("a pull with injected faults never exceeds --max-credits, and free responses do not count", async () => {
  for (let seed = 1; seed <= (isLong ? 20 : 4); seed += 1) {
    const { env, charged } = await ledgerInTest({ seed, faults: "truncate:15%,429:20%,500:10%" });
    const words = "pools search ethereum --all --page-size 10 --max-credits 12 --retries 40 --stats";
    const outcome = await dexdata(words, { env: env() });
    expect({ seed, exit: outcome.exit }).toEqual({ seed, exit: 5 });
    expect(charged(), `seed ${seed}`).toBeLessThanOrEqual(12);
  }
}, 180_000);
