import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { processorTime } from "../harness/processor-time.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { listen, pricesOf } from "./stream-run.ts";

const folder = temporaryFolder();
const many = (count: number): string =>
  Array.from({ length: count }, (_, index) => `base:0x${(index + 1).toString(16).padStart(40, "0")}\n`).join(
    "",
  );

test("a list of 150,000 assets is refused, and does not hold up the events for long", async () => {
  const list = path.join(folder, "LIST");
  writeFileSync(list, many(2));
  const running = listen([`@${list}`], await serveInTest(pricesOf));
  await running.until(() => running.lines().length === 2);
  writeFileSync(list, many(150_000));
  let longest = 0;
  const start = process.cpuUsage();
  let before = start;
  const watch = setInterval(() => {
    longest = Math.max(longest, processorTime(before));
    before = process.cpuUsage();
  }, 0);
  running.context.reload();
  await running.until(() => running.context.stderrText().includes("new asset list ignored"));
  await new Promise((resolve) => setTimeout(resolve, 1));
  const whole = processorTime(start);
  clearInterval(watch);
  expect(running.context.stderrText()).toContain(
    "new asset list ignored: too many assets: 150000, but 10 connections with 25 assets each can hold only 250",
  );
  // Reading the list takes most of the time. As a whole, it would be most of the longest turn.
  expect(longest / whole).toBeLessThan(0.6);
});
