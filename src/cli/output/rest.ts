import type { Run } from "../answer-questions.ts";

/** Whether a list goes on after the rows that were written, and where. */
export interface Rest {
  /** Null where that is not known: no page came, or an answer was passed on as it is. */
  readonly more: boolean | null;
  /** The parameter that continues with the very next row; null where none does, as the last page was used in part. */
  readonly next: Readonly<Record<string, string>> | null;
}

export function restOf({ last, questions }: Pick<Run, "last" | "questions">): Rest {
  if (last === undefined || questions.walk.once !== undefined) return { more: null, next: null };
  const { next, isCut = false } = last.page;
  if (isCut) return { more: true, next: null };
  if (next === undefined || next.flag === "subject") return { more: next !== undefined, next: null };
  return { more: true, next: { [next.flag]: next.value, ...(next.to !== undefined && { to: next.to }) } };
}

/** `more: true, cursor: abc`, for the line of --stats; undefined where no list goes on. */
export function restText({ more, next }: Rest): string | undefined {
  if (more !== true) return undefined;
  return ["more: true", ...Object.entries(next ?? {}).map((each) => each.join(": "))].join(", ");
}
