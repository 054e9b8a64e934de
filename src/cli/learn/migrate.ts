import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { usageFailure } from "../../contract/failure.ts";
import type { FlagValues } from "../flags/flags.ts";
import { quoted } from "../output/continuation.ts";
import { writeDocument } from "../output/local-output.ts";
import { say } from "../say.ts";
import { migrate as migrationOf } from "./migration.ts";

/** Turns the URL of an old program into the command that asks the same today. Nothing is sent. */
export async function migrate(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  const [url, more] = words;
  if (url === undefined || url === "") throw usageFailure("a URL, or its path and query, is needed", usage);
  if (more !== undefined) throw usageFailure(`"${more}": one word too many`, usage);
  const { removed, replacement, notes, words: command } = migrationOf(url, context.clock.now());
  const line = ["dexdata", ...command].map(quoted).join(" ");
  const isJson = flags["output"] !== undefined && flags["output"] !== "table";
  if (isJson)
    await writeDocument(context, flags, { command: line, removed: removed ?? null, replacement, notes });
  else {
    const first =
      removed === undefined ? `${replacement} is current` : `${removed} was removed for ${replacement}`;
    for (const note of [first, ...notes]) {
      await say(context, `dexdata: ${note}`);
    }
    await context.stdout.write(`${line}\n`);
  }
  return 0;
}

const usage = "usage: dexdata migrate '<URL>', in quotes because of ? and &";
