import type { Context } from "../../context/context.ts";
import type { Presentation } from "../../render/renderer.ts";
import type { Questions } from "../asking/questions.ts";
import { drawsUnicode, readsUnicode } from "../../run/output/terminal.ts";
import type { RunOptions } from "../../run/run-options.ts";

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
