import { fromWire } from "../../../base/time/time.ts";
import { instant } from "../../../base/text/words.ts";
import type { Failure } from "../../../base/failure.ts";
import { followRows, maxFailures } from "../../../client/follow.ts";
import { beginFollowing, beginNewRows, readFirst, type RowSource } from "../../../client/followed-list.ts";
import { createSchedule, fallbackPollMs, idlePollMs, listenForCalls } from "../../../client/follow-wake.ts";
import type { Client } from "../../../client/client.ts";
import type { Earlier, FollowedRow, FollowState } from "../../../client/followed-row.ts";
import { createFreshness, type Freshness } from "../../../client/freshness.ts";
import { StopReason } from "../../../client/ending.ts";
import { creditsLast, currentCost } from "../../run/spending/estimate.ts";
import { createFollowReport, type FollowReport } from "./follow-report.ts";
import { type FollowedList, rowNames } from "./followed-lists.ts";
import type { Session } from "./open-session.ts";
import { childOf, type Context } from "../../../base/context/context.ts";
import { onlyGroup, rowShape } from "../../../api/endpoint.ts";
import type { PathNames } from "../../../base/files/file-pattern.ts";
import { member } from "../../../base/json/json-scan.ts";
import type { Page } from "../../../client/page.ts";
import { reconnectWait } from "../../../client/retry.ts";
import { textRows } from "../../../client/rows.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import { momentOf, momentOfElapsed } from "../../../client/stream-options.ts";
import { hiddenColumnWarnings, watchFields } from "../../render/formats/missing-fields.ts";

/** The run is over when the last of its lists is. */
export type FollowingList = ReturnType<typeof followList>;

/** `failed` is called if the list cannot be followed any longer. */
export function followList(session: Session, list: FollowedList, failed: (cause: unknown) => void) {
  const { run, ending, present, isOfMany, checkpoint, ends, poll, isFirst, reads } = session;
  const { meter } = session.open.client;
  const course = createFollowReport(session, list);
  const freshness = createFreshness(run.context.clock);
  const child = childOf(ending.signal);
  const context = { ...run.context, signal: child.signal };
  const write = createRowOutput(session, list, course, context);
  const schedule = createSchedule(
    context,
    () => poll ?? (course.isListening() ? idlePollMs : fallbackPollMs),
  );
  const { clock } = context;
  let [isStuck, rowsSince] = [false, 0];
  let readTo = momentOf(clock);
  const refusals = watchRefusals(clock, reads);
  let reached: (() => FollowState) | undefined;
  let listening: Promise<void> | undefined;
  const following = followRows({
    context,
    runSignal: ending.signal,
    begin: beginningOf(session, list, freshness),
    schedule,
    latest: present.latest,
    polledAt: isOfMany ? () => present.seconds() - freshness.age() / 1000 : undefined,
    freshness,
    isHostKnown: (failures) => meter.asOf !== undefined && !refusals.areOfThisList(failures),
    handlers: {
      ...course,
      write: async (rows) => {
        await checkpoint?.begun(list.name);
        rowsSince += rows.length;
        return await write(rows);
      },
      progressed: (state) => {
        reached = state;
        checkpoint?.progressed(list.name, state(), rowsSince);
        rowsSince = 0;
      },
      retrying: refusals.noting(course.readFailed),
      unwritten: (rows) => {
        isStuck = true;
        course.unwritten(rows);
        // Without this call, rows in the pipe would keep the process alive until the reader resumes reading.
        context.stopWaitingForReader();
      },
      caughtUp: (began, rows) => {
        // An older copy in a cache takes back nothing that an earlier response has shown.
        if (began > readTo.elapsed) readTo = momentOfElapsed(clock, began);
        refusals.read();
        if (isFirst("cost")) reportCost(session, course.isListening);
        course.caughtUp(began, rows);
        // Opened only after the history has been read, because earlier events would cost credits without triggering a
        // read.
        if (poll === undefined) listening ??= listen(session, list, course, schedule.call);
      },
    },
  });
  const end = (cause: unknown): void => (child.signal.aborted ? undefined : failed(cause));
  const done = following
    .then(() => ending.end(new StopReason("limit")), end)
    .finally(async () => {
      await listening;
      child.release();
      if (checkpoint === undefined && reached !== undefined) ends.set(list.name, reached());
    });
  return {
    course,
    /** Never rejects. */
    done,
    /** Rows that were already read are written first. */
    stop: () => child.abort(new Error("no longer listed")),
    /** Whether the reader of the output no longer accepts rows. */
    isStuck: () => isStuck,
    /** When the last complete read began. */
    readTo: () => readTo,
    pool: list.pool,
  };
}

/**
 * The public service responds to an unknown pool without a body, as a balancer may to any request. If other lists are read
 * in the meantime, and this one never was, it is not a balancer.
 */
function watchRefusals({ elapsed }: Session["run"]["context"]["clock"], reads: Session["reads"]) {
  let [wasRead, failedAt] = [false, Number.POSITIVE_INFINITY];
  return {
    read: (): void => {
      wasRead = true;
      reads.last = elapsed();
    },
    noting:
      (retrying: (failure: Failure, wait: number) => void) =>
      (failure: Failure, wait: number): void => {
        failedAt = Math.min(failedAt, elapsed());
        retrying(failure, wait);
      },
    areOfThisList: (failures: number): boolean =>
      failures >= maxFailures && !wasRead && reads.last > failedAt,
  };
}

/**
 * With a stream, the new rows of the first minute after the history show the cost. If the stream cannot be opened, its
 * warning has the cost of the reads.
 */
function reportCost({ run, open, poll, readsAnHour }: Session, isListening: () => boolean): void {
  const { meter, target } = open.client;
  if (poll !== undefined) {
    const lasting = creditsLast(meter.creditsLeft, readsAnHour, target.tier);
    if (lasting !== undefined) run.report.info(lasting);
    return;
  }
  const before = meter.credits;
  const stop = run.context.clock.every(60_000, () => {
    stop();
    const perHour = 60 * (meter.credits - before);
    if (perHour > 0 && isListening()) run.report.info(currentCost(perHour, meter.creditsLeft, target.tier));
  });
  run.onClose(stop);
}

/** Finds where the list was left, or where to begin. */
function beginningOf(
  { run, client: shared, checkpoint, ends, present, flags, isSearch, isOfMany, pageSize, plan }: Session,
  { name, request }: FollowedList,
  freshness: Freshness,
): () => Promise<RowSource> {
  const { latest, seconds } = present;
  const { clock } = run.context;
  const typedFrom = request.args.get(isSearch ? "created_after" : "from");
  const from = typedFrom === undefined ? undefined : fromWire(typedFrom);
  const ask: Client["ask"] = async (endpoint, args, until) => {
    const document = await shared.ask(endpoint, args, until);
    freshness.record(args, document.age);
    return document;
  };
  const { isForeignCopy } = freshness;
  const { isStrict } = plan.list;
  const list = { client: { ...shared, ask }, request, pageSize, isStrict, isForeignCopy, latest, from };
  const end = ends.get(name);
  const saved = checkpoint?.earlier(name) ?? (end && { ...end, since: end.from });
  // A response shows the service's time: with a wrong local clock, rows would be missed or written twice.
  const findEarlier = async (): Promise<Earlier | undefined> => {
    if (!present.isKnown() && checkpoint?.hasEarlier(name) === true) await readFirst(list, request.args);
    return checkpoint?.earlierInFiles(name, latest());
  };
  const shown = flags.envelope === true ? inEnvelope(clock.now, freshness) : (row: FollowedRow) => row;
  return async () =>
    isSearch
      ? await beginNewRows({ ...list, saved: saved ?? (await findEarlier()), present: seconds, shown })
      : await beginFollowing({ ...list, saved, findEarlier, isOfMany }, clock);
}

function inEnvelope(now: () => number, freshness: Freshness): (row: FollowedRow) => FollowedRow {
  return (row) => {
    const asOf = freshness.asOf();
    const facts = { first_seen: instant(now()), ...(asOf !== undefined && { as_of: instant(asOf) }) };
    return {
      ...row,
      row: `${JSON.stringify(facts).slice(0, -1)},"row":${row.row}}`,
      value: { ...facts, row: row.value },
    };
  };
}

/** If the stream ends permanently, the run ends for the same reason. */
async function listen(
  { run, flags, open, ending }: Session,
  { pool }: FollowedList,
  course: FollowReport,
  call: () => void,
): Promise<void> {
  const { "streaming-url": streaming } = flags;
  const { opening } = open.client;
  const target = { ...opening.target, ...(streaming !== undefined && { streaming }) };
  const subjects = pool === undefined ? [] : [pool];
  const asked = { ...opening, target, command: "txns --follow", subjects };
  const handlers = { ...course, retrying: course.streamLost };
  await listenForCalls(asked, call, handlers, run.context.signal).catch(ending.end);
}

/** Rows of a search may be in an envelope. */
const memberOf = ({ value }: FollowedRow, name: string): string =>
  String(member(member(value, "row") ?? value, name));

/** Writes the rows of a list in the given order. Returns false if no more rows are wanted. */
function createRowOutput(
  session: Session,
  { request, pool }: FollowedList,
  course: FollowReport,
  { clock, random, signal }: Pick<Context, "clock" | "random" | "signal">,
) {
  const { run, idle, renderer, assets, files, isSearch, plan, alerts, see, onLimit, isSilent } = session;
  const { quota, isFirst } = session;
  const ofPool = rowNames(request.args);
  const namesOf = (row: FollowedRow): PathNames => (isSearch ? { network: memberOf(row, "chain") } : ofPool);
  const shown = (rows: Page["rows"]): Page["rows"] =>
    plan.amounts === undefined ? rows : assets.inTokens(rows);

  /** Without the amounts in tokens, alerts would be lost. Only this list waits for them. */
  const learnAmounts = async (page: Page["rows"]): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const failure = await assets.learnAmounts(request, page);
      if (failure === undefined) return;
      const wait = reconnectWait(attempt, failure, random());
      course.readFailed(failure, wait);
      await clock.sleep(wait, signal);
    }
  };

  /**
   * Before the rows are written, because a killed run reads again only those that were not. For the same reason, rows
   * behind the last alert are not written.
   */
  const alert = async (rows: readonly FollowedRow[], page: Page["rows"]): Promise<readonly FollowedRow[]> => {
    if (see === undefined) return rows;
    const texts = assets.inTokens(page).texts();
    const seen = rows.map((row, index) => {
      const subject: Subject = pool ?? { network: memberOf(row, "chain"), address: memberOf(row, "id") };
      const facts = { asset: nameOf(subject), label: subject.label, key: row.key, at: row.at.seconds * 1000 };
      return { ...facts, text: texts[index] ?? row.row };
    });
    return rows.slice(0, await see(seen, clock.elapsed()));
  };

  /** Returns the rows that were wanted, from the first one on. */
  const show = async (rows: readonly FollowedRow[]): Promise<readonly FollowedRow[]> => {
    idle?.pause("rows");
    const page = textRows(rows);
    await assets.learnFor(request, { group: onlyGroup, rows: page });
    const wanted = await alert(rows, page);
    for (const part of isSilent ? [] : (files?.split(wanted, namesOf) ?? [wanted]))
      await renderer.page({ group: onlyGroup, rows: shown(textRows(part)) }, request.args);
    idle?.resume("rows");
    if (alerts?.isOver() === true) onLimit();
    const warnings = [...assets.warnings()];
    // Missing fields are reported at the start, because a run may take days.
    if (isFirst("fields")) {
      const watch = watchFields(run.options.fields, [rowShape(request.endpoint)]);
      watch.see({ rows: shown(page), as: "rows" });
      warnings.push(...watch.remarks(), ...hiddenColumnWarnings(renderer));
    }
    for (const line of warnings) run.report.warn(line);
    return wanted;
  };

  return async (rows: readonly FollowedRow[]): Promise<boolean> => {
    await learnAmounts(textRows(rows));
    return await quota.inTurn(async () => {
      const { limit = Number.POSITIVE_INFINITY } = quota;
      const wanted = rows.slice(0, limit - quota.count);
      const written = wanted.length === 0 ? [] : await show(wanted);
      course.written(written);
      quota.count += written.length;
      return quota.count < limit && written.length === wanted.length;
    });
  };
}
