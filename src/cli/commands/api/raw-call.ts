import { isFixedWord } from "../../../api/known-networks.ts";
import { batchParam } from "../../../api/reply.ts";
import { findEndpoint } from "../../../api/find-endpoint.ts";
import { defineEndpoint, type Endpoint, type Args, type ApiRequest } from "../../../api/endpoint.ts";
import { type Failure, invalidInput, orUndefined, usageFailure } from "../../../base/failure.ts";
import { type Param, query } from "../../../api/param.ts";
import { withoutSecrets } from "../../../base/key.ts";

/** An endpoint's path behaves like that endpoint. Values are sent as typed, even if their names are unknown. */
export function rawCall(typed: RawPath, fields: readonly string[]): ApiRequest {
  const found = knownEndpoint(typed.segments);
  const place = found?.path ?? new Map<string, string>();
  const known = found?.endpoint ?? unknownEndpoint(typed.path);
  const { values, repeated } = readValues(typed, fields, place, known);
  const own = known.params.map((param) => (param.place === "path" ? param : asField(param)));
  const others = [...values.keys()].filter((name) => !known.params.some((param) => param.name === name));
  const params = [...own, ...others.map((name) => asField(query(name, { kind: "text" }, "")))];
  return {
    endpoint: { ...known, params, raw: { path: typed.path, isInContract: found !== undefined, repeated } },
    args: new Map([...place, ...values]),
  };
}

/** The API's reserved words take precedence over identifiers, so `/networks/ethereum/pools/top` is not a pool. */
export function knownEndpoint(segments: readonly string[]): ReturnType<typeof findEndpoint> {
  const found = findEndpoint(segments);
  return found !== undefined && [...found.path.values()].some(isFixedWord) ? undefined : found;
}

function unknownEndpoint(path: string): Endpoint {
  return defineEndpoint("raw", {
    command: `api ${path}`,
    path,
    summary: "",
    examples: [],
    params: [],
    reply: { kind: "single" },
    row: { name: "row", record: {}, identity: [], columns: [] },
  });
}

const asField = (param: Param): Param => ({ ...param, flag: undefined, givenAs: "field" });

/**
 * A batch's addresses can be repeated parameters (endpoint 2 in the specification). If any other parameter is repeated,
 * the service uses only one of the values and does not document which.
 */
function readValues(typed: RawPath, fields: readonly string[], place: Args, { reply }: Endpoint) {
  const values = new Map<string, string>();
  /** Every value except the first. */
  const repeated = new Map<string, string[]>();
  for (const [name, value] of [...typed.query, ...fields.map(readField)]) {
    if (place.has(name)) throw usageFailure(`--field ${name}: already part of the path`, "leave it out");
    if (!values.has(name)) values.set(name, value);
    else if (name === batchParam(reply)) repeated.set(name, [...(repeated.get(name) ?? []), value]);
    else {
      throw usageFailure(
        `--field ${name}: given twice`,
        "each parameter takes one value; separate the items of a list with commas",
      );
    }
  }
  return { values, repeated };
}

function readField(text: string): readonly [name: string, value: string] {
  const [name, value] = splitPair(text);
  // An unpaired surrogate cannot be encoded in UTF-8.
  if (/\p{Cs}/u.test(text)) throw invalidInput(`--field "${text}"`, "must be valid Unicode");
  if (name !== "" && text.includes("=")) return [name, value];
  throw invalidInput(`--field "${text}"`, "must be name=value, such as limit=100");
}

interface RawPath {
  /** Starts with a slash. Its segments are encoded again, so that a URL parser resolves nothing in them. */
  readonly path: string;
  /** Decoded. */
  readonly segments: readonly string[];
  /** Decoded, in the order typed. */
  readonly query: readonly (readonly [name: string, value: string])[];
}

/**
 * Parses the path without a URL parser. Rejects anything that could lead to another host or above the base URL, even if
 * only on a server that decodes twice.
 */
export function readRawPath(typed: string): RawPath {
  const refuse = (problem: string, next?: string): Failure =>
    invalidInput(`<path> "${withoutSecrets(typed)}"`, problem, next);
  if (typed === "") throw refuse("must be a path such as /networks");
  if (/[\s\p{Cc}\p{Cs}\\]/u.test(typed))
    throw refuse(
      "must be a path without spaces, control characters or backslashes",
      "pass values that contain spaces with --field name=value",
    );
  if (typed.includes("#")) throw refuse("must not contain a fragment", "in a value, write # as %23");
  const [path = "", ...rest] = typed.split("?");
  const names = (path.startsWith("/") ? path.slice(1) : path).split("/");
  if (path.startsWith("//") || /[:@]/u.test(names[0] ?? ""))
    throw refuse("must be a path, not a URL: the key is sent only to the configured host", baseHint);
  if (names.slice(0, -1).includes("")) throw refuse("must not contain empty segments");
  const segments = names.map((name) => {
    const segment = decode(name);
    if (segment === undefined) throw refuse(`"${name}" is not percent-encoded UTF-8`);
    if (/^\.{1,2}(?:;|$)/u.test(segment))
      throw refuse("must not contain . or .. segments: they would change the path");
    if (/[/\\%\s\p{Cc}]/u.test(segment))
      throw refuse("must not contain percent-encoded slashes, percent signs, spaces or control characters");
    return segment;
  });
  const pairs = pairsIn(rest.join("?")).map((pair) => {
    const [name, value] = pair.map(decode);
    if (name === undefined || value === undefined)
      throw refuse(`"${pair.join("=")}" is not percent-encoded UTF-8`);
    if (name === "") throw refuse(`"${pair.join("=")}" has no name`);
    return [name, value] as const;
  });
  return { path: `/${segments.map(encodeURIComponent).join("/")}`, segments, query: pairs };
}

const baseHint = "to use another host, see --base-url, or the settings: dexdata config list";

/** The names and values of a query, still encoded. */
export const pairsIn = (encoded: string): readonly (readonly [name: string, value: string])[] =>
  encoded
    .replaceAll("+", " ")
    .split("&")
    .filter((pair) => pair !== "")
    .map(splitPair);

/** Splits `name=value`. If there is no `=`, the value is empty. */
function splitPair(pair: string): readonly [name: string, value: string] {
  const at = pair.indexOf("=");
  return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
}

/** Undefined if the text is not percent-encoded UTF-8. */
export function decode(text: string): string | undefined {
  return orUndefined(() => decodeURIComponent(text));
}
