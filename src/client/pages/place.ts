/**
 * Where in an answer some rows begin: what a walk starts from, and what goes on after an interruption. Plain data,
 * so that it can be kept in a file.
 */
export interface Place {
  /** The flag that asks for it; for `subject`, the number of inputs that are answered, there is none. */
  readonly flag: "cursor" | "page" | "from" | "subject";
  readonly value: string;
  /** The upper bound in time that the pull was frozen to, as on the wire; absent where the question's own holds. */
  readonly to?: string | undefined;
  /** Rows that the service counted in all when the place was reached; what it counts later says what has moved. */
  readonly items?: number | undefined;
  /** Rows of the list that are still to come there, by the count at its beginning; absent once the list has moved. */
  readonly due?: number | undefined;
  /** The last candle before it, as the service wrote it: filling gaps goes on from there. */
  readonly before?: string | undefined;
}
