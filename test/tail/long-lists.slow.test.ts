import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { collectGarbage } from "../harness/collect-garbage.ts";
import { processorTime } from "../harness/processor-time.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { newList, withService } from "./many-pools.ts";
import { listen, pricesOf } from "./stream-run.ts";

const folder = temporaryFolder();
const many = (count: number): string =>
  Array.from({ length: count }, (_, index) => `base:0x${(index + 1).toString(16).padStart(40, "0")}\n`).join(
    "",
  );

/** The longest turn of the event loop until a list that is too long is ignored, as a share of the processor time. */
async function longestTurn(
  list: string,
  { reload, stderrText }: { readonly reload: () => unknown; readonly stderrText: () => string },
): Promise<number> {
  writeFileSync(list, many(150_000));
  collectGarbage();
  let longest = 0;
  const start = process.cpuUsage();
  let before = start;
  const watch = setInterval(() => {
    longest = Math.max(longest, processorTime(before));
    before = process.cpuUsage();
  }, 0);
  reload();
  while (!stderrText().includes("list ignored")) await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, 1));
  clearInterval(watch);
  return longest / processorTime(start);
}

// What is done with all assets at once would take at least a third of the time.
const shortTurn = 0.25;

test("a list of 150,000 assets is refused, and does not hold up the events for long", async () => {
  const list = path.join(folder, "LIST");
  writeFileSync(list, many(2));
  const running = listen([`@${list}`], await serveInTest(pricesOf));
  await running.until(() => running.lines().length === 2);
  const longest = await longestTurn(list, running.context);
  expect(running.context.stderrText()).toContain(
    "new asset list ignored: too many assets: 150000, but 10 connections with 25 assets each can hold only 250",
  );
  expect(longest).toBeLessThan(shortTurn);
});

test("a list of 150,000 pools is refused, and does not hold up the reads for long", async () => {
  const { list } = newList(2);
  await withService({}, async ({ start, log }) => {
    const { context, outcome } = start(`txns @${list} --follow -o ndjson --error-format text`);
    while (log.length < 2) await new Promise(setImmediate);
    const longest = await longestTurn(list, context);
    expect(context.stderrText()).toContain(
      "new list ignored: reading 150,000 pools every 1m needs 150,000 requests/min",
    );
    expect(longest).toBeLessThan(shortTurn);
    context.interrupt({ cause: "SIGINT" });
    expect((await outcome).exit).toBe(130);
  });
});
