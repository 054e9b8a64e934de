import type { ApiRequest } from "../../../api/args.ts";
import { type Quote, quoteOf } from "../../render/values/quote.ts";
import type { Pull } from "./pull.ts";
import type { TableAssets } from "./table-assets.ts";
import { candleWindow, countOpenings, wholeSeconds } from "../../../client/candle-windows.ts";

/** For people: what the numbers mean, and why there are fewer candles than intervals. */
export function tableRemarks(
  run: Pull,
  { endpoint, args }: ApiRequest,
  assets: TableAssets,
): readonly string[] {
  const { options, reached, plan, context } = run;
  const isSingle = plan.argSets.length === 1;
  if (options.format !== "table" || !context.stdout.isTerminal || reached.totals.rowsOfQuestion === 0)
    return [];
  if (plan.list.kind === "candles")
    return candleRemarks(
      run,
      args,
      plan.list.fill !== undefined,
      quoteOf(endpoint, args, isSingle ? assets.find : undefined),
    );
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
  return [
    ...(quote === undefined || options.picture === "chart"
      ? []
      : [
          `${args.get("interval")} candles; prices ${quote.of === undefined ? "" : `of ${quote.of} `}in ${quote.in}${isSwappable ? " (for the inverse: --inversed)" : ""}`,
        ]),
    ...(isSparse
      ? [`${intervals - rows} of ${intervals} intervals had no trades; --fill null shows them`]
      : []),
  ];
}
