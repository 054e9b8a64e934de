import { withRepeated } from "../../../api/endpoint.ts";
import { exitOfInterruption, isInterruption } from "../../../base/context/context.ts";
import { fail, Failure } from "../../../base/failure.ts";
import { serviceName } from "../../../api/host.ts";
import { cannotBeWritten } from "../../../base/files/file-errors.ts";
import { escapeJsonText, prettyJson } from "../../../base/json/json-text.ts";
import { modeOf } from "../../../base/files/paths.ts";
import { replaceWithText } from "../../../base/files/replace-file.ts";
import { instant } from "../../../base/text/words.ts";
import { hideSecrets } from "../../../base/key.ts";
import { formatInstant, fromWire, showSeconds } from "../../../base/time/time.ts";
import { version } from "../../../base/version.ts";
import { asOfPull, lateStart, type OpenedPull, type PlannedPull, type Pull } from "./pull.ts";
import { queryDigest, queryOf } from "./earlier-pull.ts";
import { targetOf } from "../../../rows/out-file.ts";
import type { WrittenRows } from "../../../rows/parquet-writer.ts";
import { noCost } from "../../../rows/pull.ts";
import { addPlans, creditsIn } from "../../../client/meter.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import { unsettledDays, whyIncomplete } from "./report-end.ts";
import { restOf } from "./continuation.ts";

interface Ending {
  /** Milliseconds since the epoch. */
  readonly started: number;
  readonly exit: number;
  readonly failure: unknown;
}

/** Documents a pull and whether it is complete. Replaces an older receipt atomically. */
export function writeReceipt(run: Pull, ending: Ending): void {
  const { receipt = "", file: staged, pattern, isForced } = run.to;
  const file = pattern ?? staged;
  try {
    const text = hideSecrets(escapeJsonText(`${receiptText(run, ending)}\n`));
    // A link stays a link.
    replaceWithText(run.context.random, targetOf(receipt), text, { mode: 0o666, kept: modeOf(receipt) });
  } catch (cause) {
    const again =
      file !== undefined && run.destination.canContinue()
        ? `, then repeat the command with --resume${isForced ? " instead of --force" : ""}`
        : "";
    throw fail("output", `--receipt "${receipt}": ${cannotBeWritten(cause)}`, {
      next: `${file ?? "the output"} was written; check the directory's permissions and free space${again}`,
      cause,
    });
  }
}

/**
 * For the footer of a Parquet file: all that does not change from run to run, so that the same rows result in the same
 * file. Every sandbox has another port.
 */
export function footerReceipt(run: OpenedPull, { rows, rows_sha256, spilled }: WrittenRows): string {
  const { target } = run.client;
  return hideSecrets(
    escapeJsonText(
      objectText({
        ...queryMembers(run),
        service: JSON.stringify(target.isSimulated ? "sandbox" : serviceName(target.rest)),
        ...rowMembers(run),
        // Of several files, each has its own rows.
        ...(run.to.pattern !== undefined && { first_row: "null", last_row: "null" }),
        rows: String(rows),
        rows_sha256: JSON.stringify(rows_sha256),
        spilled: JSON.stringify(spilled),
        complete: String(whyIncomplete(run) === null),
      }),
    ),
  );
}

/** Raw JSON, so that numbers from the service keep all their digits. */
type Members = Readonly<Record<string, string>>;

function objectText(members: Members): string {
  const texts = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${texts.join(",")}}`;
}

function queryMembers({ plan, reached: { totals }, client }: OpenedPull): Members {
  const { list } = plan;
  const { command, raw } = plan.endpoint;
  const [args] = plan.argSets;
  return {
    dexdata: JSON.stringify(version),
    command: JSON.stringify(raw === undefined ? command : `api ${raw.path}`),
    asked: JSON.stringify(
      args !== undefined && plan.argSets.length === 1
        ? Object.fromEntries(withRepeated(plan.endpoint, args))
        : null,
    ),
    ...(list.kind === "pools" && { condition: JSON.stringify({ contains_all: list.tokens }) }),
    inputs: String(
      list.kind === "batch" ? list.subjects.length : (plan.timed?.inputs ?? plan.argSets).length,
    ),
    simulated: String(client.target.isSimulated),
    window: windowText(plan, totals.to),
  };
}

function rowMembers({ reached: { totals } }: PlannedPull): Members {
  return {
    missing: String(totals.missing),
    refused: String(totals.refused),
    first_row: totals.first ?? "null",
    last_row: totals.last ?? "null",
  };
}

function receiptText(run: Pull, { started, exit, failure }: Ending): string {
  const { plan, options, claim, reached, client, context } = run;
  const { totals } = reached;
  const before = claim?.interrupted?.progress ?? noCost;
  const { meter, target } = client;
  const { short = 0, twins = 0, replaced = 0 } = totals.remarks ?? {};
  const rest = restOf(run);
  const asOf = asOfPull(run);
  const plans = addPlans(before.plans ?? {}, meter.plans);
  const reason = whyNot(failure) ?? whyIncomplete(run);
  const incomplete = failure instanceof Failure ? failure.details.incomplete : undefined;
  return prettyJson(
    objectText({
      ...queryMembers(run),
      query: JSON.stringify(queryDigest(queryOf(run))),
      now: JSON.stringify(new Date(options.now).toISOString()),
      service: JSON.stringify(serviceName(target.rest)),
      plan: JSON.stringify(onlyPlan(plans, target.tier)),
      plans: JSON.stringify(plans),
      started: JSON.stringify(new Date(claim?.interrupted?.header.started ?? started).toISOString()),
      ended: JSON.stringify(new Date(context.clock.now()).toISOString()),
      requests: String(before.requests + meter.requests),
      as_of: JSON.stringify(asOf === undefined ? null : instant(asOf)),
      rows: String(totals.rows),
      ...(totals.rowsRead !== undefined && { rows_read: String(totals.rowsRead) }),
      repeats_dropped: String(totals.repeats),
      remarks: JSON.stringify({ short_pages: short, twin_rows: twins, replaced_candles: replaced }),
      ...rowMembers(run),
      ...outputsOf(run),
      credits: `{"spent":${before.credits + meter.credits},"in_doubt":${before.inDoubt + meter.creditsInDoubt},"before":${creditsIn(before.creditsBefore ?? meter.creditsBefore) ?? null},"after":${meter.creditsLeft ?? null}}`,
      complete: String(reason === null),
      ...(plan.days !== undefined && { complete_to: completeTo(run) }),
      proof: JSON.stringify(
        reason === null ? (totals.proof ?? (plan.limit === undefined ? null : "limit")) : null,
      ),
      doubts: JSON.stringify(incomplete?.doubts ?? totals.doubts ?? []),
      missing_rows: JSON.stringify(incomplete?.missing ?? null),
      more: JSON.stringify(rest.more),
      next: JSON.stringify(rest.next),
      why_not: JSON.stringify(reason),
      exit: String(exitOf(failure) ?? exit),
    }),
  );
}

/** With `--day`: the time before which no row can be added; null if the days cannot get more rows. */
function completeTo(run: OpenedPull): string {
  const seconds = lateStart(run) === undefined ? unsettledDays(run)?.completeTo : run.plan.days?.from;
  return JSON.stringify(seconds === undefined ? null : showSeconds(seconds));
}

/** Null if the service applied several plans. */
function onlyPlan(plans: Readonly<Record<string, number>>, tier: string): string | null {
  const [first = tier, ...others] = Object.keys(plans);
  return others.length === 0 ? first : null;
}

/** Size and hash are those of the rows before packing, but those of the file itself for Parquet. */
function outputsOf({ destination, options: { format }, to: { pattern }, parquet }: Pull): Members {
  const { sink } = destination;
  const written = parquet?.written() ?? [];
  const files = destination.files()?.map((file, index) => ({ ...file, ...hashOfRows(written[index]) }));
  if (files !== undefined && pattern !== undefined) {
    const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
    const output = { file: pattern, format, bytes, sha256: null };
    return { output: JSON.stringify(output), outputs: JSON.stringify(files) };
  }
  const [only] = parquet === undefined ? [] : (files ?? []);
  const output = {
    file: destination.rowsAt() ?? null,
    format,
    bytes: only?.bytes ?? sink.bytes(),
    sha256: only?.sha256 ?? sink.sha256(),
    ...hashOfRows(written[0]),
  };
  return { output: JSON.stringify(output) };
}

function hashOfRows(written: WrittenRows | undefined): Partial<WrittenRows> {
  return written === undefined ? {} : { rows_sha256: written.rows_sha256, spilled: written.spilled };
}

/** As sent, with the end that the pull of one asset fixed, if any. Days of the past are read to their end. */
function windowText(
  { argSets: [args, ...others], list, days }: PullPlan,
  frozen: string | undefined,
): string {
  const end = others.length > 0 || days?.endsNow === false ? undefined : frozen;
  const [from, to] = [args?.get("from") ?? args?.get("start"), end ?? args?.get("to") ?? args?.get("end")];
  // A raw call can send any text.
  const shown = (bound: string | undefined): string | null =>
    bound === undefined ? null : list.kind !== "once" ? formatInstant(fromWire(bound)) : bound;
  return JSON.stringify({ from: shown(from), to: shown(to) });
}

function whyNot(failure: unknown): string | null {
  if (failure === undefined) return null;
  if (isInterruption(failure)) return failure.cause;
  return failure instanceof Error ? failure.message : "it failed";
}

function exitOf(failure: unknown): number | undefined {
  if (isInterruption(failure)) return exitOfInterruption(failure);
  return failure instanceof Failure ? failure.exit : undefined;
}
