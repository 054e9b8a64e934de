import { percentEncoded } from "../base/files/file-pattern.ts";
import { dayNumber, SECONDS_PER_DAY, writeUtc } from "../base/time/time.ts";
import { candleLength, type Dataset, keyOfKind } from "./dataset.ts";

/**
 * Where the files of a dataset are, for example
 * `transactions/network=ethereum/pool=0x88e6…5640/date=2026-11-20/rows.parquet`. The directories follow the Hive
 * convention, so that DuckDB, Spark and Polars read them as columns.
 */
export const fileStates = ["rows", "open", "lost"] as const;

/**
 * `rows`: complete. `open`: rows may still be added or changed. `lost`: incomplete, and the service no longer has the
 * missing rows.
 */
export type FileState = (typeof fileStates)[number];

/**
 * The rows that are complete, open or lost together: those of a day, or of a month for long candles. The times are in
 * Unix seconds; rows at `to` belong to the next period.
 */
export interface Period {
  /** Such as `date=2026-11-20` or `month=2026-11`. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Such as `2026-11-20` or `2026-11`. */
export const shownPeriod = ({ name }: Pick<Period, "name">): string => name.replace(/^\w+=/u, "");

export const fileNameOf = (state: FileState): string => `${state}.parquet`;

export type DatasetKey = Pick<Dataset, "kind" | "network" | "address" | "interval">;

/** Relative to the directory of all datasets. */
export function folderOf(dataset: DatasetKey): string {
  const { kind, network, address, interval } = dataset;
  const parts = [kind, `network=${partitionValue(network)}`];
  parts.push(`${keyOfKind(kind)}=${partitionValue(address)}`);
  if (interval !== undefined) parts.push(`candle=${interval}`);
  return parts.join("/");
}

/** Engines decode these values again. A name that begins with a dot or an underscore would be hidden from Spark. */
export function partitionValue(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]|^[._]/gu, percentEncoded);
}

/** Candles of an hour or more are few, so a month of them is one period. */
export function isMonthly(dataset: Pick<Dataset, "interval">): boolean {
  return (candleLength(dataset) ?? 0) >= 3600;
}

export function periodAt(dataset: Pick<Dataset, "interval">, seconds: number): Period {
  const day = Math.floor(seconds / SECONDS_PER_DAY) * SECONDS_PER_DAY;
  const date = writeUtc(day).slice(0, 10);
  if (!isMonthly(dataset)) return { name: `date=${date}`, from: day, to: day + SECONDS_PER_DAY };
  const [year = 0, month = 0] = date.split("-").map(Number);
  const [from, to] = [dayNumber(year, month, 1), dayNumber(year, month + 1, 1)];
  return { name: `month=${date.slice(0, 7)}`, from: from * SECONDS_PER_DAY, to: to * SECONDS_PER_DAY };
}

/** The periods that contain a part of this time range, oldest first. */
export function periodsBetween(
  dataset: Pick<Dataset, "interval">,
  from: number,
  to: number,
): readonly Period[] {
  const periods: Period[] = [];
  for (let at = from; at < to; at = periods.at(-1)?.to ?? to) periods.push(periodAt(dataset, at));
  return periods;
}

/** The directory of the file with this period: `month=2026-11` or `date=2026-11-20`. */
export function placeOf({ by }: Pick<Dataset, "by">, { name }: Period): string {
  return by === "month" ? name.replace(/^date=(\d{4}-\d{2})-\d{2}$/u, "month=$1") : name;
}

/** The time that the files of a directory are for; undefined if it is not one of this dataset. */
export function placeNamed(dataset: Pick<Dataset, "interval">, name: string): Period | undefined {
  const [, kind, text] = /^(date|month)=(\d{4}-\d{2}(?:-\d{2})?)$/u.exec(name) ?? [];
  const at = Date.parse(`${text ?? ""}T00:00:00Z`) / 1000;
  if (Number.isNaN(at)) return undefined;
  const place = periodAt(kind === "month" ? { interval: "24h" } : dataset, at);
  return place.name === name ? place : undefined;
}

/** The tokens of all transactions and token candles, with what is needed to read raw amounts. */
export const tokensName = "tokens.parquet";
