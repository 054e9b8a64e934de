// npm run check:live: goes through docs/assumptions.md with the stored key, or without one, and prints a line for each.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { createInterface } from "node:readline/promises";
import { checkAssumptions } from "./check-assumptions.ts";
import type { Run } from "./service.ts";

const run: Run = async (words) => {
  const child = spawn(process.execPath, ["dist/dexdata.cjs", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exit: await exit, stdout, stderr };
};

const write = (line: string): boolean => process.stdout.write(`${line}\n`);
write(
  "This sends about 35 requests and opens two streams: at most 60 credits, for the key that dexdata auth status shows.",
);
if (!process.argv.includes("--yes")) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const typed = await terminal.question("Type yes to continue: ");
  terminal.close();
  if (typed.trim() !== "yes") process.exit(2);
}
let wrong = 0;
for await (const { assumption, verdict } of checkAssumptions(
  readFileSync("docs/assumptions.md", "utf8"),
  run,
)) {
  write(`${verdict.padEnd(17)}  ${assumption}`);
  if (verdict === "does not hold") wrong += 1;
}
write(
  wrong === 0
    ? "No assumption was contradicted."
    : `${wrong} do not hold. Please report them with this list.`,
);
process.exitCode = wrong === 0 ? 0 : 1;
