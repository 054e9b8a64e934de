import { toRow } from "../rows.ts";
import { json } from "../scripted-server.ts";
import type { HostileCommand } from "./commands.ts";
import { fine, type Mode, untrusted } from "./mode.ts";

const noObject = /^invalid response: not an object$/;
const noList = /^invalid response: no list of [\w ]+$/;
const noRow = /^invalid response: row \d+ of [\w ]+ is not an object$/;

const isBare = ({ endpoint: { reply }, isRaw }: HostileCommand): boolean =>
  !isRaw && (reply.kind === "list" || reply.kind === "batch" || reply.kind === "candles");
const isInEnvelope = (command: HostileCommand): boolean => !command.isRaw && !isBare(command);
const isEnvelopeOfRows = (command: HostileCommand): boolean =>
  isInEnvelope(command) && command.endpoint.reply.kind !== "single";
const isAnyList = (command: HostileCommand): boolean => isBare(command) || isEnvelopeOfRows(command);

/** Returns the valid response with another value in place of its lists. */
function withLists(command: HostileCommand, list: unknown): string {
  if (isBare(command)) return JSON.stringify(list);
  const { reply } = command.endpoint;
  const names = reply.kind === "groups" ? reply.groups : "rows" in reply ? [reply.rows] : [];
  return JSON.stringify({
    ...toRow(command.sound),
    ...Object.fromEntries(names.map((name) => [name, list])),
  });
}

/** Complete JSON of an unexpected shape. */
export const shapeModes: readonly Mode[] = [
  ...["null", "true", "0", '"a text"', "[]", "[[]]", "[null]"].map((body) => ({
    name: `sends ${body} where an object belongs`,
    reply: () => json(body),
    ends: untrusted(noObject),
    isFor: isInEnvelope,
  })),
  ...["null", "false", "-1.5", '"[]"', "{}", '{"0":{}}'].map((body) => ({
    name: `sends ${body} where a list belongs`,
    reply: () => json(body),
    ends: untrusted(noList),
    isFor: isBare,
  })),
  {
    name: "sends an object without anything",
    reply: () => json("{}"),
    ends: untrusted(noList),
    isFor: isEnvelopeOfRows,
  },
  ...[null, true, 7, "a text", {}, { length: 1, 0: {} }].map((list) => ({
    name: `has ${JSON.stringify(list)} for its list`,
    reply: (command: HostileCommand) => json(withLists(command, list)),
    ends: untrusted(noList),
    isFor: isAnyList,
  })),
  ...[null, true, 7, "a text", [], [{}]].map((row) => ({
    name: `has ${JSON.stringify(row)} for a row`,
    reply: (command: HostileCommand) => json(withLists(command, [row])),
    ends: untrusted(noRow),
    isFor: isAnyList,
  })),
  ...["null", "true", "0", '"a text"', "{}", "[[]]"].map((body) => ({
    name: `sends ${body} to a raw call`,
    reply: () => json(body),
    ends: fine,
    isFor: ({ isRaw }: HostileCommand) => isRaw,
  })),
];
