import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { streamEvents } from "../../src/cli/stream/stream-events.ts";

test("the README names the events of stream, in the order of its help", () => {
  const readme = readFileSync("README.md", "utf8").replaceAll(/\s+/gu, " ");
  expect(readme).toContain(`NDJSON: ${streamEvents.join(", ")}.`);
});
