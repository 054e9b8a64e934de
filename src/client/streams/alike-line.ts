import { createAlikeJson } from "../../model/json/alike-json.ts";
import { viewOf } from "../../model/json/same-bytes.ts";
import { fields, valueOf } from "./field-names.ts";

/** A data line like the one before: known to be plain JSON where it lies, without a search for its end. */
export interface AlikeLine {
  /** Bytes that the line takes with its LF where it is such a one; else 0. */
  readonly lengthAt: (chunk: Buffer, at: number) => number;
  /** Where the data of the last one begin. */
  readonly start: () => number;
  /** Whether these data are plain JSON. If so, the next ones may be like them. */
  readonly learn: (bytes: Buffer, start: number, end: number) => boolean;
  /** Keeps nothing of the chunk it was last asked about. */
  readonly leave: () => void;
}

const LF = 0x0a;
const nothing: Buffer = Buffer.alloc(0);
const emptyView = viewOf(nothing);

export function createAlikeLine(): AlikeLine {
  const alike = createAlikeJson();
  let viewed = nothing;
  let view = emptyView;
  let start = 0;
  const endAt = (bytes: Buffer, at: number): number => {
    if (bytes !== viewed) [viewed, view] = [bytes, viewOf(bytes)];
    return alike.endAt(bytes, view, at);
  };
  return {
    start: () => start,
    lengthAt: (chunk, at) => {
      const from = valueOf(fields.data, chunk, at);
      const end = from < 0 ? -1 : endAt(chunk, from);
      if (end < 0 || chunk[end] !== LF) return 0;
      start = from;
      return end + 1 - at;
    },
    learn: (bytes, from, to) => endAt(bytes, from) === to || alike.learn(bytes, from, to),
    leave: () => {
      [viewed, view] = [nothing, emptyView];
    },
  };
}
