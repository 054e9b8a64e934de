import type { Args } from "../../../api/args.ts";
import type { Context, Output } from "../../../base/context/context.ts";
import { isDocument } from "../../../client/list-plan.ts";
import { createRenderer, formats } from "../../render/formats/formats.ts";
import { collectForPager, writePaged } from "../../render/paged.ts";
import type { Presentation, Renderer } from "../../render/renderer.ts";
import { drawsUnicode, readsUnicode } from "../../render/terminal.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import type { Pull } from "./pull.ts";
import type { TableAssets } from "./table-assets.ts";

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
