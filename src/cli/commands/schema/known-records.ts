import { groupsIn } from "../../../api/reply.ts";
import { endpoints } from "../../../api/endpoints/all.ts";
import type { Endpoint, RowShape } from "../../../api/endpoint.ts";
import type { NamedRecord, RecordShape } from "../../../api/record.ts";
import { feeds, streamCommand } from "../../../api/feeds.ts";
import { sqlDialects } from "../../render/schema.ts";
import { flag } from "../../run/flags/flag.ts";
import { choice } from "../../run/flags/flag-types.ts";

export interface KnownRecord extends NamedRecord {
  readonly command: string;
}

/** In the order used in help. */
export function knownRecords(): readonly KnownRecord[] {
  const ofLists = endpoints.flatMap((endpoint) =>
    Object.entries(endpoint.rows).map(([group, shape]) => ({
      name: shape.name,
      record: withAdded(shape),
      command: commandOf(endpoint, group),
    })),
  );
  const ofStreams = Object.values(feeds).flatMap((feed) =>
    feed.kinds.map(({ by, event }, index) => ({
      ...event,
      command: `${streamCommand(feed)}${index > 0 ? ` --by ${by}` : ""}`,
    })),
  );
  const known = new Map<string, KnownRecord>();
  for (const each of [...ofLists, ...ofStreams]) if (!known.has(each.name)) known.set(each.name, each);
  return [...known.values()];
}

function withAdded({ record, added }: RowShape): RecordShape {
  const nulls = Object.entries(record).filter(([name]) => added?.nulls.includes(name));
  return {
    ...record,
    ...Object.fromEntries(nulls.map(([name, field]) => [name, { ...field, nullable: true }])),
    ...added?.record,
  };
}

/** A search across several groups adds the group to each row, but a search in a single group does not. */
function commandOf({ command, reply }: Endpoint, group: string): string {
  return groupsIn(reply)?.includes(group) === true ? `${command} --type ${group}` : command;
}

export const schemaFlags = {
  as: flag(choice(["jsonschema", "sql", "ts"], "language"), "Output", {
    summary: "Print a JSON Schema, an SQL table or a TypeScript interface",
    default: "jsonschema",
  }),
  dialect: flag(choice(sqlDialects, "database"), "Output", {
    summary: "SQL dialect for --as sql",
    default: "postgres",
  }),
};
