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
 * The assets that a refusal is for: the one whose address its message names; else what it hints at, or halves, until
 * single ones are refused. None where every half is accepted, or where it is no asset's fault.
 */
export async function findInvalid(
  subjects: readonly Subject[],
  refused: Failure,
  probe: Probe,
): Promise<readonly Subject[]> {
  if (!mayBeOfOneAsset(refused)) return [];
  if (subjects.length === 1) return isOfPath(refused) ? [] : subjects;
  const { named, isCertain } = namedIn(refused.details.why ?? "", subjects);
  if (isCertain) return named;
  const alone: Subject[] = [];
  for (const subject of named) {
    const again = await probe([subject]);
    if (again !== undefined) alone.push(...(await findInvalid([subject], again, probe)));
  }
  if (alone.length > 0) return alone;
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

interface Named {
  readonly named: readonly Subject[];
  /** What else a sentence says is to be tried: places may be counted from one, and a list may name all that was asked. */
  readonly isCertain: boolean;
}

/** By their address, by a network that is not known, or by their place in the batch. */
function namedIn(why: string, subjects: readonly Subject[]): Named {
  const words = new Set(why.split(/[\s/,;"'()[\]]+/u).map(addressKey));
  const byAddress = subjects.filter(({ address }) => words.has(addressKey(address)));
  if (byAddress.length > 0) return { named: byAddress, isCertain: byAddress.length === 1 };
  if (/\bchain\b|\bnetwork\b/iu.test(why)) {
    const byNetwork = subjects.filter(({ network }) => words.has(network));
    if (byNetwork.length > 0) return { named: byNetwork, isCertain: false };
  }
  const place = /\b(?:asset|entry|item|index) (?<place>\d{1,2})\b/iu.exec(why)?.groups?.["place"];
  const named = place === undefined ? [] : subjects.slice(Number(place), Number(place) + 1);
  return { named, isCertain: false };
}
