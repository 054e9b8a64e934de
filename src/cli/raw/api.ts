import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import type { FlagValues } from "../flags/flags.ts";
import { readRawQuestions } from "./raw-questions.ts";
import { runQuestions } from "../run-endpoint.ts";

/** A path of the service, asked like everything else: same key, pace, retries, budget and output. */
export async function api(words: readonly string[], flags: FlagValues, outer: Context): Promise<ExitCode> {
  if (flags["fields"] === "?")
    return await (await import("./raw-fields.ts")).listRawFields(words, flags, outer);
  return await runQuestions({ command: ["api", ...words], flags, outer }, (options) =>
    Promise.resolve(readRawQuestions(words, flags, options)),
  );
}
