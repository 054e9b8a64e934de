import { plainList, type ListPlan, type ListKind } from "../../client/list-plan.ts";
import { traitsOf } from "../../api/reply.ts";
import { everyRow, type Page, totalOf } from "../../client/page.ts";
import { createSeenKeys, reachOf } from "../../client/seen-keys.ts";
import { onlyGroup } from "../../api/endpoint.ts";
import { Failure } from "../../base/failure.ts";
import type { Lake } from "../lake.ts";
import { findInterrupted, hashRows, type Interrupted } from "../../rows/checkpoint.ts";
import { checkpointOf } from "../../rows/out-file.ts";
import { removeFile } from "../../base/files/paths.ts";
import { member } from "../../base/json/json-scan.ts";
import { compactJson } from "../../base/json/json-text.ts";
import type { RowsOutput } from "../../rows/rows-output.ts";
import { openRowsFile } from "../../rows/rows-file.ts";
import { remarksIn, startPull, totalsOf } from "../../rows/pull.ts";
import type { PullTotals } from "../../rows/checkpoint-lines.ts";
import { partsOf, settlingTime } from "../coverage.ts";
import { factsOfKind, argsOf, nameOfDataset, type TimeRange } from "../dataset.ts";
import { folderOf } from "../layout.ts";
import { readLakeRow } from "../periods/lake-rows.ts";
import { workFile } from "../files/place-period.ts";

/** The rows of a time range, staged as NDJSON in the order of the list. */
export interface StagedRows {
  readonly range: TimeRange;
  readonly file: string;
  /** The service's time at the first and at the last response, in Unix seconds. */
  readonly present: number;
  readonly ended: number;
  /** Whether the list is complete, judging by the service's count if there is one. */
  readonly isProven: boolean;
  /** Whether the service's count proves that the list is complete. */
  readonly isCounted: boolean;
  /** The service's count at the first page; undefined if it gives none, or if an earlier run read that page. */
  readonly total: number | undefined;
  /** What an earlier run has read of it. */
  readonly earlier: "all" | "part" | undefined;
}

export type Pulled =
  | StagedRows
  /** The file already has these rows. */
  | "unchanged"
  /** The periods of the time range have to be read one by one. */
  | "too-large";

/** What the files have after the start of a time range: the number of rows, and the newest one. */
export interface Expected {
  readonly rows: number;
  readonly newest: unknown;
}

/** Several periods are read at once if they have at most this many rows. */
const maxAtOnce = 1000;

/**
 * Reads a time range like any other pull: rows go to a staging file, and a checkpoint is written after each page, so
 * that a killed run loses only the pages that had not arrived.
 */
export async function pullRange(
  lake: Lake,
  range: TimeRange,
  width: number,
  expected: Expected | undefined,
): Promise<Pulled> {
  const client = { ...lake.client, width };
  const { present } = lake.clock;
  const { endpoint } = factsOfKind(range.dataset.kind);
  const { file, interrupted, totals, seen, open } = await openStaging(lake, range);
  const begun = interrupted?.header.now;
  let [at, hasTotals, isFailed] = [begun ?? 0, begun !== undefined, false];
  let total: number | undefined;
  const staged = (isEarlier: boolean): StagedRows => {
    const isCounted = !isFailed && isCountReached(totals);
    const isProven = !isFailed && (isCounted || !hasTotals || traitsOf(endpoint.reply).isCandles);
    const ended = present();
    // The clock of an earlier run may have been ahead, so the first response is not later than now.
    const earlier = begun === undefined ? undefined : isEarlier ? "all" : "part";
    return { range, file, present: Math.min(at, ended), ended, isProven, isCounted, total, earlier };
  };
  let destination = begun === undefined ? undefined : await open(begun);
  if (interrupted?.complete !== undefined && destination !== undefined) {
    await destination.abort(client.meter);
    return staged(true);
  }
  const args = argsOf(range, begun ?? present());
  const list: ListPlan = { ...plainList(100), ...listKind(range, begun ?? present()) };
  const plan = { ...everyRow(seen), endpoint, argSets: [args], list, groups: [onlyGroup] };
  const pullInto = startPull(client, { ...plan, limit: undefined, isValidated: false }, totals);
  let outcome: Pulled | undefined;
  try {
    await pullInto({
      page: async (page) => {
        if (destination === undefined) {
          at = present();
          total = totalOf(page);
          outcome = judgeFirst(range, page, expected, at);
          if (outcome !== undefined) return "stop";
          destination = await open(at);
        }
        hasTotals ||= page.left !== undefined;
        // A staged row that cannot be placed would end every later run.
        for (const text of page.rows.texts()) readLakeRow(range.dataset.kind, text);
        await destination.sink.write(linesOf(page));
        return "continue";
      },
      refused: (failure) => Promise.reject(failure),
      failure: (failure) => {
        // The service itself says that the list is incomplete. The rows so far are worth keeping.
        if (failure.code !== "incomplete" || destination === undefined) throw failure;
        isFailed = true;
        return Promise.resolve("stop");
      },
      end: async () => {
        destination ??= await open((at = present()));
      },
      checkpoint: async () => await destination?.checkpoint(client.meter),
    });
    if (outcome !== undefined) return outcome;
    if (range.dataset.interval !== undefined)
      for (const remark of remarksIn(totals)) lake.events.info(`${nameOfDataset(range.dataset)}: ${remark}`);
    if (isFailed) await destination?.abort(client.meter);
    else await destination?.commit();
  } catch (cause) {
    await destination?.abort(client.meter);
    throw cause;
  }
  return staged(false);
}

/** What an earlier run has read of this range, and how to open its file. `now` is in Unix seconds. */
async function openStaging({ context, client, lock, root }: Lake, range: TimeRange) {
  const { kind } = range.dataset;
  const query = { dataset: folderOf(range.dataset), from: String(range.from), to: String(range.to) };
  const file = workFile(root, JSON.stringify(query), "ndjson");
  const interrupted = await findStaged(file, query, context.signal);
  const seen = createSeenKeys(reachOf(factsOfKind(kind).endpoint), true);
  const totals = totalsOf(interrupted?.progress);
  const open = async (now: number): Promise<RowsOutput> =>
    await openRowsFile(context, {
      claim: { file, label: file, lock, interrupted, published: undefined, isUnproven: false },
      to: { file, pattern: undefined, isResumed: true, isForced: false, receipt: undefined },
      header: { query, now, tier: client.target.tier, started: context.clock.now() },
      inputs: 1,
      totals,
      seen,
      canResume: true,
      encoder: undefined,
    });
  return { file, interrupted, totals, seen, open };
}

/** An empty list never proves its count, but a later run reads the period again. */
function isCountReached({ proof, rows }: PullTotals): boolean {
  return proof === "count" || rows === 0;
}

/** After the rows are in the files of the directory. */
export function dropStaged(file: string): void {
  removeFile(file);
  removeFile(checkpointOf(file));
}

/** A staging file that cannot be continued has nothing that the service does not have, so it is removed. */
async function findStaged(
  file: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Interrupted | undefined> {
  const read = async (): Promise<Interrupted | undefined> => {
    const interrupted = await findInterrupted(file, signal);
    if (interrupted !== undefined) await hashRows(file, interrupted, signal);
    return interrupted;
  };
  const found = await read().catch((cause: unknown) => {
    if (cause instanceof Failure) return undefined;
    throw cause;
  });
  const isSame = found !== undefined && JSON.stringify(found.header.query) === JSON.stringify(query);
  if (isSame && found.progress !== undefined) return found;
  dropStaged(file);
  return undefined;
}

function listKind({ dataset }: TimeRange, present: number): ListKind {
  if (dataset.interval === undefined) return { kind: "list" };
  const now = present * 1000;
  // Candles that are not settled are read again by the next run.
  const expectedTo = now - settlingTime * 1000;
  return { kind: "candles", now, expectedTo, fill: undefined, address: undefined };
}

/** The first page shows how many rows there are, and whether they are the ones that the files already have. */
function judgeFirst(
  range: TimeRange,
  page: Page,
  expected: Expected | undefined,
  present: number,
): Pulled | undefined {
  const total = totalOf(page);
  if (total === undefined) return undefined;
  const [newest] = page.rows.marks();
  const isSame = newest === undefined || keyOf(newest) === keyOf(expected?.newest);
  if (expected?.rows === total && isSame) return "unchanged";
  const isOnePeriod = partsOf(range, present).length < 2;
  return total <= maxAtOnce || isOnePeriod ? undefined : "too-large";
}

function keyOf(value: unknown): string {
  return JSON.stringify([member(value, "id"), member(value, "log_index")]);
}

function linesOf({ rows }: Page): string | Uint8Array {
  return (
    rows.lines() ??
    rows
      .texts()
      .map((text) => `${compactJson(text)}\n`)
      .join("")
  );
}
