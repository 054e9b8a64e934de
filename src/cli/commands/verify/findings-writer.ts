import type { Context } from "../../../base/context/context.ts";
import { formatDuration } from "../../../api/duration.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { visibleText } from "../../../base/text/unsafe-text.ts";
import { drawLocalTable } from "../../render/table/local-table.ts";
import { roomOf } from "../../render/table/fit-columns.ts";
import { textWidth } from "../../render/values/width.ts";
import type { LocalOutputFlags } from "../../run/flags/shared-flags.ts";
import { formatOf, writeRows } from "../../run/output/local-output.ts";
import { counted, grouped, wrapWords } from "../../../base/text/words.ts";
import {
  inOrder,
  type Finding,
  type Level,
  type Report,
  type RuleId,
  rules,
} from "../../../rows/verify-rules.ts";

interface FileLine {
  readonly file: string;
  kind: string | null;
  rows: number;
  checked: readonly RuleId[];
  finding: number;
  note: number;
}

/** The table shows this many places for each rule and file; the other formats show all. */
const placesShown = 3;
/** Longer values, such as a row's text, are cut. */
const longestValue = 200;

const cutText = (text: string): string =>
  text.length > longestValue ? `${text.slice(0, longestValue)}...` : text;

/** A table needs all files; json needs one array. The other formats are written while the files are read. */
export function createFindingsWriter(context: Context, flags: LocalOutputFlags) {
  const format = formatOf(context, flags);
  const files: FileLine[] = [];
  const counts = new Map<RuleId, number>();
  const shownOf = new Map<string, number>();
  const waiting: Finding[] = [];
  let hasHeader = flags["no-header"] !== true;
  const totals = (): Readonly<Record<Level, number>> => ({
    finding: files.reduce((sum, { finding }) => sum + finding, 0),
    note: files.reduce((sum, { note }) => sum + note, 0),
  });
  const write = async (): Promise<void> => {
    const rows = waiting.splice(0).map((finding) => ({ ...finding }));
    await writeRows(context, { ...flags, "no-header": hasHeader ? undefined : true }, rows);
    hasHeader = false;
  };
  const flush = async (): Promise<void> => {
    if (waiting.length > 0 && format !== "table" && format !== "json") await write();
  };
  return {
    totals,
    /** The findings that follow are about this file. In a table, neighboring files of one group share a line. */
    begin: (file: string, group = file): Report => {
      const last = files.at(-1);
      const line: FileLine =
        last?.file === group ? last : { file: group, kind: null, rows: 0, checked: [], finding: 0, note: 0 };
      if (line !== last) files.push(line);
      return (rule, { line: at = null, field = null, expected, found, level = rules[rule].level }) => {
        line[level] += 1;
        counts.set(rule, (counts.get(rule) ?? 0) + 1);
        const place = `${rule} ${file}`;
        const shown = shownOf.get(place) ?? 0;
        shownOf.set(place, shown + 1);
        const text = { expected: cutText(expected), found: cutText(found) };
        if (format !== "table" || shown < placesShown)
          waiting.push({ file, line: at, rule, level, field, ...text });
      };
    },
    flush,
    end: async (rows: number, kind: string | undefined, checked: readonly RuleId[]): Promise<void> => {
      const line = files.at(-1);
      if (line !== undefined) {
        [line.rows, line.kind] = [line.rows + rows, kind ?? null];
        line.checked = inOrder([...line.checked, ...checked]);
      }
      await flush();
    },
    close: async (): Promise<ExitCode> => {
      if (format === "json") await write();
      if (format === "table")
        await context.stdout.write(drawFindings(context, flags, files, waiting, counts));
      return totals().finding > 0 ? 8 : 0;
    },
  };
}

function drawFindings(
  { stdout }: Context,
  flags: LocalOutputFlags,
  files: readonly FileLine[],
  shown: readonly Finding[],
  counts: ReadonlyMap<RuleId, number>,
): string {
  const room = flags.output === "wide" ? undefined : roomOf(stdout);
  const rows = files.map(({ file, finding, note, rows: count, kind, checked }) => ({
    rows: count,
    findings: finding,
    notes: note,
    kind: kind ?? "unknown",
    checked: checked.length === 0 ? "nothing" : checked.join(" "),
    file,
  }));
  let text = drawLocalTable(rows, { hasHeader: flags["no-header"] !== true, room }, 6);
  for (const [rule, { statement }] of Object.entries(rules)) {
    const places = shown.filter((each) => each.rule === rule);
    const [first] = places;
    if (first === undefined) continue;
    const count = counts.get(first.rule) ?? 0;
    text += `\n${wrapped(`${rule}: ${counted(count, first.level)}; expected: ${statement}`, 0, room)}`;
    for (const each of places) text += wrapped(placeText(each), 2, room);
    if (count > places.length)
      text += wrapped(`and ${grouped(String(count - places.length))} more; show all: -o ndjson`, 2, room);
  }
  return text;
}

function placeText({ file, line, field, expected, found }: Finding): string {
  const place = line === null ? file : `${file}:${line}`;
  return `${place}${field === null ? "" : ` ${field}`}: expected ${expected}, found ${found}`;
}

function wrapped(text: string, indent: number, room: number | undefined): string {
  const margin = " ".repeat(indent);
  const clean = visibleText(text);
  if (room === undefined) return `${margin}${clean}\n`;
  return wrapWords(clean, Math.max(20, room - indent - 2), textWidth)
    .map((line, index) => `${margin}${index === 0 ? "" : "  "}${line}\n`)
    .join("");
}

export function closingLine(
  { finding, note }: Readonly<Record<Level, number>>,
  files: number,
  rows: number,
  milliseconds: number,
): string {
  const parts = [
    counted(files, "file"),
    counted(rows, "row"),
    counted(finding, "finding"),
    counted(note, "note"),
  ];
  return `${parts.join(", ")}, ${formatDuration(milliseconds)}`;
}
