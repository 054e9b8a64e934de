import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import type { Input } from "../command.ts";
import type { ApiFlags } from "./api-flags.ts";
import { readRawQuestions } from "./raw-questions.ts";
import { runQuestions } from "../endpoint/run-endpoint.ts";

/** A path of the service, asked like everything else: same key, pace, retries, budget and output. */
export async function api(input: Input<ApiFlags>, outer: Context): Promise<ExitCode> {
  if (input.typed.get("fields")?.at(-1) === "?")
    return await (await import("./raw-fields.ts")).listRawFields(input, outer);
  return await runQuestions({ command: ["api", ...input.words], input, outer }, (options) =>
    Promise.resolve(readRawQuestions(input, options)),
  );
}
