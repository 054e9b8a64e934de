import { isPaged } from "../../../api/reply.ts";
import { isConfirmed, nextOf, type Page, type Position } from "../../../client/page.ts";
import type { Args, Endpoint, ApiRequest } from "../../../api/endpoint.ts";
import { formatByName, formats, namesColumns } from "../../render/formats/formats.ts";
import { openingOf } from "../../../client/candle-windows.ts";
import { parseRow } from "../../../client/rows.ts";
import { formatInstant, fromWire, wireOf } from "../../../base/time/time.ts";
import { flagWords, type TypedFlags } from "../../run/flags/flag.ts";
import { inSandbox } from "../../run/report.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import type { PlannedPull, Pull } from "./pull.ts";
import { isInterruption } from "../../../base/context/context.ts";
import { Failure } from "../../../base/failure.ts";
import { counted, quoted } from "../../../base/text/words.ts";
import { systemFailure } from "../../../base/files/file-errors.ts";
import type { RunOptions } from "../../run/run-options.ts";

/** Flags that the next command does not repeat: the position in the list, this run's files, and details of its requests. */
const ofThisRun: ReadonlySet<string> = new Set(
  "cursor page page-size field paginate day out resume force receipt verbose".split(" "),
);

const rowsAvailable = "more rows available";

/**
 * The line about the rest of a list; undefined if the list ends. `room` is the width of the terminal. The command to
 * continue only fetches as many rows again, so it is left out if it does not fit on the line.
 */
export function moreRowsLine(
  request: ApiRequest,
  flags: TypedFlags,
  page: Page,
  { limit, list }: Pick<PullPlan, "limit" | "list">,
  room: number,
): string | undefined {
  const end = nextOf(page);
  const isRest = end !== undefined && end.flag !== "subject" && !isCountReached(page);
  if (page.end.kind !== "cut" && !isRest) return undefined;
  const line = `${rowsAvailable}; ${higherLimit(request.endpoint, limit)}`;
  const next = nextPage(request, flags, page, list.pageSize, undefined);
  if (next === undefined) return line;
  const full = `${line}; ${next}`;
  return full.length <= room ? full : line;
}

/** A full page may end the list. Only its count shows that, because the next page was not requested. */
function isCountReached(page: Page): boolean {
  return page.left === 0 && isConfirmed(page);
}

/** Lists without `--all` are complete unless a limit is set. */
export function higherLimit({ raw, reply }: Endpoint, limit = 0): string {
  const hasAll = raw === undefined && isPaged(reply);
  return `use e.g. --limit ${5 * limit}${hasAll ? " or --all" : ", or leave it out"}`;
}

/**
 * A position in another list cannot be given as a flag. If all rows of a page are events of one transaction, the next
 * page begins with them, too, and only a larger page leads past them.
 */
function positionAfter(page: Page): Position | undefined {
  const next = nextOf(page);
  const isSame = next !== undefined && next.flag === page.at?.flag && next.value === page.at.value;
  return isSame || next?.flag === "subject" || next?.list !== undefined ? undefined : next;
}

/**
 * For example, `next page: dexdata …`; undefined if the list ends or no command can fetch the rest. If a pull failed,
 * `left` is the number of requested rows that it did not fetch.
 */
function nextPage(
  request: ApiRequest,
  allFlags: TypedFlags,
  page: Page,
  pageSize: number,
  left: number | undefined,
): string | undefined {
  const flags = left === undefined ? allFlags : new Map([...allFlags, ["limit", [String(left)]]]);
  if (page.end.kind !== "cut") {
    const next = positionAfter(page);
    if (next === undefined) return undefined;
    if (flags.get("fill")?.at(-1) === "previous" && next.before !== undefined) {
      // No flag sets the previous close, so the next command begins with the candle that has it.
      const last = { ...next, value: wireOf(openingOf(parseRow(next.before))) };
      return `next page (starts at the last candle with trades): ${continuingCommand(request, flags, last, pageSize)}`;
    }
    return `next page: ${continuingCommand(request, flags, next, pageSize)}`;
  }
  // A cursor refers to the start of a page, so a partly used page has to be requested again.
  const { at } = page;
  const isFirst = at?.flag === "page" && at.value === "1" && at.to === undefined;
  if (at === undefined || isFirst || at.list !== undefined) return undefined;
  const command = continuingCommand(request, flags, at, pageSize);
  return `next page (repeats ${counted(page.rows.length, "row")}): ${command}`;
}

/** Times are written as resolved, so that a relative time does not change. */
function continuingCommand(request: ApiRequest, flags: TypedFlags, from: Position, pageSize: number): string {
  const { raw } = request.endpoint;
  const words = ["dexdata", ...(raw === undefined ? ownWords(request, flags, from) : ["api", raw.path])];
  words.push(...flagWords(new Map([...flags].filter(([name]) => isRepeated(request.endpoint, name)))));
  // The first output already has the header.
  if (namesColumns(flags.get("output")?.at(-1)) && !flags.has("no-header")) words.push("--no-header");
  if (raw !== undefined) words.push("--paginate", ...fieldWords(request, from, pageSize));
  else {
    if (flags.has("page-size") || from.flag === "page") words.push("--page-size", String(pageSize));
    words.push(`--${from.flag}`, shownPosition(from.flag, from.value));
  }
  return words.map(quoted).join(" ");
}

/** `ownWords` writes the parameters, with their resolved values. */
function isRepeated({ params, chosenBy }: Endpoint, name: string): boolean {
  return !ofThisRun.has(name) && name !== chosenBy && !params.some(({ flag }) => flag === name);
}

function ownWords({ endpoint, args }: ApiRequest, flags: TypedFlags, from: Position): readonly string[] {
  const words = [...commandWords(endpoint, args)];
  for (const { name, flag, place, kind } of endpoint.params) {
    // The time range was fixed when the pull started.
    const value = name === "to" ? (from.to ?? args.get(name)) : args.get(name);
    if (place !== "query" || flag === undefined || value === undefined) continue;
    // `from` replaces both flags, because they would repeat the start of the range.
    if (from.flag === "from" && (flag === "from" || flag === "count-back")) continue;
    if (kind.kind === "toggle") words.push(...(flags.has(flag) ? [`--${flag}`] : []));
    else words.push(`--${flag}`, kind.kind === "time" ? formatInstant(fromWire(value)) : value);
  }
  return words;
}

/** The words that select the endpoint and its path on the command line. */
export function commandWords({ command, params, chosenBy }: Endpoint, args: Args): readonly string[] {
  const taken = params.filter(({ place }) => place === "path").flatMap(({ name }) => args.get(name) ?? []);
  const words = [...command.split(" "), ...taken];
  return chosenBy === undefined ? words : [...words, `--${chosenBy}`];
}

/** A raw call's position and page size are parameters as well. */
function fieldWords({ endpoint, args }: ApiRequest, from: Position, pageSize: number): readonly string[] {
  const typed = endpoint.params.flatMap(({ name, givenAs }): readonly [string, string][] => {
    const value = givenAs === "field" ? args.get(name) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  const bound = from.to === undefined ? [] : [["to", from.to] as const];
  const fields = new Map([...typed, ...bound, ["limit", String(pageSize)], [from.flag, from.value]]);
  return [...fields].flatMap(([name, value]) => ["--field", `${name}=${value}`]);
}

/** Whether and where the list continues after the rows that were written. */
interface Rest {
  /** Null if no page was received or a response was printed unchanged. */
  readonly more: boolean | null;
  /** Null if only part of the last page was used. */
  readonly next: Readonly<Record<string, string>> | null;
}

export function restOf({ plan, reached: { last, totals } }: PlannedPull): Rest {
  if (totals.unfinished > 0) return { more: true, next: null };
  if (last === undefined || plan.list.kind === "once") return { more: null, next: null };
  // The position does not name its input.
  if (plan.argSets.length > 1 && totals.question < plan.argSets.length) return { more: true, next: null };
  const { end } = last.page;
  if (end.kind === "last" || (end.kind === "more" && isCountReached(last.page)))
    return { more: false, next: null };
  // Rows may be missing before a position that is not confirmed.
  if (end.kind === "cut" || !isConfirmed(last.page) || positionAfter(last.page) === undefined)
    return { more: true, next: null };
  const { next } = end;
  return { more: true, next: { [next.flag]: next.value, ...(next.to !== undefined && { to: next.to }) } };
}

const shownPosition = (flag: string, value: string): string =>
  flag === "from" || flag === "to" ? formatInstant(fromWire(value)) : value;

/** For example, `more rows: --cursor abc`; undefined if no list continues. */
export function restText(run: PlannedPull): string | undefined {
  const { more, next } = restOf(run);
  if (more !== true) return undefined;
  if (next === null) return rowsAvailable;
  const isRaw = run.plan.endpoint.raw !== undefined;
  const flags = Object.entries(next).map(([name, value]) =>
    isRaw ? `--field ${quoted(`${name}=${value}`)}` : `--${name} ${quoted(shownPosition(name, value))}`,
  );
  return `more rows: ${flags.join(" ")}`;
}

/**
 * Extends the error that ended a pull early with the number of fetched rows and the command to continue. Otherwise, the
 * rows could be mistaken for the complete result. A signal is not a failure and results in a notice.
 */
export function explainEarlyEnd(thrown: unknown, run: Pull): unknown {
  // A write that fails because the reader closed the pipe is not an output error.
  const cause = run.context.signal.aborted ? run.context.signal.reason : (systemFailure(thrown) ?? thrown);
  const { rows } = run.reached.totals;
  const next = resumeHint(run);
  const hasPart = rows > 0 || run.destination.canContinue();
  if (isInterruption(cause) && cause.cause !== "closed-pipe" && (hasPart || run.to.isResumed)) {
    run.report.info(`interrupted after ${counted(rows, "row")}${next === undefined ? "" : `; ${next}`}`);
  }
  if (!(cause instanceof Failure) || !hasPart) return cause;
  const { code, isDamaged, next: advice } = cause.details;
  const isLasting = code === "output" || (cause.exit >= 4 && cause.exit <= 6);
  // --max-credits starts over with the next run.
  const hasBoth = isLasting && code !== "max_credits" && advice !== undefined && next !== undefined;
  // The way out is mentioned first, because the command to continue would run into the same problem again: the output,
  // the key or plan, the credits or the rate limit.
  const way = advice !== undefined && run.options.sandbox?.isFlagged === true ? inSandbox(advice) : advice;
  const both = hasBoth ? `${way}; ${next}` : (next ?? way);
  const isUnreadable = run.options.picture === "chart" || isCutBinary(run) || isFileDropped(run);
  const done = isUnreadable ? "fetched" : "written";
  return new Failure(`${cause.message}; ${counted(rows, "row")} ${done}`, {
    ...cause.details,
    next: isDamaged === true || code === "unsupported_network" ? advice : both,
  });
}

/** A file that a later run cannot continue. */
const isFileDropped = ({ to, destination }: Pull): boolean =>
  to.file !== undefined && !to.isResumed && !destination.canContinue();

/** Binary output to a pipe; a file keeps its staged rows. */
function isCutBinary({ options: { format }, to: { file } }: Pull): boolean {
  return file === undefined && formats[format].binary !== undefined;
}

function resumeHint(run: Pull): string | undefined {
  const { plan, reached, command, typed: given, destination, options, to } = run;
  const { last } = reached;
  if (options.picture === "chart") return `no chart was drawn; try again: ${sameCommand(command, given)}`;
  if (isCutBinary(run))
    return `without its end, ${options.format} output cannot be read; try again: ${sameCommand(command, given)}`;
  // Its newest candles are requested first but written last, so only another run from the start can get them all.
  if (given.has("count-back") && plan.argSets.length === 1 && !destination.canContinue()) return undefined;
  if (to.isResumed || destination.canContinue())
    return `continue: ${sameCommand(command, new Map([...given, ["resume", [undefined]]]))}`;
  if (to.file !== undefined)
    return `${to.pattern ?? to.file} was not ${to.isForced ? "changed" : "written"}; for a resumable pull: ${resumable(command, given, options)} --resume`;
  if (last === undefined) return undefined;
  // There is no flag that selects which of several inputs to start with.
  if (plan.argSets.length > 1 || nextOf(last.page)?.flag === "subject")
    return `some inputs were not processed; for a resumable pull: ${resumable(command, given, options)} --out FILE --resume`;
  const left = plan.limit === undefined ? undefined : plan.limit - reached.totals.rowsOfQuestion;
  if (left !== undefined && left <= 0) return undefined;
  if (!isConfirmed(last.page))
    return `rows may be missing; for a resumable pull: ${resumable(command, given, options)} --out FILE --resume`;
  const next = nextPage(last.request, given, last.page, plan.list.pageSize, left);
  return next === undefined ? undefined : `${rowsAvailable}; ${next}`;
}

/** A pull with table output cannot be resumed, so that format is omitted, or overridden if the settings select it. */
function resumable(command: readonly string[], typed: TypedFlags, { format, settings }: RunOptions): string {
  if (formats[format].columns !== "guessed") return sameCommand(command, typed);
  const others = new Map([...typed].filter(([name]) => !["output", "columns", "spark"].includes(name)));
  const kept = formatByName(typed.get("out")?.at(-1)) ?? settings.output.value;
  if (kept === "table" || kept === "wide") others.set("output", ["ndjson"]);
  return sameCommand(command, others);
}

/** As the user typed it, quoted for a shell. */
export function sameCommand(command: readonly string[], typed: TypedFlags): string {
  const flags = new Map([...typed].filter(([name]) => name !== "verbose" && name !== "force"));
  return ["dexdata", ...command, ...flagWords(flags)].map(quoted).join(" ");
}
