import type { RowShape } from "../../contract/endpoint.ts";
import { untrustedAnswer } from "../../contract/failure.ts";
import { isObject, member } from "../../json/own-member.ts";
import { rawMembers } from "../../json/raw-json.ts";
import { createAnswerCutter, type CutAnswer } from "../rows/byte-rows.ts";
import type { Document } from "./document.ts";
import { createPage } from "../pages/page.ts";

/** Reads the answers of one list. `name`: the member that holds the rows. */
export function createAnswerReader(name: string, shape: RowShape): (document: Document) => CutAnswer {
  const { identity } = shape;
  const cut = createAnswerCutter(name, { identity, timeField: timeFieldOf(shape) });
  return (document) => cut(document.bytes) ?? readAsText(document, name, identity);
}

/** An answer that is not plain enough to cut its bytes, or not what it should be. */
function readAsText(document: Document, name: string, identity: readonly string[]): CutAnswer {
  const { text, value } = document.read();
  if (!isObject(value)) throw untrustedAnswer("the answer is not an object");
  const { rows } = createPage(rawMembers(text).get(name), member(value, name), name, { identity });
  return { envelope: value, rows };
}

/** The field that says when a row was; undefined where none does. */
export function timeFieldOf({ record }: RowShape): string | undefined {
  return Object.keys(record).find((field) => record[field]?.reads === "time");
}
