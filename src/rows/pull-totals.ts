import type { ApiRequest } from "../api/args.ts";
import { type RowShape, rowShape } from "../api/endpoint.ts";
import { rawMembers } from "../base/json/raw-json.ts";
import { counted } from "../base/text/counted.ts";
import type { Page, PageNote } from "../client/page.ts";
import { isConfirmed, nextOf } from "../client/page-end.ts";
import type { CheckpointLine, PullTotals } from "./checkpoint-lines.ts";

/** `progress` is that of the earlier runs. A new line of the checkpoint has its own size and hashes. */
export function totalsOf(progress: CheckpointLine | undefined): PullTotals {
  if (progress === undefined)
    return { rows: 0, repeats: 0, missing: 0, refused: 0, question: 0, rowsOfQuestion: 0 };
  const { bytes: _bytes, sha256: _sha256, seen: _seen, ...totals } = progress;
  return totals;
}

/** Call this after the page's rows have been passed on. */
export function countPage(totals: PullTotals, { endpoint }: ApiRequest, page: Page): void {
  totals.rows += page.rows.length;
  totals.rowsOfQuestion += page.rows.length;
  for (const note of page.notes) countNote(totals, note);
  const { end } = page;
  // A pull continues at the last confirmed position.
  if (isConfirmed(page)) totals.at = nextOf(page);
  // The first end applies to the entire pull; later windows end earlier.
  totals.to ??= nextOf(page)?.to;
  // Only the last page can prove that the list is complete.
  if (end.kind === "last" && totals.proof !== "end of list") totals.proof = end.proof.by;
  // A response that is printed as a single document has no rows.
  if (page.rows.length === 0 || page.as === "document") return;
  const shape = rowShape(endpoint, page.group);
  totals.first ??= mark(page.rows.text(0), shape);
  totals.last = mark(page.rows.text(page.rows.length - 1), shape);
}

function countNote(totals: PullTotals, note: PageNote): void {
  switch (note.kind) {
    case "missing":
      totals.missing += note.subjects.length;
      return;
    case "repeats":
      totals.repeats += note.rows;
      return;
    case "read":
      totals.rowsRead = (totals.rowsRead ?? 0) + note.rows;
      return;
    case "short":
    case "twins":
    case "replaced":
      totals.remarks = { ...totals.remarks, [note.kind]: (totals.remarks?.[note.kind] ?? 0) + note.count };
      return;
    // A rejection is counted when it is reported.
    case "refused":
    case "warning":
    case "cut off":
    case "complete from":
  }
}

export function countEnd(totals: PullTotals, index: number): void {
  totals.question = index + 1;
  totals.at = undefined;
  totals.rowsOfQuestion = 0;
}

/** What was unusual about a complete list, each kind once. */
export function remarksIn({ remarks = {} }: PullTotals): readonly string[] {
  const { short = 0, twins = 0, replaced = 0 } = remarks;
  const lines: string[] = [];
  if (short > 0)
    lines.push(
      `${counted(short, "page")} had fewer rows than requested, although more pages follow; the service does not count this list`,
    );
  if (twins > 0)
    lines.push(`${counted(twins, "row")} had the ID of another row but other values; dexdata keeps them all`);
  if (replaced > 0)
    lines.push(
      `${counted(replaced, "candle")} ${replaced === 1 ? "was" : "were"} received twice with different values; dexdata keeps the later ones`,
    );
  return lines;
}

/** Keeps the original digits; returns the entire row if it has neither an identity nor a time. */
function mark(row: string, { identity, record }: RowShape): string {
  const times = Object.keys(record).filter((field) => record[field]?.reads === "time");
  const members = rawMembers(row);
  const kept = [...new Set([...identity, ...times])].flatMap((field) => {
    const value = members.get(field);
    return value === undefined ? [] : [`${JSON.stringify(field)}:${value}`];
  });
  return kept.length === 0 ? row : `{${kept.join(",")}}`;
}
