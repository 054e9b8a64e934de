import { supportedNetworks } from "../answers/answer.ts";
import type { SandboxState } from "../service/state.ts";
import type { Work } from "../steps/work.ts";
import { paramsOf, pathOf, pathValuesOf } from "../faults/list-body.ts";
import type { NetworkFacts } from "../well-known.ts";

/**
 * The same request for another pool or token of the network, or else for another network. A transaction ID is a cursor
 * of its own pool only, so the other pool's list begins at its first page.
 */
export function* foreignTarget(target: string, state: SandboxState): Work<string | undefined> {
  const params = paramsOf(target);
  const own = pathValuesOf(target)?.get("network");
  if (own === undefined) {
    const chosen = params.get("chains")?.split(",") ?? [];
    const other = supportedNetworks(state).find(({ id }) => !chosen.includes(id));
    params.set("chains", other?.id ?? "");
    return other === undefined ? undefined : `${pathOf(target)}?${params.toString()}`;
  }
  const network = state.market.network(own);
  if (network === undefined) return undefined;
  yield* state.market.prepareLookups(network);
  const path = otherAddress(target, network, state);
  if (path !== undefined) {
    params.delete("cursor");
    return `${path}?${params.toString()}`;
  }
  const other = supportedNetworks(state).find(({ id }) => id !== own);
  if (other === undefined) return undefined;
  yield* state.market.prepareLookups(other);
  const tokens = params.get("tokens")?.split(",").length;
  if (tokens !== undefined) {
    const others = state.market.tokens(other, state.at()).slice(0, tokens);
    params.set("tokens", others.map(({ address }) => address).join(","));
  }
  return `${pathOf(target).replace(`/networks/${own}/`, `/networks/${other.id}/`)}?${params.toString()}`;
}

/** The path with another address; undefined if it contains none. */
function otherAddress(target: string, network: NetworkFacts, state: SandboxState): string | undefined {
  const values = pathValuesOf(target);
  const [pool, token] = [values?.get("pool_address"), values?.get("token_address")];
  const own = pool ?? token;
  const { market } = state;
  const at = state.at();
  const all =
    pool === undefined
      ? market.tokens(network, at).map(({ address }) => address)
      : market.pools(network, at).map(({ id }) => id);
  const other = all.find((address) => address.toLowerCase() !== own?.toLowerCase());
  if (own === undefined || other === undefined) return undefined;
  return pathOf(target).replace(encodeURIComponent(own), other);
}
