import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { usageFailure } from "../../contract/failure.ts";
import type { Input } from "../command.ts";
import type { documentFlags } from "../../run/flags/shared-flags.ts";
import { quoted } from "../endpoint/continuation.ts";
import { writeDocument } from "../../run/output/local-output.ts";
import { sayWarning } from "../../run/report.ts";
import { migrate as migrationOf } from "./migration.ts";

/** Turns the URL of an old program into the command that asks the same today. Nothing is sent. */
export async function migrate(
  { words, flags }: Input<typeof documentFlags>,
  context: Context,
): Promise<ExitCode> {
  const [url, more] = words;
  if (url === undefined || url === "") throw usageFailure("a URL, or its path and query, is needed", usage);
  if (more !== undefined) throw usageFailure(`"${more}": one word too many`, usage);
  const { removed, replacement, notes, words: command } = migrationOf(url, context.clock.now());
  const line = ["dexdata", ...command].map(quoted).join(" ");
  const isJson = flags.output !== undefined && flags.output !== "table";
  if (isJson)
    await writeDocument(context, flags, { command: line, removed: removed ?? null, replacement, notes });
  else {
    const first =
      removed === undefined ? `${replacement} is current` : `${removed} was removed for ${replacement}`;
    for (const note of [first, ...notes]) {
      await sayWarning(context, note);
    }
    await context.stdout.write(`${line}\n`);
  }
  return 0;
}

const usage = "usage: dexdata migrate '<URL>', in quotes because of ? and &";
