import { findEndpoint } from "../../endpoints/find-endpoint.ts";
import type { Args, Question } from "../../model/args.ts";
import { type Endpoint, onlyGroup } from "../../model/endpoint.ts";
import { usageFailure } from "../../model/failure.ts";
import { type Param, query } from "../../model/param.ts";
import { isFixedWord } from "../../model/read-param.ts";
import { type RawPath, splitPair } from "./raw-path.ts";

/**
 * The question that a typed path and its values make. Where the path is an endpoint's, credits, identity, hints and
 * views are that endpoint's; the values are sent as typed, whatever their names.
 */
export function rawCall(typed: RawPath, fields: readonly string[]): Question {
  const found = knownEndpoint(typed.segments);
  const place = found?.path ?? new Map<string, string>();
  const values = readValues(typed, fields, place);
  const known = found?.endpoint ?? unknownEndpoint(typed.path);
  const own = known.params.map((param) => (param.place === "path" ? param : asField(param)));
  const others = [...values.keys()].filter((name) => !known.params.some((param) => param.name === name));
  const params = [...own, ...others.map((name) => asField(query(name, { kind: "text" }, "")))];
  return {
    endpoint: { ...known, rawPath: typed.path, params },
    args: new Map([...place, ...values]),
  };
}

/** The words of the interface win over identifiers, so `/networks/ethereum/pools/top` is not a pool's. */
function knownEndpoint(segments: readonly string[]): ReturnType<typeof findEndpoint> {
  const found = findEndpoint(segments);
  return found !== undefined && [...found.path.values()].some(isFixedWord) ? undefined : found;
}

function unknownEndpoint(path: string): Endpoint {
  return {
    id: "raw",
    command: `api ${path}`,
    method: "GET",
    path,
    summary: "",
    examples: [],
    plan: "keyless",
    params: [],
    reply: { kind: "single" },
    rows: { [onlyGroup]: { name: "row", record: {}, identity: [], columns: [] } },
  };
}

const asField = (param: Param): Param => ({ ...param, flag: undefined, givenAs: "field" });

/** The service takes one value a name, and would answer with one of two without saying which. */
function readValues(typed: RawPath, fields: readonly string[], place: Args): Args {
  const values = new Map<string, string>();
  for (const [name, value] of [...typed.query, ...fields.map(readField)]) {
    if (values.has(name)) {
      throw usageFailure(
        `--field ${name}: is given twice`,
        "the service takes one value a name; a list is written with commas",
      );
    }
    if (place.has(name)) throw usageFailure(`--field ${name}: is a part of the path`, "leave it out");
    values.set(name, value);
  }
  return values;
}

function readField(text: string): readonly [name: string, value: string] {
  const [name, value] = splitPair(text);
  // Half a surrogate pair has no UTF-8.
  if (/\p{Cs}/u.test(text)) throw usageFailure(`--field "${text}": must be whole Unicode characters`);
  if (name !== "" && text.includes("=")) return [name, value];
  throw usageFailure(`--field "${text}": must be name=value, such as limit=100`);
}
