import type { Subject } from "../client/batches.ts";
import { isStreamLimitFailure } from "../client/streams/stream-refusal.ts";
import type { Failure } from "../model/failure.ts";
import type { ChildSignal } from "./child-signal.ts";
import type { Feed } from "./feeds.ts";
import type { Moment } from "./moment.ts";
import type { Gap } from "./shard.ts";
import { doesNotFit, type Room, tooManyAssets } from "./shards.ts";

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
  refused: string | undefined;
  /** It came with a list that was read again. */
  readonly isAdded: boolean;
  /** Told once it is open, was refused, or is over. */
  settled: (() => void) | undefined;
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
  const gap = { from: started, to, reason: refused ?? "it was never open" };
  return { gap, missing: wasOpen ? "lost" : refused === undefined ? "opening" : "refused" };
}

/** What a refusal of one connection means among several: a cap that is lower than the plan's, or a POST that is not taken. */
export function amongOthers(
  failure: Failure,
  self: RunningShard,
  all: readonly RunningShard[],
  { feed, room }: { readonly feed: Feed; readonly room: Room },
): Failure {
  const subjects = assetsOf(all);
  if (isStreamLimitFailure(failure)) {
    const places = all.filter(({ wasOpen }) => wasOpen);
    if (places.length === 0) return failure;
    const left = assetsOf(all.filter(({ wasOpen }) => !wasOpen));
    return doesNotFit(
      `the service allows ${places.length} connections here, not the ${all.length} that ${subjects.length} assets take: ${left.length} do not fit`,
      assetsOf(places).length,
      left,
      failure,
    );
  }
  const isUnknownBatch =
    failure.details.status === 405 && feed.batches === "perhaps" && self.shard.subjects.length > 1;
  return isUnknownBatch ? tooManyAssets(subjects, { ...room, perConnection: 1 }) : failure;
}

function assetsOf(all: readonly RunningShard[]): readonly Subject[] {
  return all.flatMap(({ shard }) => shard.subjects);
}
