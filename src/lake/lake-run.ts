import path from "node:path";
import type { Client } from "../client/client.ts";
import type { Context } from "../context/context.ts";
import type { Failure } from "../contract/failure.ts";
import type { FileLock } from "../files/file-lock.ts";
import { counted } from "../text/counted.ts";
import type { Dataset } from "./dataset.ts";
import { showTime } from "./footer.ts";
import { findHeld, type HeldFile } from "./held-files.ts";
import type { Period } from "./layout.ts";
import { type News, publish, type Published, type Publisher } from "./publish.ts";
import type { Reach } from "./lake-reach.ts";

export interface Lake {
  readonly context: Context;
  readonly client: Client;
  readonly root: string;
  readonly lock: FileLock;
  /** Data of different services must not be mixed. */
  readonly service: string;
  readonly version: string;
  readonly isForced: boolean;
  readonly parallel: number;
  /** The service's time in Unix seconds; undefined before the first response. */
  readonly present: () => number | undefined;
  /** The local clock or `--now`, in Unix seconds. */
  readonly now: number;
  readonly events: LakeEvents;
}

export interface LakeEvents {
  readonly planned: (periods: number) => void;
  readonly done: (periods: number) => void;
  readonly read: (rows: number) => void;
  readonly published: (dataset: Dataset, published: Published) => Promise<void>;
  /** Rows are missing, or may be. */
  readonly incomplete: (problem: string) => void;
  readonly damaged: (problem: string) => void;
  readonly twins: (remark: string) => void;
  readonly failed: (dataset: Dataset, failure: Failure) => void;
}

export type LakeRun = ReturnType<typeof beginRun>;

export const workFolder = (root: string): string => path.join(root, ".dexdata", "work");

/** What the steps of a run share. */
export function beginRun(lake: Lake) {
  const { context, root, service, version, events } = lake;
  const publisher: Publisher = { context, root, work: workFolder(root), service, version };
  const reaches = new Map<Dataset, Promise<Reach | undefined>>();
  const told = new Set<string>();
  let problems = 0;
  const complain = (problem: string): void => {
    problems += 1;
    events.incomplete(problem);
  };
  return {
    ...lake,
    publisher,
    /** How far back each dataset can be read, if a stretch made it necessary to find out. */
    reaches,
    present: (): number => lake.present() ?? lake.now,
    look: async (dataset: Dataset, period: Period): Promise<HeldFile | undefined> =>
      await findHeld(root, dataset, period, lake.isForced),
    complain,
    problems: (): number => problems,
    release: async (news: News): Promise<void> => {
      const { dataset, held } = news;
      const published = await publish(publisher, news);
      if (held !== undefined && held.footer === undefined && !told.has(held.file)) {
        told.add(held.file);
        events.damaged(
          `replaced ${held.file}: ${held.problem ?? ""}; the earlier file is in .dexdata/replaced`,
        );
      }
      if (published === undefined) return;
      await events.published(dataset, published);
      const { file, twins } = published;
      if (twins > 0)
        events.twins(
          `${file}: ${counted(twins, "row")} with the ID and log index of another row; both are in the file`,
        );
      for (const { from, to, why } of news.lost)
        complain(
          `${published.file}: rows from ${showTime(from)} to ${showTime(to)} are lost (${meaningOf(why)})`,
        );
    },
  };
}

function meaningOf(why: string): string {
  if (why === "reach") return "the service no longer has them";
  if (why === "unconfirmed") return "the service no longer has them, so they could not be compared";
  return `the ${why.replace("plan ", "")} plan does not include them`;
}
