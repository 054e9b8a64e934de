import { compactJson, prettyJson } from "../../json/json-text.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import { createRowSelector } from "./select-row.ts";
import { writeJson } from "./write-json.ts";

/** One document: pretty for a person, compact for a program. Every token is the service's own. */
export function createJson(presentation: Presentation): Renderer {
  const { isRecord, groups } = presentation;
  if (groups.length > 1) return createGroupsDocument(presentation);
  return isRecord ? createRecordDocument(presentation) : createArrayDocument(presentation);
}

/** A bare array over all pages; each page leaves as it lands, so memory does not grow with the pull. */
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

function createRecordDocument({ output, fields }: Presentation): Renderer {
  const select = createRowSelector(fields);
  const write = output.isTerminal ? prettyJson : compactJson;
  return {
    page: async ({ rows }) => {
      if (rows.length > 0) {
        const lines = rows.texts().map((row) => `${write(select(row))}\n`);
        await writeJson(output, lines.join(""));
      }
    },
    end: () => Promise.resolve(),
  };
}

/** One object with an array for each group. It comes from one answer, so it may be held until it is whole. */
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
      const document = `{${members.join(",")}}`;
      const write = output.isTerminal ? prettyJson : compactJson;
      await writeJson(output, `${write(document)}\n`);
    },
  };
}
