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

/**
 * A position in a list, at which a pull starts or continues after an interruption. It is plain data, so that it can be
 * stored in a file.
 */
export interface Place {
  /**
   * The flag that requests this place. For `subject` there is no flag; its value is the number of inputs that are done.
   */
  readonly flag: "cursor" | "page" | "from" | "subject";
  readonly value: string;
  /**
   * The upper time limit that the pull was frozen to, in the format of the API. Missing if the limit of the request
   * applies.
   */
  readonly to?: string | undefined;
  /**
   * The total number of rows that the service reported when the pull reached this place. A later total shows whether
   * the list has shifted.
   */
  readonly items?: number | undefined;
  /**
   * The number of rows that are still expected after this place, according to the total at the start of the list.
   * Missing once the list has shifted.
   */
  readonly due?: number | undefined;
  /** The candle before this place, as the service sent it. It is needed to continue filling gaps. */
  readonly before?: string | undefined;
}

/** An address on a network. */
export interface Subject {
  readonly network: string;
  readonly address: string;
}

/**
 * Returns a key that is equal for all spellings of an address. The case of EVM hex addresses is ignored (responses use
 * lower case); all other addresses (base58, `0x…::module::Coin`) must match exactly.
 */
export function addressKey(address: string): string {
  return /^0x[\da-f]+$/iu.test(address) ? address.toLowerCase() : address;
}

/** Rows from one response. */
export interface Page {
  /** The kind of the rows, if a response contains several kinds. */
  readonly group: string;
  readonly rows: Rows;
  /** Whether the only row is an unchanged response, which may be any JSON value. */
  readonly isDocument?: boolean;
  /** The place at which the next rows begin; undefined after the last page. */
  readonly next: Place | undefined;
  /** The place at which the rows of this page begin; undefined for the first page. */
  readonly at?: Place | undefined;
  /** The number of rows after this page according to the service's total; undefined if there is no usable total. */
  readonly left?: number | undefined;
  /** The evidence that the list is complete. Only the last page has it. */
  readonly proof?: Proof;
  /** Whether rows were removed from the end of the page, because no more were wanted. */
  readonly isCut?: boolean;
  /**
   * Whether the page was requested again on purpose, to find the place where the list continues. It may contain no new
   * rows.
   */
  readonly isAgain?: boolean;
  /** The reason why rows may be wrong or missing, if they are returned anyway. */
  readonly warning?: string | undefined;
  /** The number of rows that were removed because earlier pages contained them. */
  readonly repeats?: number;
  /** Whether the page has no new rows. */
  readonly isBarren?: boolean;
  /** Inputs without a row, if the service omits inputs that it does not know. */
  readonly missing?: readonly Subject[];
  /** A part of the request that the service rejected. The rest of the pull continues. */
  readonly refused?: { readonly args: Args; readonly failure: Failure };
}

/** The start of a pull and its page size. By default, a pull fetches one page of the service's default size. */
export interface Walk {
  /** Rows per request. */
  readonly pageSize: number;
  /** Whether to reject rows that the service did not filter or sort as requested; see echo.ts. */
  readonly isStrict: boolean;
  /** Sends a single request with the arguments unchanged, for the rows of the response or for the entire document. */
  readonly once?: "rows" | "document" | undefined;
  /** The place at which the pull starts, if not at the beginning of the list. */
  readonly start?: Place | undefined;
  /** The identity and the time of the last row before `start`, if known. */
  readonly after?: object | undefined;
  /** The rows of earlier pages. By default, there are none. */
  readonly seen?: SeenKeys | undefined;
  /** The total number of rows wanted; rows beyond it are not requested in advance. Undefined means all rows. */
  readonly wanted?: number | undefined;
  /** The inputs of a batch. */
  readonly subjects?: readonly Subject[] | undefined;
  /** Whether to return a row with a null value for each input that a batch response omits. */
  readonly fillMissing?: boolean | undefined;
  /** Options for candles. `now` is the clock reading of the run in milliseconds. */
  readonly candles?: { readonly now: number; readonly fill: "null" | "previous" | undefined } | undefined;
}

/** A request together with the settings for reading its pages. */
export interface Asking<W extends Walk = Walk> {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly args: Args;
  readonly walk: W;
}

/** A request for a list in which each row is returned once. */
export type AskingForList = Asking<Walk & { readonly seen: SeenKeys }>;

/**
 * Reads an array of rows. Any other response is rejected, including an array that contains values other than objects.
 */
export function readRows(arrayText: string | undefined, values: unknown, what: string): readonly TextRow[] {
  if (!Array.isArray(values) || arrayText === undefined)
    throw untrustedAnswer(`invalid response: no list of ${what}`);
  const bad = values.findIndex((value) => !isObject(value));
  if (bad >= 0) throw untrustedAnswer(`invalid response: row ${bad + 1} of ${what} is not an object`);
  const objects = values.filter(isObject);
  return rawElements(arrayText).map((row, index) => ({ row, value: objects[index] ?? {} }));
}

/** Creates the only page of a response. `identity` lists the fields that identify a row. */
export function createPage(
  arrayText: string | undefined,
  values: unknown,
  what: string,
  { group = onlyGroup, identity }: { readonly group?: string; readonly identity?: readonly string[] } = {},
): Page {
  const rows = textRows(readRows(arrayText, values, what), identity);
  return { group, rows, next: undefined, proof: "end of list" };
}

/** Creates a reader for the responses of one list. `name` is the member that contains the rows. */
export function createAnswerReader(name: string, shape: RowShape): (document: Document) => CutAnswer {
  const { identity } = shape;
  const cut = createAnswerCutter(name, { identity, timeField: timeFieldOf(shape) });
  return (document) => {
    const answer = cut(document.bytes);
    if (answer !== undefined) return answer;
    // The response is malformed, or unusual enough that its rows could not be cut out of the bytes.
    const { text, value } = document.read();
    if (!isObject(value)) throw untrustedAnswer("invalid response: not an object");
    const rows = readRows(rawMembers(text).get(name), member(value, name), name);
    return { envelope: value, rows: textRows(rows, identity) };
  };
}

/** Returns the field that contains the time of a row, or undefined if there is none. */
export function timeFieldOf({ record }: RowShape): string | undefined {
  return Object.keys(record).find((field) => record[field]?.reads === "time");
}
