import { showSeconds } from "../../base/time/time.ts";
import { createQueue } from "../../base/concurrent.ts";
import { counted } from "../../base/text/words.ts";
import { notCreated } from "../coverage.ts";
import { type Dataset, nameOfDataset } from "../dataset.ts";
import type { LostRange } from "../footer.ts";
import { type LakeFileState, readHeld } from "../files/stored-periods.ts";
import type { Period } from "../layout.ts";
import type { PeriodUpdate, ReadUpdate } from "../periods/period-update.ts";
import { type Publisher, publishPeriod } from "../periods/publish-period.ts";
import { creationOf, type Reach } from "./lake-reach.ts";
import type { Lake, Published } from "../lake.ts";
import { createWitnesses } from "./witness.ts";
import type { Waiting } from "./waiting.ts";

export type LakeRun = ReturnType<typeof beginRun>;

/** What the steps of a run share. */
export function beginRun(lake: Lake) {
  const { context, root, lock, service, version, events, clock } = lake;
  const damagedDatasets = new Set<Dataset>();
  const damaged: Publisher["damaged"] = (problem, dataset) => {
    damagedDatasets.add(dataset);
    events.damaged(problem);
  };
  const publisher: Publisher = { context, root, lock, service, version, damaged };
  const reaches = new Map<Dataset, Promise<Reach | undefined>>();
  const turns = new Map<Dataset, ReturnType<typeof createQueue>>();
  let problems = 0;
  const complain = (problem: string): void => {
    problems += 1;
    events.incomplete(problem);
  };
  const tellAbout = ({ file, footer, twins }: Published, update: PeriodUpdate): void => {
    const { dataset, held, part, before } = update;
    const { state, rows, contradicted, witnessed, lost } = footer;
    if (twins > 0)
      events.info(
        `${file}: ${counted(twins, "row")} with the same ID and log index as another row; the file keeps both`,
      );
    const known = new Set(held?.footer?.before?.map(rangeText));
    for (const range of before)
      if (range.why !== notCreated && !known.has(rangeText(range)))
        complain(`${nameOfDataset(dataset)}: ${rangeText(range)}`);
    const said = new Set(held?.footer?.lost.map(rangeText));
    for (const range of lost.map(rangeText)) if (!said.has(range)) complain(`${file}: ${range}`);
    if (contradicted?.at === part.present && contradicted.rows > 0) {
      const count = `the service no longer returns ${contradicted.rows} of ${counted(rows, "row")}`;
      const text = `${file}: ${count}; the file keeps them until a later run confirms this`;
      if (state === "rows") complain(text);
      else events.info(text);
    }
    if (state === "open" && witnessed === false && lost.length === 0)
      complain(
        `${file}: the service shows no older row, so the start of the day may be missing; the file stays open`,
      );
  };
  const tellDamage = createDamageReport(damaged);
  return {
    ...lake,
    publisher,
    /** How far back each dataset can be read, if a time range made it necessary to find out. */
    reaches,
    present: clock.present,
    witnesses: createWitnesses(),
    /** When pools were created, as far as it was asked for; in Unix seconds. */
    creations: new Map<Dataset, Promise<number | undefined>>(),
    /** Their files lack more rows than this run has planned to read. Only writing to a file shows all damage. */
    damaged: damagedDatasets,
    /** What was read, and waits for a witness. */
    waiting: [] as Waiting[],
    /** A file that is about to be written again. It is read in full, because its footer does not show all damage. */
    look: async (dataset: Dataset, period: Period) => await readHeld({ root, lock }, dataset, period),
    /** A file by month has days of several tasks, so looking at one and writing it is one step. */
    inTurn: async <T>(dataset: Dataset, work: () => Promise<T>): Promise<T> => {
      const inTurn = turns.get(dataset) ?? createQueue();
      turns.set(dataset, inTurn);
      return await inTurn(work);
    },
    complain,
    problems: (): number => problems,
    tellDamage,
    release: async (known: Omit<ReadUpdate, "isClockSure">): Promise<void> => {
      const update: ReadUpdate = { ...known, isClockSure: clock.isSure() };
      const { dataset, held } = update;
      const published = await publishPeriod(publisher, update);
      tellDamage(dataset, held);
      if (published === undefined) return;
      await events.published(dataset, published);
      tellAbout(published, update);
    },
  };
}

/** Once for each file, after it was replaced. */
function createDamageReport(damaged: Publisher["damaged"]) {
  const told = new Set<string>();
  return (dataset: Dataset, held: LakeFileState | undefined): void => {
    if (held === undefined || held.footer !== undefined || told.has(held.file)) return;
    told.add(held.file);
    damaged(`replaced ${held.file}: ${held.problem}; the earlier file is in .dexdata/replaced`, dataset);
  };
}

/** One request for each dataset and run. */
export async function creation(
  { creations, client }: Pick<LakeRun, "creations" | "client">,
  dataset: Dataset,
): Promise<number | undefined> {
  const asked = creations.get(dataset) ?? creationOf(client, dataset);
  creations.set(dataset, asked);
  return await asked;
}

/** For messages. */
export function rangeText({ from, to, why }: LostRange): string {
  return `rows from ${showSeconds(from)} to ${showSeconds(to)} are lost (${meaningOf(why)})`;
}

function meaningOf(why: string): string {
  if (why === "missed") return "no file has them, and the service has no history of them";
  if (why === "reach") return "the service no longer has them";
  if (why === "unconfirmed") return "the service no longer has them, so they could not be compared";
  return `the ${why.replace("plan ", "")} plan does not include them`;
}
