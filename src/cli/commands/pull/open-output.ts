import type { Args } from "../../../api/endpoint.ts";
import {
  nameWithoutGzip,
  checkOutFile,
  checkReceiptFile,
  stagingBase,
  targetOf,
} from "../../../rows/out-file.ts";
import type { WantedDestination } from "../../../rows/claim-file.ts";
import { usageFailure } from "../../../base/failure.ts";
import { outputFormats } from "../../../api/output-format.ts";
import { createRenderer, formats } from "../../render/formats/formats.ts";
import { inWords } from "../../../base/text/words.ts";
import { openStdout, type RowsOutput } from "../../../rows/rows-output.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import type { ParquetOutput } from "./parquet-output.ts";
import { type OpenedPull, type Pull, checkSameQuery, queryOf } from "./pull.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { hasFields } from "../../../base/files/file-pattern.ts";
import type { Context, Output } from "../../../base/context/context.ts";
import { isDocument } from "../../../client/list-plan.ts";
import { collectOutput, withWrite, writePaged } from "../../render/held-output.ts";
import type { Presentation, Renderer } from "../../render/renderer.ts";
import { drawsUnicode, readsUnicode } from "../../render/terminal.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import type { TableAssets } from "./table-assets.ts";

/** Rejects a file that would be overwritten. */
export function readDestination(flags: SharedValues, command: readonly string[]): WantedDestination {
  const { out, receipt } = flags;
  const isResumed = flags.resume === true;
  const isForced = flags.force === true;
  const pattern = out !== undefined && hasFields(out) ? out : undefined;
  const file = pattern === undefined ? out && targetOf(out) : stagingBase(pattern, command);
  if (out !== undefined && pattern === undefined) checkOutFile(out, isResumed || isForced);
  if (receipt !== undefined) checkReceiptFile(receipt, pattern === undefined ? out : file);
  return { file, pattern, isResumed, isForced, receipt };
}

/** Fails if the output of this format cannot go where it should. */
export function checkDestination({ format }: RunOptions, { pattern, isResumed }: WantedDestination): void {
  if (formats[format].columns !== "guessed") return;
  if (pattern !== undefined)
    throw usageFailure(`--out "${pattern}": a table cannot be divided into files`, growingFormats());
  if (!isResumed) return;
  throw usageFailure(
    "--resume cannot be used with --output table: column widths are fixed by the first rows",
    growingFormats(),
  );
}

/** The hint for a format whose output cannot be divided or continued. */
function growingFormats(): string {
  const names = outputFormats.filter((format) => formats[format].columns !== "guessed");
  return `use ${inWords(names, "or")}`;
}

/** Also rejects rows of several kinds. The footer of a file has a receipt of the pull. */
export async function openParquetOutput(opened: OpenedPull): Promise<ParquetOutput | undefined> {
  const { options, plan, flags } = opened;
  if (formats[options.format].binary === undefined) return undefined;
  const { createParquetOutput } = await import("./parquet-output.ts");
  const { footerReceipt } = await import("./receipt.ts");
  return createParquetOutput(plan, options, formatLabel(flags), (written) => footerReceipt(opened, written));
}

export async function openRunOutput(
  opened: OpenedPull,
  { parquet, ...resuming }: Pick<Pull, "seen" | "parquet"> & { readonly canResume: boolean },
): Promise<RowsOutput> {
  const { context, report, to, claim, options, plan, reached } = opened;
  const { target } = opened.client;
  if (claim === undefined) return openStdout(context.stdout, to.receipt !== undefined);
  const header = {
    query: queryOf(opened),
    now: options.now,
    tier: target.tier,
    started: context.clock.now(),
  };
  const { file, interrupted } = claim;
  const begun = interrupted?.header;
  if (begun !== undefined) checkSameQuery(file, begun.query, header.query, plan.endpoint);
  if (begun !== undefined && begun.tier !== target.tier)
    report.warn(`the pull started on the ${begun.tier} plan and continues on the ${target.tier} plan`);
  const { openRowsFile } = await import("../../../rows/rows-file.ts");
  const encoder =
    parquet === undefined
      ? options.encoder
      : (await import("../../../rows/parquet-writer.ts")).parquetEncoder(parquet.target);
  return await openRowsFile(context, {
    claim,
    to,
    header,
    inputs: plan.argSets.length,
    totals: reached.totals,
    encoder,
    ...resuming,
  });
}

/** Rejects flags for text. `isTerminal` applies to stdout, if the rows are printed there. */
export function checkBinaryOutput(options: RunOptions, flags: SharedValues, isTerminal: boolean): void {
  const { format, encoder } = options;
  if (formats[format].binary === undefined) return;
  const label = formatLabel(flags);
  if (flags["no-header"] === true)
    throw usageFailure(
      `--no-header cannot be used with ${label}: ${format} has no header row`,
      "remove --no-header",
    );
  if (encoder !== undefined)
    throw usageFailure(
      `--out "${flags.out}": ${format} files are already compressed`,
      `remove the last extension: --out ${nameWithoutGzip(flags.out ?? "")}`,
    );
  if (flags.out === undefined && isTerminal)
    throw usageFailure(
      `${label} cannot be printed to a terminal`,
      `write it to a file: --out rows.${format}`,
    );
}

/** What the user typed to select the format. */
function formatLabel({ output, out }: SharedValues): string {
  return output === undefined ? `--out "${out}"` : `--output ${output}`;
}

/** Rows go to a file, to several files, through a pager, or to stdout as they arrive. */
export async function openRenderer(
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
