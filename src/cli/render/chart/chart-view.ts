import type { Args } from "../../../api/endpoint.ts";
import { fromWire, writeUtc } from "../../../base/time/time.ts";
import { shownText } from "../../../base/text/unsafe-text.ts";
import { assetLabel } from "../values/width.ts";
import { roomOf } from "../table/fit-columns.ts";
import { createPaint } from "../terminal.ts";
import { type Quote, quoteOf } from "../values/quote.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import { createCandles } from "./candle-columns.ts";
import { drawChart } from "./draw-chart.ts";
import { candleWindow, openingOf, wholeSeconds } from "../../../client/candle-windows.ts";

/** Lines left free for the prompt and stderr, and the maximum and minimum height. */
const [linesLeft, maxLines, leastLines] = [4, 40, 12];
const [defaultColumns, defaultRows, leastColumns] = [80, 24, 20];

/** Draws one chart when the pull ends. Memory use does not grow with the time range. */
export function createChartView(presentation: Presentation, args: Args): Renderer {
  const { output, endpoint, isColored, now, isSvg } = presentation;
  const isUnicode = presentation.isUnicode || isSvg;
  const { start, end, interval } = candleWindow(args);
  const to = Math.min(wholeSeconds(end), Math.ceil(now / 1000));
  const candles = createCandles(wholeSeconds(start), to, interval);
  let hasRows = false;
  return {
    page: ({ rows }) => {
      hasRows ||= rows.length > 0;
      for (const value of rows.values()) candles.add(openingOf(value), value);
      return Promise.resolve();
    },
    end: async () => {
      if (!hasRows && !isSvg) return;
      const columns = Math.max(leastColumns, roomOf(output) ?? defaultColumns);
      const rows = Math.max(leastLines, Math.min(maxLines, (output.rows || defaultRows) - linesLeft));
      const style = { paint: await createPaint(isColored), isColored, isUnicode };
      const address = endpoint.params.find(({ kind }) => kind.kind === "address")?.name ?? "";
      const asset = `${args.get("network") ?? ""}:${args.get(address) ?? ""}`;
      const subject = {
        name: isSvg ? shownText(asset, { isUnicode }) : assetLabel(asset, columns, isUnicode),
        interval: args.get("interval") ?? "",
        unit: interval,
        quote: titleOfQuote(quoteOf(endpoint, args, presentation.findAsset)),
        window: `${minuteOf(start)} to ${minuteOf(end)} UTC`,
      };
      if (isSvg) return await output.write((await import("./svg-chart.ts")).drawSvgChart(subject, candles));
      const lines = drawChart(subject, candles, { columns, rows }, style);
      await output.write(lines.map((line) => `${line}\n`).join(""));
    },
  };
}

/** `WETH in USD` */
function titleOfQuote(quote: Quote | undefined): string {
  if (quote === undefined) return "";
  return quote.of === undefined ? `in ${quote.in}` : `${quote.of} in ${quote.in}`;
}

/** `2026-11-21 08:54` */
function minuteOf(bound: string): string {
  return writeUtc(fromWire(bound).seconds).slice(0, -3).replace("T", " ");
}
