import { isDocument } from "../../../client/list-plan.ts";
import { isConfirmed } from "../../../client/page-end.ts";
import { everyRow, isCutOff, missingIn, notesOf, type Page } from "../../../client/page.ts";
import type { Context, Output } from "../../../base/context/context.ts";
import type { Args, ApiRequest } from "../../../api/args.ts";
import { rowShape } from "../../../api/endpoint.ts";
import { isLong } from "../../../api/reply.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { Failure, affectsOneInput } from "../../../base/failure.ts";
import { answers, countEnd, countPage, type Part, remarksIn } from "../../../rows/pull.ts";
import { createRenderer, formats } from "../../render/formats/formats.ts";
import { answerShapes, watchFields } from "../../render/formats/missing-fields.ts";
import type { Presentation, Renderer } from "../../render/renderer.ts";
import { collectForPager, writePaged } from "../../render/paged.ts";
import { drawsUnicode, readsUnicode } from "../../render/terminal.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import { createListKeeper, hintAtEmpty, hintAtReach, withSuggestion } from "../input/suggestion.ts";
import { moreRowsLine } from "./continuation.ts";
import { reportEnd } from "./report-end.ts";
import type { Pull } from "./pull.ts";
import { createTableAssets, loadTrades, type TableAssets } from "./table-assets.ts";
import { tableRemarks } from "./table-remarks.ts";

/** Fetches one query after another, page by page. */
export async function fetchAndPrint(run: Pull): Promise<ExitCode> {
  const { plan, client, options, reached, seen } = run;
  await announce(run);
  // A path into a value is read from the row's text.
  const prefix = options.prefix?.filter((field) => !field.includes(".")) ?? [];
  const located = plan.amounts === undefined ? prefix : [...prefix, ...(await loadTrades()).tradeFields];
  const reading = { ...everyRow(seen), wanted: plan.limit, located };
  const pullOptions = { ...plan, ...reading, isValidated: options.isValidated };
  const parts = answers(client, pullOptions, { ...reached.totals });
  const first = parts.next();
  // The failure is handled later, when the loop reaches this part.
  first.catch(() => undefined);
  // The renderer loads while the first request is being processed.
  await run.context.yieldToSocket();
  const assets = createTableAssets(run.context, client, options, plan);
  const renderer = await openRenderer(run, assets);
  try {
    return await answerAll(run, { renderer, assets }, first, parts);
  } catch (cause) {
    await parts.return(undefined).catch(() => undefined);
    await renderer.release?.();
    throw cause;
  }
}

/** A single request costs what a person expects, so its estimate is not even loaded. */
async function announce({ context, options, plan, destination, report }: Pull, left?: number) {
  const { endpoint, argSets, limit = Number.POSITIVE_INFINITY, list, timed } = plan;
  const isTable =
    context.stdout.isTerminal && destination.rowsAt() === undefined && options.format === "table";
  const isOneRequest = argSets.length === 1 && (!isLong(endpoint.reply) || limit <= list.pageSize);
  if (!isTable || isOneRequest || timed !== undefined) return;
  const { announceCost } = await import("./announce-cost.ts");
  announceCost(plan, report, left);
}

interface Shown {
  readonly renderer: Renderer;
  readonly assets: TableAssets;
}

async function answerAll(
  run: Pull,
  { renderer, assets }: Shown,
  first: Promise<IteratorResult<Part>>,
  rest: AsyncGenerator<Part>,
): Promise<ExitCode> {
  const { context, client, plan, destination } = run;
  const { totals } = run.reached;
  const { endpoint, groups, list } = plan;
  const shapes = isDocument(list) ? answerShapes(endpoint) : groups.map((group) => rowShape(endpoint, group));
  const missing = watchFields(run.options.fields, shapes);
  const [failures, remarks]: [Failure[], string[]] = [[], []];
  const meanings = new Set<string>();
  // An error that concerns only one input is saved until the other inputs have been fetched.
  const keep = async (cause: Failure, request: ApiRequest): Promise<void> => {
    const failure = await withSuggestion(cause, { context, client, request });
    if (!affectsOneInput(failure)) throw failure;
    failures.push(failure);
    totals.refused += 1;
  };
  // A resumed pull starts in the middle of its list, so the list cannot be saved for suggestions.
  const keeper = totals.rows > 0 ? undefined : createListKeeper(context, client, plan);
  for (let next = await first; next.done !== true; next = await rest.next()) {
    const part = next.value;
    const { request } = part;
    if (part.kind === "page") {
      if (run.reached.last === undefined && plan.limit === undefined) await announce(run, part.page.left);
      await assets.learnFor(request, part.page);
      const page = { ...part.page, rows: assets.inTokens(part.page.rows) };
      await showPage(run, request, page, { renderer, assets });
      missing.see(page);
      keeper?.take(part.page);
      for (const { failure, args } of notesOf(part.page, "refused"))
        await keep(failure, { ...request, args });
      if (totals.at !== undefined && isConfirmed(part.page)) await destination.checkpoint(client.meter);
      continue;
    }
    if (part.kind === "failure") {
      // If this is the only input or it was partly fetched, its failure ends the run. The rest can still be fetched
      // later.
      if (plan.argSets.length === 1 || totals.at !== undefined)
        throw await withSuggestion(part.failure, { context, client, request });
      await keep(part.failure, request);
    }
    if (part.kind === "end") {
      keeper?.end(request);
      remarks.push(...(await remarksAtEnd(run, request)));
      for (const line of tableRemarks(run, request, assets)) meanings.add(line);
    }
    countEnd(totals, part.index);
    // If there are no rows, another run would report the same errors again, so there is nothing to save.
    if (totals.rows > 0 || totals.missing > 0 || part.kind === "end")
      await destination.checkpoint(client.meter);
  }
  const [failure] = failures;
  if (failure !== undefined && totals.rows === 0 && totals.missing === 0) {
    await sayRefused(run, failures.slice(1));
    throw failure;
  }
  await renderer.end();
  assets.save();
  await sayRefused(run, failures);
  const warnings = [...remarksIn(totals), ...assets.warnings(), ...missing.remarks()];
  return reportEnd(run, renderer, { warnings, meanings, more: remarks });
}

/** In the same form as a run's failure. */
async function sayRefused({ options, report }: Pull, failures: readonly Failure[]): Promise<void> {
  if (failures.length === 0) return;
  const { failureJson } = await import("../../run/failure-text.ts");
  const isJson = options.errorFormat === "json";
  for (const failure of failures)
    if (isJson) report.print(failureJson(failure).trimEnd());
    else report.fault(failure.message);
}

async function showPage(
  run: Pull,
  request: ApiRequest,
  page: Page,
  { renderer, assets }: Shown,
): Promise<void> {
  // Every page of a list may contain the same warning.
  const { last } = run.reached;
  const said = last === undefined ? [] : notesOf(last.page, "warning").map(({ text }) => text);
  for (const { text } of notesOf(page, "warning")) if (!said.includes(text)) run.report.warn(text);
  if (run.plan.missing !== "null") {
    for (const subject of missingIn(page)) run.report.warn(`no price for ${assets.titleOf(subject)}`);
  }
  await renderer.page(page, request.args);
  countPage(run.reached.totals, request, page);
  run.reached.last = { request, page };
}

/** Warns about the likely cause of an empty result. */
async function remarksAtEnd(run: Pull, request: ApiRequest): Promise<readonly string[]> {
  const { plan, client, typed, reached } = run;
  const { rowsOfQuestion, last: oldest } = reached.totals;
  if (rowsOfQuestion === 0) {
    const hint = await hintAtEmpty({ context: run.context, client, request });
    if (hint !== undefined) run.report.warn(hint);
  }
  if (rowsOfQuestion < (plan.limit ?? Number.POSITIVE_INFINITY)) {
    const hint = hintAtReach(request, rowsOfQuestion === 0 ? undefined : oldest, run.options.now);
    if (plan.days !== undefined) reached.doubt ??= hint;
    else if (hint !== undefined) run.report.warn(hint);
  }
  const { last } = reached;
  if (plan.limit === undefined || last?.request !== request || isCutOff(last.page)) return [];
  const { stderr } = run.context;
  // A terminal that does not know its width reports 0.
  const room = (stderr.isTerminal && stderr.columns) || Number.POSITIVE_INFINITY;
  const more = moreRowsLine(request, typed, last.page, plan, room);
  if (more === undefined || plan.argSets.length === 1) return more === undefined ? [] : [more];
  reached.unfinished += 1;
  return [];
}

async function openRenderer(
  { context, typed, options, plan, destination, report, reached, parquet }: Pull,
  assets: TableAssets,
): Promise<Renderer> {
  const { stdout } = context;
  const { sink, split } = destination;
  const isFile = split !== undefined || destination.rowsAt() !== undefined;
  const create = async (output: Output, isContinued: boolean): Promise<Renderer> =>
    await createRenderer({
      ...presentationOf(context, options, plan),
      format: isFile ? (formats[options.format].binary?.stagedAs ?? options.format) : options.format,
      parquet: parquet?.target,
      output,
      isContinued,
      findAsset: assets.find,
    });
  if (split !== undefined) {
    const { createSplitRenderer } = await import("./split-pages.ts");
    return createSplitRenderer({ ...split, plan, now: options.now, create, warn: report.warn });
  }
  // Rows that need several requests are shown as they arrive.
  const { argSets, limit = 0, list } = plan;
  const isShort = list.pageSize === 0 || limit <= list.pageSize;
  const isOneRequest = argSets.length === 1 && isShort && !typed.has("all");
  const canPage = options.hasPager && options.format === "table" && !isFile;
  if (canPage && isOneRequest && stdout.page !== undefined) {
    const paged = collectForPager(stdout);
    const renderer = await create(paged.output, false);
    return {
      ...renderer,
      release: async () => {
        await renderer.release?.();
        await stdout.write(paged.take());
      },
      end: async () => {
        await renderer.end();
        await writePaged(stdout, paged.take());
      },
    };
  }
  const output = {
    isTerminal: stdout.isTerminal,
    columns: stdout.columns,
    rows: stdout.rows,
    write: sink.write,
  };
  return await create(output, reached.totals.rows > 0);
}

export function presentationOf(
  { env }: Pick<Context, "env">,
  options: RunOptions,
  plan: PullPlan,
): Omit<Presentation, "output" | "isContinued"> {
  return {
    ...options,
    ...plan,
    isWhole: isDocument(plan.list),
    queried: queriedFields(plan.argSets[0]),
    isUnicode: options.picture === undefined ? readsUnicode(env) : drawsUnicode(env),
    chart: options.picture === "chart" ? plan.argSets[0] : undefined,
    hasSparks: options.picture === "spark",
    // A date or -1h stands for a time, which the table shows.
    hasAges: plan.timed === undefined,
    lead: plan.timed?.lead?.header,
    parquet: undefined,
    findAsset: undefined,
    before: undefined,
    isOn: undefined,
  };
}

/** Of `created_after` and `liquidity_usd_min`, for example, `created_at` and `liquidity_usd`. */
function queriedFields(args: Args = new Map()): readonly string[] {
  const filters = [...args.keys()].filter((name) => /_(?:after|before|min|max)$/u.test(name));
  const filtered = filters.map((name) =>
    name.replace(/_(?:min|max)$/u, "").replace(/_(?:after|before)$/u, "_at"),
  );
  return [args.get("order_by"), ...filtered].filter((field) => field !== undefined);
}
