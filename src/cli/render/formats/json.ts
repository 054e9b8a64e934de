import { beginsWith, OPEN_ARRAY } from "../../../base/json/json-scan.ts";
import { compactJson, prettyJson } from "../../../base/json/json-text.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import type { Format, LocalLook } from "../format.ts";
import { createRowSelector, elementsOf, jsonFormatter, jsonLine, writeJson } from "../values/row-text.ts";

/** A single JSON document, indented on a terminal. Tokens from the service are copied unchanged. */
export const json: Format = {
  summary: "One document: an array of the rows, or the object; indented on a terminal",
  columns: undefined,
  ending: "json",
  canGrow: true,
  isClosed: true,
  errors: "json",
  createRenderer: (presentation) => Promise.resolve(createJson(presentation)),
  local: { rows: prettyHere, record: prettyHere, document: prettyHere, documents: prettyHere },
};

function prettyHere(value: object, { isTerminal }: LocalLook): string {
  return jsonLine(value, isTerminal);
}

function createJson(presentation: Presentation): Renderer {
  const { isRecord, isWhole, groups, output } = presentation;
  if (isWhole) return createDocuments(presentation, output.isTerminal);
  if (groups.length > 1) return createGroupsDocument(presentation);
  return isRecord ? createDocuments(presentation, output.isTerminal) : createArrayDocument(presentation);
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
