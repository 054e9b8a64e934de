import { plainList } from "../../../client/list-plan.ts";
import { formatInstant, fromWire } from "../../../base/time/time.ts";
import { traitsOf } from "../../../api/reply.ts";
import type { Client } from "../../../client/client.ts";
import { readPages } from "../../../client/read-pages.ts";
import { dexes, networks } from "../../../api/endpoints/whole-service.ts";
import type { Context } from "../../../base/context/context.ts";
import { Failure } from "../../../base/failure.ts";
import { nearest } from "../../../base/text/nearest.ts";
import { type CachedRows, listEnding, readCachedList, writeCachedList } from "../../settings/list-cache.ts";
import { waysToSearch } from "../../run/asset-names.ts";
import { isAssetName } from "../../../api/known-networks.ts";
import { doubtfulNetworks, judgeNetworks } from "../../../client/unknown-network.ts";
import type { Page } from "../../../client/page.ts";
import type { Endpoint, ApiRequest } from "../../../api/endpoint.ts";
import { member } from "../../../base/json/json-scan.ts";
import type { PullPlan } from "./pull-plan.ts";
import { candleWindow, countOpenings } from "../../../client/candle-windows.ts";

interface ListLookup {
  readonly context: Context;
  readonly client: Client;
  readonly request: ApiRequest;
}

/** Requests of a run that fail share one list. */
const networksOf = new WeakMap<Client, Promise<CachedRows>>();

/** Adds the nearest known network to a 404. Fetching the list of networks costs at most one request per day. */
export async function withSuggestion(cause: unknown, lookup: ListLookup): Promise<Failure> {
  if (!(cause instanceof Failure)) throw cause;
  const { client, request } = lookup;
  const asked = doubtfulNetworks(cause, request.args);
  if (asked === undefined) return cause;
  const listing =
    networksOf.get(client) ?? listKnown({ ...lookup, request: { endpoint: networks, args: new Map() } });
  networksOf.set(client, listing);
  const slugs = new Set((await listing).map(([id = ""]) => id));
  // A word after --chains is a network, never an asset.
  const isArgument = request.args.has("network");
  return judgeNetworks(cause, asked, slugs, (network) =>
    isArgument && isAssetName(network)
      ? `list all networks: dexdata networks; ${waysToSearch(network, request.endpoint.command)}`
      : undefined,
  );
}

/** Helps, for example, if the user typed a DEX's display name instead of its ID. */
export async function hintAtEmpty(lookup: ListLookup): Promise<string | undefined> {
  const { request } = lookup;
  const [dex, network] = [request.args.get("dex_name"), request.args.get("network")];
  if (dex === undefined) return emptyResultHint(request);
  const flag = request.endpoint.raw === undefined ? "--dex " : "--field dex_name=";
  if (network === undefined) return hintAtDisplayName(flag, dex);
  const listing = { endpoint: dexes, args: new Map([["network", network]]) };
  const known = await listKnown({ ...lookup, request: listing });
  const ids = known.map(([id = ""]) => id);
  const typed = dex.toLowerCase();
  if (ids.some((each) => each.toLowerCase() === typed)) return undefined;
  const named = known.find(([, name = ""]) => name.toLowerCase() === typed);
  const id = named?.[0] ?? nearest(dex, ids);
  const hint = id === undefined ? `list them: dexdata dexes ${network} --all` : `did you mean ${flag}${id}?`;
  return `unknown DEX ID "${dex}" on ${network}; ${hint}`;
}

/** No list covers all networks, but the ID for a display name such as "Uniswap V3" is probably uniswap_v3. */
function hintAtDisplayName(flag: string, dex: string): string | undefined {
  const id = dex
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_");
  if (!/[\s\p{Lu}]/u.test(dex) || !/^\w+$/u.test(id)) return undefined;
  return `${flag}"${dex}" looks like a display name; did you mean ${flag}${id}?`;
}

/** Uses today's cache if possible. Empty when fetching fails, because a failed hint must not hide the result. */
async function listKnown(lookup: ListLookup): Promise<CachedRows> {
  const { context, client } = lookup;
  const { endpoint, args } = lookup.request;
  const cached = isCached(client) ? readCachedList(context, listName(lookup)) : undefined;
  if (cached !== undefined) return cached;
  const rows: (readonly string[])[] = [];
  try {
    for await (const page of readPages(client, endpoint, args, plainList(100))) {
      rows.push(...page.rows.values().map((row) => keptRow(row, endpoint)));
    }
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    return [];
  }
  if (isCached(client)) writeCachedList(context, listName(lookup), rows);
  return rows;
}

function emptyResultHint({ args, endpoint }: ApiRequest): string | undefined {
  const token = args.get("token_address");
  const isRaw = endpoint.raw !== undefined;
  if (token !== undefined && isSymbol(token)) {
    const flag = isRaw ? "--field token_address=" : "--token ";
    return `${flag.trimEnd()} takes an address, but "${token}" looks like a symbol; find it: dexdata search ${token}`;
  }
  const interval = args.get("interval");
  // A candle without trades is not a reason to change the interval.
  if (isRaw || !traitsOf(endpoint.reply).isCandles || countOpenings(candleWindow(args)) > 0) return undefined;
  const [start, end] = ["start", "end"].map((name) => formatInstant(fromWire(args.get(name) ?? "")));
  return `no ${interval} candle starts between ${start} and ${end}; use a shorter --interval`;
}

/** Addresses are longer, except for those of a few system tokens, which start with 0x. */
function isSymbol(token: string): boolean {
  return !token.startsWith("0x") && /^[\p{L}\p{N}$.]{1,15}$/u.test(token);
}

/** Users never type longer names, and comparing them takes memory and time. */
const longestKept = 200;

/** The sandbox is free and uses a new port each time, so its lists are not cached. */
const isCached = ({ target }: Client): boolean => !target.isSimulated;

/** The name ends with `listEnding`. */
function listName({ client, request: { endpoint, args } }: Omit<ListLookup, "context">): string {
  return `${client.target.rest}${listEnding(endpoint.id, args.get("network"))}`;
}

/** The part of a row that is cached: its ID and name. */
function keptRow(row: object, { typedFields }: Endpoint): readonly string[] {
  return (typedFields ?? []).map((field) => {
    const value = member(row, field);
    return typeof value === "string" && value.length <= longestKept ? value : "";
  });
}

/** Returns undefined for lists that are incomplete or not cached. */
export function createListKeeper(context: Context, client: Client, { endpoint, limit, list }: PullPlan) {
  const isWhole = limit === undefined && list.start === undefined && list.kind !== "once";
  if (!isWhole || !isCached(client)) return undefined;
  let rows: (readonly string[])[] = [];
  return {
    take: (page: Page): void => {
      rows.push(...page.rows.values().map((row) => keptRow(row, endpoint)));
    },
    /** Call this when the complete list has been fetched. */
    end: (request: ApiRequest): void => {
      if (rows.length > 0) writeCachedList(context, listName({ client, request }), rows);
      rows = [];
    },
  };
}
