import { textRows } from "../../../client/rows.ts";
import { childOf } from "../../../base/context/child-signal.ts";
import { onlyGroup } from "../../../api/endpoint.ts";
import type { Page } from "../../../client/page.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import { affectsOneInput, Failure } from "../../../base/failure.ts";
import type { PathNames } from "../../../base/files/file-pattern.ts";
import { member } from "../../../base/json/json-scan.ts";
import { fromWire } from "../../../base/time/time.ts";
import { instant } from "../../../base/text/words.ts";
import { followRows } from "../../../client/follow.ts";
import { beginFollowing, type Earlier, type RowSource } from "../../../client/followed-list.ts";
import { createRowWriter } from "./row-writer.ts";
import {
  createWake,
  fallbackPollMs,
  idlePollMs,
  listenForCalls,
  type Wake,
} from "../../../client/follow-wake.ts";
import type { Context } from "../../../base/context/context.ts";
import type { FollowedRow } from "../../../client/followed-row.ts";
import { reconnectWait } from "../../../client/retry.ts";
import { createFreshness, type Freshness } from "../../../client/freshness.ts";
import { StopReason } from "../../../client/ending.ts";
import { hiddenColumnWarnings, missingFields } from "../../render/formats/missing-fields.ts";
import { creditsLast } from "../../run/spending/cost-over-time.ts";
import { createFollowReport } from "./follow-report.ts";
import { type FollowedList, listTitle, pathOfList, poolsOf, rowNames } from "./followed-lists.ts";
import type { Session } from "./open-session.ts";
import { beginNewRows } from "../../../client/follow-search.ts";

/** The run is over when the last of its lists is. */
export interface FollowingList {
  readonly course: ReturnType<typeof createFollowReport>;
  /** Never rejects. */
  readonly done: Promise<void>;
  /** Rows that were already read are written first. */
  readonly stop: () => void;
  readonly pool: Subject | undefined;
  /** When the last complete read began, on the monotonic clock. */
  readonly readAt: () => number;
  /** Whether the reader of the output no longer accepts rows. */
  readonly isStuck: () => boolean;
}

/** What the lists of a run have said once for all of them. */
export interface SaidOnce {
  cost: boolean;
  fields: boolean;
  /** The last warning about the assets of the rows. */
  ofAssets: string | undefined;
}

/** `failed` is called if the list cannot be followed any longer, but the others can. */
export function followList(
  session: Session,
  list: FollowedList,
  said: SaidOnce,
  failed: (failure: Failure) => void,
): FollowingList {
  const { run, ending, present, isOfMany, queue, checkpoint, poll, quota } = session;
  const title = isOfMany ? listTitle(list) : undefined;
  const course = createFollowReport(run, session.log, {
    pools: poolsOf([list]),
    title,
    isDown: () => queue?.isDown() === true,
  });
  const freshness = createFreshness(run.context.clock);
  session.freshness.set(pathOfList(list), freshness);
  const child = childOf(ending.signal);
  const context = { ...run.context, signal: child.signal };
  const writer = createRowWriter(quota, createRowOutput(session, list, said), {
    ...course,
    latest: present.latest,
  });
  const wake = createWake(context.clock, child.signal);
  let [isStuck, rowsSince, readAt] = [false, 0, context.clock.elapsed()];
  let listening: Promise<void> | undefined;
  const work = async (): Promise<void> =>
    await followRows({
      context,
      begin: beginningOf(session, list, freshness),
      wake,
      latest: present.latest,
      polledAt: isOfMany ? () => present.seconds() - freshness.age() / 1000 : undefined,
      freshness,
      idle: () => poll ?? (course.isListening() ? idlePollMs : fallbackPollMs),
      handlers: {
        ...course,
        write: async (rows) => {
          await checkpoint?.begun(list.name);
          await learnAmounts(session, list, rows, course, context);
          rowsSince += rows.length;
          return await writer.write(rows);
        },
        progressed: (state) => {
          checkpoint?.progressed(list.name, state(), rowsSince);
          rowsSince = 0;
        },
        retrying: course.readFailed,
        unwritten: (rows) => {
          isStuck = true;
          course.unwritten(rows);
          // Without this call, rows in the pipe would keep the process alive until the reader resumes reading.
          context.stopWaitingForReader();
        },
        caughtUp: (began, rows) => {
          readAt = began;
          sayHowLong(session, said);
          course.caughtUp(began, rows);
          // Opened only after the history has been read, because earlier events would cost credits without triggering a
          // read.
          if (poll === undefined) listening ??= listen(session, list, course, wake);
        },
      },
    });
  const end = (cause: unknown): void =>
    child.signal.aborted ? undefined : endList(session, title, cause, failed);
  const done = work()
    .then(() => ending.end(new StopReason("limit")), end)
    .finally(async () => {
      await listening;
      child.release();
    });
  return {
    course,
    done,
    stop: () => child.abort(new Error("no longer listed")),
    isStuck: () => isStuck,
    readAt: () => readAt,
    pool: list.pool,
  };
}

/** Without the amounts in tokens, alerts would be lost. Only this list waits for them. */
async function learnAmounts(
  { assets }: Session,
  { request }: FollowedList,
  rows: readonly FollowedRow[],
  { readFailed }: Pick<FollowingList["course"], "readFailed">,
  { clock, random, signal }: Pick<Context, "clock" | "random" | "signal">,
): Promise<void> {
  const page = textRows(rows.map(({ text, value }) => ({ row: text, value })));
  for (let attempt = 1; ; attempt += 1) {
    const failure = await assets.learnAmounts(request, page);
    if (failure === undefined) return;
    const wait = reconnectWait(attempt, failure, random());
    readFailed(failure, wait);
    await clock.sleep(wait, signal);
  }
}

function sayHowLong({ readsAnHour, open, run }: Session, said: SaidOnce): void {
  if (readsAnHour === undefined || said.cost) return;
  said.cost = true;
  const lasting = creditsLast(open.client.meter.creditsLeft, readsAnHour);
  if (lasting !== undefined) run.report.info(lasting);
}

/** If only this list cannot be followed, the others may continue. */
function endList(
  { ending, isOfMany }: Session,
  title: string | undefined,
  cause: unknown,
  failed: (failure: Failure) => void,
): void {
  if (!isOfMany || !(cause instanceof Failure)) return ending.end(cause);
  const failure = new Failure(`${title}: ${cause.message}`, cause.details);
  if (affectsOneInput(cause)) failed(failure);
  else ending.end(failure);
}

/** Finds where the list was left, or where to begin. */
function beginningOf(
  { run, open, queue, checkpoint, present, flags, isSearch, isOfMany, pageSize, isStrict }: Session,
  { name, request }: FollowedList,
  { isForeignCopy, asOf }: Freshness,
): () => Promise<RowSource> {
  const { latest } = present;
  const typedFrom = request.args.get(isSearch ? "created_after" : "from");
  const from = typedFrom === undefined ? undefined : fromWire(typedFrom);
  const turns = queue?.of(open.client);
  const list = { client: turns?.client ?? open.client, request, pageSize, isStrict, isForeignCopy };
  const saved = checkpoint?.earlier(name);
  // Called after a response has shown the service's time: with a wrong local clock, rows would be missed.
  const findEarlier = (): Earlier | undefined => checkpoint?.earlierInFiles(name, latest());
  const shown = flags.envelope === true ? inEnvelope(run.context.clock.now, asOf) : (row: FollowedRow) => row;
  return async () => {
    const source = isSearch
      ? await beginNewRows({
          ...list,
          from,
          saved: saved ?? findEarlier(),
          present: present.seconds,
          latest,
          shown,
        })
      : await beginFollowing({ ...list, from, saved, findEarlier, isOfMany }, latest, run.context.clock);
    const read: RowSource["read"] = () => {
      turns?.due();
      return source.read();
    };
    return { ...source, read };
  };
}

function inEnvelope(now: () => number, asOf: Freshness["asOf"]): (row: FollowedRow) => FollowedRow {
  return (row) => {
    const age = asOf();
    const facts = { first_seen: instant(now()), ...(age !== undefined && { as_of: instant(age) }) };
    return {
      ...row,
      text: `${JSON.stringify(facts).slice(0, -1)},"row":${row.text}}`,
      value: { ...facts, row: row.value },
    };
  };
}

/** Rows of a search may be in an envelope. */
const memberOf = ({ value }: FollowedRow, name: string): string =>
  String(member(member(value, "row") ?? value, name));

function createRowOutput(
  { run, idle, renderer, assets, output, isSearch, plan, alerts, see, onLimit, isSilent }: Session,
  { request, pool }: FollowedList,
  said: SaidOnce,
) {
  const ofPool = rowNames(request.args);
  const namesOf = (row: FollowedRow): PathNames => (isSearch ? { network: memberOf(row, "chain") } : ofPool);
  const assetOf = (row: FollowedRow): Subject =>
    pool ?? { network: memberOf(row, "chain"), address: memberOf(row, "id") };
  const shown = (rows: Page["rows"]): Page["rows"] =>
    plan.amounts === undefined ? rows : assets.inTokens(rows);
  /**
   * Before the rows are written, because a killed run reads again only those that were not. For the same reason, rows
   * behind the last alert are not written.
   */
  const alert = async (rows: readonly FollowedRow[], page: Page["rows"]): Promise<readonly FollowedRow[]> => {
    if (see === undefined) return rows;
    const texts = assets.inTokens(page).texts();
    const seen = rows.map((row, index) => {
      const subject = assetOf(row);
      const facts = { asset: nameOf(subject), label: subject.label, at: row.at.seconds * 1000 };
      return { ...facts, text: texts[index] ?? row.text };
    });
    return rows.slice(0, await see(seen, run.context.clock.elapsed()));
  };
  return async (rows: readonly FollowedRow[]): Promise<number> => {
    idle?.pause("rows");
    const page = textRows(rows.map(({ text, value }) => ({ row: text, value })));
    await assets.learnFor(request, { group: onlyGroup, rows: page });
    const wanted = await alert(rows, page);
    for (const part of isSilent ? [] : output.split(wanted, namesOf)) {
      const lines = textRows(part.map(({ text, value }) => ({ row: text, value })));
      await renderer.page({ group: onlyGroup, rows: shown(lines) }, request.args);
    }
    idle?.resume("rows");
    if (alerts?.isOver() === true) onLimit();
    const warnings = assets.warnings().filter((line) => line !== said.ofAssets);
    said.ofAssets = warnings.at(-1) ?? said.ofAssets;
    if (!said.fields) {
      said.fields = true;
      // Missing fields are reported at the start, because a run may take days.
      warnings.push(...missingFields(run.options.fields, request.endpoint, shown(page)));
      warnings.push(...hiddenColumnWarnings(renderer));
    }
    for (const line of warnings) run.report.warn(line);
    return wanted.length;
  };
}

/** If the stream ends permanently, the run ends for the same reason. */
async function listen(
  { run, flags, open, ending }: Session,
  { pool }: FollowedList,
  course: FollowingList["course"],
  wake: Wake,
): Promise<void> {
  const { context, options } = run;
  const streaming = flags["streaming-url"];
  const target = { ...open.client.target, ...(streaming !== undefined && { streaming }) };
  const { pace, client } = open;
  const { ledger, notePlan: counted } = client;
  const { timeout, requiredPlan: required } = options;
  const cost = { counted, required };
  const opening = { target, context, pace, ledger, timeout, command: "txns --follow", plan: cost };
  const subjects = pool === undefined ? [] : [pool];
  const handlers = { ...course, retrying: course.streamLost };
  await listenForCalls({ ...opening, subjects }, wake, handlers, context.signal).catch(ending.end);
}
