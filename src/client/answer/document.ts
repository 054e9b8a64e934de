import { untrustedAnswer } from "../../contract/failure.ts";
import type { Answer } from "../connection/transport.ts";

/** An answer that should be JSON. Many rows are passed on as the bytes that came: nothing is read before it must be. */
export interface Document {
  readonly bytes: Uint8Array;
  /** Checked whole, grammar and encoding, so that slices of the text are valid JSON themselves. */
  readonly read: () => CheckedDocument;
}

export interface CheckedDocument {
  /** The service's own. */
  readonly text: string;
  /** Parsed: integers above 2^53 are rounded here, so values to be shown are read from `text`. */
  readonly value: unknown;
}

export function createDocument(answer: Answer): Document {
  // Nobody asked for a part, and one that is whole JSON would pass for all of it.
  if (answer.status === 206) throw untrustedAnswer("the answer is only a part of one (status 206)");
  return { bytes: answer.body, read: () => readDocument(answer) };
}

function readDocument(answer: Answer): CheckedDocument {
  const text = decodeUtf8(answer.body);
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    throw untrustedAnswer(describeNoJson(answer, text));
  }
}

function decodeUtf8(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw untrustedAnswer("the answer is not valid UTF-8");
  }
}

function describeNoJson(answer: Answer, text: string): string {
  if (text.trim() === "") return `the answer is empty (status ${answer.status})`;
  if (/^\s*</u.test(text)) return `the answer is a web page, not JSON (status ${answer.status})`;
  return `the answer is not whole JSON (status ${answer.status}, ${answer.body.length} bytes)`;
}
