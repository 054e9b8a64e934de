import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

/** Vitest's own variables would make the vitest of the check believe that it is a part of this run. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$|NODE_OPTIONS$)/u.test(name)),
);

test("of each part that must not be wrong, two changes drawn by the seed are noticed", async () => {
  const child = spawn("npm", ["run", "--silent", "test:mutations", "--", "--short"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = await text(child.stdout);
  expect(output).toContain("12 of 12 noticed");
}, 120_000);
