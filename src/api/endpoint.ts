import type { Param } from "./param.ts";
import { count, type Field, type NamedRecord, optional, type RecordShape, type TradePart } from "./record.ts";
import { batchParam, type Reply } from "./reply.ts";
import type { Tier } from "./tier.ts";

/** Flags, help, requests, response checks, table columns, completions and sandbox routes come from this object. */
export interface Endpoint {
  /** Used by files, the library and the sandbox. No code outside the contract compares IDs. */
  readonly id: string;
  /** Several endpoints can share a command; see `chosenBy`. */
  readonly command: string;
  /** The flag that selects this endpoint. Without one, the path parameters decide. */
  readonly chosenBy?: string;
  /** The text that help appends to that flag, including its punctuation. */
  readonly chosenByHelp?: string;
  /** The hint for an address of the other kind, which only a flag distinguishes. */
  readonly ifOtherKind?: string;
  /** The query parameter that the arguments set, unless they are a network and an address. */
  readonly words?: string;
  /** Can be followed: each row once, when the service adds it. Without filters, `pools` are all pools on the networks. */
  readonly lists?: "trades" | "pools";
  /** Set only for short lists of values that people type. Suggestions and completion cache these lists. */
  readonly typedFields?: readonly [value: string, name: string];
  readonly method: "GET";
  /** A template with `{name}` for each path parameter. */
  readonly path: string;
  /** Of `dexdata api <path>`. */
  readonly raw?: {
    /** The path with its values as the user typed it. */
    readonly path: string;
    readonly isInContract: boolean;
    /** All values of a repeated parameter after the first, as typed. */
    readonly repeated: ReadonlyMap<string, readonly string[]>;
  };
  /** The inputs that set the parameters, as errors show them: as typed, and a time with its value. */
  readonly typed?: ReadonlyMap<string, string>;
  readonly summary: string;
  readonly examples: readonly string[];
  /** A paragraph below the flags in the full help. */
  readonly note?: string;
  /** The lowest plan that the service accepts for this endpoint. */
  readonly plan: Tier;
  /** The command to suggest when the service rejects the plan, with `{name}` for parameters of the request. */
  readonly withoutPlan?: string;
  readonly params: readonly Param[];
  readonly reply: Reply;
  /** A response with groups has one shape for each group. */
  readonly rows: { readonly [group: string]: RowShape };
}

export interface ContractEndpoint<Id extends string = string> extends Endpoint {
  readonly id: Id;
}

/** By default, the plan is keyless. `row` replaces `rows` for an endpoint with only one kind of row. */
type Described = Omit<Endpoint, "id" | "method" | "plan" | "rows"> &
  Partial<Pick<Endpoint, "plan" | "rows">> & { readonly row?: RowShape };

export function defineEndpoint<Id extends string>(
  id: Id,
  { row, ...described }: Described,
): ContractEndpoint<Id> {
  const rows = row === undefined ? {} : { [onlyGroup]: row };
  return { id, method: "GET", plan: "keyless", rows, ...described };
}

export interface RowShape extends NamedRecord {
  /** The specification lists all fields, so the service sends no others. */
  readonly isComplete?: true;
  /** A pull uses these fields to avoid writing a row twice. */
  readonly identity: readonly string[];
  /** Fields, each with the parameter of the request that it must equal; see ownership.ts. */
  readonly owned?: Readonly<Record<string, string>>;
  /** Fields that come first in CSV and TSV. If a row lacks one, it has the value of the request; see `owned`. */
  readonly leading?: readonly string[];
  /** From left to right. */
  readonly columns: readonly Column[];
  /** How many rows a terminal shows if the response has other tables as well; all by default. */
  readonly firstRows?: number;
  /** Of rows that belong to several assets. */
  readonly ofMany?: {
    /** Fields that dexdata puts in front of each row, unless the row already names its asset. */
    readonly record: RecordShape;
    readonly columns: readonly Column[];
  };
  /** Fields that dexdata adds to the service's rows. They are not part of the contract. */
  readonly added?: {
    readonly record: RecordShape;
    readonly columns: readonly Column[];
    /** Fields from the service that are null in rows that dexdata adds. */
    readonly nulls: readonly string[];
  };
}

export interface Column {
  /** Such as `tokens.0.symbol`. The first one present in the row is used, because names differ by plan and date. */
  readonly field: string | readonly string[];
  readonly title: string;
  /** In a narrow terminal, the column with priority 1 is hidden last. All priorities in a table differ. */
  readonly priority: number;
  /** Tables show this instead of the value of the first field. A label is not in the row, so it has no field. */
  readonly shows?: "label" | "asset" | TradePart;
}

/** Whether its arguments are a network and an address, or several. */
export function takesAddress(endpoint: Endpoint): boolean {
  return (
    batchParam(endpoint.reply) !== undefined ||
    endpoint.params.filter(({ place }) => place === "path").length === 2
  );
}

export function takesNetwork(endpoint: Endpoint): boolean {
  return endpoint.path.includes("{network}");
}

/** The key in `rows` for every response without groups. */
export const onlyGroup = "rows";

export function rowShape(endpoint: Endpoint, group: string = onlyGroup): RowShape {
  const shape = endpoint.rows[group];
  if (shape === undefined) throw new Error(`${endpoint.id} has no rows called ${group}`);
  return shape;
}

/** The endpoint with rows that show to which of several assets they belong. */
export function ofManyAssets(endpoint: Endpoint): Endpoint {
  const { ofMany, ...shape } = rowShape(endpoint);
  if (ofMany === undefined) return endpoint;
  const { record = {}, columns = [], nulls = [] } = shape.added ?? {};
  const row: RowShape = {
    ...shape,
    identity: [...Object.keys(ofMany.record), ...shape.identity],
    columns: [...ofMany.columns, ...shape.columns],
    added: { record: { ...ofMany.record, ...record }, columns, nulls },
  };
  return { ...endpoint, rows: { [onlyGroup]: row } };
}

/** A field in a row, and the path that selects it in `--fields`. */
export interface FieldAtPath {
  readonly path: string;
  readonly field: Field;
  /** The field, or a record that contains it, can be absent. */
  readonly isOptional: boolean;
  /** Added by dexdata and not sent by the service. */
  readonly isAdded: boolean;
}

/**
 * The fields that dexdata adds come last. A list is represented by its first element. Columns can show members of a field
 * whose contents the contract does not list, such as `credits.remaining`.
 */
export function fieldPaths({
  record,
  added,
  columns = [],
}: Pick<RowShape, "record" | "added"> & Partial<Pick<RowShape, "columns">>): readonly FieldAtPath[] {
  const shown = columns.flatMap(({ field }) => field);
  return [...pathsIn(record, false), ...pathsIn(added?.record ?? {}, true)].flatMap((each) => {
    const members = shown.filter(
      (path) => each.field.type.kind === "any" && path.startsWith(`${each.path}.`),
    );
    return [each, ...members.map((path) => ({ ...each, path, field: optional(count) }))];
  });
}

function pathsIn(
  record: RecordShape,
  isAdded: boolean,
  prefix = "",
  isWithinOptional = false,
): readonly FieldAtPath[] {
  return Object.entries(record).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const isOptional = isWithinOptional || field.optional;
    const { type } = field;
    const inside = type.kind === "list" ? `${path}.0.` : `${path}.`;
    const inner = "record" in type ? pathsIn(type.record, isAdded, inside, isOptional) : [];
    return [{ path, field, isOptional, isAdded }, ...inner];
  });
}

/** Maps wire names to wire values. */
export type Args = ReadonlyMap<string, string>;

/** Errors and hints use the endpoint to name the inputs. */
export interface ApiRequest {
  readonly endpoint: Endpoint;
  readonly args: Args;
}

/** Everything except the URL uses repeated arguments joined with commas. */
export function withRepeated({ raw }: Endpoint, args: Args): Args {
  const joined = [...(raw?.repeated ?? [])].map(
    ([name, values]) => [name, [args.get(name), ...values].join(",")] as const,
  );
  return new Map([...args, ...joined]);
}

/** Typed values by wire name. */
export type Typed = ReadonlyMap<string, string>;
