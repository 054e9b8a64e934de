import { type Endpoint, rowShape } from "../../contract/endpoint.ts";
import { member } from "../../json/own-member.ts";
import { createRowSelector } from "../../render/formats/select-row.ts";
import type { Round, RowsOfGroup } from "./round.ts";

/** What a round brought that the one before had not. */
export interface Changes {
  /** The rows that are new or changed, in the order of the round. */
  readonly rows: readonly RowsOfGroup[];
  /** What told those apart that did not come again; empty where rows leave by their age. */
  readonly gone: readonly string[];
  /** The same row in the round before; undefined for one that is new. */
  readonly before: (group: string, row: string) => string | undefined;
}

/** Rows are the same where their identity is, and changed where what is shown of them is another text. */
export function compareRounds(
  endpoint: Endpoint,
  fields: readonly string[] | undefined,
  earlier: Round,
  round: Round,
): Changes {
  const select = createRowSelector(fields);
  const known = rowsByKey(endpoint, earlier);
  const found = rowsByKey(endpoint, round);
  const before = new Map<string, string | undefined>();
  for (const [key, { group, row }] of found) before.set(`${group}\n${row}`, known.get(key)?.row);
  const isNews = (group: string, row: string): boolean => {
    const was = before.get(`${group}\n${row}`);
    return was === undefined || select(was) !== select(row);
  };
  return {
    rows: round.groups.map(({ group, rows }) => ({
      group,
      rows: rows.keep(rows.texts().map((row) => isNews(group, row))),
    })),
    gone: leavesByAge(endpoint) ? [] : [...known].flatMap(([key, { name }]) => (found.has(key) ? [] : name)),
    before: (group, row) => before.get(`${group}\n${row}`),
  };
}

/** Nothing was there before, so nothing is marked. */
export function noChanges({ groups }: Round): Changes {
  return { rows: groups, gone: [], before: (_, row) => row };
}

interface KnownRow {
  readonly group: string;
  readonly row: string;
  /** For people. */
  readonly name: string;
}

function rowsByKey(endpoint: Endpoint, { groups }: Round): ReadonlyMap<string, KnownRow> {
  const rows = new Map<string, KnownRow>();
  for (const { group, rows: held } of groups) {
    const { identity } = rowShape(endpoint, group);
    for (const [index, value] of held.values().entries()) {
      const row = held.text(index);
      const parts = identity.map((field) => member(value, field));
      const key = `${group} ${JSON.stringify(parts)}`;
      // What was asked for twice comes twice.
      let place = 0;
      while (rows.has(`${key} ${place}`)) place += 1;
      rows.set(`${key} ${place}`, { group, row, name: parts.map(String).join(" ") });
    }
  }
  return rows;
}

/** In lists by time and windows that move, every row leaves in the end: that is no news. */
function leavesByAge({ reply }: Endpoint): boolean {
  return reply.kind === "candles" || (reply.kind === "numbered-pages" && reply.handOverAfter !== undefined);
}
