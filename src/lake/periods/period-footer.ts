import type { WrittenRows } from "../../rows/parquet-writer.ts";
import { version } from "../../base/version.ts";
import { completeAge, settlingTime } from "../coverage.ts";
import { candleLength } from "../dataset.ts";
import { type Footer, identityOf } from "../footer.ts";
import { extentOf, type PeriodUpdate, type Verdict } from "./judge-period.ts";
import type { LakeRow } from "./lake-rows.ts";

interface Written {
  readonly service: string;
  readonly update: PeriodUpdate;
  readonly verdict: Extract<Verdict, { does: "write" }>;
  readonly rows: readonly LakeRow[];
  readonly summary: WrittenRows;
}

/** What a new file says about its rows. */
export function footerOf({ service, update, verdict, rows, summary }: Written): Footer {
  const { dataset, period, held, part, total, isWitnessed } = update;
  const { rows: count, rows_sha256, first, last, spilled } = summary;
  const old = held?.footer;
  const { begin, covered, end, lost, isInFull } = extentOf(update);
  const before = Math.max(begin, old?.settled_to ?? begin);
  // If the earlier file was damaged, nothing before the part is settled, so the next run reads all of the period.
  const isSettled = part.isProven && part.from <= Math.max(covered, before);
  const length = candleLength(dataset) ?? 1;
  const latest = Math.floor((part.present - settlingTime) / length) * length;
  const settled = isSettled ? Math.max(part.from, Math.min(end, latest)) : before;
  const isNow = isInFull && lost.length === 0;
  const isFinal = isNow && verdict.state !== "lost" && part.present >= period.to + completeAge;
  const earlier = update.before.length === 0 ? old?.before : update.before;
  const isSecond = dataset.kind !== "transactions" && held?.state === "rows";
  return {
    ...identityOf(dataset),
    period: { from: begin, to: period.to },
    state: verdict.state,
    settled_to: settled,
    unsettled: rows.filter(({ at }) => at.seconds >= settled).length,
    read_at: isInFull ? part.present : (old?.read_at ?? null),
    total: isNow ? (total ?? null) : null,
    total_at: isNow && total !== undefined ? part.present : null,
    rows: count,
    rows_sha256,
    first: first === null ? null : markOf(update, first),
    last: last === null ? null : markOf(update, last),
    tokens: [...new Set(rows.flatMap(({ tokens }) => tokens))].toSorted(),
    lost: [...lost],
    ...(earlier !== undefined && { before: [...earlier] }),
    ...(verdict.state === "rows" ? { witnessed: true } : isFinal && { witnessed: isWitnessed }),
    ...(isSecond && { reread_at: part.present }),
    ...(verdict.contradicted !== null && { contradicted: verdict.contradicted }),
    spilled: { ...spilled },
    service,
    dexdata: version,
  };
}

/** The fields that identify the row, and its time. */
function markOf({ dataset: { kind } }: PeriodUpdate, row: string): unknown {
  const value: unknown = JSON.parse(row);
  const fields = kind === "transactions" ? ["id", "log_index", "created_at"] : ["time_open"];
  return Object.fromEntries(Object.entries(Object(value)).filter(([name]) => fields.includes(name)));
}
