import type { Arrived } from "../service/arrival.ts";
import type { Json } from "../wire/json-writer.ts";
import type { Pool, Token } from "../market/pool.ts";
import { notFound, refuse } from "../wire/service-refusal.ts";
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
