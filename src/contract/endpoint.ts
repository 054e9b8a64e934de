import type { FeedName } from "./feeds/all-feeds.ts";
import type { Param } from "./param.ts";
import type { NamedRecord, RecordShape } from "./record.ts";
import type { Reply } from "./reply.ts";
import type { Tier } from "./tier.ts";

/**
 * The request, the response, and how a row is shown. Flags and help, requests, checks of responses, table columns,
 * completions and the routes of the sandbox all follow from this one object.
 */
export interface Endpoint {
  /**
   * Names the endpoint in files, in the library and in the sandbox's routes. Everything special about an endpoint is one
   * of its fields: no code outside the contract compares an id.
   */
  readonly id: string;
  /** A path that is not in the contract, requested by `dexdata api`. */
  readonly isUnknown?: boolean;
  /** The command that requests it. Several endpoints can share one; see `chosenBy`. */
  readonly command: string;
  /** The flag that selects this endpoint of its command. Without one, the given path parameters decide. */
  readonly chosenBy?: string;
  /** What help adds to the text of that flag, with its punctuation. */
  readonly chosenByHelp?: string;
  /** The query parameter that the arguments set, if they are not a network and an address. */
  readonly words?: string;
  /** The feed whose events announce new rows of the list, so that the list can be followed. */
  readonly feed?: FeedName;
  /** The fields with the value and its name, in a short list whose values people type. Suggestions and completion cache it. */
  readonly typedFields?: readonly [value: string, name: string];
  readonly method: "GET";
  /** Template with `{name}` for each path parameter, as the specification writes it. */
  readonly path: string;
  /** The path as it was typed (`dexdata api <path>`), with its values. */
  readonly rawPath?: string;
  /** Parameters that were typed more than once in it: the values after the first, as typed. */
  readonly repeated?: ReadonlyMap<string, readonly string[]>;
  readonly summary: string;
  readonly examples: readonly string[];
  /** The lowest plan that the service accepts. */
  readonly plan: Tier;
  /** For a rejected plan: a command that works without it, for the network and this path parameter of the same request. */
  readonly withoutPlan?: { readonly command: string; readonly param: string };
  /** Without filters, the rows are all pools of the requested networks, which the list of networks counts. */
  readonly isEveryPool?: true;
  /** The currency of candles, as a chart shows it. */
  readonly quote?: string;
  readonly params: readonly Param[];
  readonly reply: Reply;
  /** One row, or the single object; for groups, each group's. */
  readonly rows: { readonly [group: string]: RowShape };
}

/** An endpoint of the specification. */
export interface ContractEndpoint<Id extends string = string> extends Endpoint {
  readonly id: Id;
}

interface Described extends Omit<Endpoint, "id" | "method" | "plan" | "rows"> {
  /** The default is keyless. */
  readonly plan?: Tier;
  /** Replaces `rows` in an endpoint that has one kind of row. */
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
  /** Fields that identify a row, so that one pull never writes a row twice. */
  readonly identity: readonly string[];
  /** Table columns from left to right. */
  readonly columns: readonly Column[];
  /** Fields that dexdata adds to the rows of the service. They are not part of the contract. */
  readonly added?: {
    readonly record: RecordShape;
    readonly columns: readonly Column[];
    /** Fields of the service that are null in rows that dexdata adds. */
    readonly nulls: readonly string[];
  };
}

export interface Column {
  /** Path into the row, as in `tokens.0.symbol`; the first one in the row if there are several (names differ by plan and date). */
  readonly field: string | readonly string[];
  readonly title: string;
  /** 1 stays longest in a narrow terminal; all priorities of a table differ. */
  readonly priority: number;
}

/** The key of `rows` for every reply except groups. */
export const onlyGroup = "rows";

/** The shape of the rows of an endpoint that has one kind of row. */
export function rowShape(endpoint: Endpoint, group: string = onlyGroup): RowShape {
  const shape = endpoint.rows[group];
  if (shape === undefined) throw new Error(`${endpoint.id} has no rows called ${group}`);
  return shape;
}
