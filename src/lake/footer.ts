import * as z from "zod";
import { usageFailure } from "../base/failure.ts";
import { member, parseJson } from "../base/json/json-scan.ts";
import { version } from "../base/version.ts";
import type { WrittenRows } from "../rows/parquet-writer.ts";
import { intervals } from "../api/endpoints/ohlcv.ts";
import { parseRfc3339, showSeconds } from "../base/time/time.ts";
import { type Dataset, datasetKinds, keyOfKind } from "./dataset.ts";
import { fileStates, type Period, periodAt } from "./layout.ts";

/** Times are RFC 3339 in the file, and Unix seconds in the program. */
const time = z.codec(z.string(), z.int(), {
  decode: (text, payload) => {
    const instant = parseRfc3339(text);
    if (instant?.fraction === "") return instant.seconds;
    payload.issues.push({ code: "custom", message: "not a time", input: text });
    return z.NEVER;
  },
  encode: (seconds) => showSeconds(seconds),
});
const count = z.int().nonnegative();

/** A time range whose rows the service no longer returns. */
const lostSchema = z.object({ from: time, to: time, why: z.string(), seen_at: time });

/**
 * A read that did not confirm the file: it lacked `rows` settled rows of it, or the service counted others.
 * `absent_sha256` is null if nothing shows that the service still has them.
 */
const contradictionSchema = z.object({ at: time, rows: count, absent_sha256: z.nullable(z.string()) });

/**
 * What a file says about its rows, as JSON under the key `dexdata` of its Parquet footer. Nothing in it depends on how
 * the rows were fetched, so a run that was interrupted writes the same bytes as one that was not.
 */
const footerSchema = z.object({
  v: z.literal(1),
  kind: z.enum(datasetKinds),
  network: z.string(),
  pool: z.optional(z.string()),
  token: z.optional(z.string()),
  list: z.optional(z.string()),
  candle: z.optional(z.enum(intervals)),
  /** The time range that the file is about. The first month of a dataset may begin in the middle. */
  period: z.object({ from: time, to: time }),
  state: z.enum(fileStates),
  /** Rows before this time are not read again until the period is read in full. */
  settled_to: time,
  /** How many rows follow `settled_to`. */
  unsettled: count,
  /** When the period was last read in full, according to the service's clock. */
  read_at: z.nullable(time),
  /** The service's own count of the rows, and when it was last compared; null if it gives none. */
  total: z.nullable(count),
  total_at: z.nullable(time),
  rows: count,
  rows_sha256: z.string(),
  first: z.nullable(z.unknown()),
  last: z.nullable(z.unknown()),
  tokens: z.array(z.string()),
  lost: z.array(lostSchema),
  /** Days before the first file of a dataset that the service does not have. */
  before: z.optional(z.array(lostSchema)),
  /** Whether the service has shown a row before the period; absent if the period is not over. */
  witnessed: z.optional(z.boolean()),
  /** The last read that did not confirm this file; absent if there was none. */
  contradicted: z.optional(contradictionSchema),
  /** When complete candles were read a second time. */
  reread_at: z.optional(time),
  spilled: z.record(z.string(), count),
  /** Data of the sandbox must not be mixed with that of the API. */
  service: z.string(),
  dexdata: z.string(),
});

export type Footer = z.output<typeof footerSchema>;

export type LostRange = z.output<typeof lostSchema>;

export type Contradiction = z.output<typeof contradictionSchema>;

export function writeFooter(footer: Footer): string {
  return JSON.stringify(z.encode(footerSchema, footer));
}

const latestFormat = 2;

/** What a file says that has the rows of several periods: it has a footer for each of them, oldest first. */
const footersSchema = z.object({ v: z.literal(latestFormat), periods: z.array(footerSchema) });

export function writeFooters(periods: readonly Footer[]): string {
  return JSON.stringify(z.encode(footersSchema, { v: latestFormat, periods: [...periods] }));
}

/** Undefined if the text is not a footer. A later version has a higher `v`, and its files must not be replaced. */
export function readFooters(file: string, text: string | undefined): readonly Footer[] | undefined {
  const value = parseJson(text ?? "");
  if (Number(member(value, "v")) > latestFormat)
    throw usageFailure(`${file} was written by a later version of dexdata`, "update dexdata");
  const single = footerSchema.safeParse(value).data;
  return single === undefined ? footersSchema.safeParse(value).data?.periods : [single];
}

/** What a new file says about its rows, whatever their state. */
export function describeRows(dataset: Dataset, { rows, rows_sha256, spilled }: WrittenRows, service: string) {
  return { ...identityOf(dataset), rows, rows_sha256, spilled: { ...spilled }, service, dexdata: version };
}

/** The part that shows which dataset and period the file belongs to. */
export function identityOf({ kind, network, address, interval }: Dataset) {
  return {
    v: 1 as const,
    kind,
    network,
    [keyOfKind(kind)]: address,
    ...(interval !== undefined && { candle: interval }),
  };
}

/** Describes the rows that should be in another file; undefined if there are none. `place` is the time range of this file. */
export function foreignRows(footers: readonly Footer[], dataset: Dataset, place: Period): string | undefined {
  for (const [name, value] of Object.entries(identityOf(dataset))) {
    const hasOwn = (footer: Footer): boolean =>
      Object.entries(footer).some((each) => each[0] === name && each[1] === value);
    if (!footers.every(hasOwn)) return `rows whose ${name} is not ${value}`;
  }
  const others = footers.filter(
    ({ period: { from, to } }) => from < place.from || from >= place.to || to !== periodAt(dataset, from).to,
  );
  const [first, last] = [others[0]?.period.from, others.at(-1)?.period.to];
  if (first === undefined || last === undefined) return undefined;
  return `rows from ${showSeconds(first)} to ${showSeconds(last)}`;
}
