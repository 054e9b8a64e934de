import type { Context } from "../../context/context.ts";
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
    orderedBy: questions.asked[0]?.get("order_by"),
    isWide: options.isWide,
    isColored: options.isColored,
    isUnicode: options.picture === undefined ? readsUnicode(env) : drawsUnicode(env),
    ...(options.picture === "chart" && { chart: questions.asked[0] }),
    hasSparks: options.picture === "spark",
  };
}

/**
 * An empty variable counts as unset (POSIX, Environment Variables). Windows has no such variables, but its Terminal says
 * that it is there, and shows more than ASCII whatever the code page is.
 */
export function readsUnicode(env: Context["env"]): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return locale === "" ? (env["WT_SESSION"] ?? "") !== "" : /utf-?8/iu.test(locale);
}

/** The fonts of the Linux console have neither heavy lines nor bars. */
function drawsUnicode(env: Context["env"]): boolean {
  return readsUnicode(env) && env["TERM"] !== "linux" && env["TERM"] !== "dumb";
}
