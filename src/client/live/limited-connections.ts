import type { Failure } from "../../base/failure.ts";
import { assetsPerPost } from "../../api/feed.ts";
import { counted } from "../../base/text/words.ts";
import { momentOf } from "../gap.ts";
import { assetsOf, type RunningConnection } from "./running-connection.ts";
import { doesNotFit, replanConnections, tooManyAssets } from "../plan-connections.ts";
import type { Subject } from "../subject.ts";
import type { LiveHandlers, LiveOptions } from "../stream-options.ts";

/**
 * The status of a rejected POST. According to the specification, a transaction stream has a single asset (rule 127).
 */
const notTaken = 405;

/** Moves assets to other connections if the service rejects theirs because too many are open. */
export class LimitedConnections {
  readonly #running: Set<RunningConnection>;
  readonly #options: LiveOptions;
  readonly #handlers: LiveHandlers;
  #perConnection: number;
  /** Number of connections that the service accepted before rejecting one; infinite until then. */
  accepted = Number.POSITIVE_INFINITY;

  constructor(running: Set<RunningConnection>, options: LiveOptions, handlers: LiveHandlers) {
    this.#running = running;
    this.#options = options;
    this.#handlers = handlers;
    this.#perConnection = options.feed.batches === "never" ? 1 : assetsPerPost;
  }

  /** Names the assets whose connections were never accepted; undefined if all were accepted. */
  withoutPlace(): Failure | undefined {
    const crowded = [...this.#running].filter(({ isCrowdedOut }) => isCrowdedOut);
    const refused = crowded[0]?.refused;
    return refused && this.#noPlace(assetsOf(crowded), refused);
  }

  /** Also moves the assets of other connections rejected in the same way. Throws if the assets do not fit. */
  placeElsewhere(self: RunningConnection, refused: Failure): void {
    const open = this.#open();
    const crowded = [...this.#running].filter(
      (each) => each === self || (each.isCrowdedOut && !self.isAdded && !each.isAdded),
    );
    const free = open.reduce(
      (sum, { connection }) => sum + Math.max(0, this.#perConnection - connection.subjects.length),
      0,
    );
    const homeless = assetsOf(crowded);
    if (open.length > 0) this.accepted = open.length;
    this.#refuse(homeless.slice(free), self.isAdded, refused);
    const placed = homeless.slice(0, free);
    for (const each of crowded) {
      this.#running.delete(each);
      this.#handlers.closed(each.connection, refused.message);
      if (each !== self) this.#regroup(each, [], "its assets moved to other connections");
    }
    if (placed.length === 0) return;
    this.#handlers.moved(placed, open.length, refused);
    const before = open.map(({ connection }) => connection.subjects);
    const room = { perConnection: this.#perConnection, cap: open.length };
    for (const { from, subjects } of replanConnections(before, [...before.flat(), ...placed], room)) {
      const each = from === undefined ? undefined : open[from];
      if (each === undefined || subjects.length === each.connection.subjects.length) continue;
      each.moved ??= { before: each.connection.subjects, isAdded: self.isAdded, refused };
      this.#regroup(each, subjects, "it received assets from other connections");
    }
  }

  /** Undoes a move if the service accepts only one asset per connection and the moved assets may be dropped. */
  isPlacedBack(self: RunningConnection, refused: Failure): boolean {
    const { feed, cap } = this.#options;
    if (refused.details.status !== notTaken || feed.batches !== "perhaps") return false;
    if (self.moved === undefined) {
      if (self.connection.subjects.length === 1) return false;
      throw tooManyAssets(assetsOf([...this.#running]), { perConnection: 1, cap });
    }
    this.#perConnection = 1;
    for (const each of this.#running) {
      if (each.moved === undefined) continue;
      const { before, isAdded, refused: moving } = each.moved;
      const moved = each.connection.subjects.filter((subject) => !before.includes(subject));
      this.#refuse(moved, isAdded, moving);
      each.moved = undefined;
      if (each === self) each.connection = { ...each.connection, subjects: before };
      else this.#regroup(each, before, "the service accepts one asset per connection");
    }
    return true;
  }

  #regroup(each: RunningConnection, subjects: readonly Subject[], why: string): void {
    each.regroup(subjects, why, momentOf(this.#options.context.clock), this.#handlers);
  }

  #open(): readonly RunningConnection[] {
    return [...this.#running].filter(({ wasOpen }) => wasOpen);
  }

  /** Assets that fit on no connection cause an error, unless a reload added them: then they are dropped. */
  #refuse(homeless: readonly Subject[], isAdded: boolean, refused: Failure): void {
    if (homeless.length === 0) return;
    if (!isAdded) throw this.#noPlace(homeless, refused);
    this.#handlers.dropped(homeless, refused);
  }

  #noPlace(homeless: readonly Subject[], refused: Failure): Failure {
    const open = this.#open().length;
    if (open === 0) return refused;
    const all = [...this.#running];
    const assets = assetsOf(all).length;
    return doesNotFit(
      `the service allows ${counted(open, "connection")}, but ${counted(assets, "asset")} require ${all.length}; no room for ${counted(homeless.length, "asset")}`,
      assets - homeless.length,
      homeless,
      refused,
    );
  }
}
