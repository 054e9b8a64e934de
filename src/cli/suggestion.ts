import type { Client } from "../client/client.ts";
import { member } from "../client/page.ts";
import { walkPages } from "../client/pages.ts";
import { dexes } from "../endpoints/dexes.ts";
import { networks } from "../endpoints/networks.ts";
import type { Args } from "../model/args.ts";
import type { Endpoint } from "../model/endpoint.ts";
import { Failure } from "../model/failure.ts";
import { nearest } from "../model/nearest.ts";
import { networkAliases } from "./network-aliases.ts";

interface Question {
  readonly endpoint: Endpoint;
  readonly args: Args;
}

/**
 * A 404 that may mean the network is completed with the nearest of the service's own list, which costs one request.
 * Anything but a Failure is thrown on: it is a bug or an interruption.
 */
export async function withSuggestion(cause: unknown, client: Client, question: Question): Promise<Failure> {
  if (!(cause instanceof Failure)) throw cause;
  const { status, code, body } = cause.details;
  const network = question.args.get("network");
  if (status !== 404 || network === undefined || !question.endpoint.path.includes("{network}")) return cause;
  // A 404 with a resource is about the address; one with an empty body may be about either.
  const isUnsaid = body === undefined || !body.has("error");
  if (code !== "unsupported_network" && !isUnsaid) return cause;
  const known = await listWords(client, { endpoint: networks, args: new Map() }, "id");
  if (known.length === 0 || known.includes(network)) return cause;
  const alias = networkAliases.get(network.toLowerCase());
  const near = alias !== undefined && known.includes(alias) ? alias : nearest(network, known);
  return new Failure(`network "${network}" is not known to the service`, {
    ...cause.details,
    code: "unsupported_network",
    next: near === undefined ? "list them: dexdata networks" : `did you mean ${near}?`,
  });
}

/** A DEX's display name finds nothing where its id is meant: says the id. One request, only after an empty answer. */
export async function hintAtEmpty(client: Client, { endpoint, args }: Question): Promise<string | undefined> {
  const [dex, network] = [args.get("dex_name"), args.get("network")];
  if (dex === undefined || network === undefined || endpoint.id !== "network_pools_search") return undefined;
  const question = { endpoint: dexes, args: new Map([["network", network]]) };
  const rows = await listRows(client, question);
  const ids = rows.map((row) => String(member(row, "dex_id")));
  if (ids.some((id) => id.toLowerCase() === dex.toLowerCase())) return undefined;
  const named = rows.find((row) => String(member(row, "dex_name")).toLowerCase() === dex.toLowerCase());
  const id = named === undefined ? nearest(dex, ids) : String(member(named, "dex_id"));
  const hint = id === undefined ? `list them: dexdata dexes ${network} --all` : `did you mean --dex ${id}?`;
  return `dexdata: --dex "${dex}" is no DEX id on ${network}; ${hint}`;
}

async function listWords(client: Client, question: Question, field: string): Promise<readonly string[]> {
  return (await listRows(client, question)).map((row) => String(member(row, field)));
}

/** All rows of a short list; none when it cannot be had, since a hint must not hide the answer it belongs to. */
async function listRows(client: Client, { endpoint, args }: Question): Promise<readonly object[]> {
  const rows: object[] = [];
  try {
    for await (const page of walkPages(client, endpoint, args, { pageSize: 100 })) rows.push(...page.values);
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
  }
  return rows;
}
