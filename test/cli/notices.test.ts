import { expect, test } from "vitest";
import { createReport } from "../../src/run/report.ts";
import { createTestContext } from "../harness/test-context.ts";

const options = { isQuiet: false, hasStats: false, verbosity: 0 } as const;

test("a stderr that nobody reads: a bounded number of lines waits, and the rest is counted", async () => {
  const context = createTestContext();
  const goOn = context.stderr.stall();
  const notices = createReport(context, options);
  for (let line = 0; line < 5000; line += 1) notices.tell(`line ${line}`);
  // Returns all the same: a run that is over is not kept.
  await notices.settled();
  goOn();
  await notices.settled();
  const lines = context.stderrText().trimEnd().split("\n");
  expect(lines.length).toBe(1001);
  expect(lines[999]).toBe("line 999");
  expect(lines[1000]).toBe("warning: 4,000 messages dropped because stderr was blocked");
});
