import { withRepeated } from "../../contract/args.ts";
import { exitOfInterruption, isInterruption } from "../../context/context.ts";
import { fail, Failure } from "../../contract/failure.ts";
import { cannotBeWritten } from "../../files/file-errors.ts";
import { escapeJsonText, prettyJson } from "../../json/json-text.ts";
import { modeOf } from "../../files/paths.ts";
import { replaceWithText } from "../../files/replace-file.ts";
import { hideSecrets } from "../../contract/key.ts";
import { formatInstant, fromWire } from "../../time/time.ts";
import { version } from "../../contract/version.ts";
import type { Pull } from "./pull.ts";
import type { WantedDestination } from "../../pull/claim-file.ts";
import { counted } from "../../text/counted.ts";
import type { Questions } from "../input/questions.ts";
import { queryDigest, queryOf } from "./pull-query.ts";
import { restOf } from "./continuation.ts";

export interface Ending {
  /** Milliseconds since the epoch. */
  readonly started: number;
  readonly exit: number;
  readonly failure: unknown;
}

/** Documents a pull and whether it is complete. Replaces an older receipt atomically. */
export function writeReceipt(
  { receipt = "", file: staged, pattern, isForced }: WantedDestination,
  run: Pull,
  ending: Ending,
): void {
  const file = pattern ?? staged;
  try {
    const text = hideSecrets(escapeJsonText(`${receiptText(run, ending)}\n`));
    replaceWithText(run.context.random, receipt, text, { mode: 0o666, kept: modeOf(receipt) });
  } catch (cause) {
    const again =
      file !== undefined && run.destination.canContinue()
        ? `, then repeat the command with --resume${isForced ? " instead of --force" : ""}`
        : "";
    throw fail("output", `--receipt "${receipt}": ${cannotBeWritten(cause)}`, {
      next: `${file ?? "the output"} is complete; check the directory's permissions and free space${again}`,
      cause,
    });
  }
}

/** Raw JSON, so that numbers from the service keep all their digits. */
function receiptText(run: Pull, { started, exit, failure }: Ending): string {
  const { questions, options, destination, open, context } = run;
  const { tally, before } = destination;
  const { meter, target } = open.client;
  const { command, rawPath } = questions.endpoint;
  const [args] = questions.asked;
  const rest = restOf(run);
  const reason = whyNot(failure) ?? whyNotWhole(run, exit);
  const members: Readonly<Record<string, string>> = {
    dexdata: JSON.stringify(version),
    command: JSON.stringify(rawPath === undefined ? command : `api ${rawPath}`),
    asked: JSON.stringify(
      args !== undefined && questions.asked.length === 1
        ? Object.fromEntries(withRepeated(questions.endpoint, args))
        : null,
    ),
    inputs: String(questions.walk.subjects?.length ?? questions.asked.length),
    query: JSON.stringify(queryDigest(queryOf(questions, options))),
    now: JSON.stringify(new Date(options.now).toISOString()),
    service: JSON.stringify(target.rest),
    simulated: String(target.isSimulated),
    plan: JSON.stringify(meter.plan ?? target.tier),
    started: JSON.stringify(new Date(destination.started ?? started).toISOString()),
    ended: JSON.stringify(new Date(context.clock.now()).toISOString()),
    window: windowText(questions, tally.to),
    requests: String(before.requests + meter.requests),
    rows: String(tally.rows),
    repeats_dropped: String(tally.repeats),
    missing: String(tally.missing),
    refused: String(tally.refused),
    first_row: tally.first ?? "null",
    last_row: tally.last ?? "null",
    ...outputsOf(run),
    credits: `{"spent":${before.credits + meter.credits},"in_doubt":${before.inDoubt + meter.creditsInDoubt},"before":${digits(before.creditsBefore ?? meter.creditsBefore)},"after":${digits(meter.creditsLeft)}}`,
    complete: String(reason === null),
    proof: JSON.stringify(proofOf(run, reason)),
    missing_rows: JSON.stringify(failure instanceof Failure ? (failure.details.missing ?? null) : null),
    more: JSON.stringify(rest.more),
    next: JSON.stringify(rest.next),
    why_not: JSON.stringify(reason),
    exit: String(exitOf(failure) ?? exit),
  };
  const text = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return prettyJson(`{${text.join(",")}}`);
}

/** Size and hash are those of the rows before packing. */
function outputsOf({ destination, options: { format, pattern } }: Pull): Readonly<Record<string, string>> {
  const { sink } = destination;
  const files = pattern === undefined ? undefined : destination.files();
  if (files === undefined) {
    const file = destination.rowsAt() ?? null;
    return { output: JSON.stringify({ file, format, bytes: sink.bytes(), sha256: sink.sha256() }) };
  }
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  return {
    output: JSON.stringify({ file: pattern, format, bytes, sha256: null }),
    outputs: JSON.stringify(files),
  };
}

/** As sent, with the end that the pull fixed, if any. A raw call can send any text. */
function windowText({ asked, walk }: Questions, frozen: string | undefined): string {
  const [args] = asked;
  const [from, to] = [args?.get("from") ?? args?.get("start"), frozen ?? args?.get("to") ?? args?.get("end")];
  const shown = (bound: string | undefined): string | null =>
    bound === undefined ? null : walk.once === undefined ? formatInstant(fromWire(bound)) : bound;
  return JSON.stringify({ from: shown(from), to: shown(to) });
}

/** The proof that no row is missing (see completeness.ts); `limit` if the requested rows were received. */
function proofOf({ destination: { tally }, questions }: Pull, reason: string | null): string | null {
  if (reason !== null) return null;
  return tally.proof ?? (questions.limit === undefined ? null : "limit");
}

function whyNot(failure: unknown): string | null {
  if (failure === undefined) return null;
  if (isInterruption(failure)) return failure.cause;
  return failure instanceof Error ? failure.message : "it failed";
}

/** A result can be incomplete even though the run did not fail. */
function whyNotWhole({ destination: { tally } }: Pull, exit: number): string | null {
  if (exit === 0) return null;
  return tally.refused > 0
    ? `${counted(tally.refused, "input")} rejected`
    : `${counted(tally.missing, "price")} missing`;
}

function exitOf(failure: unknown): number | undefined {
  if (isInterruption(failure)) return exitOfInterruption(failure);
  return failure instanceof Failure ? failure.exit : undefined;
}

/** Keeps only whole numbers, with all their digits, because a header can contain anything. */
function digits(text: string | undefined): string {
  return text !== undefined && /^(?:0|[1-9]\d*)$/u.test(text) ? text : "null";
}
