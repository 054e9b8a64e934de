import { type Failure, usageFailure } from "../../contract/failure.ts";
import { withoutSecrets } from "../../contract/key.ts";

/** What was typed after `dexdata api`, taken apart. */
export interface RawPath {
  /** Begins with a slash; every segment percent-encoded by us, so that a URL parser finds nothing to resolve in it. */
  readonly path: string;
  /** Decoded. */
  readonly segments: readonly string[];
  /** What stood after the question mark, decoded, in the order typed. */
  readonly query: readonly (readonly [name: string, value: string])[];
}

/**
 * Nothing typed reaches a URL parser: the segments and the query are taken apart, checked, and encoded again. What
 * could lead to another host or above the base URL, or might to a server that decodes twice, is refused.
 */
export function readRawPath(typed: string): RawPath {
  const refuse = (problem: string, next?: string): Failure =>
    usageFailure(`"${withoutSecrets(typed)}": ${problem}`, next);
  if (typed === "") throw refuse("must not be empty; a path such as /networks is needed");
  if (/[\s\p{Cc}\p{Cs}\\]/u.test(typed))
    throw refuse(
      "must be a path without blanks, control characters and backslashes",
      "a value with blanks goes into --field name=value",
    );
  if (typed.includes("#")) throw refuse("must not have a fragment", "a # in a value is written %23");
  const [path = "", ...rest] = typed.split("?");
  const names = (path.startsWith("/") ? path.slice(1) : path).split("/");
  if (path.startsWith("//") || /[:@]/u.test(names[0] ?? ""))
    throw refuse("must be a path, not a URL: the key is sent to the configured host only", baseHint);
  if (names.slice(0, -1).includes("")) throw refuse("must not have empty segments");
  const segments = names.map((name) => {
    const segment = decode(name);
    if (segment === undefined) throw refuse(`"${name}" is no percent-encoded UTF-8`);
    if (/^\.{1,2}(?:;|$)/u.test(segment))
      throw refuse("must not have the segments . and ..: they lead to another path");
    if (/[/\\%\s\p{Cc}]/u.test(segment))
      throw refuse("must not have slashes, percent signs, blanks or control characters encoded in a segment");
    return segment;
  });
  const query = rest
    .join("?")
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name, value] = splitPair(pair.replaceAll("+", " ")).map(decode);
      if (name === undefined || value === undefined) throw refuse(`"${pair}" is no percent-encoded UTF-8`);
      if (name === "") throw refuse(`"${pair}" has no name`);
      return [name, value] as const;
    });
  return { path: `/${segments.map(encodeURIComponent).join("/")}`, segments, query };
}

const baseHint = "another host is chosen with --base-url, or in the settings: dexdata config list";

/** `name=value` → both; the value of a bare name is empty. */
export function splitPair(pair: string): readonly [name: string, value: string] {
  const at = pair.indexOf("=");
  return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
