import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { newList, withService } from "./many-pools.ts";
import { listen, pricesOf } from "./stream-run.ts";

const folder = temporaryFolder();
const many = (count: number): string =>
  Array.from({ length: count }, (_, index) => `base:0x${(index + 1).toString(16).padStart(40, "0")}\n`).join(
    "",
  );

async function reloadTooMany(
  list: string,
  { reload, stderrText }: { readonly reload: () => unknown; readonly stderrText: () => string },
): Promise<string> {
  writeFileSync(list, many(150_000));
  reload();
  while (!stderrText().includes("list ignored")) await new Promise((resolve) => setTimeout(resolve, 1));
  return stderrText();
}

test("a list of 150,000 assets is refused, and the stream goes on", async () => {
  const list = path.join(folder, "LIST");
  writeFileSync(list, many(2));
  const running = listen([`@${list}`], await serveInTest(pricesOf));
  await running.until(() => running.lines().length === 2);
  expect(await reloadTooMany(list, running.context)).toContain(
    "new asset list ignored: too many assets: 150000, but 10 connections with 25 assets each can hold only 250",
  );
});

test("a list of 150,000 pools is refused, and the follow goes on", async () => {
  const { list } = newList(2);
  await withService({}, async ({ start, log }) => {
    const { context, outcome } = start(`txns @${list} --follow -o ndjson --error-format text`);
    while (log.length < 2) await new Promise(setImmediate);
    expect(await reloadTooMany(list, context)).toContain(
      "new list ignored: reading 150,000 pools every 1m needs 150,000 requests/min",
    );
    context.interrupt({ cause: "SIGINT" });
    expect((await outcome).exit).toBe(130);
  });
});
