import { splitPath } from "../../../api/record.ts";
import type { FieldAtPath } from "../../../api/endpoint.ts";
import { formatDuration } from "../../../api/duration.ts";
import { isInterruption } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { StopReason } from "../../../client/ending.ts";
import { usageFailure } from "../../../base/failure.ts";
import { createPathReader } from "../../../base/json/path-reader.ts";
import { decodeName } from "../../../base/json/json-scan.ts";
import { visibleText } from "../../../base/text/unsafe-text.ts";
import type { LogEvent } from "../output/event-log.ts";
import type { TypedFlags } from "../flags/flag.ts";
import type { Run } from "../with-run.ts";
import { openAlertState } from "./alert-state.ts";
import { type Alert, type AlertOptions, type Candidate, createAlerts } from "./alerts.ts";
import { createBlindness, type Sight } from "./blindness.ts";
import { checkCommand, createCommands } from "./commands.ts";
import { type Condition, parseCondition, valuesOf } from "./condition.ts";

/** The flags, in milliseconds, and a file. */
interface AlertFlags {
  readonly cooldown: number | undefined;
  readonly blind: number | undefined;
  readonly state: string | undefined;
}

interface Opening extends Pick<AlertOptions, "by"> {
  /** The number of matches that ends the run. */
  readonly limit: number | undefined;
  readonly log: LogEvent<"alert_dropped">;
  readonly write: (lines: Buffer) => Promise<unknown>;
  /** Called when the limit is reached while no event arrives. */
  readonly onLimit: () => void;
}

export type WantedAlerts = NonNullable<ReturnType<typeof readWanted>>;

export type Alerts = Awaited<ReturnType<typeof openAlerts>>;

/** Milliseconds. A price may cross a limit several times while it is close to it. */
const defaultCooldown = 60_000;

/** Always true, for a command without `--when`. */
const everyRow: Condition = { text: "", tests: [] };

/**
 * Undefined without `--when` and without a command. Called before anything is sent. `hasSeries` means that each asset has
 * a series of values, so that it can rise and fall. `needsAdded` of the result means that a condition tests a field that
 * dexdata adds.
 */
export function readWanted(typed: TypedFlags, paths: readonly FieldAtPath[], hasSeries = false) {
  // A condition on an object or a list would never be met.
  const simple = paths.filter(({ field }) => !["any", "record", "list"].includes(field.type.kind));
  const testable = { fields: new Map(simple.map(({ path, field }) => [path, valuesOf(field)])), hasSeries };
  const texts = typed.get("when");
  const tests = texts && Array.from(new Set(texts), (text = "") => parseCondition(text, testable));
  const conditions = tests ?? (typed.has("--") ? [everyRow] : undefined);
  if (conditions === undefined && typed.has("state"))
    throw usageFailure("--state requires --when", "add --when");
  // Empty if alerts are lines on stdout.
  const command = (typed.get("--") ?? []).map((word = "") => word);
  if (typed.has("--") && command.length === 0) throw usageFailure("missing command after --");
  const tested = new Set(conditions?.flatMap(({ tests: each }) => each.map(({ field }) => field)));
  const needsAdded = paths.some(({ path, isAdded }) => isAdded && tested.has(path));
  return conditions && { conditions, command, needsAdded };
}

/** `interval` is the time from one read to the next. Both are in milliseconds. */
export function checkBlind(blind: number | undefined, interval: number): void {
  if (blind === undefined || blind > interval) return;
  throw usageFailure(
    `--blind ${formatDuration(blind)}: must be longer than the time from one read to the next (${formatDuration(interval)})`,
  );
}

export async function openAlerts(
  run: Run,
  { conditions, command }: WantedAlerts,
  flags: AlertFlags,
  { by, limit = Number.POSITIVE_INFINITY, log, write, onLimit }: Opening,
) {
  const { context, report, onClose, metrics } = run;
  const { clock } = context;
  const { cooldown = by === "row" ? 0 : defaultCooldown } = flags;
  if (command.length > 0) checkCommand(command, context);
  const state =
    flags.state === undefined ? undefined : await openAlertState(run, flags.state, { by, cooldown });
  if (state === undefined)
    report.hint("alerts are forgotten when this run ends; to remember them, use --state");
  const dropped = ({ id, condition, asset, label }: Alert): void => {
    const labels = label === undefined ? undefined : [label];
    log({ event: "alert_dropped", id, condition, assets: 1, names: [asset], labels });
  };
  const commands =
    command.length === 0 ? undefined : createCommands(context, command, report, dropped, state);
  const isForPeople = context.stdout.isTerminal && run.options.format === "table";
  const lines: Alert[] = [];
  const act = commands?.add ?? ((alert: Alert) => void lines.push(alert));
  const fire = (alert: Alert): void => {
    state?.begin(alert);
    act(alert);
  };
  const alerts = createAlerts({ conditions, by, cooldown, limit, memory: state, fire });
  let sights: (() => readonly Sight[]) | undefined;
  const blindness = flags.blind === undefined ? undefined : createBlindness(clock, flags.blind, fire);
  metrics?.shows({ alerts_total: alerts.count, blind_seconds_total: () => blindness?.seconds() ?? 0 });
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return;
    const written = lines.splice(0);
    await write(Buffer.from(written.map(isForPeople ? textOf : ({ line }) => line).join("")));
    for (const { id } of written) state?.end(id);
  };
  onClose(
    clock.every(1000, () => {
      alerts.tick(clock.elapsed());
      blindness?.tick(sights?.() ?? []);
      const ending = (): void => (alerts.isOver() ? onLimit() : undefined);
      // If the pipe is closed, the run ends anyway.
      flush().then(ending, () => undefined);
    }),
  );
  if (commands !== undefined) onClose(commands.close);
  for (const alert of state?.repeated ?? []) act(alert);
  /** If a limit was reached or the reader ended the run, the exit code shows whether there was an alert. */
  const exitAfter = (reason: unknown): ExitCode | undefined => {
    const isWanted = isInterruption(reason) && ["closed-pipe", "quit"].includes(reason.cause);
    if (!isWanted && !(reason instanceof StopReason)) return undefined;
    if (alerts.count() > 0) return 0;
    report.hint("no alerts");
    return 8;
  };
  /** Sets the source of what is known about each asset, for `--blind`. */
  const watch = (next: NonNullable<typeof sights>): unknown => (sights = next);
  /** The rows and events that stdout gets as alerts; undefined if a command gets them. */
  const written = (): number | undefined => (command.length === 0 ? alerts.count() : undefined);
  return { ...alerts, flush, exitAfter, watch, written };
}

/** What an alert's line contains, depending on its kind. */
type Facts = Readonly<
  Partial<Record<"at" | "value" | "from" | "to", string | null> & Record<"names" | "labels", string[]>>
> & { readonly repeat: true | undefined };

/** For a terminal, without what only programs need. */
function textOf({ alert, condition, asset, label, line }: Alert): string {
  const { at, value, from, to, names, labels, repeat }: Facts = JSON.parse(line);
  const title = names?.map((name, index) => labels?.[index] || name).join(", ") ?? label ?? asset;
  const said = {
    match: `${condition}  ${value ?? ""}`,
    blind: `blind since ${from}`,
    back: `back, was blind from ${from} to ${to}`,
  };
  const isAgain = repeat === true ? "  (again, after a restart)" : "";
  return `${at}  ${visibleText(`${title}  ${said[alert]}`)}${isAgain}\n`;
}

/** `text` is the row's JSON. */
type AlertRow = Pick<Candidate, "asset" | "label" | "key" | "at"> & { readonly text: string };

/** `within` is the path to the fields in each row. */
export function createRowAlerts({ fields, isOver, see, flush }: Alerts, within: readonly string[] = []) {
  const readRow = createRowReader(fields, within);
  /** Returns the number of rows up to the limit of alerts. `now` is on the monotonic clock. */
  return async (rows: readonly AlertRow[], now: number): Promise<number> => {
    let seen = 0;
    for (const { text, ...facts } of rows) {
      if (isOver()) break;
      seen += 1;
      see({ ...facts, texts: readRow(text), row: () => text }, now);
    }
    await flush();
    return seen;
  };
}

/** Returns the texts of the fields in the JSON of a row, without quotes; undefined for null and for a missing value. */
export function createRowReader(fields: readonly string[], within: readonly string[] = []) {
  const readPaths = createPathReader(fields.map((field) => [...within, ...splitPath(field)]));
  return (row: string): Candidate["texts"] =>
    readPaths(row).map((raw) => {
      if (raw === undefined || raw === "null") return undefined;
      return raw.startsWith('"') ? decodeName(raw) : raw;
    });
}
