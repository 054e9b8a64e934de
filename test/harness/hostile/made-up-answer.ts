import type { Endpoint } from "../../../src/api/endpoint.ts";
import type { Field, RecordShape } from "../../../src/api/record.ts";

/** Returns the value of a field by its name and its contract. */
export type TextOf = (name: string, field: Field) => string;

export const madeUpAddress = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
export const madeUpTime = "2026-11-21T08:00:00Z";

/** Returns valid values: addresses are the requested one, times are before the tests' clock. */
export const soundText: TextOf = (name, { reads }) => {
  if (reads === "time") return madeUpTime;
  if (name === "chain") return "ethereum";
  return reads === "address" || name === "id" ? madeUpAddress : `some ${name}`;
};

/** Returns an object with every field of the shape, including nested shapes. */
export function madeUpRecord(shape: RecordShape, textOf: TextOf): object {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, madeUpValue(name, field, textOf)]),
  );
}

function madeUpValue(name: string, field: Field, textOf: TextOf): unknown {
  const { type } = field;
  switch (type.kind) {
    case "text":
    case "number-or-text":
      return textOf(name, field);
    case "any":
      return { [textOf(name, field)]: textOf(name, field) };
    case "number":
      return 1.5;
    case "integer":
      return 7;
    case "boolean":
      return true;
    case "record":
      return madeUpRecord(type.record, textOf);
    case "list":
      return [madeUpRecord(type.record, textOf), madeUpRecord(type.record, textOf)];
  }
}

/** Returns the endpoint's envelope with one row of each of its groups. */
export function madeUpAnswer(endpoint: Endpoint, textOf: TextOf = soundText): unknown {
  const { reply } = endpoint;
  const rows = Object.entries(endpoint.rows).map(
    ([group, { record }]) => [group, [madeUpRecord(record, textOf)]] as const,
  );
  const [first] = rows.map(([, list]) => list);
  switch (reply.kind) {
    case "single":
      return first?.[0];
    case "list":
    case "batch":
    case "candles":
      return first;
    case "cursor-pages":
      return { [reply.rows]: first, has_next_page: false, next_cursor: "" };
    case "numbered-pages":
      return { [reply.rows]: first, page_info: { limit: 10, page: 1, total_items: 1, total_pages: 1 } };
    case "groups":
      return Object.fromEntries(rows);
  }
}
