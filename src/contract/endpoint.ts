import type { FeedName } from "./feeds/all-feeds.ts";
import type { Param } from "./param.ts";
import type { NamedRecord, RecordShape } from "./record.ts";
import type { Reply } from "./reply.ts";
import type { Tier } from "./tier.ts";

/**
 * Describes the request, the response and the display of the rows. Flags, help, requests, response checks, table
 * columns, completions and the routes of the sandbox are all derived from this object.
 */
export interface Endpoint {
  /**
   * Identifies the endpoint in files, in the library and in the routes of the sandbox. Everything special about an
   * endpoint is stored in one of its fields, so no code outside the contract compares IDs.
   */
  readonly id: string;
  /** The path is not in the contract; `dexdata api` requested it. */
  readonly isUnknown?: boolean;
  /** The command that requests this endpoint. Several endpoints can share a command; see `chosenBy`. */
  readonly command: string;
  /**
   * The flag that selects this endpoint of its command. Without such a flag, the path parameters on the command line
   * decide.
   */
  readonly chosenBy?: string;
  /** The text that help adds to that flag, with its punctuation. */
  readonly chosenByHelp?: string;
  /** The query parameter that the arguments of the command set, unless they are a network and an address. */
  readonly words?: string;
  /** The feed whose events announce new rows in the list. With a feed, the list can be followed. */
  readonly feed?: FeedName;
  /**
   * The fields that contain the value and its name. Set only for short lists of values that people type. Suggestions
   * and completion cache these lists.
   */
  readonly typedFields?: readonly [value: string, name: string];
  readonly method: "GET";
  /** A template with `{name}` for each path parameter, as in the specification. */
  readonly path: string;
  /** The path with its values as the user typed it (`dexdata api <path>`). */
  readonly rawPath?: string;
  /** Parameters that appear more than once in the typed path, with every value after the first, as typed. */
  readonly repeated?: ReadonlyMap<string, readonly string[]>;
  readonly summary: string;
  readonly examples: readonly string[];
  /** The lowest plan that the service accepts for this endpoint. */
  readonly plan: Tier;
  /**
   * A command that works on a lower plan, for the same network and this path parameter. It is suggested when the
   * service rejects the plan.
   */
  readonly withoutPlan?: { readonly command: string; readonly param: string };
  /**
   * Without filters, the rows are all pools of the requested networks, and the list of networks contains their number.
   */
  readonly isEveryPool?: true;
  /** The currency of the candles, as a chart displays it. */
  readonly quote?: string;
  readonly params: readonly Param[];
  readonly reply: Reply;
  /** The shape of one row, or of the single object. A response with groups has one shape for each group. */
  readonly rows: { readonly [group: string]: RowShape };
}

/** An endpoint of the specification. */
export interface ContractEndpoint<Id extends string = string> extends Endpoint {
  readonly id: Id;
}

interface Described extends Omit<Endpoint, "id" | "method" | "plan" | "rows"> {
  /** Defaults to keyless. */
  readonly plan?: Tier;
  /** Replaces `rows` for an endpoint with only one kind of row. */
  readonly row?: RowShape;
  readonly rows?: Endpoint["rows"];
}

export function defineEndpoint<Id extends string>(
  id: Id,
  { row, ...described }: Described,
): ContractEndpoint<Id> {
  const rows = row === undefined ? {} : { [onlyGroup]: row };
  return { id, method: "GET", plan: "keyless", rows, ...described };
}

export interface RowShape extends NamedRecord {
  /** The fields that identify a row. A pull uses them to avoid writing a row twice. */
  readonly identity: readonly string[];
  /** Table columns from left to right. */
  readonly columns: readonly Column[];
  /** Fields that dexdata adds to the rows of the service. They are not part of the contract. */
  readonly added?: {
    readonly record: RecordShape;
    readonly columns: readonly Column[];
    /** Fields from the service that are null in rows that dexdata adds. */
    readonly nulls: readonly string[];
  };
}

export interface Column {
  /**
   * Path into the row, such as `tokens.0.symbol`. If there are several, the first one that the row has is used, because
   * names differ by plan and date.
   */
  readonly field: string | readonly string[];
  readonly title: string;
  /** In a narrow terminal, the column with priority 1 is hidden last. All priorities in a table differ. */
  readonly priority: number;
}

/** The key of `rows` for every response without groups. */
export const onlyGroup = "rows";

/** Returns the shape of the rows of an endpoint with only one kind of row. */
export function rowShape(endpoint: Endpoint, group: string = onlyGroup): RowShape {
  const shape = endpoint.rows[group];
  if (shape === undefined) throw new Error(`${endpoint.id} has no rows called ${group}`);
  return shape;
}
