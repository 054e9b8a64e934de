import type { Subject } from "../client/batches.ts";
import type { Failure } from "../contract/failure.ts";
import { assetsPerPost } from "./feeds.ts";
import { assetsOf, regroup, type RunningShard } from "./running-shard.ts";
import { doesNotFit, replanShards, tooManyAssets } from "./shards.ts";
import type { TailHandlers, TailOptions } from "./tail-options.ts";

/** What becomes of connections that the service has no place for. */
export interface CrowdedShards {
  /** Connections that the service accepted before it refused one; infinite before that. */
  readonly accepted: () => number;
  /** The failure that names the assets whose connections were never accepted; undefined where all were. */
  readonly withoutPlace: () => Failure | undefined;
  /** Its assets, and those of others like it, go on with connections that are open; it is over. Throws where that cannot be. */
  readonly placeElsewhere: (self: RunningShard, refused: Failure) => void;
  /** The service takes one asset a connection: each goes on with its own, where the others may be left out. */
  readonly isPlacedBack: (self: RunningShard, refused: Failure) => boolean;
}

/** A POST that is not taken: by the specification trades are asked for one by one (rule 127). */
const notTaken = 405;

export function createCrowdedShards(
  running: Set<RunningShard>,
  { feed, cap }: Pick<TailOptions, "feed" | "cap">,
  handlers: Pick<TailHandlers, "closed" | "dropped" | "moved">,
): CrowdedShards {
  let perConnection = feed.batches === "never" ? 1 : assetsPerPost;
  let accepted = Number.POSITIVE_INFINITY;

  const close = (self: RunningShard, why: string): void => {
    running.delete(self);
    handlers.closed(self.shard, why);
  };

  /** What finds no room is an error, or left out where it came with a list that was read again. */
  const refuse = (homeless: readonly Subject[], self: RunningShard, refused: Failure): void => {
    if (homeless.length === 0) return;
    const all = [...running];
    const open = all.filter(({ wasOpen }) => wasOpen);
    if (self.isAdded) return handlers.dropped(homeless, refused);
    throw noPlace(homeless, all, open.length, refused);
  };

  return {
    accepted: () => accepted,
    withoutPlace: () => {
      const all = [...running];
      const crowded = all.filter(({ isCrowdedOut }) => isCrowdedOut);
      const refused = crowded.find((each) => each.refused !== undefined)?.refused;
      const open = all.filter(({ wasOpen }) => wasOpen).length;
      return refused && noPlace(assetsOf(crowded), all, open, refused);
    },
    placeElsewhere: (self, refused) => {
      const all = [...running];
      const open = all.filter(({ wasOpen }) => wasOpen);
      const crowded = all.filter(
        (each) => each === self || (each.isCrowdedOut && !self.isAdded && !each.isAdded),
      );
      const free = open.reduce(
        (sum, { shard }) => sum + Math.max(0, perConnection - shard.subjects.length),
        0,
      );
      const homeless = assetsOf(crowded);
      if (open.length > 0) accepted = open.length;
      refuse(homeless.slice(free), self, refused);
      const placed = homeless.slice(0, free);
      for (const each of crowded) {
        close(each, refused.message);
        if (each !== self) regroup(each, [], "its assets go on with others");
      }
      if (placed.length === 0) return;
      handlers.moved(placed, open.length, refused);
      const before = open.map(({ shard }) => shard.subjects);
      const room = { perConnection, cap: open.length };
      for (const { from, subjects } of replanShards(before, [...before.flat(), ...placed], room)) {
        const each = from === undefined ? undefined : open[from];
        if (each === undefined || subjects.length === each.shard.subjects.length) continue;
        each.moved ??= { before: each.shard.subjects, isAdded: self.isAdded, refused };
        regroup(each, subjects, "it took over assets of others");
      }
    },
    isPlacedBack: (self, refused) => {
      if (refused.details.status !== notTaken || feed.batches !== "perhaps") return false;
      const { moved } = self;
      if (moved === undefined) {
        if (self.shard.subjects.length === 1) return false;
        throw tooManyAssets(assetsOf([...running]), { perConnection: 1, cap });
      }
      perConnection = 1;
      for (const each of running) {
        if (each.moved === undefined) continue;
        const { before } = each.moved;
        const homeless = each.shard.subjects.filter((subject) => !before.includes(subject));
        refuse(homeless, { ...each, isAdded: each.moved.isAdded }, each.moved.refused);
        each.moved = undefined;
        if (each === self) each.shard = { ...each.shard, subjects: before };
        else regroup(each, before, "the service takes one asset a connection");
      }
      return true;
    },
  };
}

function noPlace(
  homeless: readonly Subject[],
  all: readonly RunningShard[],
  open: number,
  refused: Failure,
): Failure {
  if (open === 0) return refused;
  const assets = assetsOf(all).length;
  return doesNotFit(
    `the service allows ${open} connections here, not the ${all.length} that ${assets} assets take: ${homeless.length} do not fit`,
    assets - homeless.length,
    homeless,
    refused,
  );
}
