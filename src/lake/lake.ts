import type { Client } from "../client/client.ts";
import type { Context } from "../base/context/context.ts";
import type { Failure } from "../base/failure.ts";
import type { FolderLock } from "../base/files/publish.ts";
import type { FileLock } from "../base/files/file-lock.ts";
import type { Dataset } from "./dataset.ts";
import type { Footer } from "./footer.ts";
import type { FileState } from "./layout.ts";
import type { ServiceClock } from "./service-clock.ts";

/** A directory that a run keeps complete. */
export interface Lake {
  readonly context: Context;
  readonly client: Client;
  readonly root: string;
  readonly lock: FileLock & FolderLock;
  /** Data of different services must not be mixed. */
  readonly service: string;
  readonly version: string;
  readonly isForced: boolean;
  readonly parallel: number;
  readonly clock: ServiceClock;
  /** The datasets, if the service's clock is not that of this machine. In Unix seconds. */
  readonly datasetsAt: (present: number) => readonly Dataset[];
  readonly events: LakeEvents;
}

/** What a run reports. */
export interface LakeEvents {
  readonly planned: (periods: number) => void;
  readonly done: () => void;
  readonly read: (rows: number) => void;
  readonly published: (dataset: Dataset, published: Published) => Promise<void>;
  /** Rows are missing, or may be. */
  readonly incomplete: (problem: string) => void;
  readonly damaged: (problem: string) => void;
  readonly info: (text: string) => void;
  readonly failed: (dataset: Dataset, failure: Failure) => void;
}

/** A file of a period that has got its name. */
export interface Published {
  /** Relative to the directory. */
  readonly file: string;
  /** Such as `2026-11-20`; its rows and bytes follow. */
  readonly period: string;
  readonly state: FileState;
  readonly rows: number;
  readonly bytes: number;
  readonly settled_to: string;
  /** Earlier rows that have changed, and earlier rows that the service no longer lists. */
  readonly revised: number;
  readonly withdrawn: number;
  readonly twins: number;
  readonly footer: Footer;
}
