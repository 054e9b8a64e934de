import { createByteStore } from "../../../base/byte-store.ts";
import type { Output } from "../../../base/context/context.ts";
import { beginsWith, OPEN_ARRAY, rawElements } from "../../../base/json/json-scan.ts";
import { compactJson, escapeJsonText, prettyJson } from "../../../base/json/json-text.ts";
import { createPathReader } from "../../../base/json/path-reader.ts";
import type { Rows } from "../../../client/rows.ts";
import type { Presentation, Renderer, Format } from "../renderer.ts";
import { splitPath } from "../../../api/record.ts";
import { createRowPrefix } from "./row-prefix.ts";

/** A single JSON document, indented on a terminal. Tokens from the service are copied unchanged. */
export const json: Format = {
  summary: "One document: an array of the rows, or the object; indented on a terminal",
  columns: undefined,
  isClosed: true,
  errors: "json",
  createRenderer: createJson,
  local: (rows, { isTerminal, isRecord }) => jsonLine(isRecord ? (rows[0] ?? {}) : rows, isTerminal),
};

function createJson(presentation: Presentation): Renderer {
  const { isRecord, isWhole, groups, output } = presentation;
  if (groups.length > 1 && !isWhole) return createGroupsDocument(presentation);
  if (isRecord || isWhole) return createDocuments(presentation, output.isTerminal);
  return createArrayDocument(presentation);
}

/** `--fields` selects from an object, or from each element of an array. */
export function createDocuments({ output, fields }: Presentation, isPretty: boolean): Renderer {
  const select = createRowSelector(fields);
  const format = jsonFormatter(isPretty);
  const selectFrom = (document: string): string =>
    fields !== undefined && beginsWith(document, OPEN_ARRAY)
      ? `[${elementsOf(document).map(select).join(",")}]`
      : select(document);
  return {
    page: async ({ rows }) => {
      if (rows.length === 0) return;
      const lines = rows.texts().map((document) => `${format(selectFrom(document))}\n`);
      await writeJson(output, lines.join(""));
    },
    end: () => Promise.resolve(),
  };
}

/** Writes each page as it arrives, so memory does not grow with the pull. */
function createArrayDocument({ output, groups, fields, isContinued }: Presentation): Renderer {
  const select = createRowSelector(fields);
  const { isTerminal } = output;
  let isOpen = isContinued;
  return {
    page: async ({ group, rows }) => {
      if (rows.length === 0 || !groups.includes(group)) return;
      const lead = isTerminal ? "\n  " : "";
      let text = isOpen ? `,${lead}` : `[${lead}`;
      isOpen = true;
      text += rows
        .texts()
        .map((row) => (isTerminal ? prettyJson(select(row), 2, 1) : compactJson(select(row))))
        .join(`,${lead}`);
      await writeJson(output, text);
    },
    end: async () => {
      if (isOpen) await output.write(isTerminal ? "\n]\n" : "]\n");
      else await output.write("[]\n");
    },
  };
}

/** All groups are in one response, so they can be written at the end. */
function createGroupsDocument({ output, groups, fields }: Presentation): Renderer {
  const select = createRowSelector(fields);
  const rowsOf = new Map<string, string[]>(groups.map((group) => [group, []]));
  return {
    page: ({ group, rows }) => {
      const kept = rowsOf.get(group);
      for (const row of rows.texts()) kept?.push(select(row));
      return Promise.resolve();
    },
    end: async () => {
      const members = [...rowsOf].map(([group, rows]) => `${JSON.stringify(group)}:[${rows.join(",")}]`);
      await writeJson(output, `${jsonFormatter(output.isTerminal)(`{${members.join(",")}}`)}\n`);
    },
  };
}

export const ndjson: Format = {
  summary: "One line per row, as the service sent it, with every field and digit; default in a pipe",
  columns: undefined,
  isClosed: false,
  errors: "json",
  createRenderer: createNdjson,
  local: linesOf,
};

/** One line for each element of an array. */
export function linesOf(value: object): string {
  return [value]
    .flat()
    .map((each) => jsonLine(each, false))
    .join("");
}

/** A page of 100 rows has about 100 kB. */
const maxOfPage = 1024 * 1024;

/**
 * Writes each row exactly as the service sent it, except that white space between tokens is removed and characters that
 * could affect a terminal are escaped. With several groups, each line names its group.
 */
function createNdjson({ output, groups, fields, prefix, isWhole }: Presentation): Renderer {
  const select = createRowSelector(fields);
  const isLabelled = groups.length > 1 && !isWhole;
  const before = prefix === undefined ? undefined : createRowPrefix(prefix);
  const store = createByteStore(maxOfPage);
  const isAsSent = fields === undefined && !isLabelled && !isWhole;
  return {
    page: async ({ group, rows }) => {
      if (rows.length === 0 || !groups.includes(group)) return;
      // Most rows can be written exactly as received.
      const ready = isAsSent && before === undefined ? rows.lines() : undefined;
      if (ready !== undefined) return await output.write(ready);
      if (isAsSent && before?.addRows(rows, store) === true) return await output.write(store.lend());
      const label = `{"group":${JSON.stringify(group)},"row":`;
      let lines = "";
      for (const row of rowTexts(rows, isWhole)) {
        const line = compactJson(select(row));
        if (before !== undefined) lines += before.ofText(row);
        lines += isLabelled ? `${label}${line}}\n` : `${line}\n`;
      }
      await writeJson(output, lines);
    },
    end: () => Promise.resolve(),
  };
}

/**
 * Returns the text to write for a row. With `--fields`, that is a flat object that maps each path as typed to its
 * value, or to null if the path does not exist. Only white space between tokens changes.
 */
export function createRowSelector(fields: readonly string[] | undefined): (row: string) => string {
  if (fields === undefined) return (row) => row;
  const read = createPathReader(fields.map(splitPath));
  const names = fields.map((field) => JSON.stringify(field));
  return (row) => {
    const values = read(row);
    let members = "";
    for (let index = 0; index < names.length; index += 1) {
      const value = values[index] ?? "null";
      const separator = index === 0 ? "" : ",";
      members += `${separator}${names[index]}:${isContainer(value) ? compactJson(value) : value}`;
    }
    return `{${members}}`;
  };
}

/** Only objects and arrays can contain white space. */
function isContainer(value: string): boolean {
  return value.startsWith("{") || value.startsWith("[");
}

/** With `isWhole`, a page contains complete responses, and array elements count as rows. */
export function rowTexts(rows: Rows, isWhole: boolean): readonly string[] {
  return isWhole ? rows.texts().flatMap(elementsOf) : rows.texts();
}

/** Any value other than an array becomes a single element. */
function elementsOf(document: string): readonly string[] {
  return beginsWith(document, OPEN_ARRAY) ? rawElements(document) : [document];
}

function jsonFormatter(isPretty: boolean): (text: string) => string {
  return isPretty ? (text) => prettyJson(text) : compactJson;
}

/** Escaping can make a text six times as long, so it is written in pieces. */
const longestPiece = 1024 * 1024;

/** Escapes every character that could affect a terminal. */
async function writeJson(output: Output, text: string): Promise<void> {
  let at = 0;
  do {
    const end = pieceEnd(text, at + longestPiece);
    await output.write(escapeJsonText(text.slice(at, end)));
    at = end;
  } while (at < text.length);
}

/** Never splits a surrogate pair, because each half would be escaped as a lone surrogate. */
function pieceEnd(text: string, end: number): number {
  return end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

/** Escapes dexdata's own output, too, because it can quote the service: a plan, an amount or an error. */
export function jsonLine(value: object, isPretty: boolean): string {
  return `${escapeJsonText(JSON.stringify(value, null, isPretty ? 2 : 0))}\n`;
}
