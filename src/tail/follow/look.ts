import type { Client } from "../../client/client.ts";
import type { Page } from "../../client/pages/page.ts";
import { walkPages } from "../../client/pages/pages.ts";
import type { Question } from "../../contract/args.ts";
import { rowShape } from "../../contract/endpoint.ts";
import type { Clock } from "../../context/context.ts";
import { compareInstants, type Instant, toWire } from "../../time/time.ts";
import type { KnownRows } from "./known-rows.ts";
import { readTailRow, type TailRow } from "./tail-row.ts";

/** A stretch of time; without `to` up to the service's present. Both bounds are sent as they are. */
export interface Span {
  readonly from: Instant;
  readonly to?: Instant;
}

export type Look =
  /** The rows in it that were not known, oldest first. */
  | { readonly kind: "rows"; readonly rows: readonly TailRow[] }
  | { readonly kind: "too-many"; readonly rows: number; readonly newest: Instant };

export type TakeLook = (span: Span, most: number) => Promise<Look>;

/** Walks through a span that bring fewer rows than its total says, before that is believed. */
const walksASpan = 3;
/**
 * Milliseconds after which everything since `known.from` is walked through, however even the total comes out: a row
 * that goes hides one that is indexed late between the same two reads. Half of the time that rows are known for.
 */
const wholeWalkGap = 300_000;

/**
 * One look at a pool's transactions. What it brings is whole: a look that fails brings nothing, so that no older row
 * is missed below newer ones. More than `most` new rows are not read.
 */
export function createLook(
  client: Client,
  { endpoint, args }: Question,
  pageSize: number,
  known: KnownRows,
  { elapsed }: Pick<Clock, "elapsed">,
): TakeLook {
  const shape = rowShape(endpoint);
  /** By how much the total is higher than what was listed, again and again. */
  let excess = 0;
  /** What is known from the start was not read here: it is compared with the list at once. */
  let wholeWalk = known.listed() > 0 ? Number.NEGATIVE_INFINITY : elapsed();

  const walk = async ({ from, to }: Span, most: number, isOfKnown: boolean): Promise<Walked | Look> => {
    const asked = new Map([...args, ["from", toWire(from)]]);
    if (to !== undefined) asked.set("to", toWire(to));
    const listed = new Set<string>();
    const fresh = new Map<string, TailRow>();
    let newest: Instant | undefined;
    let items: number | undefined;
    const began = elapsed();
    const isWhole = began - wholeWalk >= wholeWalkGap;
    // Most likely the next page is the last one needed, and those asked for in advance would be paid for in vain.
    const width = isOfKnown && !isWhole && known.listed() > 0 ? 1 : client.width;
    // What a walk still misses is found by the count below, and read with the next one.
    const again: Client["again"] = async (repeats, problem) =>
      repeats === 1 && (await client.again(repeats, problem));
    const asking: Client = { ...client, width, again };
    for await (const page of walkPages(asking, endpoint, asked, { pageSize, isStrict: false })) {
      let isKnown = page.rows.length > 0;
      for (const [index, value] of page.rows.values().entries()) {
        const row = readTailRow(shape, page.rows.text(index), value);
        newest ??= row.at;
        listed.add(row.key);
        isKnown &&= known.has(row.key);
        if (!known.has(row.key) && !fresh.has(row.key)) fresh.set(row.key, row);
      }
      items ??= itemsOf(page);
      const count = Math.max(fresh.size, items - (isOfKnown ? known.listed() : 0));
      if (count > most && newest !== undefined) return { kind: "too-many", rows: count, newest };
      const isAll = items > 0 ? known.listed() + fresh.size === items - excess : isKnown;
      if (isOfKnown && !isWhole && isAll) return inOrder(fresh);
    }
    return { listed, fresh, items: items ?? 0, began };
  };

  return async (span, most) => {
    const isOfKnown = span.to === undefined && compareInstants(span.from, known.from()) === 0;
    for (let walks = 1; ; walks += 1) {
      const walked = await walk(span, most, isOfKnown);
      if ("kind" in walked) return walked;
      const { listed, fresh, items, began } = walked;
      const missing = Math.max(0, items - listed.size);
      // A page that came twice in place of the last one looks like the end of the list.
      if (missing > (isOfKnown ? excess : 0) && walks < walksASpan) continue;
      if (isOfKnown) {
        excess = missing;
        wholeWalk = began;
        known.setListed(listed);
      }
      return inOrder(fresh);
    }
  };
}

/** What a walk to the end of a span has shown. */
interface Walked {
  readonly listed: ReadonlySet<string>;
  readonly fresh: ReadonlyMap<string, TailRow>;
  readonly items: number;
  /** On the clock that cannot jump. */
  readonly began: number;
}

/**
 * How many rows the span has, as its first page says; 0 where that cannot be. Against it the known rows and the new
 * ones are counted: as long as it comes out even, nothing was indexed late, and one page is enough.
 */
function itemsOf({ rows, repeats = 0, left }: Page): number {
  return left === undefined ? 0 : rows.length + repeats + left;
}

/** The service's own order within an instant; a walk that had to look back has found some rows later than others. */
function inOrder(fresh: ReadonlyMap<string, TailRow>): Look {
  const rows = [...fresh.values()].toReversed().toSorted((a, b) => compareInstants(a.at, b.at));
  return { kind: "rows", rows };
}
