import { createHash } from "node:crypto";
import { type Endpoint, withRepeated } from "../../../api/endpoint.ts";
import type { Param } from "../../../api/param.ts";
import { isPaged } from "../../../api/reply.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { fail, usageFailure } from "../../../base/failure.ts";
import { formatInstant, fromWire, wireOf } from "../../../base/time/time.ts";
import type { ListPlan } from "../../../client/list-plan.ts";
import type { CheckpointHeader } from "../../../rows/checkpoint-lines.ts";
import type { OutputClaim, WantedDestination } from "../../../rows/claim-file.ts";
import type { FinishedPull } from "../../../rows/finished-pull.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import { type RunOptions, serviceOf } from "../../run/run-options.ts";
import { lacksInputs, type PlannedPull } from "./pull.ts";

type Query = CheckpointHeader["query"];

const labels: Readonly<Record<string, string>> = {
  pageSize: "--page-size",
  limit: "--limit",
  missing: "--missing",
};

function shownPart(param: Param | undefined, value: string | undefined): string {
  if (value === undefined) return "not set";
  // The checkpoint may have been edited, so the value may not be a time.
  const isTime = param?.kind.kind === "time" && /^\d{1,11}$/u.test(value);
  return isTime ? formatInstant(fromWire(value)) : value;
}

/** Everything that determines which rows are fetched and how. Two runs can share a file only if all of it matches. */
export function queryOf({ plan, options, to }: Pick<PlannedPull, "plan" | "options" | "to">): Query {
  const { endpoint, argSets, list, timed, ...rest } = plan;
  const { pageSize, isStrict, start } = list;
  const isOfPages = isPaged(endpoint.reply) && list.kind !== "once";
  const only = argSets.length === 1 ? argSets[0] : undefined;
  const query: Record<string, string> = {
    command: endpoint.raw === undefined ? endpoint.id : `api ${endpoint.raw.path}`,
    service: serviceOf(options),
    "--output": options.format,
    "--fields": options.fields?.join(",") ?? (options.hasAllFields ? "*" : "all"),
    "--columns": options.columns?.join(",") ?? "all",
  };
  if (options.encoder !== undefined) query["packing"] = options.encoder.name;
  if (to.pattern !== undefined) query["--out"] = to.pattern;
  if (options.prefix !== undefined) query["--prefix"] = options.prefix.join(",");
  for (const [name, value] of only === undefined ? [] : withRepeated(endpoint, only))
    query[`parameter: ${name}`] = value;
  if (only === undefined) query["inputs"] = digest(argSets.map((args) => [...args]));
  if (list.kind === "batch") query["inputs"] = digest(list.subjects);
  if (timed !== undefined) {
    const inputs = timed.inputs.map((input, index) => ({ ...input, lead: timed.lead?.cells[index] }));
    query["inputs"] = digest([inputs, timed.assets, timed.quote]);
  }
  const parts = {
    ...rest,
    pageSize,
    isStrict,
    ...(isOfPages && { start, wanted: rest.limit }),
    ...(rest.days && list.kind !== "candles" && { until: wireOf(rest.days.to) }),
    ...(timed && { lead: timed.lead?.header }),
    ...partsOf(list),
  };
  for (const [name, value] of Object.entries(parts)) query[name] = JSON.stringify(value) ?? "all";
  return query;
}

/** Checkpoints contain these names. */
function partsOf(list: ListPlan): Readonly<Record<string, unknown>> {
  switch (list.kind) {
    case "list":
    case "made":
      return {};
    case "once":
      return { once: list.as };
    case "batch":
      return { fillMissing: list.fillMissing };
    case "candles":
      return { candles: { now: list.now, fill: list.fill, address: list.address } };
    case "pools":
      return { ofPool: { param: list.param, tokens: list.tokens, maxRowsRead: list.maxRowsRead } };
  }
}

/** Does not depend on the order of the parts. */
export function queryDigest(query: Query): string {
  return digest(Object.entries(query).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

export function checkSameQuery(file: string, begun: Query, asked: Query, endpoint: Endpoint): void {
  for (const name of new Set([...Object.keys(begun), ...Object.keys(asked)])) {
    if (begun[name] === asked[name]) continue;
    const wireName = /^parameter: (.*)$/u.exec(name)?.[1];
    const param = endpoint.params.find((each) => each.name === wireName);
    const label = param?.flag === undefined ? (wireName ?? labels[name] ?? name) : `--${param.flag}`;
    const [was, is] = [begun[name], asked[name]].map((value) => shownPart(param, value));
    // Digests of long input lists would explain nothing.
    const difference = name === "inputs" ? "the inputs are different" : `${label}: ${was} then, ${is} now`;
    throw fail("checkpoint", `cannot resume ${file}: it belongs to a different query (${difference})`, {
      next: "repeat the original command, or start over with --force instead of --resume",
    });
  }
}

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
  planned: PlannedPull,
  { file, published }: OutputClaim,
  finished: FinishedPull,
): Promise<ExitCode | undefined> {
  const { completeLine, endPublished, noCheckpoint } = await import("../../../rows/finished-pull.ts");
  const { context, report, to, plan, options } = planned;
  const query = queryOf(planned);
  if (published !== undefined) checkSameQuery(file, published.header.query, query, plan.endpoint);
  const isOther = queryDigest(query) !== finished.query;
  if (isOther && to.pattern !== undefined) return undefined;
  if (isOther) throw noCheckpoint(file, `, and ${to.receipt} belongs to a different query`);
  const line = await completeLine(finished, to.pattern ?? file, options.encoder, context.signal);
  if (published !== undefined) endPublished(file, line !== undefined);
  if (line === undefined && to.pattern !== undefined) return undefined;
  if (line === undefined) throw noCheckpoint(file, `, and it is not the file that ${to.receipt} describes`);
  report.print(line);
  const { doubt, unfinished } = planned.reached.totals;
  const isCut = doubt !== undefined || (plan.limit === undefined && unfinished > 0);
  return isCut || lacksInputs(planned) ? 8 : 0;
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
