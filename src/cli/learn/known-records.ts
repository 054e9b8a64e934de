import { endpoints } from "../../contract/endpoints/all.ts";
import type { Endpoint, RowShape } from "../../contract/endpoint.ts";
import type { NamedRecord, RecordShape } from "../../contract/record.ts";
import { feeds } from "../../tail/feeds.ts";

/** A record, and the command whose rows it is. */
export interface KnownRecord extends NamedRecord {
  readonly command: string;
}

/** What stands in one line of NDJSON, for every command that prints such lines, in the order of help. */
export function knownRecords(): readonly KnownRecord[] {
  const ofLists = endpoints.flatMap((endpoint) =>
    Object.entries(endpoint.rows).map(([group, shape]) => ({
      name: shape.name,
      record: withAdded(shape),
      command: commandOf(endpoint, group),
    })),
  );
  const ofStreams = Object.values(feeds).flatMap(({ name, kinds }) =>
    kinds.map(({ by, event }, index) => ({
      ...event,
      command: `stream${name === "prices" ? "" : ` --feed ${name}`}${index > 0 ? ` --by ${by}` : ""}`,
    })),
  );
  const known = new Map<string, KnownRecord>();
  for (const each of [...ofLists, ...ofStreams]) if (!known.has(each.name)) known.set(each.name, each);
  return [...known.values()];
}

/** What the service sends and what this program adds to it. */
function withAdded({ record, added }: RowShape): RecordShape {
  const nulls = Object.entries(record).filter(([name]) => added?.nulls.includes(name));
  return {
    ...record,
    ...Object.fromEntries(nulls.map(([name, field]) => [name, { ...field, nullable: true }])),
    ...added?.record,
  };
}

/** A search of everything writes its group beside each row, and the row alone where one group is asked for. */
function commandOf({ command, reply }: Endpoint, group: string): string {
  return reply.kind === "groups" ? `${command} --type ${group}` : command;
}
