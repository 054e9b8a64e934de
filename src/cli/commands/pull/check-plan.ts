import { rowShape } from "../../../api/endpoint.ts";
import { formatInstant, fromWire } from "../../../base/time/time.ts";
import type { FinishedPull } from "../../../rows/finished-pull.ts";
import { refuseTaken } from "../../../rows/out-file.ts";
import { checkPrefix } from "../../render/formats/row-prefix.ts";
import { checkColumns } from "../../render/table/choose-columns.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import type { PlannedPull } from "./pull.ts";

/** What needs both the plan and the output: columns, the prefix, and the files of a path with fields. */
export async function checkPlan(planned: PlannedPull, finished: FinishedPull | undefined): Promise<void> {
  const { to, claim, plan } = planned;
  checkColumnsOf(planned);
  remarkOnInput(planned);
  if (to.pattern === undefined) return;
  const { checkSplit } = await import("./split-pages.ts");
  const known = checkSplit(to.pattern, plan);
  const isOwn = claim?.interrupted?.files !== undefined || finished !== undefined;
  if (!to.isForced && !isOwn) refuseTaken(known);
}

function checkColumnsOf({ options, plan }: PlannedPull): void {
  const { endpoint, groups } = plan;
  if (options.columns !== undefined) {
    const tables = new Map(groups.map((group) => [group, rowShape(endpoint, group)]));
    checkColumns(tables, options.columns);
  }
  checkPrefix(options, plan);
}

/** What is valid, but rarely meant. */
function remarkOnInput({ report, typed, plan }: PlannedPull): void {
  // An empty cursor, probably an unset variable, would silently read the first page again.
  if (typed.get("cursor")?.at(-1) === "") report.warn("--cursor is empty; starting at the first page");
  const point = pointInTime(plan);
  if (point !== undefined)
    report.info(`the range is a single point in time; for the entire day, use --day ${point.slice(0, 10)}`);
}

/** Two equal bounds, such as the same date, rarely mean what they say. */
function pointInTime({ argSets: [args], endpoint }: PullPlan): string | undefined {
  const from = args?.get("from");
  if (from === undefined || from !== args?.get("to") || endpoint.raw !== undefined) return undefined;
  return formatInstant(fromWire(from));
}
