import { type Endpoint, onlyGroup, type RowShape } from "../../contract/endpoint.ts";
import type { Args } from "../../contract/args.ts";
import { type Failure, untrustedAnswer } from "../../contract/failure.ts";
import { isObject, member, rawElements, rawMembers } from "../../json/raw-json.ts";
import type { Document } from "../answer/answer-body.ts";
import type { Client } from "../client.ts";
import type { Proof } from "./completeness.ts";
import type { SeenKeys } from "./seen-keys.ts";
import { createAnswerCutter, type CutAnswer } from "../rows/byte-rows.ts";
import { type Rows, type TextRow, textRows } from "../rows/rows.ts";

/** Where rows begin in a list: where a pull starts, or continues after an interruption. Plain data, to be stored in a file. */
export interface Place {
  /** The flag that requests it. `subject`, the number of inputs that are done, has no flag. */
  readonly flag: "cursor" | "page" | "from" | "subject";
  readonly value: string;
  /** The upper limit in time that the pull was frozen to, as on the wire; absent for the limit of the request itself. */
  readonly to?: string | undefined;
  /** The service's count of all rows when the place was reached; a later count shows what has moved. */
  readonly items?: number | undefined;
  /** Rows of the list that are still due there, by the count at its beginning; absent once the list has moved. */
  readonly due?: number | undefined;
  /** The last candle before it, as the service wrote it: filling gaps continues from there. */
  readonly before?: string | undefined;
}

/** An address on a network. */
export interface Subject {
  readonly network: string;
  readonly address: string;
}

/**
 * The same for two spellings of an address: EVM hex matches in any letter case (responses have lower case), anything else
 * (base58, `0x…::module::Coin`) exactly.
 */
export function addressKey(address: string): string {
  return /^0x[\da-f]+$/iu.test(address) ? address.toLowerCase() : address;
}

/** Rows of one response. */
export interface Page {
  /** The kind of row, where a response has several. */
  readonly group: string;
  readonly rows: Rows;
  /** In place of a row: a response unchanged, whatever JSON it is. */
  readonly isDocument?: boolean;
  /** Where the rows after these are found; undefined after the last page. */
  readonly next: Place | undefined;
  /** Where these rows themselves are found; undefined for the first page. */
  readonly at?: Place | undefined;
  /** Rows of the list after these, by the service's count; undefined if it has no usable count. */
  readonly left?: number | undefined;
  /** Of the last page: the proof that the list is complete. */
  readonly proof?: Proof;
  /** Rows were left off the end, because no more were wanted. */
  readonly isCut?: boolean;
  /** Requested a second time on purpose, to find where the list continues, so it may have nothing new. */
  readonly isAgain?: boolean;
  /** Why these rows may be wrong or incomplete, if they are returned all the same. */
  readonly warning?: string | undefined;
  /** The number of rows that were left out because earlier pages had them. */
  readonly repeats?: number;
  /** None of its rows was new. */
  readonly isBarren?: boolean;
  /** Inputs without a row, where the service leaves out what it does not know. */
  readonly missing?: readonly Subject[];
  /** A part of the request that the service rejected; the rest continues. */
  readonly refused?: { readonly args: Args; readonly failure: Failure };
}

/** Where a pull begins and how large its pages are; the defaults make it one page of the service's default size. */
export interface Walk {
  /** Rows per request. */
  readonly pageSize: number;
  /** Reject rows that the service did not filter or sort as requested; see echo.ts. */
  readonly isStrict: boolean;
  /** Send one request, with nothing added to the arguments: for the rows of the response, or for all of it, unchanged. */
  readonly once?: "rows" | "document" | undefined;
  /** Begin there instead of at the beginning. */
  readonly start?: Place | undefined;
  /** The last row before that, as far as it is known: its identity and its time. */
  readonly after?: object | undefined;
  /** The rows of earlier pages; by default none. */
  readonly seen?: SeenKeys | undefined;
  /** Rows wanted in total: nothing beyond them is requested in advance. Undefined for every row. */
  readonly wanted?: number | undefined;
  /** The inputs of a batch. */
  readonly subjects?: readonly Subject[] | undefined;
  /** Return a row with null as its value for each input that a batch left out. */
  readonly fillMissing?: boolean | undefined;
  /** Properties of candles that the service does not report; `now` is the run's clock reading in milliseconds. */
  readonly candles?: { readonly now: number; readonly fill: "null" | "previous" | undefined } | undefined;
}

/** A request, and how its pages are read. */
export interface Asking<W extends Walk = Walk> {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly args: Args;
  readonly walk: W;
}

/** The same for the pages of a list, each row once. */
export type AskingForList = Asking<Walk & { readonly seen: SeenKeys }>;

/** Rows are an array of objects; any other response cannot be trusted. */
export function readRows(arrayText: string | undefined, values: unknown, what: string): readonly TextRow[] {
  if (!Array.isArray(values) || arrayText === undefined)
    throw untrustedAnswer(`invalid response: no list of ${what}`);
  const bad = values.findIndex((value) => !isObject(value));
  if (bad >= 0) throw untrustedAnswer(`invalid response: row ${bad + 1} of ${what} is not an object`);
  const objects = values.filter(isObject);
  return rawElements(arrayText).map((row, index) => ({ row, value: objects[index] ?? {} }));
}

/** The only page of a response. `identity`: the fields that identify a row. */
export function createPage(
  arrayText: string | undefined,
  values: unknown,
  what: string,
  { group = onlyGroup, identity }: { readonly group?: string; readonly identity?: readonly string[] } = {},
): Page {
  const rows = textRows(readRows(arrayText, values, what), identity);
  return { group, rows, next: undefined, proof: "end of list" };
}

/** Reads the responses of one list. `name`: the member with the rows. */
export function createAnswerReader(name: string, shape: RowShape): (document: Document) => CutAnswer {
  const { identity } = shape;
  const cut = createAnswerCutter(name, { identity, timeField: timeFieldOf(shape) });
  return (document) => {
    const answer = cut(document.bytes);
    if (answer !== undefined) return answer;
    // The response is too unusual to cut its bytes, or it is not as expected.
    const { text, value } = document.read();
    if (!isObject(value)) throw untrustedAnswer("invalid response: not an object");
    const rows = readRows(rawMembers(text).get(name), member(value, name), name);
    return { envelope: value, rows: textRows(rows, identity) };
  };
}

/** The field with the time of a row; undefined if there is none. */
export function timeFieldOf({ record }: RowShape): string | undefined {
  return Object.keys(record).find((field) => record[field]?.reads === "time");
}
