import { candleReach, type Tier } from "../../../api/tier.ts";
import path from "node:path";
import { usageFailure } from "../../../base/failure.ts";
import { namesIn } from "../../../base/files/paths.ts";
import { counted, quoted } from "../../../base/text/words.ts";
import { SECONDS_PER_DAY } from "../../../base/time/time.ts";
import {
  assetsName,
  changeAssets,
  firstPeriod,
  type ListChanges,
  placesOf,
  readAssets,
} from "../../../lake/assets-file.ts";
import { type Dataset, isPoolList, type Partition, periodOf } from "../../../lake/dataset.ts";
import { folderOf, isMonthly } from "../../../lake/layout.ts";
import type { TypedFlags, Values } from "../../run/flags/flag.ts";
import type { Run } from "../../run/with-run.ts";
import {
  dayOf,
  type ListedDataset,
  readDatasets,
  readStoredList,
  joinLists,
  newList,
  readSearch,
} from "./list-datasets.ts";
import { readInstant } from "../../../api/read-param.ts";
import { firstTrades } from "../../../client/candle-windows.ts";
import type { syncFlags } from "./sync-flags.ts";

type ListFlags = Values<typeof syncFlags> & { readonly tier: Tier; readonly typed: TypedFlags };

/**
 * Six days ago, because the public service returns transactions of the last week only. If the plan does not
 * include candles of that age, the first full day that it includes; earlier days would count as lost.
 */
function defaultStart(present: number, tier: Tier): number {
  const reach = Math.min(7 * SECONDS_PER_DAY, candleReach[tier] ?? Number.POSITIVE_INFINITY);
  return dayOf(present - reach + SECONDS_PER_DAY);
}

/**
 * The datasets of the stored list and of the arguments. `save` stores what the arguments change. `datasetsAt` moves
 * starts that nothing sets, if the service's clock is behind that of this machine.
 */
export async function readLists(run: Run, root: string, names: readonly string[], flags: ListFlags) {
  const { now } = run.options;
  const { search, tier } = flags;
  const given = [...(await readDatasets(names, run.sources, { ...flags, now }))];
  if (search !== undefined) {
    given.push(newList(readSearch(search, `--search "${search}"`, now), flags));
    // The other pools would be missing for good, because nothing shows their values later.
    if (!/ --limit\b/u.test(search)) run.report.info("--search without --limit records 10 pools");
  }
  checkFlags(given, flags);
  const file = path.join(root, assetsName);
  const stored = readStoredList(readAssets(root) ?? "", file, now);
  if (stored.length + given.length === 0)
    throw usageFailure(
      `nothing to sync: ${file} is missing, or lists no assets`,
      `specify what to collect: dexdata sync ${quoted(root)} <network:address>`,
    );
  const defaulted: Dataset[] = [];
  let [isKept, later] = [false, 0];
  const keep = (listed: ListedDataset, by: Partition): Partition => {
    isKept ||= listed.by !== undefined && listed.by !== by && !isMonthly(listed);
    return by;
  };
  const begin = async (listed: ListedDataset): Promise<Dataset> => {
    const dataset = { ...listed, from: 0, by: keep(listed, partitionIn(root, listed)) };
    const first = listed.from ?? (await firstPeriod(root, dataset));
    if ("every" in listed) return { ...dataset, from: listed.from ?? first ?? periodOf(listed, now / 1000) };
    const begun = { ...dataset, from: Math.max(first ?? defaultStart(now / 1000, tier), firstTrades) };
    if (first === undefined) defaulted.push(begun);
    return begun;
  };
  const known = new Map<string, Dataset>();
  for (const listed of stored) known.set(folderOf(listed), await begin(listed));
  const [added, widened]: [Dataset[], Dataset[]] = [[], []];
  const more: Dataset[] = [];
  for (const listed of given) {
    const own = known.get(folderOf(listed));
    // A list of pools begins with its first run in this directory.
    if (own === undefined)
      added.push(await begin("every" in listed ? { ...listed, from: undefined } : listed));
    else if (isPoolList(own) && "every" in listed) {
      known.set(folderOf(own), joinLists(own, listed));
      more.push({ ...listed, from: own.from, by: own.by });
    } else {
      keep(listed, own.by);
      const start = Math.max(listed.from ?? own.from, firstTrades);
      if (start < own.from) widened.push({ ...own, from: start });
      if (start > own.from) later += 1;
    }
  }
  if (isKept) run.report.info("existing datasets keep their layout, by month or by day");
  if (later > 0)
    run.report.info(`${counted(later, "dataset")} began earlier; a later --from removes nothing`);
  tellFrom(run, given, flags);
  for (const dataset of widened) known.set(folderOf(dataset), dataset);
  const datasets = [...known.values(), ...added];
  const save = (changes: Partial<ListChanges>): void =>
    changeAssets(run.context, root, changes, (line) => readStoredList(line, file, now));
  const datasetsAt = (present: number): readonly Dataset[] => {
    const start = defaultStart(present, tier);
    const earlier = new Map(
      defaulted
        .filter((dataset) => start < dataset.from)
        .map((dataset) => [dataset, { ...dataset, from: start }]),
    );
    save({ widened: [...earlier.values()] });
    return datasets.map((dataset) => earlier.get(dataset) ?? dataset);
  };
  const lists = new Set<Dataset>(added.filter(isPoolList));
  return {
    datasets,
    datasetsAt,
    save: () => save({ added: [...more, ...added], widened }),
    /** A mistyped search is not kept. A killed run has not judged it, so the next one reads it again. */
    judged: (dataset: Dataset, isRight: boolean): void => {
      if (lists.delete(dataset) && !isRight) save({ removed: [dataset] });
    },
  };
}

/** Lines of a list that begin later than --from, such as those of assets.ndjson. */
function tellFrom(
  { options: { now }, report }: Run,
  given: readonly ListedDataset[],
  { from }: ListFlags,
): void {
  if (from === undefined) return;
  const start = readInstant("--from", from, now).seconds;
  const isUnmoved = (listed: ListedDataset): boolean =>
    (listed.from ?? start) > dayOf(Math.max(start, listed.created ?? start));
  const count = given.filter(isUnmoved).length;
  if (count > 0) report.info(`--from does not apply to ${counted(count, "line")} with a later "from"`);
}

/** Flags that would have no effect. */
function checkFlags(given: readonly ListedDataset[], { from, kind, search, typed }: ListFlags): void {
  const isOfPools = given.some((listed) => "every" in listed);
  if (isOfPools && from !== undefined)
    throw usageFailure("--from cannot be used with pools: the service has no history of them");
  const isOfCandles = given.some(({ interval }) => interval !== undefined);
  const isOfKinds = search === undefined || given.length > 1 || kind.every((each) => each === "pools");
  for (const [name, isUsed, need] of [
    ["kind", isOfKinds, "a list of assets; --search records pools"],
    ["interval", isOfCandles, "--kind ohlcv or token-ohlcv"],
    ["list", isOfPools, "--search or --kind pools"],
    ["every", isOfPools, "--search or --kind pools"],
  ] as const)
    if (typed.has(name) && !isUsed && given.length > 0) throw usageFailure(`--${name} requires ${need}`);
}

/**
 * The files of a dataset decide, whatever its line says, because DuckDB cannot read both kinds at once. If there are both,
 * some were copied from another directory, and the line decides.
 */
function partitionIn(root: string, listed: ListedDataset): Partition {
  if (isMonthly(listed)) return "month";
  const found = new Set(
    placesOf(root, listed, namesIn).map(({ name }) => (name.startsWith("date=") ? "day" : "month")),
  );
  const [only] = found.size === 1 ? found : [];
  return only ?? listed.by ?? "month";
}
