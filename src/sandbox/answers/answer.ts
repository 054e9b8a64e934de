import type { Arrived } from "../service/arrival.ts";
import type { Json, JsonObject } from "../wire/json-writer.ts";
import type { Pool, Token } from "../market/pool.ts";
import type { Query } from "../wire/query.ts";
import { invalidParam, notFound, refuse } from "../wire/service-refusal.ts";
import type { Work } from "../work.ts";
import type { NetworkFacts } from "../well-known.ts";

export interface Asked extends Arrived {
  /** The values of the placeholders in the path of the endpoint. */
  readonly path: ReadonlyMap<string, string>;
}

/** Returns the body of a 200 response. Throws a Refusal for any other status. May need several steps. */
export type Answer = (asked: Asked) => Json | Work<Json>;

// Specification, "What the service does": 35 networks. The public service now has more.
const SPECIFIED_NETWORKS = 35;

export function supportedNetworks({
  market,
  dialect,
}: Pick<Asked, "market" | "dialect">): readonly NetworkFacts[] {
  return dialect === "spec" ? market.networks.slice(0, SPECIFIED_NETWORKS) : market.networks;
}

/** Slugs match exactly and are case-sensitive. */
export function networkNamed(asked: Asked, slug: string): NetworkFacts {
  const network = supportedNetworks(asked).find((each) => each.id === slug);
  if (network === undefined) {
    throw refuse(404, "unsupported_network", `unsupported network: ${slug}`, { param: "network" });
  }
  return network;
}

export function networkOf(asked: Asked): NetworkFacts {
  return networkNamed(asked, asked.path.get("network") ?? "");
}

export function poolOf(asked: Asked): Pool {
  const pool = asked.market.pool(networkOf(asked), asked.path.get("pool_address") ?? "", asked.at);
  if (pool === undefined) throw notFound("pool");
  return pool;
}

export function tokenOf(asked: Asked): Token {
  const token = asked.market.token(networkOf(asked), asked.path.get("token_address") ?? "", asked.at);
  if (token === undefined) throw notFound("token");
  return token;
}

/** Specification, Pagination styles 2: page 0 is served as page 1, and the default is 10 rows. */
export function readPage(query: Query) {
  const page = query.integer("page", 0, 1000) ?? 1;
  return { page: Math.max(1, page), limit: query.integer("limit", 1, 100) ?? 10 };
}

export function pageInfo({ page, limit }: ReturnType<typeof readPage>, total: number): JsonObject {
  return { limit, page, total_items: total, total_pages: Math.ceil(total / limit) };
}

/** With a fixed time, each row appears only once even though the market moves. Cursors are opaque to clients. */
interface PageCursor {
  readonly at: number;
  readonly offset: number;
}

export function writeCursor({ at, offset }: PageCursor): string {
  return Buffer.from(JSON.stringify({ t: at, o: offset })).toString("base64url");
}

/** Rejects a cursor from the future, which would reveal trades that have yet to happen. `now` is in Unix seconds. */
export function readCursor(text: string, now: number): PageCursor {
  const match = /^\{"t":(\d{1,11}),"o":(\d{1,9})\}$/.exec(Buffer.from(text, "base64url").toString("latin1"));
  const cursor = { at: Number(match?.[1]), offset: Number(match?.[2]) };
  if (match === null || cursor.at > now || writeCursor(cursor) !== text) {
    throw invalidParam("cursor", "must be the next_cursor of the previous page");
  }
  return cursor;
}
