import { partsOf, type Stretch } from "./coverage.ts";
import { nameOfDataset } from "./dataset.ts";
import type { LostRange } from "./footer.ts";
import { lostRange, type Reach } from "./lake-reach.ts";
import { type LakeRun, rangeText } from "./lake-run.ts";
import { periodAt } from "./layout.ts";
import { rewriteFooter } from "./publish-period.ts";

/**
 * Records that the periods before `limit` can no longer be read. A complete file keeps its name, and a damaged one stays,
 * because nothing can replace it. Returns the days before the first file, if a later period has to say that they are
 * missing.
 */
export async function giveUpBefore(
  run: LakeRun,
  wanted: Stretch,
  limit: number,
  { why }: Reach,
): Promise<LostRange | undefined> {
  const { dataset } = wanted;
  let before: LostRange | undefined;
  let mayBegin = wanted.from <= dataset.from;
  for (const { period, from } of partsOf(wanted, Math.min(limit, wanted.to ?? limit))) {
    if (period.to > limit) continue;
    const held = await run.look(dataset, period);
    if (held?.state === "rows" && held.footer !== undefined) continue;
    if (held !== undefined && held.footer === undefined) {
      mayBegin = false;
      run.complain(
        `${held.file}: ${held.problem ?? "damaged"}; the service no longer has its rows, so the file stays`,
      );
      continue;
    }
    const present = run.present();
    if (held === undefined && mayBegin) {
      before = { from: before?.from ?? from, to: period.to, why, seen_at: present };
      continue;
    }
    mayBegin = false;
    const lost = [lostRange({ begin: from, limit: period.to, present }, held?.footer, why)];
    const part = { from: period.to, to: period.to, present, isProven: false };
    const known = { isWitnessed: false, isSound: true, before };
    await run.release({ dataset, period, held, rows: [], part, total: undefined, lost, ...known });
    before = undefined;
  }
  if (before === undefined) return undefined;
  const next = periodAt(dataset, before.to);
  const held = await run.look(dataset, next);
  const isRead = wanted.to === undefined || wanted.to > before.to;
  if (held?.footer === undefined || (isRead && held.state !== "rows")) return before;
  const { footer } = held;
  if (footer.before === undefined || rangeText(footer.before) !== rangeText(before)) {
    run.complain(`${nameOfDataset(dataset)}: ${rangeText(before)}`);
    await rewriteFooter(run.publisher, dataset, next, { ...held, footer }, { before });
  }
  return undefined;
}
