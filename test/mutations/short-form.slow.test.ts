import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { isLong } from "../harness/long.ts";

/** Vitest's own variables would make the nested vitest consider itself a part of this run. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$|NODE_OPTIONS$)/u.test(name)),
);

// Not in each run: the changes are drawn from the whole source, so a change in one place can make another one fail.
test.runIf(isLong)(
  "the tests notice two changes, drawn by the seed, in each critical part",
  async () => {
    const child = spawn("npm", ["run", "--silent", "test:mutations", "--", "--short"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const output = await text(child.stdout);
    expect(output).toContain("18 of 18 noticed");
  },
  120_000,
);
