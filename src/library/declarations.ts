import { endpoints } from "../contract/endpoints/all.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Param } from "../contract/param.ts";
import type { NamedRecord } from "../contract/record.ts";
import { typeName, typeScript } from "../render/schema/typescript.ts";
import { feeds } from "../tail/feeds.ts";
import { isGiven, methodName } from "./read-params.ts";

/**
 * The types of the package: what is written by hand, then what the contract says of each endpoint, so that a new one has
 * its method and types without another line. `N` is the type of a number, as `numbers` of the client says.
 */
export function declarations(publicTypes: string): string {
  return [
    publicTypes.replaceAll(/^(?:\/\/.*\n)+\n/gu, ""),
    failure,
    "/** What the service answers. It may have further members: the service adds some at any time. */",
    ...records().map((named) => recordType(named)),
    ...endpoints.map(paramsType),
    streamData(),
    client(),
    creation,
  ].join("\n");
}

const parameters = { declared: "<N = number>", passed: "<N>" };

const failure = `/** Whatever goes wrong with the service, the network or what was given. */
export declare class Failure extends Error {
  private constructor();
  /** HTTP status of a refusal. */
  readonly status: number | undefined;
  /** A word to branch on: the service's, or \`usage\`, \`network\`, \`timeout\`, \`untrusted_answer\`, \`max_credits\` … */
  readonly code: string | undefined;
  /** The parameter that the service refused. */
  readonly param: string | undefined;
  /** Milliseconds that the service asked to wait. */
  readonly retryAfter: number | undefined;
}
`;

const creation = `export declare function createClient(options: ClientOptions & { readonly numbers: "text" }): Client<string>;
export declare function createClient(options?: ClientOptions & { readonly numbers?: "number" }): Client<number>;
`;

function records(): readonly NamedRecord[] {
  const all = [
    ...endpoints.flatMap(({ rows }) => Object.values(rows)),
    ...Object.values(feeds).flatMap(({ kinds }) => kinds.map(({ event }) => event)),
  ];
  return [...new Map(all.map(({ name, record }) => [name, { name, record }])).values()];
}

function recordType(named: NamedRecord): string {
  const title = named.name.replaceAll("-", " ");
  return typeScript(named, `${title[0]?.toUpperCase()}${title.slice(1)}.`, {
    number: "N",
    numberOrText: "string",
    parameters,
  });
}

const paramsName = (endpoint: Endpoint): string => `${typeName(endpoint.id)}Params`;

function paramsType(endpoint: Endpoint): string {
  const members = endpoint.params.filter(isGiven).map((param) => {
    const isNeeded = param.required && endpoint.reply.kind !== "candles";
    const isOptional = !isNeeded && param.place === "query";
    return `  /** ${param.help}${param.name === "detailed" ? "; true unless false is given" : ""} */\n  readonly ${param.name}${isOptional ? "?" : ""}: ${paramType(param)}${isOptional ? " | undefined" : ""};\n`;
  });
  return `export interface ${paramsName(endpoint)} {\n${members.join("")}}\n`;
}

function paramType({ kind }: Param): string {
  switch (kind.kind) {
    case "text":
    case "network":
    case "address":
      return "string";
    case "list":
      return "string | readonly string[]";
    case "integer":
    case "amount":
      return "number | string";
    case "choice":
      return kind.choices.map((choice) => JSON.stringify(choice)).join(" | ");
    case "toggle":
      return "boolean";
    case "time":
      return "Time";
  }
}

function streamData(): string {
  const members = Object.values(feeds).map(
    ({ name, kinds }) =>
      `  ${name}: ${[...new Set(kinds.map(({ event }) => `${typeName(event.name)}<N>`))].join(" | ")};\n`,
  );
  return `/** What the events of each feed hold. */\nexport interface StreamData<N = number> {\n${members.join("")}}\n`;
}

function client(): string {
  const methods = endpoints.map((endpoint) => {
    const isEmpty = !endpoint.params.some(isGiven);
    const isOptional = !endpoint.params.some((param) => isGiven(param) && param.required);
    const given = isEmpty
      ? "params?: Readonly<Record<string, never>>"
      : `params${isOptional ? "?" : ""}: ${paramsName(endpoint)}`;
    const plan = endpoint.plan === "keyless" ? "" : ` Needs a ${endpoint.plan} plan or higher.`;
    return `  /** \`${endpoint.method} ${endpoint.path}\`: ${endpoint.summary}.${plan} */\n  ${methodName(endpoint)}(${given}${answer(endpoint)};\n`;
  });
  return `export interface Client<N = number> {
${methods.join("")}  /** Events as they happen, for ever; leaving the loop closes the connections. */
  stream<F extends FeedName>(options: StreamOptions<F>): AsyncIterable<StreamEvent<StreamData<N>[F]>>;
  readonly meter: Meter;
  /** Ends what is under way. A client that does nothing keeps no process, closed or not. */
  close(): Promise<void>;
}
`;
}

/** From the second parameter on. */
function answer({ reply, rows }: Endpoint): string {
  const types = Object.entries(rows).map(([group, { name }]) => [group, `${typeName(name)}<N>`] as const);
  if (reply.kind === "single") return `): Promise<${types[0]?.[1]}>`;
  if (reply.kind === "groups")
    return `): Promise<{ ${types.map(([group, type]) => `${group}: ${type}[]`).join("; ")} }>`;
  return `, options?: ListOptions): Listing<${types[0]?.[1]}>`;
}
