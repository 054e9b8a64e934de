import { type Endpoint, onlyGroup } from "../../contract/endpoint.ts";
import type { Args } from "../../contract/args.ts";
import { type Failure, untrustedAnswer } from "../../contract/failure.ts";
import { isObject, rawElements } from "../../json/raw-json.ts";
import type { Client } from "../client.ts";
import type { Proof } from "./completeness.ts";
import type { SeenKeys } from "./seen-keys.ts";
import { type Rows, type TextRow, textRows } from "../rows/rows.ts";

/**
 * Where in an answer some rows begin: what a walk starts from, and what goes on after an interruption. Plain data,
 * so that it can be kept in a file.
 */
export interface Place {
  /** The flag that asks for it; for `subject`, the number of inputs that are answered, there is none. */
  readonly flag: "cursor" | "page" | "from" | "subject";
  readonly value: string;
  /** The upper bound in time that the pull was frozen to, as on the wire; absent where the question's own holds. */
  readonly to?: string | undefined;
  /** Rows that the service counted in all when the place was reached; what it counts later says what has moved. */
  readonly items?: number | undefined;
  /** Rows of the list that are still to come there, by the count at its beginning; absent once the list has moved. */
  readonly due?: number | undefined;
  /** The last candle before it, as the service wrote it: filling gaps goes on from there. */
  readonly before?: string | undefined;
}

/** One thing asked for: an address on a network. */
export interface Subject {
  readonly network: string;
  readonly address: string;
}

/**
 * What makes two addresses the same: EVM hex matches in any letter case (answers come in lower case), anything
 * else (base58, `0x…::module::Coin`) exactly.
 */
export function addressKey(address: string): string {
  return /^0x[\da-f]+$/iu.test(address) ? address.toLowerCase() : address;
}

/** Rows of one answer. */
export interface Page {
  /** Which kind of row, where an answer has several. */
  readonly group: string;
  readonly rows: Rows;
  /** In place of a row, an answer as it came, whatever JSON it is. */
  readonly isDocument?: boolean;
  /** Where the rows after these are found; undefined after the last page. */
  readonly next: Place | undefined;
  /** Where these rows themselves are found; undefined for the first page. */
  readonly at?: Place | undefined;
  /** Rows of the list after these, by the service's count; undefined where it gives none that can be used. */
  readonly left?: number | undefined;
  /** Of the last page: what proves that the list is complete. */
  readonly proof?: Proof;
  /** Rows were left off the end, because no more were wanted. */
  readonly isCut?: boolean;
  /** Asked for a second time on purpose, to find where the list goes on: nothing new in it is no bad sign. */
  readonly isAgain?: boolean;
  /** Why these rows may not be what was asked for, or not all of it, where they are given all the same. */
  readonly warning?: string | undefined;
  /** Rows that were left out because they had come before. */
  readonly repeats?: number;
  /** None of its rows was new. */
  readonly isBarren?: boolean;
  /** What was asked for and has no row, where the service leaves out what it does not know. */
  readonly missing?: readonly Subject[];
  /** A part of what was asked for, that the service refused; the rest goes on. */
  readonly refused?: { readonly args: Args; readonly failure: Failure };
}

/** Where a walk begins and how large its pages are; the defaults make it one page of the service's own size. */
export interface Walk {
  /** Rows one request asks for. */
  readonly pageSize: number;
  /** Refuse rows that the service did not filter or order as asked; see echo.ts. */
  readonly isStrict: boolean;
  /** Ask once, with nothing added to the arguments: for the rows of that answer, or for the answer whole, as it came. */
  readonly once?: "rows" | "document" | undefined;
  /** Begin there instead of at the beginning. */
  readonly start?: Place | undefined;
  /** The last row before that, as far as it is known: what tells it from others, and its time. */
  readonly after?: object | undefined;
  /** The rows that have come before; none where it is not given. */
  readonly seen?: SeenKeys | undefined;
  /** Rows wanted in all: nothing beyond them is asked for in advance. Undefined for every row. */
  readonly wanted?: number | undefined;
  /** What a batch asks for. */
  readonly subjects?: readonly Subject[] | undefined;
  /** Give what a batch left out a row of its own, with null as its value. */
  readonly fillMissing?: boolean | undefined;
  /** What candles say about themselves beyond what the service does; `now` is the run's clock reading in milliseconds. */
  readonly candles?: { readonly now: number; readonly fill: "null" | "previous" | undefined } | undefined;
}

/** A question to the service, and how its answer is walked. */
export interface Asking<W extends Walk = Walk> {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly args: Args;
  readonly walk: W;
}

/** The walk over the pages of a list, each row once. */
export type AskingForList = Asking<Walk & { readonly seen: SeenKeys }>;

/** Rows are an array of objects; anything else is an answer that cannot be trusted. */
export function readRows(arrayText: string | undefined, values: unknown, what: string): readonly TextRow[] {
  if (!Array.isArray(values) || arrayText === undefined)
    throw untrustedAnswer(`the answer has no list of ${what}`);
  const bad = values.findIndex((value) => !isObject(value));
  if (bad >= 0) throw untrustedAnswer(`row ${bad + 1} of the answer's ${what} is not an object`);
  const objects = values.filter(isObject);
  return rawElements(arrayText).map((row, index) => ({ row, value: objects[index] ?? {} }));
}

/** A page of them that is all there is. `identity`: the fields that tell two rows apart. */
export function createPage(
  arrayText: string | undefined,
  values: unknown,
  what: string,
  { group = onlyGroup, identity }: { readonly group?: string; readonly identity?: readonly string[] } = {},
): Page {
  const rows = textRows(readRows(arrayText, values, what), identity);
  return { group, rows, next: undefined, proof: "end of list" };
}
