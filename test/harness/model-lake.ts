import { createHash } from "node:crypto";
import { partsOf, planDataset, type Task, completeAge } from "../../src/lake/coverage.ts";
import type { Dataset, TimeRange } from "../../src/lake/dataset.ts";
import type { Footer } from "../../src/lake/footer.ts";
import type { ReadFile } from "../../src/lake/files/stored-periods.ts";
import type { LakeRow } from "../../src/lake/periods/lake-rows.ts";
import { type FileState, type Period, periodAt } from "../../src/lake/layout.ts";
import { footerOf, type PeriodUpdate } from "../../src/lake/periods/judge-period.ts";
import { decide } from "../../src/lake/periods/publish-period.ts";

/** A file of a directory that exists in memory only. */
export interface ModelFile {
  readonly state: FileState;
  readonly footer: Footer;
  readonly rows: readonly LakeRow[];
}

export type ModelLake = Map<string, ModelFile>;

/** What the service returns to one request. */
export interface ModelService {
  /** Rows of a time range, oldest first. */
  readonly list: (from: number, to: number) => readonly LakeRow[];
  /** Whether there is a row at or before this time. */
  readonly hasOlder: (at: number) => boolean;
}

export interface ModelRun {
  readonly dataset: Dataset;
  /** The time that the program believes in, and whether it is sure. */
  readonly present: number;
  readonly isClockSure: boolean;
  readonly service: ModelService;
}

/** Does to a directory in memory what `sync` does to one on the disk. Only files, requests and kills are left out. */
export function runModel(lake: ModelLake, run: ModelRun): void {
  const { dataset, present, service } = run;
  const heldIn = ({ name }: Period): ReadFile | undefined => {
    const found = lake.get(name);
    if (found === undefined) return undefined;
    const range = { begin: 0, end: found.rows.length };
    return { ...found, file: name, identity: undefined, range, rows: found.rows.map(({ text }) => text) };
  };
  const options = { dataset, present, isForced: false, plan: "plan pro", candleReach: undefined };
  const tasks = planDataset(options, heldIn);
  const rangesTo = (wanted: Task["what"]): readonly TimeRange[] =>
    tasks.flatMap(({ what, range }) => (what === wanted ? [range] : []));
  const again = rangesTo("confirm").flatMap((range): readonly TimeRange[] => {
    const period = periodAt(dataset, range.from);
    const held = lake.get(period.name);
    if (held === undefined) return [];
    const { from } = held.footer.period;
    const isCounted = dataset.kind === "transactions";
    const total = service.list(from, period.to - 1).length;
    if (!isCounted || total !== held.footer.rows) return [{ dataset, from, to: period.to }];
    const footer = { ...held.footer, total_at: present, witnessed: true };
    lake.set(period.name, { ...held, footer });
    return [];
  });
  for (const range of [...again, ...rangesTo("read")]) readRange(lake, run, range, heldIn);
}

function readRange(
  lake: ModelLake,
  { dataset, present, isClockSure, service }: ModelRun,
  range: TimeRange,
  heldIn: (period: Period) => ReadFile | undefined,
): void {
  const end = range.to ?? present;
  const listed = service.list(range.from, end);
  const oldest = listed[0]?.at.seconds ?? Number.POSITIVE_INFINITY;
  const parts = partsOf(range, end);
  const needed = parts.find(
    ({ period, from, to }) => present >= period.to + completeAge && to === period.to && oldest > from,
  )?.from;
  const isCandles = dataset.kind !== "transactions";
  const hasWitness = !isCandles && needed !== undefined && service.hasOlder(needed);
  for (const { period, from, to } of parts) {
    const own = listed.filter(({ at }) => at.seconds >= period.from && at.seconds < period.to);
    const isOpen = range.to === undefined && to < period.to;
    const held = heldIn(period);
    const update: PeriodUpdate = {
      dataset,
      period,
      held,
      isClockSure,
      part: { from, to: isOpen ? undefined : to, present, isProven: true },
      rows: isCandles ? own : own.toReversed(),
      total: isCandles ? undefined : own.length,
      lost: [],
      before: [],
      isWitnessed: oldest <= from || hasWitness,
    };
    const { verdict, rows } = decide(update, lake.get(period.name)?.rows ?? []);
    const before = lake.get(period.name);
    if (verdict.does === "note" && before !== undefined)
      lake.set(period.name, { ...before, footer: { ...before.footer, contradicted: verdict.contradicted } });
    if (verdict.does !== "write") continue;
    const hash = createHash("sha256").update(JSON.stringify(rows.map(({ key }) => key)));
    const summary = {
      rows: rows.length,
      rows_sha256: hash.digest("hex"),
      first: null,
      last: null,
      spilled: {},
    };
    const footer = footerOf({ service: "", update, verdict, rows, summary });
    lake.set(period.name, { state: footer.state, footer, rows });
  }
}

/** A row of a market in memory. */
export function modelRow(at: number, key: string): LakeRow {
  const nowhere = { pool: undefined, network: undefined, tokens: [] };
  return { text: key, at: { seconds: at, fraction: "" }, place: [], key, ...nowhere };
}
