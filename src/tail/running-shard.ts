import type { Subject } from "../client/batches.ts";
import type { Failure } from "../contract/failure.ts";
import type { ChildSignal } from "../context/child-signal.ts";
import type { Moment } from "./moment.ts";
import type { Gap } from "./shard.ts";

/** One connection among several, for those who watch. */
export interface Shard {
  readonly number: number;
  readonly subjects: readonly Subject[];
}

export interface RunningShard {
  shard: Shard;
  readonly started: Moment;
  isOpen: boolean;
  wasOpen: boolean;
  /** Of the connection as it is; aborted where its assets change. */
  current: ChildSignal;
  /** What the next opening has to tell as a gap, where the connection is not its keeper's first any more. */
  interrupted: { readonly from: Moment; readonly reason: string } | undefined;
  /** Why the last try to open it failed, where it never was open. */
  refused: Failure | undefined;
  /** It never was open, and the last try found no place. */
  isCrowdedOut: boolean;
  /** What it has taken over from connections that found no place. */
  moved: Moved | undefined;
  /** It came with a list that was read again. */
  readonly isAdded: boolean;
  /** Told once it is open, was refused, or is over. */
  settled: (() => void) | undefined;
}

export interface Moved {
  /** What it had before. */
  readonly before: readonly Subject[];
  /** Of connections that came with a list that was read again: such assets may be left out. */
  readonly isAdded: boolean;
  readonly refused: Failure;
}

/** Why a connection whose assets change is closed, and opened anew with what it has then. */
export class Regrouped {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** Goes on with these assets; without any it is over. */
export function regroup(self: RunningShard, subjects: readonly Subject[], why: string): void {
  self.shard = { ...self.shard, subjects };
  self.current.abort(new Regrouped(why));
}

/** Resolves when the next try to open it has come to something. */
export function settling(self: RunningShard): Promise<void> {
  self.settled?.();
  return new Promise((resolve) => {
    self.settled = resolve;
  });
}

/** How a connection that is not open at the end came to that: lost, refused so far, or still at its first try. */
export type Missing = "lost" | "refused" | "opening";

/** What a tail that is over has not had of a connection that is not open; undefined where it is. */
export function missedBy(
  { isOpen, wasOpen, interrupted, refused, started }: RunningShard,
  to: Moment,
): { readonly gap: Gap; readonly missing: Missing } | undefined {
  if (isOpen) return undefined;
  if (interrupted !== undefined) return { gap: { ...interrupted, to }, missing: "lost" };
  const gap = { from: started, to, reason: refused?.message ?? "it was never open" };
  return { gap, missing: wasOpen ? "lost" : refused === undefined ? "opening" : "refused" };
}

export function assetsOf(all: readonly RunningShard[]): readonly Subject[] {
  return all.flatMap(({ shard }) => shard.subjects);
}
