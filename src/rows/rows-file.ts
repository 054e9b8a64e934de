import { createHash, type Hash } from "node:crypto";
import { addPlans, earlierOf, type Meter } from "../client/meter.ts";
import type { Context } from "../base/context/context.ts";
import { fail } from "../base/failure.ts";
import type { OutputClaim, WantedDestination } from "./claim-file.ts";
import { trueName } from "./out-file.ts";
import { frameOf, readFrames } from "./out-files/row-frames.ts";
import { modeOf } from "../base/files/paths.ts";
import type { Encoder } from "./encoder.ts";
import { openGrowingFile, type Staging } from "./out-files/growing-file.ts";
import type { SeenKeys } from "../client/seen-keys.ts";
import { type RowsOutput, noCost } from "./rows-output.ts";
import type { CheckpointHeader, PullCost, PullTotals } from "./checkpoint-lines.ts";

/** A pull whose rows go to a file. */
export interface RowsFileOptions {
  readonly claim: OutputClaim;
  readonly to: WantedDestination;
  /** For a new pull's checkpoint. */
  readonly header: Pick<CheckpointHeader, "query" | "now" | "tier" | "started">;
  readonly inputs: number;
  readonly totals: PullTotals;
  readonly seen: SeenKeys;
  /** Whether a later run can continue a file in this output format. */
  readonly canResume: boolean;
  /** Undefined if the file consists of the rows themselves. */
  readonly encoder: Encoder | undefined;
}

/** The file grows together with its checkpoint, so that a later run with --resume can continue it. */
export async function openRowsFile(
  context: Pick<Context, "random" | "signal">,
  pull: RowsFileOptions,
): Promise<RowsOutput> {
  const { claim, to, seen, totals } = pull;
  const { file, interrupted, lock } = claim;
  const hash = await hashSoFar(context, pull);
  const staging = stagingOf(pull);
  const begun =
    to.pattern === undefined || !interrupted
      ? []
      : await readFrames(interrupted.rowsAt, interrupted.progress?.bytes ?? 0);
  const rows = await openGrowingFile({
    file,
    header: interrupted?.header ?? newHeader(pull),
    interrupted,
    hash,
    kept: to.isForced ? modeOf(file) : undefined,
    lock,
    random: context.random,
    signal: context.signal,
    staging,
  });
  for (const added of interrupted?.seen ?? []) seen.restore(added);
  const before = interrupted?.progress ?? noCost;
  return {
    ...rows,
    split:
      to.pattern === undefined
        ? undefined
        : {
            pattern: to.pattern,
            begun: new Set(begun.map((each) => each.file)),
            write: async (name, count, text) => await rows.sink.write(frameOf(name, count, text)),
          },
    checkpoint: async (meter) => {
      if (pull.canResume) await rows.checkpoint(seen.takeAdded(), { ...totals, ...costOf(before, meter) });
    },
    abort: async (meter) => await rows.abort(costOf(before, meter)),
  };
}

function newHeader(pull: RowsFileOptions): CheckpointHeader {
  const { to, header } = pull;
  const rows = stagingOf(pull) !== undefined ? "staged" : to.isResumed ? "file" : "part";
  return { checkpoint: 4, rows, mayReplace: to.isForced, ...header };
}

/** Encoded files and files with several names cannot be continued after a kill, so they are made from all rows. */
function stagingOf({ claim: { file }, encoder, to }: RowsFileOptions): Staging | undefined {
  if (to.pattern !== undefined) return { encoder, plan: planOf(to.receipt) };
  if (encoder === undefined) return undefined;
  const plan = (_: string, length: number) => Promise.resolve([{ file, ranges: [{ start: 0, length }] }]);
  return { encoder, plan };
}

/** Fails if the file has changed since an earlier run. */
async function hashSoFar(
  { signal }: Pick<Context, "signal">,
  { claim: { file, interrupted }, inputs }: RowsFileOptions,
): Promise<Hash> {
  if (interrupted === undefined) return createHash("sha256");
  const { checkInputs, hashRows } = await import("./checkpoint.ts");
  checkInputs(file, interrupted.progress, inputs);
  return await hashRows(file, interrupted, signal);
}

function costOf(before: PullCost, meter: Meter): PullCost {
  return {
    requests: before.requests + meter.requests,
    credits: before.credits + meter.credits,
    inDoubt: before.inDoubt + meter.creditsInDoubt + meter.creditsAwaited,
    creditsBefore: before.creditsBefore ?? meter.creditsBefore,
    asOf: earlierOf(before.asOf, meter.asOf),
    plans: addPlans(before.plans ?? {}, meter.plans),
  };
}

/** The receipt is written later and would replace a file of the same name. */
function planOf(receipt: string | undefined): Staging["plan"] {
  return async (rowsAt, bytes) => {
    const planned = await readFrames(rowsAt, bytes);
    if (receipt !== undefined && planned.some(({ file }) => trueName(file) === trueName(receipt)))
      throw fail(
        "output",
        `--receipt "${receipt}" is also the name of a file of rows; the rows are complete in ${rowsAt}`,
        {
          next: "name another file for the receipt",
        },
      );
    return planned;
  };
}
