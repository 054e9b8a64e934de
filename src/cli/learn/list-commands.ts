import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { usageFailure } from "../../contract/failure.ts";
import { nearest } from "../../text/nearest.ts";
import { catalogue } from "../catalogue.ts";
import type { FlagValues } from "../flags/flags.ts";
import { hasParts, writeDocuments, writeRows } from "../output/local-output.ts";
import { describeCommand } from "./described-command.ts";

/** Every command with its flags, for programs; a line each for people. */
export async function listCommands(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  const asked = words.join(" ");
  const all = catalogue();
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
      credits: firstClause(entry.credits ?? "none"),
      plan: firstClause(entry.plan),
      flags: entry.flags.length,
    })),
  );
}

/** A line has room for that; JSON has the rest. */
function firstClause(text: string): string {
  const [first = "", ...rest] = text.replace(", also without a key", "").split(/[,;]/u);
  return rest.length === 0 ? first : `${first}, ...`;
}
