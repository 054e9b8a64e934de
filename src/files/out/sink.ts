import { createHash, type Hash } from "node:crypto";
import type { Output } from "../../context/context.ts";

/** Receives the rows of a pull, and counts and hashes them. */
export interface Sink {
  readonly write: (text: string | Uint8Array) => Promise<void>;
  /** The total number of bytes, including those that earlier runs wrote. */
  readonly bytes: () => number;
  /** The SHA-256 hash of all bytes in hexadecimal; undefined if the sink does not compute it. */
  readonly sha256: () => string | undefined;
}

/**
 * `hash` is the hash of the earlier bytes. Omit it if it is not needed, because hashing takes 10 % of the time of a
 * local pull to stdout.
 */
export function countedSink(write: Output["write"], bytesBefore = 0, hash?: Hash): Sink {
  let bytes = bytesBefore;
  return {
    write: async (text) => {
      hash?.update(text);
      bytes += typeof text === "string" ? Buffer.byteLength(text) : text.length;
      await write(text);
    },
    bytes: () => bytes,
    sha256: () => hash?.copy().digest("hex"),
  };
}

export function newHash(isWanted: boolean): Hash | undefined {
  return isWanted ? createHash("sha256") : undefined;
}
