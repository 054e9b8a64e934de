import type { ExitCode } from "../../../base/exit-codes.ts";
import { explainEarlyEnd } from "./continuation.ts";
import { type Pull, presentationOf } from "./pull.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import { isDocument } from "../../../client/list-plan.ts";
import { everyRow, missingIn, type Page, warningsIn } from "../../../client/page.ts";
import { noPriceReasons } from "../../../api/record.ts";
import { member } from "../../../base/json/json-scan.ts";
import { rowShape, type ApiRequest } from "../../../api/endpoint.ts";
import { yieldToSocket } from "../../../base/concurrent.ts";
import { affectsOneInput, fail, type Failure } from "../../../base/failure.ts";
import { type PullSink, remarksIn, startPull } from "../../../rows/pull.ts";
import { answerShapes, watchFields } from "../../render/formats/missing-fields.ts";
import { createRenderer, formats } from "../../render/formats/formats.ts";
import { collectOutput, withWrite, writePaged } from "../../render/held-output.ts";
import type { Output } from "../../../base/context/context.ts";
import type { Renderer } from "../../render/renderer.ts";
import { createListKeeper, withSuggestion } from "../input/suggestion.ts";
import { outSummary, remarksAtEnd, reportEnd, tableRemarks } from "./report-end.ts";
import { createTableAssets, type TableAssets } from "./known-assets.ts";

/** However the pull ends, the file and the receipt reflect it. */
export async function printAndClose(run: Pull): Promise<ExitCode> {
  const started = run.context.clock.now();
  // Loaded before the rows, because an update of dexdata may replace its files during a long pull.
  const receipt = run.to.receipt === undefined ? undefined : await import("./receipt.ts");
  const leaveReceipt = (exit: number, failure?: unknown): void =>
    receipt?.writeReceipt(run, { started, exit, failure });
  let exit: ExitCode;
  try {
    exit = await printRows(run).catch(async (cause: unknown) => {
      await run.destination.abort(run.client.meter);
      throw cause;
    });
    await run.destination.commit();
    for (const line of run.parquet?.notes() ?? []) run.report.info(line);
  } catch (cause) {
    const failure = explainEarlyEnd(cause, run);
    // The pull's failure is more important than a failure to write the receipt.
    try {
      leaveReceipt(1, failure);
    } catch (problem) {
      run.report.warn(problem instanceof Error ? problem.message : String(problem));
    }
    throw failure;
  }
  leaveReceipt(exit);
  run.destination.removeCheckpoint();
  tellOutput(run);
  return exit;
}

function tellOutput(run: Pull): void {
  const { context, options, report, flags } = run;
  const { out } = flags;
  if (out === undefined || !(context.stderr.isTerminal || options.hasStats)) return;
  (options.hasStats ? report.print : report.hint)(outSummary(run, out));
}

/** Writes the rows of a pull to its output, page by page, and says at the end what a person should know about them. */
async function printRows(run: Pull): Promise<ExitCode> {
  const { plan, client, options, reached, seen } = run;
  // A path into a value is read from the row's text.
  const indexedFields = options.prefix?.filter((field) => !field.includes(".")) ?? [];
  const reading = { ...everyRow(seen), wanted: plan.limit, indexedFields };
  const pullInto = startPull(
    client,
    { ...plan, ...reading, isValidated: options.isValidated },
    reached.totals,
  );
  // The renderer loads while the first request is being processed.
  await yieldToSocket();
  const assets = createTableAssets(run, client, plan);
  const renderer = await openRenderer(run, assets);
  const printer = createPrinter(run, renderer, assets);
  try {
    await pullInto(printer.sink);
    return await printer.end();
  } catch (cause) {
    await printer.tellRefused();
    await renderer.release?.();
    throw cause;
  }
}

/** Rows go to a file, to several files, through a pager, or to stdout as they arrive. */
async function openRenderer(run: Pull, assets: TableAssets): Promise<Renderer> {
  const { context, typed, options, plan, destination, reached, parquet } = run;
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
    return createSplitRenderer(run, split, create);
  }
  // Rows that need several requests are shown as they arrive.
  const { argSets, limit = 0, list } = plan;
  const isShort = list.pageSize === 0 || limit <= list.pageSize;
  const isOneRequest = argSets.length === 1 && isShort && !typed.has("all");
  const canPage = options.hasPager && options.format === "table" && !isFile;
  if (canPage && isOneRequest && stdout.page !== undefined) {
    const paged = collectOutput(stdout);
    const renderer = await create(paged.output, false);
    return {
      ...renderer,
      release: async () => {
        await renderer.release?.();
        await stdout.write(paged.take());
      },
      end: async () => {
        await renderer.end();
        await writePaged(stdout, paged.take().toString());
      },
    };
  }
  return await create(withWrite(stdout, sink.write), reached.totals.rows > 0);
}

/** If the network of all inputs is unknown, every further request would fail, and cost a credit. */
function affectsEveryInput({ details }: Failure, { args }: ApiRequest, { argSets, list }: PullPlan): boolean {
  if (details.code !== "unsupported_network") return false;
  const networks =
    list.kind === "batch"
      ? list.subjects.map((subject) => subject.network)
      : argSets.map((each) => each.get("network"));
  return networks.every((network) => network === args.get("network"));
}

function createPrinter(run: Pull, renderer: Renderer, assets: TableAssets) {
  const { context, client, plan, destination } = run;
  const { totals } = run.reached;
  const { endpoint, groups, list } = plan;
  const shapes = isDocument(list) ? answerShapes(endpoint) : groups.map((group) => rowShape(endpoint, group));
  const missing = watchFields(run.options.fields, shapes);
  /** By what they say, because a network, for example, may be unknown for several inputs. */
  const failures = new Map<string, Failure>();
  const meanings = new Set<string>();
  let more: string | undefined;
  // An error that concerns only one input is saved until the other inputs have been fetched.
  const keep = async (cause: Failure, request: ApiRequest): Promise<void> => {
    const failure = await withSuggestion(cause, { context, client, request });
    if (!affectsOneInput(failure) || affectsEveryInput(failure, request, plan)) throw failure;
    failures.set(`${failure.message}\n${failure.details.why}`, failure);
  };
  // Values that people type are saved for suggestions. A resumed pull starts in the middle of its list.
  const isKept = endpoint.typedFields !== undefined && totals.rows === 0;
  const keeper = isKept ? createListKeeper(context, client, plan) : undefined;
  const sink: PullSink = {
    page: async (page, request) => {
      await assets.learnFor(request, page);
      const shown = { ...page, rows: assets.inTokens(page.rows) };
      await warnOfPage(run, shown, assets);
      await renderer.page(shown, request.args);
      run.reached.last = { request, page: shown };
      missing.see(shown);
      if (!run.typed.has("pool") && lacksTokens(page))
        meanings.add(`unknown_token: ${noPriceReasons.unknown_token.next}`);
      keeper?.take(page);
      return "continue";
    },
    refused: keep,
    failure: async (failure, request) => {
      // If this is the only input or it was partly fetched, its failure ends the run. The rest can still be fetched
      // later.
      if (plan.argSets.length === 1 || totals.at !== undefined)
        throw await withSuggestion(failure, { context, client, request });
      await keep(failure, request);
      totals.refused += 1;
      return "continue";
    },
    end: async (request) => {
      keeper?.end(request);
      more = await remarksAtEnd(run, request);
      for (const line of tableRemarks(run, request, assets)) meanings.add(line);
    },
    checkpoint: async () => await destination.checkpoint(client.meter),
  };
  /** Also if another failure ends the run, because a run that resumes the pull does not request them again. */
  const tellRefused = async (): Promise<void> => {
    const all = [...failures.values()];
    failures.clear();
    await sayRefused(run, all);
  };
  const end = async (): Promise<ExitCode> => {
    const [first] = totals.rows === 0 && totals.missing === 0 ? failures : [];
    if (first !== undefined) {
      failures.delete(first[0]);
      throw first[1];
    }
    await renderer.end();
    assets.save();
    await tellRefused();
    const warnings = [...remarksIn(totals), ...assets.warnings(), ...missing.remarks()];
    return reportEnd(run, renderer, { warnings, meanings, more });
  };
  return { sink, end, tellRefused };
}

/** Of the prices at a time. A pool's address is the usual cause. */
const lacksTokens = (page: Page): boolean =>
  missingIn(page).length > 0 && page.rows.values().some((row) => member(row, "reason") === "unknown_token");

async function sayRefused(run: Pull, failures: readonly Failure[]): Promise<void> {
  if (failures.length === 0) return;
  const { reportInput } = await import("../../run/failure-text.ts");
  // Failures of the same kind share one hint, for example if a hundred tokens are unknown.
  for (const [index, failure] of failures.entries())
    reportInput(run, failure, failure.code !== failures[index + 1]?.code);
}

/** Every page of a list may contain the same warning, so it is printed once. */
async function warnOfPage(run: Pull, page: Page, assets: TableAssets): Promise<void> {
  const { reached, report, plan, options } = run;
  const said = reached.last === undefined ? [] : warningsIn(reached.last.page);
  for (const text of warningsIn(page)) if (!said.includes(text)) report.warn(text);
  if (plan.missing === "null") return;
  const missing = missingIn(page);
  const texts = missing.map((subject) => `no price for ${assets.titleOf(subject)}`);
  if (plan.missing === "fail" && options.errorFormat === "json")
    return await sayRefused(
      run,
      texts.map((text) => fail("no_price", text)),
    );
  for (const text of texts) report.warn(text);
  const [only, another] = missing;
  if (only === undefined || another !== undefined) return;
  const ifPool = `if it is a pool: dexdata pool ${only.network} ${only.address}`;
  report.hint(`${ifPool}; search all networks: dexdata search ${only.address}`);
}
