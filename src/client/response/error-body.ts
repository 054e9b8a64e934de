import { isServiceCode, type ServiceCode } from "../../api/service-errors.ts";
import { isObject, parseJson, rawMembers } from "../../base/json/json-scan.ts";

export interface ErrorBody {
  /** A code from the specification; undefined if `error` contains a sentence instead. */
  readonly code: ServiceCode | undefined;
  readonly message: string | undefined;
  /** Raw JSON, so that 64-bit numbers keep all digits. */
  readonly fields: ReadonlyMap<string, string>;
  readonly isHtml: boolean;
}

/**
 * Reads every format of the public API: the specification's envelope, a lone `message`, a sentence in `error`, an
 * object in `error` (5xx responses from the CDN edge), HTML, non-JSON text, `{}` and an empty body.
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

export function textField(fields: ReadonlyMap<string, string>, name: string): string | undefined {
  const value: unknown = JSON.parse(fields.get(name) ?? "null");
  return typeof value === "string" ? value : undefined;
}

function membersOf(text: string): ReadonlyMap<string, string> | undefined {
  return isObject(parseJson(text)) ? rawMembers(text) : undefined;
}
