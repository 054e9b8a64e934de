import path from "node:path";
import { expect, test } from "vitest";
import { run } from "../harness/dexdata.ts";
import { answerOf, listingStart, manyEvents } from "../harness/listing.ts";
import { html, type Reply, slow } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext } from "../harness/test-context.ts";
import { pool } from "./following.ts";
import { logged as readLog } from "./stream-run.ts";

const stream = (chunks: readonly string[], stayOpen: boolean): Reply =>
  slow({ headers: { "content-type": "text/event-stream" }, chunks, stayOpen });

/** Follows ten rows for a while; `answerStream` returns the response of each stream by its number from 0. */
async function followStreams(time: string, answerStream: (index: number) => Reply) {
  let streams = 0;
  const server = await serveInTest((request) => {
    if (!request.path.startsWith("/sse/")) return answerOf({ events: manyEvents(10, 1) }, request);
    streams += 1;
    return answerStream(streams - 1);
  });
  const context = createTestContext({
    speed: 100,
    flows: true,
    env: {
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_STREAMING_PRO_URL: server.url,
      DEXDATA_API_KEY: "api_pro_0123456789",
      DEXDATA_TIER: "pro",
    },
  });
  const log = path.join(context.home, "events.ndjson");
  const words = `--from ${listingStart - 100} --for ${time} --events ${log} --rpm unlimited -o ndjson`;
  const { exit, stderr } = await run(["txns", "ethereum", pool, "--follow", ...words.split(" ")], context);
  return { exit, stderr, streams, logged: readLog(log) };
}

test("an interruption with a response that is not a stream is reported with both times, and as filled", async () => {
  const ping = "event: ping\ndata: {}\n\n";
  const { exit, stderr, logged } = await followStreams("150s", (index) =>
    index === 1 ? html(200) : stream([ping], index > 1),
  );
  expect(exit).toBe(0);
  const course = logged.map(({ event }) => event);
  expect(course.slice(0, 6)).toEqual(["open", "retry", "retry", "open", "gap", "filled"]);
  const [opened, , , , gap, filled] = logged;
  expect(Date.parse(String(gap?.["from"]))).toBeGreaterThanOrEqual(Date.parse(String(opened?.["at"])));
  expect(Date.parse(String(gap?.["to"])) - Date.parse(String(gap?.["from"]))).toBeGreaterThanOrEqual(3000);
  expect(filled).toMatchObject({ from: gap?.["from"], to: gap?.["to"] });
  expect(stderr).toContain("warning: stream disconnected from ");
});

test("a repeated stream message is reported once a minute", async () => {
  const unknown = "event: novelty\ndata: {}\n\n".repeat(50);
  const { exit, stderr, logged } = await followStreams("30s", () => stream([unknown], true));
  expect(exit).toBe(0);
  expect(logged.filter(({ event }) => event === "unknown").length).toBe(1);
  expect(stderr.split('ignoring stream events of an unknown kind "novelty"').length - 1).toBe(1);
});
