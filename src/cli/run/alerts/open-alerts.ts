import { formatDuration } from "../../../api/duration.ts";
import { isInterruption } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { StopReason } from "../../../client/ending.ts";
import { usageFailure } from "../../../base/failure.ts";
import { member } from "../../../base/json/json-scan.ts";
import { visibleText } from "../../render/sanitize.ts";
import type { LogEvent } from "../output/event-log.ts";
import type { TypedFlags } from "../flags/flag.ts";
import type { Run } from "../with-run.ts";
import { openAlertState } from "./alert-state.ts";
import { type Alert, type AlertOptions, createAlerts } from "./alerts.ts";
import { createBlindness, type Sight } from "./blindness.ts";
import { checkCommand, createCommands } from "./commands.ts";
import { type Condition, parseCondition, type Testable } from "./condition.ts";

interface Opening extends Pick<AlertOptions, "by"> {
  readonly wanted: WantedAlerts;
  /** In milliseconds. */
  readonly cooldown: number | undefined;
  /** The number of matches that ends the run. */
  readonly limit: number | undefined;
  /** `--blind`, in milliseconds. */
  readonly blind: number | undefined;
  /** The file of `--state`. */
  readonly state: string | undefined;
  readonly log: LogEvent<"alert_dropped">;
  readonly write: (lines: Buffer) => Promise<unknown>;
  /** Called when the limit is reached while no event arrives. */
  readonly onLimit: () => void;
}

export interface WantedAlerts {
  readonly conditions: readonly Condition[];
  /** Empty if alerts are lines on stdout. */
  readonly command: readonly string[];
}

export type Alerts = Awaited<ReturnType<typeof openAlerts>>;

/** Milliseconds. A price may cross a limit several times while it is close to it. */
const defaultCooldown = 60_000;

/** Always true, for a command without `--when`. */
const everyRow: Condition = { text: "", tests: [] };

/** Undefined without `--when` and without a command. Called before anything is sent. */
export function readWanted(typed: TypedFlags, testable: Testable): WantedAlerts | undefined {
  const tests = typed.get("when")?.map((text = "") => parseCondition(text, testable));
  const conditions = tests ?? (typed.has("--") ? [everyRow] : undefined);
  if (conditions === undefined && typed.has("state"))
    throw usageFailure("--state requires --when", "add --when");
  const command = (typed.get("--") ?? []).map((word = "") => word);
  if (typed.has("--") && command.length === 0) throw usageFailure("missing command after --");
  return conditions && { conditions, command };
}

/** `interval` is the time from one read to the next. Both are in milliseconds. */
export function checkBlind(blind: number | undefined, interval: number): void {
  if (blind === undefined || blind > interval) return;
  throw usageFailure(
    `--blind ${formatDuration(blind)}: must be longer than the time from one read to the next (${formatDuration(interval)})`,
  );
}

export async function openAlerts(run: Run, options: Opening) {
  const { context, report, onClose, metrics } = run;
  const { wanted, cooldown, limit = Number.POSITIVE_INFINITY, by, log, write, onLimit } = options;
  const { conditions, command } = wanted;
  const { clock } = context;
  if (command.length > 0) checkCommand(command, context);
  const state = options.state === undefined ? undefined : await openAlertState(run, options.state, by);
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
  const act = (alert: Alert): void => {
    if (commands === undefined) lines.push(alert);
    else commands.add(alert);
  };
  const begin = (alert: Alert): void => {
    state?.begin(alert);
    act(alert);
  };
  const alerts = createAlerts({
    conditions,
    by,
    cooldown: cooldown ?? (by === "row" ? 0 : defaultCooldown),
    limit,
    memory: state?.memory,
    fire: begin,
  });
  let sights: (() => readonly Sight[]) | undefined;
  const blindness = options.blind === undefined ? undefined : createBlindness(clock, options.blind, begin);
  metrics?.shows({ alerts: alerts.count, blindSeconds: () => blindness?.seconds() ?? 0 });
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
    return isWanted || reason instanceof StopReason ? (alerts.count() === 0 ? 8 : 0) : undefined;
  };
  /** Sets the source of what is known about each asset, for `--blind`. */
  const watch = (next: NonNullable<typeof sights>): unknown => (sights = next);
  return { ...alerts, flush, exitAfter, watch };
}

/** For a terminal, without what only programs need. */
function textOf({ alert, condition, asset, label, line }: Alert): string {
  const facts: unknown = JSON.parse(line);
  const textsAt = (name: string): readonly string[] =>
    [member(facts, name)].flat().map((each) => (typeof each === "string" ? each : ""));
  const [at, value, from, to] = ["at", "value", "from", "to"].map((name) => textsAt(name).join());
  const labels = textsAt("labels");
  const names = textsAt("names").map((name, index) => labels[index] || name);
  const said = {
    match: `${label ?? asset}  ${condition}  ${value}`,
    blind: `${names.join(", ")}  blind since ${from}`,
    back: `${names.join(", ")}  back, was blind from ${from} to ${to}`,
  };
  const isAgain = member(facts, "repeat") === true ? "  (again, after a restart)" : "";
  return `${at}  ${visibleText(said[alert])}${isAgain}\n`;
}
