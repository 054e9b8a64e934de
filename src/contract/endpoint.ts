import type { Param } from "./param.ts";
import type { NamedRecord, RecordShape } from "./record.ts";
import type { Reply } from "./reply.ts";
import type { Tier } from "./tier.ts";

/**
 * What is asked of the service, what it answers, and how a row looks to a person. Flags and help, requests,
 * checked answers, table columns, completions and the routes of the sandbox are read from this one object.
 */
export interface Endpoint {
  /** Names the endpoint in the catalogue and in the sandbox's routes; `raw` is a path that the contract does not have. */
  readonly id: string;
  /** The words that ask for it. Several endpoints may share them; see `chosenBy`. */
  readonly command: string;
  /** The flag that chooses this endpoint among those of its command; else the path parameters given decide. */
  readonly chosenBy?: string;
  readonly method: "GET";
  /** Template with `{name}` for each path parameter, as the specification writes it. */
  readonly path: string;
  /** The path as it was typed, where the endpoint is asked by it (`dexdata api <path>`), with the values as typed. */
  readonly rawPath?: string;
  /** Parameters that were typed more than once there: the values after the first, as typed. */
  readonly repeated?: ReadonlyMap<string, readonly string[]>;
  readonly summary: string;
  readonly examples: readonly string[];
  /** The lowest tier that may ask. */
  readonly plan: Tier;
  readonly params: readonly Param[];
  readonly reply: Reply;
  /** One row, or the single object; for groups, each group's. */
  readonly rows: { readonly [group: string]: RowShape };
}

/** One that the contract lays down. */
export interface ContractEndpoint<Id extends string = string> extends Endpoint {
  readonly id: Id;
}

export interface RowShape extends NamedRecord {
  /** Fields that tell two rows apart: the same row is never written twice in one pull. */
  readonly identity: readonly string[];
  /** Table columns, as they are read from left to right. */
  readonly columns: readonly Column[];
  /** What this program adds to the rows of the service: not part of the contract. */
  readonly added?: {
    readonly record: RecordShape;
    readonly columns: readonly Column[];
    /** Fields of the service that have no value in rows of ours. */
    readonly nulls: readonly string[];
  };
}

export interface Column {
  /** Path into the row, `tokens.0.symbol`; the first of several that the row has (names differ by plan and date). */
  readonly field: string | readonly string[];
  readonly title: string;
  /** 1 stays longest where the window is narrow; no two of a table are equal. */
  readonly priority: number;
}

/** The key of `rows` for every reply but groups. */
export const onlyGroup = "rows";

/** The shape of the rows of an endpoint that has one kind of row. */
export function rowShape(endpoint: Endpoint, group: string = onlyGroup): RowShape {
  const shape = endpoint.rows[group];
  if (shape === undefined) throw new Error(`${endpoint.id} has no rows called ${group}`);
  return shape;
}
