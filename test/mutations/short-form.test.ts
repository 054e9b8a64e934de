import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

/** Vitest's own variables would make the vitest of the check believe that it is a part of this run. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$|NODE_OPTIONS$)/u.test(name)),
);

test("of two changes of each part that must not be wrong, 90 % are noticed, as in the full form", async () => {
  const child = spawn("npm", ["run", "--silent", "test:mutations", "--", "--short"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = await text(child.stdout);
  // Any change of these parts draws others, and one of them may change nothing that a test can see.
  expect([10, 11, 12].map((noticed) => `${noticed} of 12 noticed`)).toContain(
    output.trimEnd().split("\n").at(-1),
  );
}, 120_000);
