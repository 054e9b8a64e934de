import type { Context } from "../context/context.ts";
import type { ExitCode } from "../contract/exit-codes.ts";
import { usageFailure } from "../contract/failure.ts";
import { nearest } from "../text/nearest.ts";
import type { Command } from "../commands/command.ts";
import type { LocalOutputFlags } from "../run/flags/shared-flags.ts";
import { hasParts, writeDocuments, writeRows } from "../run/output/local-output.ts";
import { describeCommand } from "./described-command.ts";

/** Every command with its flags, for programs; a line each for people. */
export async function listCommands(
  all: readonly Command[],
  words: readonly string[],
  flags: LocalOutputFlags,
  context: Context,
): Promise<ExitCode> {
  const asked = words.join(" ");
  const entries = all.filter((entry) => asked === "" || `${entry.words} `.startsWith(`${asked} `));
  if (entries.length === 0) {
    const near = nearest(
      asked,
      all.map((entry) => entry.words),
    );
    throw usageFailure(
      `"${asked}": there is no such command`,
      near === undefined ? "list them: dexdata commands" : `did you mean ${near}?`,
    );
  }
  if (hasParts(context, flags)) {
    await writeDocuments(context, flags, entries.map(describeCommand));
    return 0;
  }
  return await writeRows(
    context,
    flags,
    entries.map((entry) => ({
      command: entry.words,
      credits: entry.credits?.brief ?? "none",
      plan: entry.plan.brief,
      flags: Object.keys(entry.flags).length + Object.keys(entry.shared).length,
    })),
  );
}
