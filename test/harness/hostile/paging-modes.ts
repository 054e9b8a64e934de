import { toRow } from "../rows.ts";
import { json, type SeenRequest } from "../scripted-server.ts";
import type { HostileCommand } from "./commands.ts";
import { type Ending, fine, type Mode, untrusted } from "./mode.ts";

const all = "--all --parallel 1";
/** Prevents a page of one row from being a short page. */
const inOnes = "--all --page-size 1";
const ofCursors = ({ endpoint: { reply } }: HostileCommand): boolean => reply.kind === "cursor-pages";
const ofNumbers = ({ endpoint: { reply } }: HostileCommand): boolean => reply.kind === "numbered-pages";

const incompleteAfter = (says: RegExp, requests: number): Ending => ({ exit: 8, says, requests });
const keptRows = (says: RegExp, requests: number): Ending => ({ exit: 8, says, requests, hasRows: true });
/** The next page is requested before the rows of this one are checked: one request more than necessary. */
const early = 1;
const nothingNew =
  /^incomplete list: \d+ consecutive pages had no new rows, but the service promises another page/;
const repeated = /^incomplete list: the service repeated a cursor, so paging would never end/;

/** Returns a page of one distinct row, with these additional members. */
function cursorPage(index: number, members: object): string {
  return JSON.stringify({
    results: [{ id: `0x${index}`, address: `0x${index}`, chain: "ethereum" }],
    ...members,
  });
}

function numbered(members: object): Mode["reply"] {
  return ({ sound }) => json({ ...toRow(sound), ...members });
}

/** Lists with a false next page or a false end. */
export const pagingModes: readonly Mode[] = [
  ...(
    [
      ["sends the same cursor for ever", () => "again", keptRows(repeated, 2 + 3)],
      ["sends two cursors in turn", (index) => `turn ${index % 2}`, keptRows(repeated, 3 + 3)],
    ] satisfies readonly (readonly [string, (index: number) => string, Ending])[]
  ).map(([name, cursor, ends]) => ({
    name,
    reply: (_: HostileCommand, __: SeenRequest, index: number) =>
      json(cursorPage(index, { has_next_page: true, next_cursor: cursor(index) })),
    ends,
    isFor: ofCursors,
    flags: inOnes,
  })),
  ...[7, {}, true].map((next_cursor) => ({
    name: `sends ${JSON.stringify(next_cursor)} for a cursor`,
    reply: () => json(cursorPage(0, { has_next_page: true, next_cursor })),
    ends: untrusted(/^invalid response: next_cursor is not a string$/),
    isFor: ofCursors,
    flags: "--all",
  })),
  ...["yes", 1, [], {}].map((has_next_page) => ({
    name: `sends ${JSON.stringify(has_next_page)} for has_next_page`,
    reply: () => json(cursorPage(0, { has_next_page, next_cursor: "x" })),
    ends: untrusted(/^invalid response: has_next_page is not true or false$/),
    isFor: ofCursors,
    flags: "--all",
  })),
  ...["", null, undefined].map((next_cursor) => ({
    name: `promises a page and sends ${JSON.stringify(next_cursor) ?? "nothing"} for its cursor`,
    reply: () => json(cursorPage(0, { has_next_page: true, next_cursor })),
    ends: keptRows(/^incomplete list: the service promised a next page but sent no cursor for it/, 1 + 3),
    isFor: ofCursors,
    flags: inOnes,
  })),
  {
    name: "sends empty pages for ever",
    reply: (_, __, index) => json({ results: [], has_next_page: true, next_cursor: `c${index}` }),
    // Each of ten is requested four times, and each page after it once.
    ends: incompleteAfter(nothingNew, 51),
    isFor: ofCursors,
    flags: all,
  },
  {
    name: "sends the same row for ever",
    reply: (_, __, index) => json(cursorPage(0, { has_next_page: true, next_cursor: `c${index}` })),
    ends: keptRows(nothingNew, 17),
    isFor: ofCursors,
    flags: `${all} --page-size 1`,
  },
  {
    name: "sends the same row for ever, without what tells it from others",
    reply: (_, __, index) =>
      json({ results: [{ name: "x" }], has_next_page: true, next_cursor: `c${index}` }),
    ends: keptRows(nothingNew, 4 + early),
    isFor: ofCursors,
    flags: `${all} --page-size 1`,
  },
  {
    name: "sends half a surrogate pair for a cursor",
    reply: () => json(`${cursorPage(0, { has_next_page: true }).slice(0, -1)},"next_cursor":"\\ud800"}`),
    ends: untrusted(/^invalid response: next_cursor is too long or not valid Unicode$/),
    isFor: ofCursors,
    flags: "--all",
  },
  {
    name: "sends a cursor of a megabyte",
    reply: () => json(cursorPage(0, { has_next_page: true, next_cursor: "c".repeat(1_000_000) })),
    ends: untrusted(/^invalid response: next_cursor is too long or not valid Unicode$/),
    isFor: ofCursors,
    flags: "--all",
  },
  {
    name: "sends a cursor that is a path",
    reply: (_, __, index) =>
      json(
        cursorPage(
          index,
          index === 0 ? { has_next_page: true, next_cursor: "../../usage?x=1&cursor=#" } : {},
        ),
      ),
    ends: { ...fine, requests: 2 },
    isFor: ofCursors,
    flags: inOnes,
  },
  ...(
    [
      ["no page_info", undefined],
      ["null for page_info", null],
      ["a list for page_info", []],
      ["negative totals", { limit: -1, page: -1, total_items: -7, total_pages: -1 }],
      ["totals in words", { limit: "ten", page: "one", total_items: "many", total_pages: "few" }],
      ["fractions for totals", { limit: 1.5, page: 1, total_items: 0.5, total_pages: 0.1 }],
    ] as const
  ).map(([name, page_info]) => ({
    name: `sends ${name}`,
    reply: numbered({ page_info }),
    ends: fine,
    isFor: ofNumbers,
    flags: all,
  })),
  ...[1000, 1e300].flatMap((total) =>
    [false, true].map((isInTime) => ({
      name: `sends the same page under every ${isInTime ? "number and time" : "number"}, and promises ${total}`,
      reply: numbered({ page_info: { limit: 1, page: 1, total_items: total, total_pages: total } }),
      ends: {
        exit: 8,
        says: nothingNew,
        // The first page is requested four times because of its size, and so are three more, those of transactions also
        // as the first page of two time ranges.
        requests: isInTime ? 22 : 16,
        hasRows: true,
      },
      isFor: (command: HostileCommand) =>
        ofNumbers(command) && (command.endpoint.id === "pool_transactions") === isInTime,
      flags: all,
    })),
  ),
];
