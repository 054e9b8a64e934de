import type { Endpoint, Args } from "../api/endpoint.ts";
import { invalidInput } from "../base/failure.ts";
import type { Client } from "./client.ts";
import { type Subject, subjectKey } from "./subject.ts";
import type { Page, Position } from "./page.ts";
import type { SeenKeys } from "./seen-keys.ts";

/** How the rows of a query are requested. */
export type ListPlan = PageOptions & ListKind;

export interface PageOptions {
  readonly pageSize: number;
  /** Reject rows that the service did not filter or sort as requested; see ownership.ts. */
  readonly isStrict: boolean;
  /** Undefined if the pull starts at the beginning of the list. */
  readonly start: Position | undefined;
}

export type ListKind =
  /** The pages of the service's list, or the rows of its only response. */
  | { readonly kind: "list" }
  /** A single request with the arguments unchanged, for its rows or for the entire document. */
  | { readonly kind: "once"; readonly as: "rows" | "document" }
  | ({ readonly kind: "batch" } & BatchInputs)
  | ({ readonly kind: "candles" } & CandleMarks)
  | ({ readonly kind: "pools" } & TokensOfPool)
  | ({ readonly kind: "made" } & MadeRows);

export interface BatchInputs {
  readonly subjects: readonly Subject[];
  /** Each input that a response omits gets a row with a null value. */
  readonly fillMissing: boolean;
}

/** What is known about candles when they are requested, and what is added to them. */
export interface CandleMarks {
  /** The run's clock reading in milliseconds. */
  readonly now: number;
  /** In milliseconds. No candles are missed after this time. */
  readonly expectedTo: number;
  readonly fill: "null" | "previous" | undefined;
  /** If there are several assets, each candle gets the network and this parameter in front. */
  readonly address: string | undefined;
}

/** The service filters pools by one token, so dexdata selects those with several. */
export interface TokensOfPool {
  /** The wire name of the filter. */
  readonly param: string;
  /** At least two different ones, in an order that does not depend on how they were typed. */
  readonly tokens: readonly string[];
  /** The list ends before more rows are read than this, whether they match or not. */
  readonly maxRowsRead: number;
}

/** Rows that dexdata makes from responses of other endpoints. */
interface MadeRows {
  readonly pages: (request: ListRequest) => AsyncGenerator<Page>;
  /** Records what was received, so that a resumed pull does not request it again. */
  readonly seen: SeenKeys;
}

export interface ListRequest {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly args: Args;
  readonly list: ListPlan;
}

export function plainList(pageSize: number, isStrict = true): ListPlan {
  return { kind: "list", pageSize, isStrict, start: undefined };
}

/** The response is printed unchanged. */
export function isDocument(list: ListPlan): boolean {
  return list.kind === "once" && list.as === "document";
}

/** The addresses of one request. */
export interface Chunk {
  readonly network: string;
  readonly addresses: string[];
}

/** The chunks are sorted by the position of their first address. For limits, see endpoint 2 in the specification. */
export function planBatches(
  subjects: readonly Subject[],
  bounds: { readonly max: number; readonly maxLength: number },
): readonly Chunk[] {
  const chunks: Chunk[] = [];
  const open = new Map<string, Chunk>();
  const planned = new Set<string>();
  for (const subject of subjects) {
    const { network, address } = subject;
    if (address.length > bounds.maxLength) {
      const limit = `must be at most ${bounds.maxLength} characters, not ${address.length}`;
      throw invalidInput(`address "${address.slice(0, 40)}…"`, limit);
    }
    if (planned.has(subjectKey(subject))) continue;
    planned.add(subjectKey(subject));
    let chunk = open.get(network);
    const length = chunk === undefined ? 0 : chunk.addresses.join(",").length + 1 + address.length;
    if (chunk === undefined || chunk.addresses.length >= bounds.max || length > bounds.maxLength) {
      chunk = { network, addresses: [] };
      chunks.push(chunk);
      open.set(network, chunk);
    }
    chunk.addresses.push(address);
  }
  return chunks;
}
