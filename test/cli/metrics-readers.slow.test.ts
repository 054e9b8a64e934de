import { spawn } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { openMetrics } from "../../src/cli/run/output/metrics-file.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";

const folder = temporaryFolder();

const reader = `
  const { readFileSync } = require("node:fs");
  const seen = new Set();
  let partial = 0;
  for (let count = 0; count < 100_000; count += 1) {
    const text = readFileSync(process.argv[1], "utf8");
    const rows = /^dexdata_rows_total (\\d+)$/m.exec(text)?.[1];
    if (!/^dexdata_gap_seconds_total \\d+\\n/m.test(text) || rows === undefined) partial += 1;
    seen.add(rows);
  }
  console.log(partial, seen.size);
`;

test("100,000 reads by another process see no partial file", async () => {
  const file = path.join(folder, "many.prom");
  const context = createTestContext();
  let write = (): void => undefined;
  const after = (_: number, call: () => void) => {
    write = call;
    return () => undefined;
  };
  const metrics = openMetrics({ ...context, clock: { ...context.clock, after } }, file, {
    warn: () => undefined,
  });
  const child = spawn(process.execPath, ["-e", reader, file], { stdio: ["ignore", "pipe", "inherit"] });
  const read = { text: "", isOver: false };
  child.stdout.on("data", (chunk: Buffer) => (read.text += chunk.toString()));
  child.once("close", () => (read.isOver = true));
  for (let count = 0; !read.isOver; count += 1) {
    metrics.shows({ rows_total: () => count });
    metrics.changed();
    write();
    if (count % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const [partial, states] = read.text.trim().split(" ").map(Number);
  expect(partial).toBe(0);
  expect(states).toBeGreaterThan(100);
});
