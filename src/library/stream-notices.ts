import type { Gap } from "../tail/shard.ts";
import type { Shard, TailHandlers } from "../tail/tail.ts";
import type { StreamNotice } from "./public-types.ts";

export type NoticeHandlers = Omit<TailHandlers, "events" | "charged"> & {
  /** An event is larger than the parser's limit. */
  readonly skipped: (shard: Shard) => void;
};

/** Tells a program what the command line says on stderr. */
export function noticesOf(tell: (notice: StreamNotice) => void): NoticeHandlers {
  const tellGap = ({ subjects }: Shard, { from, to, reason }: Gap): void =>
    tell({ kind: "gap", assets: subjects, from: new Date(from.now), to: new Date(to.now), reason });
  return {
    begun: () => undefined,
    opened: (shard, _, gap) => {
      if (gap === undefined) tell({ kind: "open", assets: shard.subjects });
      else tellGap(shard, gap);
    },
    retrying: ({ subjects }, failure, wait) =>
      tell({ kind: "retry", assets: subjects, wait, reason: failure.message }),
    said: ({ subjects }, kind, text) => tell({ kind, assets: subjects, text }),
    missed: tellGap,
    closed: () => undefined,
    ended: ({ subjects }, { message: reason }) => tell({ kind: "dropped", assets: subjects, reason }),
    moved: () => undefined,
    skipped: ({ subjects }) => tell({ kind: "lost", assets: subjects, reason: "larger than 1 MiB" }),
    dropped: (subjects, failure) => tell({ kind: "dropped", assets: subjects, reason: failure.message }),
  };
}
