import { createByteStore } from "./byte-store.ts";
import { skippedData } from "./stream-event.ts";

/** Bytes that are skipped of a larger event. The parser gives up an event that is still not complete after them. */
export const maxSkippedBytes = 64 * 1024 * 1024;
const LF = 0x0a;
const noBytes: Buffer = Buffer.alloc(0);

/**
 * The data of the event in progress, from its lines. Most events have one, which stays where it is; only several are
 * copied together. The data of an event that is larger than the cap are skipped, so that memory stays bounded.
 */
export class EventData {
  /** Undefined for an event without a line of data; `skippedData` for one that was too large. */
  bytes: Buffer | undefined;
  start = 0;
  end = 0;
  readonly #cap: number;
  readonly #lines = createByteStore();
  #skipped = 0;
  #isTooLarge = false;

  constructor(cap: number) {
    this.#cap = cap;
  }

  /** `isLent`: the bytes will be overwritten. */
  add(bytes: Buffer, from: number, to: number, isLent: boolean): void {
    if (this.#isTooLarge) return this.skip(to - from + 1);
    if (this.bytes === undefined) {
      if (isLent) this.#set(Buffer.from(bytes.subarray(from, to)), 0, to - from);
      else this.#set(bytes, from, to);
      return;
    }
    const lines = this.#lines;
    if (lines.length() === 0) {
      lines.add(this.bytes.subarray(this.start, this.end));
      // The bytes themselves would keep their chunk in memory.
      this.#set(noBytes, 0, 0);
    }
    lines.addByte(LF);
    lines.add(bytes.subarray(from, to));
    if (lines.length() > this.#cap) this.skip(lines.length());
  }

  /** Skips these bytes, which make the event too large. */
  skip(bytes: number): void {
    this.#isTooLarge = true;
    this.#skipped += bytes;
    this.#lines.take();
    this.bytes = undefined;
  }

  /** Skips these bytes of a comment, which is not part of the event. */
  skipComment(bytes: number): void {
    this.#skipped += bytes;
  }

  hasOverflown(): boolean {
    return this.#skipped > maxSkippedBytes;
  }

  /** Completes the event: its data is in `bytes` until `clear`. */
  finish(): void {
    if (this.#isTooLarge) this.#set(skippedData, 0, 0);
    else if (this.#lines.length() > 0) {
      const joined = this.#lines.take();
      this.#set(joined, 0, joined.length);
    }
  }

  clear(): void {
    this.bytes = undefined;
    this.#isTooLarge = false;
    this.#skipped = 0;
  }

  /** Frees the memory of a parser that reads nothing more. */
  forget(): void {
    this.#lines.take();
    this.bytes = undefined;
  }

  #set(bytes: Buffer, from: number, to: number): void {
    this.bytes = bytes;
    this.start = from;
    this.end = to;
  }
}
