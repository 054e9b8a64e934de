import type { Subject } from "../client/batches.ts";
import type { StreamEvent } from "../client/streams/received-event.ts";
import type { Failure } from "../contract/failure.ts";
import type { Feed, FeedKind } from "./feeds.ts";
import type { Suspects } from "./find-invalid.ts";
import type { Missing, Shard } from "./running-shard.ts";
import type { Gap, Moment, ShardLimits } from "./shard.ts";

export interface TailHandlers {
  /** A connection is about to be opened for the first time. */
  readonly begun: (shard: Shard) => void;
  readonly opened: (shard: Shard, at: Moment, gap: Gap | undefined) => void;
  /** Awaited: the connections that have something to say wait for it. */
  readonly events: (shard: Shard, events: readonly StreamEvent[], at: Moment) => Promise<void>;
  readonly charged: (events: number) => void;
  readonly retrying: (shard: Shard, failure: Failure, waitMilliseconds: number) => void;
  readonly said: (shard: Shard, kind: "warning" | "error" | "unknown", text: string) => void;
  /** At the end, of a connection that is not open: the gap is the last one, and has no further opening to tell of it. */
  readonly missed: (shard: Shard, gap: Gap, missing: Missing) => void;
  /** It is not opened again; `why` is a sentence. */
  readonly closed: (shard: Shard, why: string) => void;
  /** Assets of connections that found no place go on with others; so many connections are to be had. */
  readonly moved: (subjects: readonly Subject[], connections: number, failure: Failure) => void;
  /** The service ended this connection for good; others remain. */
  readonly ended: (shard: Shard, failure: Failure) => void;
  /** Assets that the service does not stream are left out. */
  readonly dropped: (subjects: readonly Subject[], failure: Failure) => void;
}

export interface TailOptions {
  readonly feed: Feed;
  readonly kind: FeedKind;
  readonly params: ReadonlyMap<string, string>;
  /** Connections at once. */
  readonly cap: number;
  readonly onInvalid: "fail" | "drop";
  readonly limits: ShardLimits;
  /** Those that another source does not know, where asking it is worth its credits. */
  readonly suspects: Suspects | undefined;
}
