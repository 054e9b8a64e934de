import path from "node:path";
import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { longPull } from "../harness/long-pull.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
const pools = isLong ? 20 : 8;

test(
  `the candles of ${pools} pools are published one pool after the other, so memory stays flat`,
  async () => {
    const env = sandbox.env("enterprise");
    const listed = await dexdata(`pools search ethereum --limit ${pools} --fields id -o csv`, { env });
    const addresses = listed.stdout.trim().split("\n").slice(1);
    expect(new Set(addresses).size).toBe(pools);
    const pull = await longPull(
      [
        "sync",
        path.join(temporaryFolder(), "lake"),
        ...addresses.map((address) => `ethereum:${address}`),
        ..."--kind ohlcv --interval 5m --from 2026-07-01 --by day --rpm unlimited".split(" "),
      ],
      env,
    );
    expect(pull).toMatchObject({ exit: 0 });
    console.log(`${pools} pools: ${pull.peakMegabytes.toFixed(0)} MB`);
    expect(pull.peakMegabytes).toBeLessThan(260);
  },
  isLong ? 240_000 : 120_000,
);
