import { main } from "../src/cli/program/main.ts";
import type { EarlyReload } from "./early-reload.ts";
import { runInProcess } from "./process-context.ts";

export async function runMain(argv: readonly string[], early: EarlyReload): Promise<void> {
  await runInProcess(early, async (context) => await main(argv, context));
}
