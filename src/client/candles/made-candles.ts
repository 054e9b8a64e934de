import { groupBy } from "../../base/group-by.ts";
import { member, rawMembers } from "../../base/json/json-scan.ts";
import { compareDecimals, sumDecimals } from "../../base/json/exact-decimal.ts";
import { invalidResponse } from "../../base/failure.ts";
import type { ListRequest } from "../list-plan.ts";
import { ended, notesOf, type Page, pageOf } from "../page.ts";
import { countBack } from "./count-back.ts";
import { readSlices } from "./slice-answer.ts";
import { parseRow, type TextRow, textRows } from "../rows.ts";
import {
  openingOf,
  intervalSeconds,
  intervalStart,
  isWithoutMade,
  type MadeInterval,
  sourceOf,
  timesLike,
} from "../candle-windows.ts";

/** Intervals that the service lacks are made from those that it has. */
export function candlePages(request: ListRequest, maxLimit: number): AsyncGenerator<Page> {
  if (isWithoutMade(request.args)) return noCandles();
  const sliced = { ...request, ...sourceOf(request.args, maxLimit) };
  // A resumed pull already knows the start of its time range.
  const isCountedBack = request.args.has("count_back") && request.list.start === undefined;
  const pages = isCountedBack ? countBack(sliced) : readSlices(sliced);
  return sliced.made === undefined ? pages : madeCandles(pages, sliced.made);
}

async function* noCandles(): AsyncGenerator<Page> {
  yield await Promise.resolve(pageOf(textRows([]), ended("end of list")));
}

/** A candle of the source, with its texts by field. `opens` is in Unix seconds. */
interface Part {
  readonly opens: number;
  readonly value: object;
  readonly texts: ReadonlyMap<string, string>;
}

/** Combines the candles of the service into longer ones, page by page. Pages end where a made candle ends. */
async function* madeCandles(pages: AsyncIterable<Page>, made: MadeInterval): AsyncGenerator<Page> {
  for await (const page of pages) {
    const groups = groupBy(partsOf(page), ({ opens }) => intervalStart(opens, made.length));
    const [cut] = notesOf(page, "complete from");
    const from = cut?.seconds ?? Number.NEGATIVE_INFINITY;
    const rows = [...groups].map(([start, parts]) => madeCandle(start, parts, made, start < from));
    yield { ...page, rows: textRows(rows) };
  }
}

function partsOf({ rows }: Page): readonly Part[] {
  return rows.values().map((value, index) => ({
    opens: openingOf(value),
    value,
    texts: rawMembers(rows.text(index)),
  }));
}

/** Numbers keep all digits of the service, and the sum of the volumes is exact. */
function madeCandle(start: number, parts: readonly Part[], made: MadeInterval, isCut: boolean): TextRow {
  const [first] = parts;
  const last = parts.at(-1);
  if (first === undefined || last === undefined) throw new Error("a made candle has no parts");
  const extreme = (name: string, sign: number): string =>
    parts
      .map((part) => price(part, name))
      .reduce((a, b) => ((compareDecimals(a, b) ?? 0) * sign < 0 ? b : a));
  // The service omits a volume that rounds to 0.
  const volume = sumDecimals(parts.map(({ texts }) => textOf(texts.get("volume")) ?? "0"));
  if (volume === undefined) throw invalidResponse("invalid response: a candle has no valid volume");
  const members = [
    ...timesLike(first.value, start, made.length, intervalSeconds(made.source)),
    ["open", price(first, "open")],
    ["high", extreme("high", 1)],
    ["low", extreme("low", -1)],
    ["close", price(last, "close")],
    ["volume", volume],
    ["from_interval", JSON.stringify(made.source)],
  ] as const;
  const isPartial = isCut || parts.some(({ value }) => member(value, "partial") === true);
  const texts = [...members, ...(isPartial ? ([["partial", "true"]] as const) : [])];
  const row = `{${texts.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
  return { row, value: parseRow(row) };
}

function price({ texts }: Part, name: string): string {
  const text = textOf(texts.get(name));
  if (text !== undefined && compareDecimals(text, "0") !== undefined) return text;
  throw invalidResponse(`invalid response: a candle has no valid ${name}`);
}

const textOf = (json: string | undefined): string | undefined => (json === "null" ? undefined : json);
