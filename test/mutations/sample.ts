import { readFileSync } from "node:fs";
import { createRandom } from "../harness/random.ts";
import { type Change, changesOf } from "./operators.ts";
import { type Subject, subjects } from "./subjects.ts";

export interface Mutant extends Change {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** The complete text of the file with the change. */
  readonly source: string;
  /** Describes the change, independent of its position in the file. */
  readonly name: string;
  readonly tests: readonly string[];
}

/** The same number of mutants per subject, drawn by the seed; the same ones for the same sources. */
export function drawMutants(seed: number, perSubject: number): readonly Mutant[] {
  return subjects.flatMap((subject, index) =>
    shuffle(mutantsOf(subject), createRandom(seed + index)).slice(0, perSubject),
  );
}

function mutantsOf({ files }: Subject): readonly Mutant[] {
  return Object.entries(files).flatMap(([file, tests]) => {
    const source = readFileSync(file, "utf8");
    return changesOf(file, source).map((change) => ({
      ...change,
      file,
      line: source.slice(0, change.start).split("\n").length,
      source: source.slice(0, change.start) + change.text + source.slice(change.end),
      name: `${file}: ${describeChange(source, change)}`,
      tests,
    }));
  });
}

/** The lines around the change, before and after. */
function describeChange(source: string, { start, end, text }: Change): string {
  const from = source.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = source.indexOf("\n", end);
  const to = lineEnd < 0 ? source.length : lineEnd;
  const before = source.slice(from, to);
  const after = source.slice(from, start) + text + source.slice(end, to);
  return `${onOneLine(before)} → ${onOneLine(after)}`;
}

function onOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/gu, " ");
}

function shuffle<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
