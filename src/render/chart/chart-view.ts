import { candleWindow, wholeSeconds } from "../../client/candles/candle-slices.ts";
import { openingOf } from "../../client/candles/candle-times.ts";
import type { Args } from "../../contract/args.ts";
import { fromWire } from "../../time/time.ts";
import { writeUtc } from "../../time/calendar.ts";
import { assetLabel } from "../values/asset-label.ts";
import { roomOf } from "../table/fit-columns.ts";
import { createPaint } from "../painter.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import { createCandles } from "./candle-columns.ts";
import type { ChartSubject } from "./chart-heading.ts";
import { drawChart } from "./draw-chart.ts";

/** What is left of a window for the prompt and what stderr says; and no more than can be seen at one look. */
const [linesLeft, mostLines, leastLines] = [4, 40, 12];
const [usualColumns, usualRows, leastColumns] = [80, 24, 20];

/** One chart of all candles, drawn when the last is there: what is kept of them does not grow with the window. */
export async function createChartView(presentation: Presentation, args: Args): Promise<Renderer> {
  const { output, isColored, isUnicode, now } = presentation;
  const { start, end, interval } = candleWindow(args);
  const to = Math.min(wholeSeconds(end), Math.ceil(now / 1000));
  const candles = createCandles(wholeSeconds(start), to, interval);
  let isAsked = false;
  return {
    page: ({ rows }) => {
      isAsked ||= rows.length > 0;
      for (const value of rows.values()) candles.add(openingOf(value), value);
      return Promise.resolve();
    },
    end: async () => {
      if (!isAsked) return;
      const columns = Math.max(leastColumns, roomOf(output) ?? usualColumns);
      const rows = Math.max(leastLines, Math.min(mostLines, (output.rows || usualRows) - linesLeft));
      const style = { paint: await createPaint(isColored), isColored, isUnicode };
      const subject = subjectOf(presentation, args, columns);
      await output.write(
        drawChart(subject, candles, { columns, rows }, style)
          .map((line) => `${line}\n`)
          .join(""),
      );
    },
  };
}

function subjectOf({ endpoint, isUnicode }: Presentation, args: Args, columns: number): ChartSubject {
  const isPool = endpoint.id === "pool_ohlcv";
  const address = args.get(isPool ? "pool_address" : "token_address") ?? "";
  const { start, end, interval } = candleWindow(args);
  return {
    name: assetLabel(`${args.get("network") ?? ""}:${address}`, columns, isUnicode),
    interval: args.get("interval") ?? "",
    unit: interval,
    quote: `${isPool ? "in the pool's other token" : "in USD"}${args.get("inversed") === "true" ? ", inversed" : ""}`,
    window: `${minuteOf(start)} to ${minuteOf(end)} UTC`,
  };
}

/** `2026-11-21 08:54` */
function minuteOf(bound: string): string {
  return writeUtc(fromWire(bound).seconds).slice(0, -3).replace("T", " ");
}
