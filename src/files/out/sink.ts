import { createHash, type Hash } from "node:crypto";
import type { Output } from "../../context/context.ts";

/** The destination of the rows of a pull, which counts and hashes them. */
export interface Sink {
  readonly write: (text: string | Uint8Array) => Promise<void>;
  /** All bytes written, including earlier runs. */
  readonly bytes: () => number;
  /** SHA-256 over all of them, in hex; undefined if the sink does not hash. */
  readonly sha256: () => string | undefined;
}

/** `hash`: over the earlier bytes; undefined if it is not needed, because it costs 10 % of a local pull to stdout. */
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
