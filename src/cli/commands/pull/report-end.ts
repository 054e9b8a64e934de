import type { ApiRequest } from "../../../api/endpoint.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { counted } from "../../../base/text/words.ts";
import { hiddenColumnWarnings } from "../../render/formats/missing-fields.ts";
import type { Renderer } from "../../render/renderer.ts";
import { isCutOff } from "../../../client/page.ts";
import { hintAtEmpty } from "../input/suggestion.ts";
import { higherLimit, moreRowsLine, sameCommand, restOf } from "./continuation.ts";
import { asOfPull, cutOffReason, lacksInputs, lateStart, type OpenedPull, type Pull } from "./pull.ts";
import { type Quote, quoteOf } from "../../render/values/quote.ts";
import type { TableAssets } from "./known-assets.ts";
import { candleWindow, countOpenings, wholeSeconds } from "../../../client/candle-windows.ts";
import { wellKnownNetworks } from "../../../api/known-networks.ts";
import { transactionReach } from "../../../api/endpoints/pool-transactions.ts";
import { member } from "../../../base/json/json-scan.ts";
import { parseTimeBound, showSeconds } from "../../../base/time/time.ts";
import { answerAge } from "../../../api/tier.ts";
import { nameOfDays } from "../../../base/time/days.ts";
import { isDocument } from "../../../client/list-plan.ts";

interface Lines {
  readonly warnings: readonly string[];
  /** What the numbers mean. */
  readonly meanings: Iterable<string>;
  /** Where the list of a single input continues. */
  readonly more: string | undefined;
}

/** Says what a person should know about the rows that were written, and whether a script can rely on them. */
export function reportEnd(run: Pull, renderer: Renderer, { warnings, meanings, more }: Lines): ExitCode {
  const { plan, report, typed, command, reached } = run;
  const { endpoint, argSets, limit } = plan;
  for (const line of [...warnings, ...hiddenColumnWarnings(renderer)]) report.warn(line);
  for (const line of meanings) report.hint(line);
  for (const [group, hidden] of renderer.hidden?.() ?? []) {
    const narrowed = new Map([...typed, ["type", [group]]]);
    report.hint(`${hidden} more ${group}: ${sameCommand(command, narrowed)}`);
  }
  if (renderer.isShortened?.() === true) report.hint("complete addresses: -o wide");
  if (more !== undefined) remarkOnMore(run, more);
  if (reached.totals.unfinished > 0 && argSets.length > 1)
    remarkOnMore(
      run,
      `more rows available for ${reached.totals.unfinished} of ${counted(argSets.length, "input")}; ${higherLimit(endpoint, limit)}`,
    );
  if (reached.totals.rows === 0) report.hint("no results");
  if (tellRowsRead(run)) return 8;
  const unsettled = unsettledDays(run);
  if (unsettled?.exit === 8) {
    report.warn(unsettled.problem);
    return 8;
  }
  if (!lacksInputs(run)) return 0;
  // An earlier run has named them.
  if (run.claim?.interrupted?.progress !== undefined)
    report.warn(`${whyIncomplete(run)} since the pull began`);
  return 8;
}

/** Returns whether rows may be missing and the exit code must show it. A list with a limit is only a sample. */
function tellRowsRead(run: Pull): boolean {
  const { reached, typed, flags, report, options } = run;
  const { rows, rowsRead } = reached.totals;
  if (rowsRead === undefined) return false;
  if (!options.isQuiet)
    report.info(`found ${counted(rows, "pool")} with all tokens in ${counted(rowsRead, "row")}`);
  const cutOff = cutOffReason(run);
  if (cutOff === undefined) return false;
  report.warn(`${cutOff}, but the list continues; more pools may contain all tokens`);
  return typed.has("all") || flags.out !== undefined;
}

/**
 * A default limit is reported even if stdout is a pipe, because a script might mistake a truncated list for the complete
 * result.
 */
function remarkOnMore({ typed, options, context, report }: Pull, line: string): void {
  const isByDefault = !typed.has("limit") && !options.isQuiet && !context.stderr.isTerminal;
  (isByDefault ? report.print : report.hint)(line);
}

/** The service looks for "usdc weth" as one name. */
function betterQuery(query: string): string | undefined {
  if (/^\$\w+$/u.test(query)) return `without $: dexdata search ${query.slice(1)}`;
  const words = query.split(/[\s/]+/u);
  const network = words.find((word) => wellKnownNetworks.has(word.toLowerCase()));
  if (words.length === 1) return undefined;
  return network === undefined
    ? "for the pools of several tokens: dexdata pools search <network> --token <token> --token <token>"
    : `search covers all networks; leave out ${network}`;
}

/** Warns about the likely cause of an empty result. Returns where the list of a single input continues. */
export async function remarksAtEnd(run: Pull, request: ApiRequest): Promise<string | undefined> {
  const { plan, client, typed, reached } = run;
  const { rowsOfQuestion, last: oldest } = reached.totals;
  if (rowsOfQuestion === 0) {
    const hint = await hintAtEmpty({ context: run.context, client, request });
    if (hint !== undefined) run.report.warn(hint);
    const better = betterQuery(request.args.get("query") ?? "");
    if (better !== undefined) run.report.hint(better);
  }
  if (rowsOfQuestion < (plan.limit ?? Number.POSITIVE_INFINITY)) {
    const { now } = run.options;
    const start = startIn(request, now);
    if (start !== undefined && start > Math.min(now / 1000, latestServiceTime(run))) {
      const cause = start > now / 1000 ? "" : "; the local clock is ahead of the service's";
      run.report.warn(`the time range begins in the future: ${showSeconds(start)}${cause}`);
    }
    const doubt = doubtOfReach(request, rowsOfQuestion === 0 ? undefined : oldest, now);
    if (plan.days !== undefined) reached.totals.doubt ??= doubt;
    else if (doubt !== undefined) {
      run.report.warn(doubt);
      reached.totals.doubts = [...(reached.totals.doubts ?? []), doubt];
    }
  }
  const { last } = reached;
  if (last?.request !== request) return undefined;
  const isCut = isCutOff(last.page);
  if (isCut) reached.totals.unfinished += 1;
  if (plan.limit === undefined || isCut) return undefined;
  const { stderr } = run.context;
  // A terminal that does not know its width reports 0.
  const room = (stderr.isTerminal && stderr.columns) || Number.POSITIVE_INFINITY;
  const more = moreRowsLine(request, typed, last.page, plan, room);
  if (more === undefined || plan.argSets.length === 1) return more;
  reached.totals.unfinished += 1;
  return undefined;
}

/** For people: what the numbers mean, and why there are fewer candles than intervals. */
export function tableRemarks(
  run: Pull,
  { endpoint, args }: ApiRequest,
  assets: TableAssets,
): readonly string[] {
  const { options, reached, plan, context } = run;
  if (options.format !== "table" || !context.stdout.isTerminal || reached.totals.rowsOfQuestion === 0)
    return [];
  if (plan.list.kind === "candles") {
    const quote = quoteOf(endpoint, args, plan.argSets.length === 1 ? assets.find : undefined);
    return candleRemarks(run, args, plan.list.fill !== undefined, quote);
  }
  const [shape] = Object.values(endpoint.rows);
  const tokens = assets.find(args.get("pool_address") ?? "", args.get("network"))?.label?.split("/") ?? [];
  const isPool = Object.hasOwn(shape?.record ?? {}, "last_price") && plan.isRecord;
  if (!isPool || tokens.length !== 2 || args.get("inversed") === "true") return [];
  return [`prices and changes of ${tokens[0]} in USD; last_price in ${tokens[1]}`];
}

function candleRemarks(
  { plan, options, reached }: Pull,
  args: ApiRequest["args"],
  isFilled: boolean,
  quote: Quote | undefined,
): readonly string[] {
  const rows = reached.totals.rowsOfQuestion;
  const window = candleWindow(args);
  const until = Math.min(wholeSeconds(window.end), Math.ceil(options.now / 1000));
  const intervals = countOpenings({ ...window, end: String(until) });
  const isSparse = !args.has("count_back") && !isFilled && rows < intervals && plan.argSets.length === 1;
  const isSwappable = args.has("pool_address") && !args.has("inversed");
  const lines: string[] = [];
  if (quote !== undefined && options.picture !== "chart") {
    const of = quote.of === undefined ? "" : `of ${quote.of} `;
    const inverse = isSwappable ? " (for the inverse: --inversed)" : "";
    lines.push(`${args.get("interval")} candles; prices ${of}in ${quote.in}${inverse}`);
  }
  if (isSparse)
    lines.push(`${intervals - rows} of ${intervals} intervals had no trades; --fill null shows them`);
  return lines;
}

/** In Unix seconds. The minute is for clocks that differ slightly, and for headers without fractions of a second. */
function latestServiceTime({ claim, client }: Pull): number {
  const { asOf, age } = client.meter;
  // The times of an interrupted pull are those of its first run.
  if (asOf === undefined || claim?.interrupted !== undefined) return Number.POSITIVE_INFINITY;
  return (asOf + age) / 1000 + answerAge(client.target.tier) + 60;
}

/** In seconds. The service may add a row this late (wire-facts 4.6). */
const lateRows = 240;

interface Unsettled {
  /** All rows before this time are in the output; in Unix seconds. */
  readonly completeTo: number;
  readonly problem: string;
  readonly exit: 0 | 8;
}

/**
 * Undefined unless the days of `--day` can still get rows, or are older than what the service keeps. The clock is that of
 * the pull's first run, and the responses show whether it is ahead of the service's.
 */
export function unsettledDays(run: OpenedPull): Unsettled | undefined {
  const { plan, options, client, reached } = run;
  const { days } = plan;
  if (days === undefined) return undefined;
  const { doubt } = reached.totals;
  if (doubt !== undefined) return { completeTo: days.from, problem: doubt, exit: 8 };
  const now = Math.floor(options.now / 1000);
  const delay = answerAge(client.target.tier) + Math.ceil(client.meter.age / 1000);
  const shownTo = Math.floor((asOfPull(run) ?? Number.POSITIVE_INFINITY) / 1000);
  const settled = Math.min(now - delay, shownTo) - lateRows;
  if (settled >= days.to) return undefined;
  const completeTo = Math.max(days.from, settled);
  if (days.endsNow) return { completeTo, problem: "today has not ended", exit: 0 };
  const from = showSeconds(now + days.to - settled);
  const force = ` with --force${run.to.isResumed ? " instead of --resume" : ""}`;
  const again = `run this again${run.to.file === undefined ? "" : force} at ${from} or later`;
  const problem = `${nameOfDays(days)} can still get rows; to fetch all of them, ${again}`;
  return { completeTo, problem, exit: 8 };
}

/** For example, `28,787 rows in swaps.ndjson, complete`. Counts the rows of earlier runs, too. */
export function outSummary(run: Pull, out: string): string {
  const { plan, options, destination, to, reached } = run;
  const { rows } = reached.totals;
  const files = to.pattern === undefined ? [] : (destination.files() ?? []);
  const isOneFile = to.pattern === undefined || files.length === 1;
  const place = isOneFile ? (files[0]?.file ?? out) : `${counted(files.length, "file")} (${out})`;
  const content =
    options.picture === "chart"
      ? `chart of ${counted(rows, "candle")}`
      : counted(rows, isDocument(plan.list) ? "response" : "row");
  return `${content} in ${place}${stateOf(run)}`;
}

/**
 * A list that the limit cut short is not called complete, although the pull has every row that it was to fetch. Whether
 * a response that is printed as a single document has all rows is unknown.
 */
function stateOf(run: Pull): string {
  const { plan, reached } = run;
  const { totals } = reached;
  const reason = whyIncomplete(run);
  // The warning has said why.
  if (totals.doubts?.[0] === reason) return ", not proved complete";
  if (reason !== null) return `, incomplete: ${reason}`;
  if (plan.list.kind === "once") return "";
  // With --missing skip, the run succeeds although the file lacks prices that were requested.
  if (totals.missing > 0) return `, ${counted(totals.missing, "price")} missing`;
  // A resumed pull may have nothing left to fetch, and then it has no last page.
  const isCut = plan.limit !== undefined && totals.proof === undefined;
  return isCut || restOf(run).more === true ? ", limit reached" : ", complete";
}

/** A result can be incomplete even though the run did not fail. */
export function whyIncomplete(run: OpenedPull): string | null {
  const { totals } = run.reached;
  const cutOff = cutOffReason(run);
  if (cutOff !== undefined) return cutOff;
  const unsettled = unsettledDays(run);
  if (totals.refused === 0 && unsettled !== undefined) return unsettled.problem;
  if (!lacksInputs(run)) return totals.doubts?.[0] ?? lateStart(run) ?? null;
  return totals.refused > 0
    ? `${counted(totals.refused, "input")} rejected`
    : `${counted(totals.missing, "price")} missing`;
}

/**
 * The public service keeps 7 days of transactions, and its counts leave out all others, so nothing else shows the gap.
 * `oldest` is the mark of the last row, and `now` in milliseconds.
 */
function doubtOfReach(request: ApiRequest, oldest: string | undefined, now: number): string | undefined {
  const { args } = request;
  const reach = Math.floor(now / 1000) - transactionReach;
  // Without --from, a range begins with the first transaction. If it has no rows, its end may be too old as well.
  const end = oldest === undefined ? timeIn(args.get("to"), now) : undefined;
  const wanted = args.has("from") ? startIn(request, now) : end;
  if (wanted === undefined || wanted >= reach) return undefined;
  // The service's clock may differ from the local one.
  const time = member(JSON.parse(oldest ?? "{}"), "created_at");
  if (typeof time === "string" && !(Date.parse(time) / 1000 >= reach - 3600)) return undefined;
  return `the range begins before ${showSeconds(reach)}, but the service returned no rows that old; it may keep transactions for only 7 days`;
}

const startIn = ({ args }: ApiRequest, now: number): number | undefined =>
  timeIn(args.get("from") ?? args.get("start") ?? args.get("created_after"), now);

/** In Unix seconds. A raw call has the time as it was typed. */
function timeIn(text: string | undefined, now: number): number | undefined {
  const time = text === undefined ? undefined : parseTimeBound(text, now);
  return time === undefined || "problem" in time ? undefined : time.seconds;
}
