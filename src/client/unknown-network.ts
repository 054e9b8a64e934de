import type { Args } from "../api/endpoint.ts";
import { nearestNetwork, wellKnownNetworks } from "../api/known-networks.ts";
import { failAsService, networkDoubt, otherwise } from "../api/service-errors.ts";
import { Failure } from "../base/failure.ts";

/** The networks of the request, if it failed with a 404 that may be about them. */
export function doubtfulNetworks(
  { details: { status, code, body } }: Failure,
  args: Args,
): readonly string[] | undefined {
  const only = args.get("network");
  const asked = only === undefined ? args.get("chains")?.split(",") : [only];
  if (status !== 404 || asked === undefined) return undefined;
  if (code === "unsupported_network") return asked;
  if (body?.has("error") === true) return undefined;
  // Without a reason, the network or the address may be unknown. Looking up a network that certainly exists would cost
  // a credit for each missing pool or token.
  const doubtful = asked.filter((each) => !wellKnownNetworks.has(each));
  return doubtful.length === 0 ? undefined : doubtful;
}

/** `known` has the IDs of all networks, or none if they could not be listed. */
export function judgeNetworks(
  cause: Failure,
  asked: readonly string[],
  known: ReadonlySet<string>,
  hintAt: (network: string) => string | undefined,
): Failure {
  const { status, body, why, retryAfter } = cause.details;
  const network = asked.find((each) => !known.has(each));
  if (known.size === 0) return cause;
  if (network === undefined)
    return new Failure(cause.message.replace(networkDoubt, ""), {
      ...cause.details,
      next: cause.next?.split(otherwise).at(-1),
    });
  const near = nearestNetwork(network, known);
  const next = near === undefined ? hintAt(network) : `did you mean ${near}?`;
  return failAsService("unsupported_network", `unknown network "${network}"`, {
    status,
    why,
    body,
    retryAfter,
    ...(next !== undefined && { next }),
  });
}
