import { expect, test } from "vitest";
import { defaultRetryPolicy } from "../../src/client/retry.ts";
import { createReport } from "../../src/cli/run/report.ts";
import { createTestContext } from "../harness/test-context.ts";

const options = {
  isQuiet: false,
  hasDimRemarks: false,
  hasStats: false,
  verbosity: 0,
  sandbox: undefined,
  retry: defaultRetryPolicy,
} as const;

test("keeps a limited number of lines while stderr is blocked, and counts the rest", async () => {
  const context = createTestContext();
  const unblock = context.stderr.stall();
  const notices = createReport(context, options, undefined);
  for (let line = 0; line < 5000; line += 1) notices.print(`line ${line}`);
  // Returns although stderr is blocked: a finished run must not hang.
  await notices.settled();
  unblock();
  await notices.settled();
  const lines = context.stderrText().trimEnd().split("\n");
  expect(lines.length).toBe(1001);
  expect(lines[999]).toBe("line 999");
  expect(lines[1000]).toBe("warning: 4,000 messages dropped because stderr was blocked");
});
