import type { Args } from "../../api/args.ts";
import type { Endpoint } from "../../api/endpoint.ts";
import type { Client } from "../client.ts";
import type { Subject } from "../subject.ts";
import type { Position } from "./judge.ts";
import type { Page } from "./page.ts";
import type { SeenKeys } from "./seen-keys.ts";

/** How the rows of a query are requested. */
export type Walk = WalkBasics & WalkKind;

export interface WalkBasics {
  readonly pageSize: number;
  /** Reject rows that the service did not filter or sort as requested; see echo.ts. */
  readonly isStrict: boolean;
  /** Undefined if the pull starts at the beginning of the list. */
  readonly start: Position | undefined;
}

export type WalkKind =
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
  /** The walk ends before it reads more rows than this, whether they match or not. */
  readonly maxRowsRead: number;
}

/** Rows that dexdata makes from responses of other endpoints. */
export interface MadeRows {
  readonly pages: (asking: Asking) => AsyncGenerator<Page>;
  /** Records what was received, so that a resumed pull does not request it again. */
  readonly seen: SeenKeys;
}

export interface Asking {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly args: Args;
  readonly walk: Walk;
}

export function plainWalk(pageSize: number, isStrict = true): Walk {
  return { kind: "list", pageSize, isStrict, start: undefined };
}

/** The response is printed unchanged. */
export function isDocument(walk: Walk): boolean {
  return walk.kind === "once" && walk.as === "document";
}
