import { createPart, textOfFile } from "../../base/files/synced-file.ts";
import { transactionReach } from "../../api/endpoints/pool-transactions.ts";
import { partsOf, type TimeRange } from "../coverage.ts";
import { giveUpStart } from "./give-up.ts";
import type { LakeRun, Part } from "./lake-run.ts";
import { folderOf, type Period } from "../layout.ts";
import { workFolder } from "../files/place-period.ts";
import { dropStaged, type Expected, pullRange, type Pulled, stagedName } from "./pull-range.ts";
import { isWithinReach, probeReach, type Reach, reachOfPlan } from "./lake-reach.ts";
import { takeRows } from "./waiting-parts.ts";
import { plainList } from "../../client/list-plan.ts";
import { readPages } from "../../client/read-pages.ts";
import { type Dataset, factsOfKind, argsOf } from "../dataset.ts";
import { readLakeRow } from "../periods/lake-rows.ts";
import { rewriteFooter } from "../periods/publish-period.ts";

/** Reads a time range and publishes its periods. Returns the time ranges to read instead if it cannot be read at once. */
export async function readRange(
  run: LakeRun,
  wanted: TimeRange,
  width: number,
  expected: Expected | undefined,
): Promise<readonly TimeRange[]> {
  const { dataset } = wanted;
  const reach = await reachFor(run, wanted);
  const given = await run.inTurn(dataset, async () => await giveUpStart(run, wanted, reach));
  const range = { ...wanted, from: given.from };
  if (range.from >= (range.to ?? Number.POSITIVE_INFINITY)) return [];
  const mark = `${workFolder(run.root)}/${stagedName({ dataset: folderOf(dataset) })}.divided`;
  const divide = (parts: readonly Part[]): readonly TimeRange[] =>
    parts.map(({ from, to }, index) => ({
      dataset,
      from: index === 0 ? wanted.from : from,
      to: index === parts.length - 1 ? range.to : to,
    }));
  const partsUntil = (present: number): readonly Part[] => partsOf(range, range.to ?? present);
  const known = partsUntil(run.present());
  if (known.length > 1 && textOfFile(mark) !== undefined) return divide(known);
  const pulled = await pull(run, range, width, expected);
  if (pulled === undefined) return [wanted];
  if (pulled === "unchanged") return [];
  const parts = partsUntil(pulled === "too-large" ? run.present() : pulled.present);
  if (pulled === "too-large" || (!pulled.isProven && parts.length > 1)) {
    if (pulled !== "too-large") dropStaged(pulled.file);
    // If this run is killed, the next one reads the periods without asking for all of them again.
    createPart(mark).close();
    return divide(parts);
  }
  await takeRows(run, { staged: pulled, parts, wanted, reach, before: given.before });
  return [];
}

/** Transactions are asked for once if a time range begins earlier than usual. A plan's limit is known after a rejection. */
async function reachFor(run: LakeRun, { dataset, from }: TimeRange): Promise<Reach | undefined> {
  const { reaches, client } = run;
  const isUsual = from >= run.present() - transactionReach;
  if (dataset.kind === "transactions" && !isUsual && !reaches.has(dataset))
    reaches.set(dataset, probeReach(client, dataset, run.present()));
  return dataset.kind === "transactions" && isUsual ? undefined : await reaches.get(dataset);
}

/** Undefined if the plan does not include the start of the time range. */
async function pull(
  run: LakeRun,
  range: TimeRange,
  width: number,
  expected: Expected | undefined,
): Promise<Pulled | undefined> {
  const { client, present, reaches } = run;
  try {
    return await pullRange(run, range, width, expected);
  } catch (cause) {
    const reach = reachOfPlan(cause, client.target.tier);
    const isNew = reach !== undefined && range.from < present() - reach.length;
    if (!isNew || reaches.has(range.dataset)) throw cause;
    const { kind, interval } = range.dataset;
    const isSeen = [...reaches.keys()].some((each) => each.kind === kind && each.interval === interval);
    if (!isSeen && !(await isWithinReach(client, range.dataset, reach, present()))) throw cause;
    reaches.set(range.dataset, Promise.resolve(reach));
    return undefined;
  }
}

/**
 * Compares a complete file again, while the service still has the rows: transactions by the service's count, and
 * candles, which have none, by a second read. Returns the time range to read.
 */
export async function confirmPeriod(
  run: LakeRun,
  dataset: Dataset,
  period: Period,
): Promise<readonly TimeRange[]> {
  const held = await run.look(dataset, period);
  const from = held?.footer?.period.from ?? period.from;
  const range = { dataset, from, to: period.to };
  if (held?.footer === undefined || dataset.kind !== "transactions") return [range];
  const { footer } = held;
  const { endpoint } = factsOfKind(dataset.kind);
  const args = argsOf(range, period.to);
  for await (const page of readPages(run.client, endpoint, args, plainList(100))) {
    const present = run.present();
    const { rows, left } = page;
    // The newest rows come first. Those at the end of the range belong to the next day.
    const beyond = rows.texts().filter((text) => readLakeRow(dataset.kind, text).at.seconds >= period.to);
    const total = left === undefined ? undefined : rows.length + left - beyond.length;
    if (total !== undefined && total !== footer.rows) return [range];
    const changes = { total_at: present };
    await run.events.published(await rewriteFooter(run, dataset, period, { ...held, footer }, changes));
    break;
  }
  run.events.done();
  return [];
}
