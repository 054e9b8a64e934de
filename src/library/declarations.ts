import { groupsIn, traitsOf } from "../api/reply.ts";
import type { Endpoint } from "../api/endpoint.ts";
import { endpoints } from "../api/endpoints/all.ts";
import { errorCodes } from "../api/service-errors.ts";
import { feedNames, feeds } from "../api/feeds.ts";
import { acceptedChoices } from "../api/read-choice.ts";
import type { Param } from "../api/param.ts";
import type { NamedRecord } from "../api/record.ts";
import { tiers } from "../api/tier.ts";
import { typeName, typeScript } from "../api/typescript.ts";
import { isGiven, methodHelp, methodName, parameterHelp } from "./read-params.ts";

/**
 * Generates the package's types: first the public types, then the contract's, so a new endpoint gets its method and
 * types automatically. `N` is the number type, which the client's `numbers` option selects.
 */
export function declarations(publicTypes: string): string {
  return [
    // The types that the public types import are written out here.
    union("Tier", tiers),
    union("FeedName", feedNames),
    union("KnownCode", errorCodes),
    withoutImports(publicTypes),
    "/** The responses of the service. They may have more members: the service can add members at any time. */",
    ...recordTypes(),
    ...endpoints.map(paramsType),
    streamData(),
    client(),
    creation,
  ].join("\n");
}

/** Generates the types of `dexdata/sandbox` from sources without other imports than the package's types. */
export function sandboxDeclarations(sources: readonly string[]): string {
  return [
    'import type { ClientOptions, Tier, Time } from "./library.cjs";\n',
    ...sources.map(withoutImports),
    `/** Rejects with a Failure if an option is invalid (code \`usage\`), or if a port is in use. */
export declare function startSandbox(options?: SandboxOptions): Promise<Sandbox>;
`,
  ].join("\n");
}

const withoutImports = (source: string): string => source.slice(source.indexOf("/**"));

const union = (name: string, words: readonly string[]): string =>
  `export type ${name} = ${words.map((word) => JSON.stringify(word)).join(" | ")};\n`;

const creation = `export declare function createClient(options: ClientOptions & { readonly numbers: "text" }): Client<string>;
export declare function createClient(options?: ClientOptions & { readonly numbers?: "number" | undefined }): Client<number>;
/** For options that are known only when the program runs. */
export declare function createClient(options?: ClientOptions): Client<number | string>;
`;

function recordTypes(): readonly string[] {
  const all: readonly NamedRecord[] = [
    ...endpoints.flatMap(({ rows }) => Object.values(rows)),
    ...Object.values(feeds).flatMap(({ kinds }) => kinds.map(({ event }) => event)),
  ];
  return [...new Map(all.map(({ name, record }) => [name, record]))].map(([name, record]) => {
    const title = name.replaceAll("-", " ");
    const description = `${title[0]?.toUpperCase()}${title.slice(1)}.`;
    return typeScript({ name, record }, description, true);
  });
}

const paramsName = (endpoint: Endpoint): string => `${typeName(endpoint.id)}Params`;

function paramsType(endpoint: Endpoint): string {
  const members = endpoint.params.filter(isGiven).map((param) => {
    const isNeeded = param.required && !traitsOf(endpoint.reply).isCandles;
    const isOptional = !isNeeded && param.place === "query";
    return `  /** ${parameterHelp(endpoint, param)} */\n  readonly ${param.name}${isOptional ? "?" : ""}: ${paramType(param)}${isOptional ? " | undefined" : ""};\n`;
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
      return "number | string";
    case "amount":
      return "Amount";
    case "choice":
      return acceptedChoices(kind)
        .map((choice) => JSON.stringify(choice))
        .join(" | ");
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
  return `/** The data of the events of each feed. */\nexport interface StreamData<N = number> {\n${members.join("")}}\n`;
}

function client(): string {
  const methods = endpoints.map((endpoint) => {
    const isEmpty = !endpoint.params.some(isGiven);
    const isOptional = !endpoint.params.some((param) => isGiven(param) && param.required);
    const given = isEmpty
      ? "params?: Readonly<Record<string, never>>"
      : `params${isOptional ? "?" : ""}: ${paramsName(endpoint)}`;
    return `  /** \`${endpoint.method} ${endpoint.path}\`: ${methodHelp(endpoint)} */\n  ${methodName(endpoint)}(${given}${signatureEnd(endpoint)};\n`;
  });
  return `/**
 * One method per endpoint. A method for one record rejects with a Failure. A method for a list throws a Failure for an
 * invalid parameter at once, and its iteration rejects with a Failure for everything else.
 */
export interface Client<N = number> {
${methods.join("")}  /** Live events; leaving the loop closes the connections. */
  stream<F extends FeedName>(options: StreamOptions<F>): AsyncIterable<StreamEvent<StreamData<N>[F]>>;
  readonly meter: Meter;
  /**
   * Ends pending requests and streams. They and later calls reject with a Failure (code \`usage\`). An idle client never
   * keeps the process alive, closed or not.
   */
  close(): Promise<void>;
}
`;
}

/** Returns a method's signature from the second parameter on. */
function signatureEnd({ reply, rows }: Endpoint): string {
  const types = Object.entries(rows).map(([group, { name }]) => [group, `${typeName(name)}<N>`] as const);
  if (traitsOf(reply).isRecord) return `): Promise<${types[0]?.[1]}>`;
  if (groupsIn(reply) !== undefined)
    return `): Promise<{ ${types.map(([group, type]) => `${group}: ${type}[]`).join("; ")} }>`;
  return `, options?: ListOptions): Listing<${types[0]?.[1]}>`;
}
