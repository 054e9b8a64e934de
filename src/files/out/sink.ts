import { createHash, type Hash } from "node:crypto";
import type { Output } from "../../context/context.ts";

/** Where the rows of a pull go, counted and hashed on their way. */
export interface Sink {
  readonly write: (text: string | Uint8Array) => Promise<void>;
  /** Bytes written in all, also by the runs before. */
  readonly bytes: () => number;
  /** SHA-256 over all of them, in hex; undefined of a sink that does not hash. */
  readonly sha256: () => string | undefined;
}

/** `hash`: over the bytes before; undefined where nobody needs it, as it costs a tenth of a local pull. */
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
