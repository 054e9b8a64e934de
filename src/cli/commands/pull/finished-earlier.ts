import type { OutputClaim, WantedDestination } from "../../../rows/claim-file.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { usageFailure } from "../../../base/failure.ts";
import type { FinishedPull } from "../../../rows/finished-pull.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import { checkSameQuery, queryDigest, queryOf } from "./pull-query.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { PlannedPull } from "./pull.ts";

/** With --resume, an earlier pull has finished if it left no checkpoint, or one that it could not remove. */
export async function findFinished(
  claim: OutputClaim | undefined,
  { isResumed, receipt, pattern }: WantedDestination,
): Promise<FinishedPull | undefined> {
  const published = claim?.published;
  if (published !== undefined) {
    const { header, progress, files } = published;
    return { query: queryDigest(header.query), now: header.now, rows: progress.rows, files };
  }
  const isNew = claim === undefined || claim.interrupted !== undefined;
  if (!isResumed || isNew || (!claim.isUnproven && pattern === undefined)) return undefined;
  const { noCheckpoint, readFinishedPull } = await import("../../../rows/finished-pull.ts");
  const finished = receipt === undefined ? undefined : readFinishedPull(receipt, claim.file);
  if (pattern !== undefined) return finished;
  if (finished === undefined) throw noCheckpoint(claim.file);
  return finished;
}

/**
 * If the receipt or the checkpoint matches the query and the files, the pull is complete. Returns undefined if only the
 * receipt shows that there was another pull with this path, whose files remain.
 */
export async function reportFinished(
  { context, report, to, plan, options }: PlannedPull,
  { file, published }: OutputClaim,
  finished: FinishedPull,
): Promise<ExitCode | undefined> {
  const { completeLine, endPublished, noCheckpoint } = await import("../../../rows/finished-pull.ts");
  const query = queryOf(plan, options);
  if (published !== undefined) checkSameQuery(file, published.header.query, query, plan.endpoint);
  const isOther = queryDigest(query) !== finished.query;
  if (isOther && to.pattern !== undefined) return undefined;
  if (isOther) throw noCheckpoint(file, `, and ${to.receipt} belongs to a different query`);
  const line = await completeLine(finished, to.pattern ?? file, options.encoder, context.signal);
  if (published !== undefined) endPublished(file, line !== undefined);
  if (line === undefined && to.pattern !== undefined) return undefined;
  if (line === undefined) throw noCheckpoint(file, `, and it is not the file that ${to.receipt} describes`);
  report.print(line);
  const { refused = 0, missing = 0 } = published?.progress ?? {};
  return refused > 0 || (missing > 0 && plan.missing === "fail") ? 8 : 0;
}

/** In milliseconds. A resumed pull keeps the time range of its first run. */
export function resumedClock(begun: number | undefined, { now }: RunOptions, flags: SharedValues): number {
  if (begun !== undefined && flags.now !== undefined && begun !== now) {
    throw usageFailure(
      `--now "${flags.now}": the pull started at ${new Date(begun).toISOString()}`,
      "leave out --now to continue, or start over with --force instead of --resume",
    );
  }
  return begun ?? now;
}
