import { main } from "../src/cli/main.ts";
import { type Entry, runInProcess } from "./process-context.ts";

export async function runMain(argv: readonly string[], entry: Entry): Promise<void> {
  await runInProcess(entry, async (context) => await main(argv, context));
}
