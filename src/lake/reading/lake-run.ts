import { showSeconds } from "../../base/time/time.ts";
import { createQueue } from "../../base/concurrent.ts";
import { groupBy } from "../../base/group-by.ts";
import { counted, grouped, someOf } from "../../base/text/words.ts";
import { addedRanges, joinRanges, type Part } from "../coverage.ts";
import { type Dataset, nameOfDataset, type TimeRange } from "../dataset.ts";
import type { LostRange } from "../footer.ts";
import { readHeld } from "../files/stored-periods.ts";
import { type Period, periodAt, shownPeriod } from "../layout.ts";
import type { PeriodUpdate } from "../periods/judge-period.ts";
import type { Keeper } from "../files/place-period.ts";
import { publishPeriods } from "../periods/publish-period.ts";
import { creationOf, type Reach } from "./lake-reach.ts";
import type { Lake, Published } from "../lake.ts";
import type { StagedRows } from "./pull-range.ts";

export type LakeRun = ReturnType<typeof beginRun>;

/** What the steps of a run share. */
export function beginRun(lake: Lake) {
  const { root, events, clock } = lake;
  const incomplete = new Set<Dataset>();
  const damaged: Keeper["damaged"] = (problem, dataset) => {
    incomplete.add(dataset);
    events.warn(problem);
  };
  const publisher = { ...lake, damaged };
  const reaches = new Map<Dataset, Promise<Reach | undefined>>();
  /** When pools were created, as far as it was asked for; in Unix seconds. */
  const creations = new Map<Dataset, number | undefined>();
  const turns = new Map<Dataset, ReturnType<typeof createQueue>>();
  const { complain, problems } = createComplaints(events.warn);
  return {
    ...publisher,
    /** How far back each dataset can be read, if a time range made it necessary to find out. */
    reaches,
    present: clock.present,
    /**
     * Evidence that the service still had a time when a period was read: the times of rows in Unix seconds, in the order
     * in which they were seen. A row at or before the start of a period that was seen with its last page or later is a
     * witness. How far a service reaches back does not depend on the pool, so a row of any dataset of the run will do.
     */
    witnesses: [] as number[],
    creations,
    /** One request for each dataset and run, if the list does not say it. */
    creation: async (dataset: Dataset): Promise<number | undefined> => {
      if (!creations.has(dataset))
        creations.set(dataset, dataset.created ?? (await creationOf(lake.client, dataset)));
      return creations.get(dataset);
    },
    /** Their files lack more rows than this run has planned to read. Only writing to a file shows all damage. */
    incomplete,
    /** What was read, and waits for a witness. */
    waiting: [] as Waiting[],
    /** A file that is about to be written again. It is read in full, because its footer does not show all damage. */
    look: async (dataset: Dataset, period: Period) => await readHeld(root, dataset, period),
    /** A file by month has days of several tasks, so looking at one and writing it is one step. */
    inTurn: async <T>(dataset: Dataset, work: () => Promise<T>): Promise<T> => {
      const inTurn = turns.get(dataset) ?? createQueue();
      turns.set(dataset, inTurn);
      return await inTurn(work);
    },
    /** All rows of a time range are in memory while they are published, so only one is published at a time. */
    oneAtATime: createQueue(),
    complain,
    problems,
    release: async (known: readonly Omit<PeriodUpdate, "isClockSure">[]): Promise<void> => {
      const isClockSure = clock.isSure();
      const updates = known.map((update) => ({ ...update, isClockSure }));
      const cut: Published[] = [];
      await publishPeriods(publisher, updates, async (published, update) => {
        await events.published(published);
        if (reportPublished(events, complain, published, update)) cut.push(published);
      });
      for (const own of groupBy(cut, ({ file }) => file).values()) complain(cutText(own), own.length);
    },
  };
}

/** Reports what is unusual about a period that a run has written. Returns whether its first rows may be missing. */
function reportPublished(
  { info }: Pick<Lake["events"], "info">,
  complain: (problem: string) => void,
  published: Published,
  { dataset, held, part }: PeriodUpdate,
): boolean {
  const { file, footer, twins, lostBefore } = published;
  const { state, rows, contradicted, witnessed, lost } = footer;
  const period = `${file}, ${shownPeriod(periodOf(published))}`;
  if (twins > 0)
    info(
      `${period}: ${counted(twins, "row")} with the same ID and log index as another row; the file keeps both`,
    );
  const isUncertain = state === "open" && witnessed === false && lost.length === 0;
  const isJustBefore = ({ to }: LostRange): boolean => isUncertain && to === footer.period.from;
  const place = lostBefore.length > 0 ? nameOfDataset(dataset) : file;
  for (const range of joinRanges([...lostBefore, ...addedRanges(held?.footer?.lost, lost)])) {
    const next = "; the first rows of the following day may be missing, too, so it stays open";
    complain(`${place}: ${rangeText(range)}${isJustBefore(range) ? next : ""}`);
  }
  if (contradicted?.at === part.present && contradicted.rows > 0) {
    const count = `the service no longer returns ${grouped(String(contradicted.rows))} of ${counted(rows, "row")}`;
    const text = `${period}: ${count}; the file keeps them until a later run confirms this`;
    if (state === "rows") complain(text);
    else info(text);
  }
  return isUncertain && !lostBefore.some(isJustBefore);
}

const periodOf = ({ dataset, footer }: Published): Period => periodAt(dataset, footer.period.from);

/** About the days of one file. */
function cutText(days: readonly [Published, ...Published[]]): string {
  const names = someOf(days.map((day) => shownPeriod(periodOf(day))));
  const effect =
    days.length === 1
      ? "its first rows may be missing; the day stays open"
      : "their first rows may be missing; the days stay open";
  return `${days[0].file}: the service returned no row from before ${names}, so ${effect}`;
}

/** Counts every problem, but reports each text once: the days of a damaged file all have the same one. */
function createComplaints(warn: Lake["events"]["warn"]) {
  const said = new Set<string>();
  let count = 0;
  const complain = (problem: string, problems = 1): void => {
    count += problems;
    if (!said.has(problem)) warn(problem);
    said.add(problem);
  };
  return { complain, problems: () => count };
}

/** For messages. */
export function rangeText({ from, to, why }: LostRange): string {
  return `rows from ${showSeconds(from)} to ${showSeconds(to)} are lost (${meaningOf(why)})`;
}

function meaningOf(why: string): string {
  if (why === "missed") return "no file has them, and the service has no history of them";
  if (why === "damaged") return "their file was damaged, and the service has no history of them";
  if (why === "reach") return "the service no longer has them";
  if (why === "unconfirmed") return "the service no longer has them, so they could not be compared";
  return `the ${why.replace("plan ", "")} plan does not include them`;
}

/** A time range whose rows were read, but which is not yet in the files. */
export interface Waiting {
  readonly staged: StagedRows;
  readonly parts: readonly Part[];
  /** Before its start was moved to what the service still has. */
  readonly wanted: TimeRange;
  readonly reach: Reach | undefined;
  readonly before: readonly LostRange[];
  /** The time of the oldest row in Unix seconds. */
  readonly oldest: number;
  /** The number of `witnesses` when its last page arrived. */
  readonly step: number;
}
