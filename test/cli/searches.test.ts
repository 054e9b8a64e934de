import { describe, expect, test } from "vitest";
import { createMarket } from "../harness/bundled-sandbox.ts";
import { dexdata } from "../harness/dexdata.ts";
import { fieldOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";

const sandbox = useSandbox();

describe("a complete search", () => {
  test("returns every pool of the market once, in the requested order, with one request per page of 100", async () => {
    const market = createMarket({ seed: 1 });
    const ethereum = market.network("ethereum");
    if (ethereum === undefined) throw new Error("the market has ethereum");
    const pools = market.pools(ethereum, sandboxNow / 1000);
    sandbox.takeLog();

    const { exit, stdout, stderr } = await dexdata("pools search ethereum --all -o ndjson", {
      env: sandbox.env(),
    });

    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const ids = fieldOf(stdout, "id");
    expect(ids.length).toBe(pools.length);
    expect(new Set(ids)).toEqual(new Set(pools.map(({ id }) => id)));
    const volumes = fieldOf(stdout, "volume_usd_24h").map(Number);
    expect(volumes).toEqual(volumes.toSorted((a, b) => b - a));
    expect(sandbox.takeLog().length).toBe(Math.ceil(pools.length / 100));
  });
});
