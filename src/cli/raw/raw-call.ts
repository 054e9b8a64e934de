import { findEndpoint } from "../../contract/endpoints/find-endpoint.ts";
import type { Args, Question } from "../../contract/args.ts";
import { type Endpoint, onlyGroup } from "../../contract/endpoint.ts";
import { usageFailure } from "../../contract/failure.ts";
import { type Param, query } from "../../contract/param.ts";
import { isFixedWord } from "../../contract/read-param.ts";
import { type RawPath, splitPair } from "./raw-path.ts";

/**
 * The question that a typed path and its values make. Where the path is an endpoint's, credits, identity, hints and
 * views are that endpoint's; the values are sent as typed, whatever their names.
 */
export function rawCall(typed: RawPath, fields: readonly string[]): Question {
  const found = knownEndpoint(typed.segments);
  const place = found?.path ?? new Map<string, string>();
  const known = found?.endpoint ?? unknownEndpoint(typed.path);
  const { values, repeated } = readValues(typed, fields, place, known);
  const own = known.params.map((param) => (param.place === "path" ? param : asField(param)));
  const others = [...values.keys()].filter((name) => !known.params.some((param) => param.name === name));
  const params = [...own, ...others.map((name) => asField(query(name, { kind: "text" }, "")))];
  return {
    endpoint: { ...known, rawPath: typed.path, params, ...(repeated.size > 0 && { repeated }) },
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

interface Values {
  readonly values: Args;
  /** The values after the first of a parameter that can be repeated. */
  readonly repeated: ReadonlyMap<string, readonly string[]>;
}

/**
 * Specification, endpoint 2: the addresses of a batch can be sent as repeated parameters. Of any other repeated name the
 * service uses one value, without a sign of which.
 */
function readValues(typed: RawPath, fields: readonly string[], place: Args, { reply }: Endpoint): Values {
  const values = new Map<string, string>();
  const repeated = new Map<string, string[]>();
  for (const [name, value] of [...typed.query, ...fields.map(readField)]) {
    if (place.has(name)) throw usageFailure(`--field ${name}: is a part of the path`, "leave it out");
    if (!values.has(name)) values.set(name, value);
    else if (reply.kind === "batch" && name === reply.param)
      repeated.set(name, [...(repeated.get(name) ?? []), value]);
    else {
      throw usageFailure(
        `--field ${name}: is given twice`,
        "the service takes one value a name; a list is written with commas",
      );
    }
  }
  return { values, repeated };
}

function readField(text: string): readonly [name: string, value: string] {
  const [name, value] = splitPair(text);
  // Half a surrogate pair has no UTF-8.
  if (/\p{Cs}/u.test(text)) throw usageFailure(`--field "${text}": must be whole Unicode characters`);
  if (name !== "" && text.includes("=")) return [name, value];
  throw usageFailure(`--field "${text}": must be name=value, such as limit=100`);
}
