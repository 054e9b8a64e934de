import type { Context } from "../../context/context.ts";
import type { CatalogueEntry } from "../catalogue.ts";
import type { TypedLine } from "./typed-line.ts";

/** What may be typed where the cursor stands. */
export interface Completion {
  /** `files`: what the shell itself knows. */
  readonly kind: "words" | "files";
  /** The part of the word under the cursor that stays as it is: `--output=`, `ethereum,`. */
  readonly prefix: string;
  /** What may follow the prefix; after one that ends in `=`, `:`, `,` or `.` more is to be typed. */
  readonly candidates: readonly Candidate[];
}

export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

export const nothing: Completion = { kind: "words", prefix: "", candidates: [] };

export const files = (prefix: string): Completion => ({ kind: "files", prefix, candidates: [] });

export const only = (candidates: readonly Candidate[]): Completion => ({ ...nothing, candidates });

/** What the completion of a word is read from. */
export interface Asked {
  readonly context: Pick<Context, "env" | "platform">;
  readonly entries: readonly CatalogueEntry[];
  readonly line: TypedLine;
}
