import path from "node:path";
import { textRows } from "../../../client/rows/rows.ts";
import type { Clock, Context, Output } from "../../../base/context/context.ts";
import type { Subject } from "../../../client/subject.ts";
import { onlyGroup, rowShape } from "../../../api/endpoint.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import type { Question } from "../../../api/args.ts";
import { fail, type Failure, usageFailure } from "../../../base/failure.ts";
import { transactionsFeed as feed } from "../../../api/feeds/transactions-feed.ts";
import { checkHeld } from "../../../base/files/file-lock.ts";
import {
  fileOf,
  fillFields,
  fixedFolder,
  changesWithTime,
  hasFields,
  type PathNames,
} from "../../../base/files/file-pattern.ts";
import { holdFile, lockOf, targetOf } from "../../../rows/out-files/out-file.ts";
import { makeFolder } from "../../../base/files/paths.ts";
import { refuseUnfinished } from "../../../rows/out-files/open-files.ts";
import { refusePacked } from "../../../rows/out-files/packing.ts";
import { checkOutPattern } from "../../../rows/out-files/rotating-file.ts";
import { createRenderer, formatByName, formats } from "../../render/formats/formats.ts";
import { checkPrefix } from "../../render/formats/row-prefix.ts";
import { checkColumns } from "../../render/table/choose-columns.ts";
import { checkEventsFile, openEventLog } from "../../run/output/event-log.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { createEnding, endCause, type Ending, Stop } from "../../../client/live/ending.ts";
import { followRows } from "../../../client/follow/follow-rows.ts";
import { createRowWriter, createServicePresent } from "../../../client/follow/row-writer.ts";
import { createAgeNote, createFreshness } from "../../../client/response/answer-age.ts";
import type { TailRow } from "../../../client/follow/tail-row.ts";
import {
  createWake,
  listenForCalls,
  idlePollMs,
  fallbackPollMs,
  type Wake,
} from "../../../client/follow/schedule.ts";
import { readWrittenRows, rowNames, type WrittenRows } from "../../../client/follow/written-rows.ts";
import { createQuietWatch } from "../../../client/live/quiet-watch.ts";
import { openerOf } from "../../../client/live/subscription.ts";
import { fromWire } from "../../../base/time/time.ts";
import type { EndpointGroup } from "../input/positionals.ts";
import { readQuestions } from "../input/questions.ts";
import type { Input } from "../command.ts";
import type { FollowedFlags } from "../flags/endpoint-flags.ts";
import { hiddenColumnWarnings, missingFields } from "../../render/formats/missing-fields.ts";
import { presentationOf } from "../pull/fetch-and-print.ts";
import { createTableAssets } from "../pull/table-assets.ts";
import { openAppendedFile } from "../stream/stream-output.ts";
import { creditsLast } from "../../run/spending/cost-over-time.ts";
import { createFollowReport, pollLine, readsPerHour } from "./follow-report.ts";

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
  if (out !== undefined) refusePacked(out, "--follow");
  if (formatByName(out) !== undefined)
    throw usageFailure(`--out "${out}": --follow writes ndjson`, "use the extension .ndjson");
  checkEventsFile(events, out);
  const work = async (run: Run): Promise<ExitCode> => {
    await follow(await openFollowed(run, group, input));
    return 0;
  };
  return await withRun(input, outer, work, {
    adjust: (options) => followOptions(options, out),
    isTail: true,
  });
}

/** Rows in a file have the same format as rows in a pipe. */
function followOptions(options: RunOptions, out: string | undefined): RunOptions {
  const { format, columns } = options;
  if (out === undefined) {
    if (!formats[format].isClosed) return options;
    throw usageFailure(
      `--output ${format} cannot be used with --follow: ${format} output is complete only when the run ends`,
      "use ndjson",
    );
  }
  if (columns !== undefined)
    throw usageFailure(
      "--columns cannot be used with --follow and --out: rows are appended as ndjson",
      "use --fields",
    );
  return { ...options, format: "ndjson" };
}

/** Its run's signal also aborts when a limit is reached. */
type Followed = Awaited<ReturnType<typeof openFollowed>>;

async function openFollowed(run: Run, group: EndpointGroup, input: Input<FollowedFlags>) {
  const { options, report, onClose } = run;
  const { flags } = input;
  const { clock } = run.context;
  const questions = await readQuestions(group, input, options, run.sources);
  const { endpoint, asked, walk } = questions;
  if (asked.length !== 1)
    throw usageFailure(
      `--follow takes one pool, but ${asked.length} were given`,
      "for several pools: dexdata stream - --feed transactions",
    );
  if (options.columns !== undefined)
    checkColumns(new Map([[onlyGroup, rowShape(endpoint)]]), options.columns);
  checkPrefix(options, questions);
  const log = openEventLog(flags.events, report, clock);
  const files = await openFollowOutput(run, flags.out, asked[0] ?? new Map<string, string>());
  const ending = createEnding(clock, run.context.signal, flags.for);
  onClose(ending.release);
  // There is no list to reload, so SIGHUP means that the terminal was closed.
  onClose(run.context.onReload(() => run.context.interrupt({ cause: "SIGHUP" })));
  const context = { ...run.context, signal: ending.signal };
  const present = createServicePresent(clock);
  const freshness = createFreshness(clock);
  const noteAge = createAgeNote(report.note);
  const open = await run.open({
    context,
    speed: flags.speed,
    observer: {
      answered: (exchange) => {
        present.heard(exchange.answer?.headers.get("date"));
        freshness.heard(exchange.url, exchange.age);
        noteAge(exchange.age);
        report.answered(exchange);
      },
    },
  });
  const question = { endpoint, args: asked[0] ?? new Map<string, string>() };
  const subject = subjectOf(question);
  const assets = createTableAssets(context, open.client, options, questions);
  onClose(assets.save);
  const { label } = assets.find(subject.address, subject.network) ?? {};
  const course = createFollowReport(run, log, { ...subject, label });
  const idle = watchRows(clock, flags["idle-exit"], ending);
  const renderer = await createRenderer({
    ...presentationOf(context, options, questions),
    output: files.output,
    isContinued: false,
    // A displayed age would be wrong after a minute, so rows show their time instead.
    hasAges: false,
    findAsset: assets.find,
  });
  // By default, pages are as large as possible, because `--limit` applies to the rows that are written.
  const pageSize = flags["page-size"] === undefined ? 100 : walk.pageSize;
  const stoppable = { ...run, context };
  const { isForeignCopy } = freshness;
  const source = { client: open.client, question, pageSize, isStrict: walk.isStrict, isForeignCopy };
  // The default limits a list. Without --limit, the run goes on.
  const limit = input.typed.has("limit") ? flags.limit : undefined;
  const parts = {
    limit,
    question,
    source,
    open,
    ending,
    course,
    present,
    freshness,
    idle,
    renderer,
    assets,
    files,
  };
  return { run: stoppable, flags, ...parts };
}

/** The `--out` files keep rows from earlier runs. Only one run may write to them, or every row would appear twice. */
async function openFollowOutput(
  { context, options, report, onClose }: Run,
  out: string | undefined,
  args: Question["args"],
): Promise<FollowOutput> {
  const { clock, stdout } = context;
  if (out === undefined) return { output: stdout, split: (rows) => [rows] };
  const names = rowNames(args);
  checkOutPattern(out, clock.now(), Object.keys(names));
  const lockFile = lockOfPattern(out, names);
  const lock = await holdFile(context, out, lockFile, report.remark);
  onClose(lock.release);
  if (!hasFields(out)) refuseUnfinished(out);
  const files = await openAppendedFile(out, clock, report, options.prefix);
  onClose(files.close);
  let time = 0;
  const output: Output = {
    ...files,
    write: async (text) => {
      checkHeld(lock, lockFile);
      await files.write(text, time, names);
    },
  };
  const split = function* (rows: readonly TailRow[]): Iterable<readonly TailRow[]> {
    const parts = new Map<string, TailRow[]>();
    for (const row of rows) {
      const file = fileOf(out, row.at.seconds * 1000, names);
      const part = parts.get(file);
      if (part === undefined) parts.set(file, [row]);
      else part.push(row);
    }
    for (const part of parts.values()) {
      time = (part[0]?.at.seconds ?? 0) * 1000;
      yield part;
    }
  };
  return { output, split };
}

interface FollowOutput {
  readonly output: Output;
  /** Groups the rows by file. Each group must be written before the next one is requested. */
  readonly split: (rows: readonly TailRow[]) => Iterable<readonly TailRow[]>;
}

/** A single file uses the same lock as a pull. If the file name changes, the lock is in the directory that does not. */
function lockOfPattern(fields: string, names: PathNames): string {
  const pattern = fillFields(fields, names);
  const folder = fixedFolder(fields);
  if (!changesWithTime(pattern)) {
    const file = fileOf(fields, 0, names);
    if (hasFields(fields)) makeFolder(path.dirname(file));
    return lockOf(targetOf(file));
  }
  const name = path.relative(folder, path.resolve(pattern)).replaceAll(path.sep, "_");
  return lockOf(path.join(folder, name));
}

/** Returns if a limit is reached and no row is missing. Throws in all other cases. */
async function follow(followed: Followed): Promise<void> {
  const { run, flags, limit, question, source, open, ending, course, present, freshness, renderer } =
    followed;
  const { context, report } = run;
  const { signal } = context;
  const { latest } = present;
  const { poll, out } = flags;
  const writer = createRowWriter(limit, createRowOutput(followed), { ...course, latest });
  const typedFrom = question.args.get("from");
  const from = typedFrom === undefined ? undefined : fromWire(typedFrom);
  let written: WrittenRows | undefined;
  const readWritten = async (): Promise<WrittenRows | undefined> => {
    if (out === undefined || written !== undefined) return written;
    written = await readWrittenRows(out, question, latest());
    if (written !== undefined) course.continued(written, from, latest());
    return written;
  };
  let read = context.clock.elapsed();
  run.metrics?.shows({ rows: writer.count, oldest: () => read, gapSeconds: course.gapSeconds });
  if (poll === undefined)
    run.metrics?.shows({
      connections: () => ({ open: Number(course.isListening()), retrying: Number(!course.isListening()) }),
    });
  const wake = createWake(context.clock, signal);
  let listening: Promise<void> | undefined;
  let isStuck = false;
  let behind: Failure | undefined;
  if (poll !== undefined) report.note(pollLine(poll));
  let isCostSaid = false;
  const sayHowLong = (every: number): void => {
    isCostSaid = true;
    const lasting = creditsLast(open.client.meter.creditsLeft, readsPerHour(every));
    if (lasting !== undefined) report.note(lasting);
  };
  try {
    await followRows({
      context,
      beginning: { ...source, from, readWritten },
      wake,
      latest,
      freshness,
      idle: () => poll ?? (course.isListening() ? idlePollMs : fallbackPollMs),
      handlers: {
        ...course,
        write: writer.write,
        retrying: course.readFailed,
        unwritten: (rows) => {
          isStuck = true;
          course.unwritten(rows);
          // Without this call, rows in the pipe would keep the process alive until the reader resumes reading.
          context.stopWaitingForReader();
        },
        caughtUp: (began, rows) => {
          read = began;
          if (poll !== undefined && !isCostSaid) sayHowLong(poll);
          course.caughtUp(began, rows);
          // Opened only after the history has been read, because earlier events would cost credits without triggering a
          // read.
          if (poll === undefined) listening ??= listen(followed, wake);
        },
      },
    });
    course.closed(endCause(new Stop("limit")));
  } catch (cause) {
    if (signal.reason instanceof Stop) behind = course.behind();
    course.closed(endCause(signal.aborted ? signal.reason : cause));
    if (!(signal.reason instanceof Stop)) throw cause;
  } finally {
    ending.end(new Error("reading ended"));
    await listening;
    course.ended(writer.count(), open.client.meter);
  }
  if (!isStuck) await renderer.end();
  if (behind !== undefined) throw behind;
}

function createRowOutput({ run, question, idle, renderer, assets, files }: Followed) {
  let isFirst = true;
  return async (rows: readonly TailRow[]): Promise<void> => {
    idle?.pause("rows");
    const page = textRows(rows.map(({ text, value }) => ({ row: text, value })));
    await assets.learnFor(question, { group: onlyGroup, rows: page });
    for (const part of files.split(rows)) {
      const lines = textRows(part.map(({ text, value }) => ({ row: text, value })));
      await renderer.page({ group: onlyGroup, rows: assets.inTokens(lines) }, question.args);
    }
    idle?.resume("rows");
    if (!isFirst) return;
    isFirst = false;
    // Missing fields are reported at the start, because a run may take days.
    const missing = missingFields(run.options.fields, question.endpoint, assets.inTokens(page));
    for (const line of [...missing, ...assets.warnings(), ...hiddenColumnWarnings(renderer)])
      run.report.warn(line);
  };
}

function subjectOf({ args }: Question): Subject {
  return { network: args.get("network") ?? "", address: args.get("pool_address") ?? "" };
}

/** If the stream ends permanently, the run ends for the same reason. */
async function listen(followed: Followed, wake: Wake): Promise<void> {
  const { run, flags, question, open, ending, course } = followed;
  const { context, options } = run;
  const streaming = flags["streaming-url"];
  const target = { ...open.client.target, ...(streaming !== undefined && { streaming }) };
  const { pace, client } = open;
  const { ledger, notePlan: counted } = client;
  const { timeout, requiredPlan } = options;
  const plan = { counted, requiredPlan };
  const opening = { target, context, pace, ledger, timeout, command: "txns --follow", ...plan };
  const opener = openerOf({
    ...opening,
    feed,
    kind: feed.kinds[0],
    subjects: [subjectOf(question)],
    params: new Map(),
  });
  const calls = { wake, ledger };
  const handlers = { ...course, retrying: course.streamLost };
  await listenForCalls(context, opener, calls, handlers, context.signal).catch(ending.end);
}

/** `idle` is in milliseconds. Time spent waiting for the reader of the output does not count. */
function watchRows(clock: Clock, idle: number | undefined, { signal, end }: Ending) {
  if (idle === undefined) return undefined;
  const quiet = createQuietWatch<"rows">(clock, idle, signal, () => {
    end(
      fail("idle", `no new row for ${idle / 1000}s (--idle-exit)`, {
        next: "check that the pool has trades: dexdata pool <network> <pool>",
      }),
    );
  });
  quiet.expect("rows");
  return quiet;
}
