import { Foreign, type Owner, readRow, type StreamEvent } from "./stream-event.ts";
import { comparableAddress, type Subject, subjectKey } from "./subject.ts";
import type { FeedKind } from "../api/feed.ts";
import { areSame } from "../base/json/byte-scan.ts";
import { member } from "../base/json/json-scan.ts";

/** The members with the address of a row's own asset. A transaction has two tokens, and either may be the asset. */
const addressNames = {
  token: ["address", "a", "token_id", "token_0", "token_1"],
  pool: ["pool_id", "address", "a"],
};
const chainNames = ["chain", "c"];

/** In bytes. Only rows whose first members identify the asset are recognized by them. */
const longestBeginning = 256;

interface Owned {
  readonly owner: Owner;
  /** Undefined unless the owner is one of the connection's assets. */
  readonly heard: Heard | undefined;
}

/** The first bytes of an asset's rows, up to the last member that identifies it. */
interface Beginning extends Owned {
  readonly sample: DataView;
  readonly length: number;
}

interface Heard {
  /** On the monotonic clock; NaN if unknown. */
  at: number;
  hasEvent: boolean;
}

/**
 * The one place that decides whose an event is. The row's own address decides; `request_id`, the index in the
 * connection's batch (wire-facts 5.3), only if the row has none, because a service may leave out an entry and renumber
 * the rest.
 */
export class EventOwners {
  readonly #names: readonly string[];
  /** By a connection's assets and their index; the last one is for events without a valid index. */
  readonly #beginnings = new WeakMap<readonly Subject[], (Beginning | undefined)[]>();
  /** When each asset had its last event. By `subjectKey`, because an asset may move to another connection. */
  readonly #heard = new Map<string, Heard>();
  #bytes: Buffer | undefined;
  #view: DataView = new DataView(new ArrayBuffer(0));

  constructor({ by }: Pick<FeedKind, "by">) {
    this.#names = addressNames[by];
  }

  /** Sets the owners of a connection's events. `subjects` are its assets, and `now` is on the monotonic clock. */
  claim(events: readonly StreamEvent[], subjects: readonly Subject[], now: number): void {
    for (const event of events) {
      const { owner, heard } = this.#find(event, subjects);
      if (heard !== undefined) heard.at = now;
      event.owner = owner;
    }
  }

  /** When the asset that has been silent for longest had its last event; for one without an event, the first call. */
  quietest(subjects: readonly Subject[], now: number): number {
    let least = now;
    const listed = new Set(subjects.map(subjectKey));
    // If a reload brings an asset back, its silence starts over.
    for (const [key, heard] of this.#heard) if (!listed.has(key)) heard.at = Number.NaN;
    for (const subject of subjects) {
      const heard = this.#heardOf(subject);
      if (Number.isNaN(heard.at)) heard.at = now;
      least = Math.min(least, heard.at);
    }
    return least;
  }

  /** Whether the asset has had an event. */
  hasHeard(subject: Subject): boolean {
    return this.#heardOf(subject).hasEvent;
  }

  #heardOf(subject: Subject): Heard {
    const key = subjectKey(subject);
    const heard = this.#heard.get(key) ?? { at: Number.NaN, hasEvent: false };
    this.#heard.set(key, heard);
    return heard;
  }

  #find(event: StreamEvent, subjects: readonly Subject[]): Owned {
    const index = indexOf(event, subjects);
    const known = this.#beginnings.get(subjects)?.[index];
    if (known !== undefined && this.#beginsLike(event, known)) return known;
    const beginnings = this.#beginnings.get(subjects) ?? [];
    this.#beginnings.set(subjects, beginnings);
    const row = readRow(event);
    const owner = this.#ownerOf(row, subjects[index], subjects);
    const heard = owner === undefined || owner instanceof Foreign ? undefined : this.#heardOf(owner);
    if (heard !== undefined) heard.hasEvent = true;
    const owned = { owner, heard };
    beginnings[index] = this.#beginningOf(event, row, owned);
    return owned;
  }

  #beginsLike({ bytes, start, end }: StreamEvent, { sample, length }: Beginning): boolean {
    if (end - start < length) return false;
    if (this.#bytes !== bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return areSame(sample, 0, length, this.#view, start);
  }

  #ownerOf(row: unknown, expected: Subject | undefined, subjects: readonly Subject[]): Owner {
    const addresses = textsAt(row, this.#names);
    const [chain] = textsAt(row, chainNames);
    const [first] = addresses;
    if (first === undefined) return expected;
    const keys = new Set(addresses.map(comparableAddress));
    const isAlike = ({ address }: Subject): boolean => keys.has(comparableAddress(address));
    const isOwn = (subject: Subject): boolean =>
      (chain === undefined || chain.toLowerCase() === subject.network.toLowerCase()) && isAlike(subject);
    if (expected !== undefined && isOwn(expected)) return expected;
    const name = chain === undefined ? first : `${chain}:${first}`;
    return subjects.find(isOwn) ?? new Foreign(name, subjects.some(isAlike));
  }

  /** Undefined unless the row begins with the members that identify its asset. */
  #beginningOf(event: StreamEvent, row: unknown, owned: Owned): Beginning | undefined {
    const text = event.bytes.toString(
      "latin1",
      event.start,
      Math.min(event.end, event.start + longestBeginning),
    );
    let length = 0;
    for (const name of [...this.#names, ...chainNames]) {
      const value = member(row, name);
      if (value === undefined) continue;
      if (typeof value !== "string") return undefined;
      const found = `"${name}":${JSON.stringify(value)}`;
      const at = text.indexOf(found);
      if (at < 0) return undefined;
      length = Math.max(length, at + found.length);
    }
    if (length === 0) return undefined;
    // A copy, because a slice would keep the whole chunk in memory.
    const sample = Uint8Array.from(event.bytes.subarray(event.start, event.start + length));
    return { sample: new DataView(sample.buffer), length, ...owned };
  }
}

/** The number of assets, if the event has no valid index. */
function indexOf({ requestId }: StreamEvent, { length }: readonly Subject[]): number {
  if (length === 1) return 0;
  return typeof requestId === "number" && requestId < length ? requestId : length;
}

function textsAt(row: unknown, names: readonly string[]): readonly string[] {
  return names
    .map((name) => member(row, name))
    .filter((value): value is string => typeof value === "string" && value !== "");
}
