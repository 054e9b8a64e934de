import { once } from "node:events";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { affectsOneInput, Failure, usageFailure } from "../../../base/failure.ts";
import { counted, inWords } from "../../../base/text/words.ts";
import { type Endpoint, rowShape } from "../../../api/endpoint.ts";
import { timeField } from "../../../client/followed-row.ts";
import { namesAndLabels } from "../../../client/subject.ts";
import { StopReason } from "../../../client/ending.ts";
import { checkAppendedFile, refuseClosed } from "../../render/formats/formats.ts";
import { checkEventsFile } from "../../run/output/event-log.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { endless, type Run, withRun } from "../../run/with-run.ts";
import type { EndpointGroup, Input } from "../command.ts";
import type { FollowedFlags } from "../flags/endpoint-flags.ts";
import { reportEnd } from "./follow-report.ts";
import { followList, type FollowingList } from "./follow-list.ts";
import { type FollowedList, listTitle, rowNames } from "./followed-lists.ts";
import { createReload } from "../../run/reload.ts";
import { openSession, type Session } from "./open-session.ts";

export async function runFollow(
  group: EndpointGroup,
  input: Input<FollowedFlags>,
  outer: Context,
): Promise<ExitCode> {
  const { flags } = input;
  const { out, output, events } = flags;
  if (out !== undefined && output !== undefined && output !== "ndjson")
    throw usageFailure(
      `--output ${output} cannot be used with --follow and --out: rows are appended as ndjson`,
      "use ndjson",
    );
  if (out !== undefined) checkAppendedFile(out, "--follow");
  checkEventsFile(events);
  if (out !== undefined) checkKeptFields(flags.fields, group[0]);
  const work = async (run: Run): Promise<ExitCode> => {
    const session = await openSession(run, group, input);
    return session === undefined ? 0 : await follow(session);
  };
  return await withRun(input, outer, work, {
    ...endless,
    adjust: (options) => (flags.estimate === true ? options : followOptions(options, out)),
  });
}

/** After a restart, these fields show which rows are written. */
function checkKeptFields(fields: readonly string[] | undefined, endpoint: Endpoint): void {
  if (fields === undefined || fields.some((field) => field === "*" || field === "?")) return;
  const missing = [...rowShape(endpoint).identity, timeField].filter((field) => !fields.includes(field));
  if (missing.length === 0) return;
  throw usageFailure(
    `--fields "${fields.join()}": with --follow and --out, a restart also needs ${inWords(missing, "and")}`,
    `use --fields ${[...fields, ...missing].join()}`,
  );
}

/** Rows in a file have the same format as rows in a pipe. */
function followOptions(options: RunOptions, out: string | undefined): RunOptions {
  if (out === undefined) return refuseClosed(options, "--follow");
  if (options.columns !== undefined)
    throw usageFailure(
      "--columns cannot be used with --follow and --out: rows are appended as ndjson",
      "use --fields",
    );
  return { ...options, format: "ndjson" };
}

/** Returns if a limit is reached and no row is missing. Throws in all other cases, except if alerts decide. */
async function follow(session: Session): Promise<ExitCode> {
  const { run, lists, ending, checkpoint, quota, renderer } = session;
  const { signal } = ending;
  const { clock } = run.context;
  const running = createRunning(session);
  const continued = lists.filter(({ name }) => checkpoint?.earlier(name) !== undefined).length;
  const which = session.isOfMany ? ` ${counted(continued, "list")}` : "";
  if (continued > 0) run.report.info(`resuming${which} from ${checkpoint?.file}`);
  for (const list of lists) running.start(list);
  const release = run.context.onReload(
    // Without a list to reload, SIGHUP means that the terminal was closed.
    session.isReloaded ? running.reload : () => run.context.interrupt({ cause: "SIGHUP" }),
  );
  const following = running.all;
  // A search can find any pool.
  const anyPool = { network: "*", address: "*", label: session.plan.endpoint.command };
  session.alerts?.watch(() =>
    following().map(({ pool = anyPool, readTo }) => {
      return { subjects: [pool], until: readTo(), seen: readTo(), opened: undefined };
    }),
  );
  const listening = (): number => following().filter((each) => each.course.isListening()).length;
  run.metrics?.shows({
    rows_total: () => (session.isSilent ? session.alerts?.written() : undefined) ?? quota.count,
    oldest_asset_age_seconds: () =>
      following().reduce(
        (most, { readTo }) => Math.max(most, (clock.elapsed() - readTo().elapsed) / 1000),
        0,
      ),
    ...(session.poll === undefined && {
      connections: () =>
        signal.aborted ? { open: 0, retrying: 0 } : { open: listening(), retrying: 1 - listening() },
    }),
  });
  let behind: readonly Failure[] = [];
  let isStuck = false;
  try {
    if (!signal.aborted) await once(signal, "abort");
    // A list that has just failed may have been the last.
    isStuck = await running.ended();
  } finally {
    release();
    const { reason } = signal;
    if (reason instanceof StopReason && reason.by === "time")
      behind = following().flatMap((each) => each.course.behind() ?? []);
    reportEnd(session, following());
    await checkpoint?.close();
  }
  const exit = session.alerts?.exitAfter(signal.reason);
  if (exit === undefined && !(signal.reason instanceof StopReason)) throw signal.reason;
  if (!isStuck) await renderer.end();
  const [first, ...others] = behind;
  if (first !== undefined && exit !== 0) throw withOthers(first, others.length);
  return exit ?? 0;
}

function withOthers(failure: Failure, others: number): Failure {
  if (others === 0) return failure;
  return new Failure(`${failure.message}, also in ${counted(others, "other pool")}`, failure.details);
}

/** The lists that are followed now. */
function createRunning(session: Session) {
  const { run, flags, log, ending, isOfMany } = session;
  const { report } = run;
  const running = new Map<string, FollowingList>();
  /** Removed lists, whose last rows may not be written yet. */
  const removed = new Map<string, FollowingList>();
  const start = (list: FollowedList): void => {
    const failed = (cause: unknown): void => {
      if (!isOfMany || !(cause instanceof Failure)) return ending.end(cause);
      // The key, the credits and the output are those of all lists.
      if (cause.exit === 4 || cause.exit === 5 || cause.code === "output") return ending.end(cause);
      const failure = new Failure(`${listTitle(list)}: ${cause.message}`, cause.details);
      // If only this list cannot be followed, the others may continue.
      const isDropped = affectsOneInput(cause) && flags["on-invalid"] === "drop" && running.size > 1;
      if (!isDropped) return ending.end(failure);
      running.delete(list.name);
      log({ event: "dropped", reason: failure.message, ...namesAndLabels(list.pool ? [list.pool] : []) });
      report.warn(`${failure.message}; no longer followed`);
    };
    running.set(list.name, followList(session, list, failed));
  };
  const reload = async (): Promise<void> => {
    const next = await session.reread(ending.signal, session.checkRate);
    const names = new Set(next.map(({ name }) => name));
    const gone = [...running].filter(([name]) => !names.has(name));
    const added = next.filter(({ name }) => !running.has(name));
    for (const { request } of added) await session.files?.checkUnused(rowNames(request.args));
    for (const [name, each] of gone) {
      each.stop();
      running.delete(name);
      removed.set(name, each);
      void each.done.then(() => removed.delete(name));
    }
    for (const list of added) {
      // It continues after its last rows.
      await removed.get(list.name)?.done;
      start(list);
    }
    log({ event: "reload", pools: running.size, added: added.length, removed: gone.length });
    report.info(
      `list reloaded: ${counted(running.size, "pool")}, ${added.length} new, ${gone.length} removed`,
    );
  };
  const refused = ({ message: reason }: Failure): void => {
    log({ event: "reload_refused", reason });
    report.warn(`new list ignored: ${reason}`);
  };
  return {
    start,
    all: (): readonly FollowingList[] => [...running.values()],
    /** Waits for all lists. Returns whether the reader of the output has not accepted the last rows of one. */
    ended: async (): Promise<boolean> => {
      const lists = [...running.values(), ...removed.values()];
      await Promise.all(lists.map(({ done }) => done));
      return lists.some(({ isStuck }) => isStuck());
    },
    reload: createReload(ending, reload, refused),
  };
}
