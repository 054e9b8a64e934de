import { nameWithoutGzip } from "../../../rows/encoder.ts";
import type { WantedDestination } from "../../../rows/claim-file.ts";
import { usageFailure } from "../../../base/failure.ts";
import { outputFormats } from "../../../api/output-format.ts";
import { formats } from "../../render/formats/formats.ts";
import { inWords } from "../../../base/text/counted.ts";
import { type RowsOutput, openStdout } from "../../../rows/rows-output.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import type { ParquetOutput } from "./parquet-output.ts";
import type { OpenedPull, Pull } from "./pull.ts";
import { checkSameQuery, queryOf } from "./pull-query.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { checkOutFile, checkReceiptFile, stagingBase, targetOf } from "../../../rows/out-file.ts";
import { hasFields } from "../../../base/files/file-pattern.ts";

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
  if (formats[format].canGrow) return;
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
  const names = outputFormats.filter((format) => formats[format].canGrow);
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
  { context, report, to, claim, options, plan, reached, client: { target } }: OpenedPull,
  { parquet, ...resuming }: Pick<Pull, "seen" | "parquet"> & { readonly canResume: boolean },
): Promise<RowsOutput> {
  if (claim === undefined) return openStdout(context.stdout, to.receipt !== undefined);
  const header = {
    query: queryOf(plan, options),
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
      : (await import("../../../rows/parquet-encoder.ts")).parquetEncoder(parquet.target);
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
