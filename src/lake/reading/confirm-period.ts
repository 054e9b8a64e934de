import { plainList } from "../../client/list-plan.ts";
import { readPages } from "../../client/read-pages.ts";
import type { TimeRange } from "../coverage.ts";
import { type Dataset, factsOfKind } from "../dataset.ts";
import { readLakeRow } from "../periods/lake-row.ts";
import type { LakeRun } from "./lake-run.ts";
import type { Period } from "../layout.ts";
import { rewriteFooter } from "../periods/publish-period.ts";
import { argsOf } from "../range-args.ts";

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
    const changes = { total_at: present, witnessed: true };
    const published = await rewriteFooter(run.publisher, dataset, period, { ...held, footer }, changes);
    await run.events.published(dataset, published);
    break;
  }
  run.events.done();
  return [];
}
