import type { RowShape } from "../../model/endpoint.ts";
import { untrustedAnswer } from "../../model/failure.ts";
import { isObject, member } from "../../model/json/own-member.ts";
import { rawMembers } from "../../model/json/raw-json.ts";
import { type CutAnswer, cutAnswer } from "../rows/byte-rows.ts";
import type { Document } from "./document.ts";
import { createPage } from "../pages/page.ts";

/** The rows cut from the bytes, or, where the answer is not plain enough for that, from its text. */
export function readAnswer(document: Document, name: string, shape: RowShape, isTyped = false): CutAnswer {
  const { identity } = shape;
  const cut = cutAnswer(document.bytes, name, { identity, timeField: timeFieldOf(shape), isTyped });
  if (cut !== undefined) return cut;
  const { text, value } = document.read();
  if (!isObject(value)) throw untrustedAnswer("the answer is not an object");
  const { rows } = createPage(rawMembers(text).get(name), member(value, name), name, { identity });
  return { envelope: value, rows };
}

/** The field that says when a row was; undefined where none does. */
export function timeFieldOf({ record }: RowShape): string | undefined {
  return Object.keys(record).find((field) => record[field]?.reads === "time");
}
