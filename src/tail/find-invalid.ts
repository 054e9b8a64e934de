import { addressKey } from "../client/address-key.ts";
import type { Subject } from "../client/batches.ts";
import type { Failure } from "../model/failure.ts";

/** Opens a stream of these for a moment: the failure when it is refused. Opening costs nothing. */
export type Probe = (subjects: readonly Subject[]) => Promise<Failure | undefined>;

/** Whether one asset may have earned the refusal: the service refuses a whole batch for one (rule 128). */
export function mayBeOfOneAsset({ details: { status, code, body } }: Failure): boolean {
  // An `error` event of a stream that was open has no status.
  if (status === undefined) return code === "not_found";
  if (status !== 400 && !(status === 404 && code !== "route_not_found")) return false;
  const param = body?.get("param") ?? "";
  return !['"interval"', '"since"', '"method"', '"limit"', '"request_id"'].includes(param);
}

/**
 * The assets that a refusal is for: those its message names; else by halves, until single ones are refused. None where
 * every half is accepted, or where it is no asset's fault.
 */
export async function findInvalid(
  subjects: readonly Subject[],
  refused: Failure,
  probe: Probe,
): Promise<readonly Subject[]> {
  if (!mayBeOfOneAsset(refused)) return [];
  if (subjects.length === 1) return isOfPath(refused) ? [] : subjects;
  const named = namedIn(refused.details.why ?? "", subjects);
  if (named.length > 0) return named;
  const middle = Math.ceil(subjects.length / 2);
  const found: Subject[] = [];
  for (const half of [subjects.slice(0, middle), subjects.slice(middle)]) {
    const again = await probe(half);
    if (again !== undefined) found.push(...(await findInvalid(half, again, probe)));
  }
  return found;
}

/** `{"message":"Not Found"}` is how a host says that it has no such feed (wire-facts 5.7). */
function isOfPath({ details: { status, why } }: Failure): boolean {
  return status === 404 && !/\b(?:token|pool|asset)\b/iu.test(why ?? "");
}

/** By their address, by a network that is not known, or by their place in the batch. */
function namedIn(why: string, subjects: readonly Subject[]): readonly Subject[] {
  const words = new Set(why.split(/[\s/,;"'()[\]]+/u).map(addressKey));
  const byAddress = subjects.filter(({ address }) => words.has(addressKey(address)));
  if (byAddress.length > 0) return byAddress;
  if (/\bchain\b|\bnetwork\b/iu.test(why)) {
    const byNetwork = subjects.filter(({ network }) => words.has(network));
    if (byNetwork.length > 0) return byNetwork;
  }
  const place = /\b(?:asset|entry|item|index) (?<place>\d{1,2})\b/iu.exec(why)?.groups?.["place"];
  return place === undefined ? [] : subjects.slice(Number(place), Number(place) + 1);
}
