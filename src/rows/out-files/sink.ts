import { createHash, type Hash } from "node:crypto";
import type { Output } from "../../base/context/context.ts";

/** `hash` covers the earlier bytes. Omit it if possible: hashing takes up 10% of a local pull to stdout. */
export function countedSink(write: Output["write"], bytesBefore = 0, hash?: Hash) {
  let bytes = bytesBefore;
  return {
    write: async (text: string | Uint8Array): Promise<void> => {
      hash?.update(text);
      bytes += typeof text === "string" ? Buffer.byteLength(text) : text.length;
      await write(text);
    },
    /** Including the bytes that earlier runs wrote. */
    bytes: () => bytes,
    /** The hash of all bytes, in hexadecimal; undefined if the sink does not compute it. */
    sha256: () => hash?.copy().digest("hex"),
  };
}

export function newHash(isWanted: boolean): Hash | undefined {
  return isWanted ? createHash("sha256") : undefined;
}
