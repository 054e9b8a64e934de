import type { Context } from "../../model/context.ts";
import type { Presentation } from "../../render/renderer.ts";
import type { Questions } from "../asking/questions.ts";
import type { RunOptions } from "../run-options.ts";

/** How the answers to these questions look, wherever and whenever they are shown. */
export function presentationOf(
  { env }: Pick<Context, "env">,
  options: RunOptions,
  questions: Questions,
): Omit<Presentation, "output" | "isContinued" | "now"> {
  return {
    format: options.format,
    endpoint: questions.endpoint,
    groups: questions.groups,
    isRecord: questions.isRecord,
    isWhole: questions.walk.once === "document",
    fields: options.fields,
    hasHeader: options.hasHeader,
    columns: options.columns,
    isWide: options.isWide,
    isColored: options.isColored,
    isUnicode: options.picture === undefined ? readsUnicode(env) : drawsUnicode(env),
    ...(options.picture === "chart" && { chart: questions.asked[0] }),
    hasSparks: options.picture === "spark",
  };
}

/** An empty variable counts as unset (POSIX, Environment Variables). */
export function readsUnicode(env: Context["env"]): boolean {
  return /utf-?8/iu.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "");
}

/** The fonts of the Linux console have neither heavy lines nor bars. */
function drawsUnicode(env: Context["env"]): boolean {
  return readsUnicode(env) && env["TERM"] !== "linux" && env["TERM"] !== "dumb";
}
