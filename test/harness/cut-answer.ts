import { createAnswerCutter, type CutAnswer, type Noted } from "../../src/client/response/byte-rows.ts";

/** Parses a single response. */
export function cutAnswer(body: Uint8Array, name: string, noted: Noted): CutAnswer | undefined {
  return createAnswerCutter(name, noted)(body);
}
