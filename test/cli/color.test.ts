import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";

const sandbox = useSandbox();

async function isColored(isTerminal: boolean, env: Readonly<Record<string, string>>): Promise<boolean> {
  const options = { isTerminal, columns: 100, env: { TERM: "xterm", ...sandbox.env(), ...env } };
  const { stdout } = await dexdata("networks --limit 1 -o table -q", options);
  expect(stdout).toContain("NETWORK");
  return stdout.includes("\u001B[");
}

test.each([
  [undefined, { pipe: false, terminal: true }],
  ["", { pipe: false, terminal: true }],
  ["0", { pipe: false, terminal: false }],
  ["false", { pipe: false, terminal: false }],
  ["FALSE", { pipe: false, terminal: false }],
  ["1", { pipe: true, terminal: true }],
  ["3", { pipe: true, terminal: true }],
  ["true", { pipe: true, terminal: true }],
])("FORCE_COLOR=%s colors a pipe and a terminal as its standard requires", async (value, wanted) => {
  const env: Record<string, string> = value === undefined ? {} : { FORCE_COLOR: value };
  expect({ pipe: await isColored(false, env), terminal: await isColored(true, env) }).toEqual(wanted);
});

test("NO_COLOR decides before FORCE_COLOR, unless it is empty", async () => {
  expect(await isColored(true, { NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(false);
  expect(await isColored(false, { NO_COLOR: "", FORCE_COLOR: "1" })).toBe(true);
});
