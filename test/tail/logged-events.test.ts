import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { followEvents } from "../../src/cli/follow/follow-events.ts";
import { streamEvents } from "../../src/cli/stream/stream-events.ts";

test.each([
  ["stream", streamEvents],
  ["txns --follow", followEvents],
])("the README names the events of %s, in the order of its help", (_, events) => {
  const readme = readFileSync("README.md", "utf8").replaceAll(/\s+/gu, " ");
  expect(readme).toContain(`NDJSON: ${events.join(", ")}.`);
});
