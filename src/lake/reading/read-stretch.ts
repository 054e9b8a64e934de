import { createPart, textOfFile } from "../../base/files/stored-file.ts";
import { transactionReach } from "../../api/endpoints/pool-transactions.ts";
import { partsOf, type Stretch } from "../coverage.ts";
import { giveUpStart } from "./give-up.ts";
import type { LakeRun } from "./lake-run.ts";
import { folderOf } from "../layout.ts";
import { workFolder } from "../files/place-file.ts";
import { dropStaged, type Expected, pullStretch, type Pulled, stagedName } from "./pull-stretch.ts";
import { isWithinReach, probeReach, type Reach, reachOfPlan } from "./lake-reach.ts";
import type { Part } from "./waiting.ts";
import { takeRows } from "./waiting-parts.ts";

/** Reads a stretch and publishes its periods. Returns the stretches to read instead if it cannot be read at once. */
export async function readStretch(
  run: LakeRun,
  wanted: Stretch,
  width: number,
  expected: Expected | undefined,
): Promise<readonly Stretch[]> {
  const { dataset } = wanted;
  const reach = await reachFor(run, wanted);
  const given = await run.inTurn(dataset, async () => await giveUpStart(run, wanted, reach));
  const stretch = { ...wanted, from: given.from };
  if (stretch.from >= (stretch.to ?? Number.POSITIVE_INFINITY)) return [];
  const mark = `${workFolder(run.root)}/${stagedName({ dataset: folderOf(dataset) })}.divided`;
  const divide = (parts: readonly Part[]): readonly Stretch[] =>
    parts.map(({ from, to }, index) => ({
      dataset,
      from: index === 0 ? wanted.from : from,
      to: index === parts.length - 1 ? stretch.to : to,
    }));
  const partsUntil = (present: number): readonly Part[] => partsOf(stretch, stretch.to ?? present);
  const known = partsUntil(run.present());
  if (known.length > 1 && textOfFile(mark) !== undefined) return divide(known);
  const pulled = await pull(run, stretch, width, expected);
  if (pulled === undefined) return [wanted];
  if (pulled.kind === "unchanged") return [];
  const parts = partsUntil(pulled.kind === "staged" ? pulled.present : run.present());
  if (pulled.kind === "too-large" || (!pulled.isProven && parts.length > 1)) {
    if (pulled.kind === "staged") dropStaged(pulled.file);
    // If this run is killed, the next one reads the periods without asking for all of them again.
    createPart(mark).close();
    return divide(parts);
  }
  await takeRows(run, {
    staged: pulled,
    parts,
    wanted,
    reach,
    before: given.before,
    step: run.witnesses.step(),
  });
  return [];
}

/** Transactions are asked for once if a stretch begins earlier than usual. A plan's limit is known after a rejection. */
async function reachFor(run: LakeRun, { dataset, from }: Stretch): Promise<Reach | undefined> {
  const { reaches, client } = run;
  const isUsual = from >= run.present() - transactionReach;
  if (dataset.kind === "transactions" && !isUsual && !reaches.has(dataset))
    reaches.set(dataset, probeReach(client, dataset, run.present()));
  return dataset.kind === "transactions" && isUsual ? undefined : await reaches.get(dataset);
}

/** Undefined if the plan does not include the start of the stretch. */
async function pull(
  run: LakeRun,
  stretch: Stretch,
  width: number,
  expected: Expected | undefined,
): Promise<Pulled | undefined> {
  const { context, client, lock, root, present, reaches } = run;
  const puller = { context, client: { ...client, width }, lock, work: workFolder(root), present };
  try {
    return await pullStretch(puller, stretch, expected);
  } catch (cause) {
    const reach = reachOfPlan(cause, client.target.tier);
    const isNew = reach !== undefined && stretch.from < present() - reach.length;
    if (!isNew || reaches.has(stretch.dataset)) throw cause;
    const { kind, interval } = stretch.dataset;
    const isSeen = [...reaches.keys()].some((each) => each.kind === kind && each.interval === interval);
    if (!isSeen && !(await isWithinReach(client, stretch.dataset, reach, present()))) throw cause;
    reaches.set(stretch.dataset, Promise.resolve(reach));
    return undefined;
  }
}
