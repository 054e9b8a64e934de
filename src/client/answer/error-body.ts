import { isServiceCode, type ServiceCode } from "../../contract/service-errors.ts";
import { isObject, rawMembers } from "../../json/raw-json.ts";

/** The contents of a rejection, whatever the form of its body. */
export interface ErrorBody {
  /** A code of the specification; undefined for a human sentence under `error`. */
  readonly code: ServiceCode | undefined;
  readonly message: string | undefined;
  /** Every field under its own name, as raw JSON texts, so that 64-bit numbers keep their digits. */
  readonly fields: ReadonlyMap<string, string>;
  readonly isHtml: boolean;
}

/**
 * Reads all public forms: the envelope of the specification, `message` alone, a sentence under `error`, an object
 * under `error` (the edge's 5xx), HTML, text that is not JSON, `{}` and an empty body.
 */
export function readErrorBody(text: string): ErrorBody {
  const fields = membersOf(text);
  if (fields === undefined) {
    const isHtml = /^\s*<(?:!doctype|html)/iu.test(text);
    return { code: undefined, message: undefined, fields: new Map(), isHtml };
  }
  const error = textField(fields, "error");
  const edge = membersOf(fields.get("error") ?? "");
  const code = error !== undefined && isServiceCode(error) ? error : undefined;
  const sentence = code === undefined ? error : undefined;
  const message =
    textField(fields, "message") ?? sentence ?? (edge === undefined ? undefined : textField(edge, "message"));
  return { code, message, fields, isHtml: false };
}

/** The string under the name; undefined when it is absent or not a string. */
export function textField(fields: ReadonlyMap<string, string>, name: string): string | undefined {
  const value: unknown = JSON.parse(fields.get(name) ?? "null");
  return typeof value === "string" ? value : undefined;
}

function membersOf(text: string): ReadonlyMap<string, string> | undefined {
  try {
    return isObject(JSON.parse(text)) ? rawMembers(text) : undefined;
  } catch {
    return undefined;
  }
}
