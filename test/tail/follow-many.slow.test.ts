import path from "node:path";
import { describe, expect, test } from "vitest";
import { sandboxNow } from "../harness/sandbox.ts";
import { html, json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { startService } from "./following.ts";
import { from, hour, marketRows, newList, pools, rowsBelow, withService } from "./many-pools.ts";

describe("many pools", () => {
  test.each(["{network}/{pool}/{date}.ndjson", "swaps-{date}.ndjson"])(
    "each row of each pool is written once, over three runs: %s",
    async (name) => {
      const { folder, list } = newList();
      const faults = "late-rows=30s:5%,500:2%,429=1:1%,reset-body:1%";
      await withService({ sandbox: { faults, dialect: "public" } }, async ({ start, now, log }) => {
        for (let runs = 0; runs < 3; runs += 1) {
          log.length = 0;
          const words = `txns @${list} --follow ${from} --for 130s --out ${path.join(folder, name)}`;
          const { exit, stderr } = await start(words).outcome;
          expect({ exit, stderr }).toMatchObject({ exit: 0 });
          if (runs > 0) expect(log.length).toBeLessThan(pools.length * 5);
        }
        const rows = rowsBelow(folder);
        expect(new Set(rows).size).toBe(rows.length);
        // The last reads were at most a minute ago.
        const written = new Set(rows);
        const missing = marketRows(sandboxNow - hour, now() - 130_000).filter((row) => !written.has(row));
        expect(missing).toEqual([]);
      });
    },
  );
});

test("an outage of the host is two messages, and one request at a time", async () => {
  const { list } = newList();
  let isDown = false;
  const requests: number[] = [];
  const service = await startService();
  try {
    const { url } = await serveInTest(async (request) => {
      requests.push(service.now());
      if (isDown) return html(503);
      const reply = await fetch(service.url + request.url, { headers: { authorization: service.key } });
      const date = reply.headers.get("date") ?? "";
      return json(await reply.text(), { status: reply.status, headers: { date } });
    });
    const { context, outcome } = service.start(`txns @${list} --follow ${from} --for 8m --rpm 3000`, url);
    while (requests.length < 12) await new Promise(setImmediate);
    isDown = true;
    const before = requests.length;
    const until = service.now() + 3 * 60_000;
    while (service.now() < until) await new Promise(setImmediate);
    const during = requests.length - before;
    isDown = false;
    const { exit } = await outcome;
    const lines = context.stderrText().split("\n");
    expect({ exit, during: during < 40 }).toEqual({ exit: 0, during: true });
    expect(lines.filter((line) => line.startsWith("warning: "))).toEqual([
      expect.stringMatching(/^warning: reads are paused: .*; no row will be lost$/u),
    ]);
    expect(lines.filter((line) => line.includes("reading on time again"))).toHaveLength(1);
  } finally {
    await service.close();
  }
});
