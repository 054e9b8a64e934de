import { fail, usageFailure } from "../../base/failure.ts";
import { member } from "../../base/json/json-scan.ts";
import { counted } from "../../base/text/words.ts";
import { parseRfc3339, SECONDS_PER_DAY } from "../../base/time/time.ts";
import { addressKey } from "../../client/subject.ts";
import { nameOfDataset, periodOf, type PoolList } from "../dataset.ts";
import { identityOf } from "../footer.ts";
import type { LakeFileState } from "../files/stored-periods.ts";
import { type LakeRun, rangeText } from "./lake-run.ts";
import { type Period, periodsBetween } from "../layout.ts";
import { keepDamaged, replacePeriod } from "../periods/publish-period.ts";
import { readPools } from "./read-list.ts";

/** A pool that leaves a search is read for this long, in seconds. */
const followedTime = SECONDS_PER_DAY;

/** The days of a list. */
type Held = ReadonlyMap<string, LakeFileState>;

/** Whether no run has read the period that begins at this time, or a later one. */
export const isDue = (held: Held, at: number): boolean =>
  [...held.values()].every(({ footer }) => (footer?.settled_to ?? 0) <= at);

/**
 * Reads the current period of a list. A period is written as a whole or not at all, and never changes, so its file
 * is `rows.parquet` from the start. Periods that no run has read are lost: the footer of their day says so.
 */
export async function syncList(run: LakeRun, list: PoolList, held: Held): Promise<readonly never[]> {
  const [at, isHeard] = [periodOf(list, run.present()), run.clock.isHeard()];
  if (!isDue(held, at)) return [];
  const { rows, absent, drop } = await readPools(run, list, await recentPools(run, list, at), at);
  // The first response may show that the clock of this machine is ahead.
  if (!isHeard && periodOf(list, run.present()) !== at) {
    drop();
    return await syncList(run, list, held);
  }
  if (rows.length === 0) {
    drop();
    const next = "text" in list.source ? `try: dexdata pools search ${list.source.text}` : undefined;
    const problem = "the service returned no pool, so nothing was written";
    throw held.size === 0
      ? usageFailure(`${nameOfDataset(list)}: ${problem}`, next)
      : fail("incomplete", problem, { next });
  }
  if (absent > 0)
    run.events.info(`${nameOfDataset(list)}: the service did not return ${counted(absent, "pool")}`);
  run.events.read(rows.length);
  const begin = Math.min(list.from, at);
  for (const day of periodsBetween(list, begin, at + 1))
    if ((held.get(day.name)?.footer?.settled_to ?? 0) < day.to)
      await record(run, list, day, { begin, at, rows });
  drop();
  run.events.done();
  return [];
}

/** The pools of the last day, with the time of their creation in Unix seconds; of a search, those that it returned. */
async function recentPools(run: LakeRun, list: PoolList, at: number) {
  const pools = new Map<string, number | undefined>();
  for (const day of periodsBetween(list, at - followedTime, at + 1)) {
    const held = await run.look(list, day);
    if (held?.footer === undefined) continue;
    for (const text of held.rows) {
      const row: unknown = JSON.parse(text);
      const [period = 0, created] = ["period", "created_at"].map(
        (field) => parseRfc3339(String(member(row, field)))?.seconds,
      );
      const isOwn = "pools" in list.source || typeof member(row, "rank") === "number";
      if (isOwn && period >= at - followedTime) pools.set(addressKey(String(member(row, "id"))), created);
    }
  }
  return pools;
}

const contents = { total: null, total_at: null, first: null, last: null, unsettled: 0, tokens: [] };

/**
 * Adds the period at `at`, which has `rows`, to its day. Earlier periods that no run has read are recorded as lost, also in
 * days before it.
 */
async function record(
  run: LakeRun,
  list: PoolList,
  day: Period,
  { begin, at, rows }: { readonly begin: number; readonly at: number; readonly rows: readonly string[] },
): Promise<void> {
  const held = await run.look(list, day);
  const kept = held?.footer === undefined ? undefined : held;
  const from = kept?.footer.period.from ?? Math.max(begin, day.from);
  const isOwn = at < day.to;
  const [read, end] = [kept?.footer.settled_to ?? from, isOwn ? at : day.to];
  if (!isOwn && read >= end) return;
  const lost = read < end ? [{ from: read, to: end, why: "missed", seen_at: run.present() }] : [];
  for (const range of lost) run.complain(`${nameOfDataset(list)}: ${rangeText(range)}`);
  const { publisher } = run;
  const earlier = kept?.rows ?? [];
  const all = isOwn ? [...earlier, ...rows] : earlier;
  if (held !== undefined && held.footer === undefined) keepDamaged(publisher, list, day, held);
  const published = await replacePeriod(publisher, list, day, kept, all, (summary) => ({
    ...identityOf(list),
    period: { from, to: day.to },
    state: "rows",
    settled_to: isOwn ? at + list.every : end,
    read_at: isOwn ? run.present() : (kept?.footer.read_at ?? null),
    lost: [...(kept?.footer.lost ?? []), ...lost],
    ...contents,
    rows: summary.rows,
    rows_sha256: summary.rows_sha256,
    spilled: { ...summary.spilled },
    service: publisher.service,
    dexdata: publisher.version,
  }));
  run.tellDamage(list, held);
  await run.events.published(list, published);
}
