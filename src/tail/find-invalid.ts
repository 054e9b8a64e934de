import { addressKey } from "../client/address-key.ts";
import type { Subject } from "../client/batches.ts";
import type { Failure } from "../contract/failure.ts";

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

/** Those of them that REST does not know: each costs a credit, and none of it is a proof. */
export type Suspects = (subjects: readonly Subject[]) => Promise<readonly Subject[]>;

/** Openings that find one asset of 25 by halves. More of them only say that several are bad. */
const enough = 7;
/** Fewer are found by halves sooner than REST is asked. */
const few = 4;

/**
 * The assets that a refusal is for: the one whose address its message names; else what it hints at, or halves, until
 * single ones are refused. None where every half is accepted, or where it is no asset's fault.
 *
 * Halving comes first, and REST only where several are bad: an opening costs no credit, and REST costs 1 credit per token.
 * But openings count against the plan's minute, so none is made whose outcome follows from others. If the first half is
 * accepted, the bad asset is in the second, which is not opened. After the first bad asset, all assets that no opening has
 * accepted yet are opened together. One bad asset of 25 takes seven openings at most; the last shows that it is the only one.
 */
export async function findInvalid(
  subjects: readonly Subject[],
  refused: Failure,
  probe: Probe,
  suspects?: Suspects,
): Promise<readonly Subject[]> {
  let openings = 0;
  /** Not opened yet while the first bad asset is searched for; undefined once several are bad. */
  let unopened: Subject[] | undefined = [];
  const counted: Probe = async (some) => {
    openings += 1;
    return await probe(some);
  };

  const among = async (all: readonly Subject[], failure: Failure): Promise<readonly Subject[]> => {
    if (!mayBeOfOneAsset(failure)) return [];
    if (all.length === 1) return isOfPath(failure) ? [] : all;
    const { named, isCertain } = namedIn(failure.details.why ?? "", all);
    if (isCertain) return named;
    const hinted = await aloneOf(named);
    if (hinted.length > 0) return hinted;
    if (suspects !== undefined && openings >= enough && all.length > few) {
      const alone = await aloneOf(await suspects(all));
      const rest = all.filter((subject) => !alone.includes(subject));
      if (alone.length > 0) return [...alone, ...(await refusedOf([rest]))];
    }
    return await byHalves(all);
  };

  /** The bad ones among several that are refused together. */
  const byHalves = async (all: readonly Subject[]): Promise<readonly Subject[]> => {
    const middle = Math.ceil(all.length / 2);
    const [first, second] = [all.slice(0, middle), all.slice(middle)];
    const failure = await counted(first);
    if (failure === undefined) return second.length > 1 ? await byHalves(second) : await refusedOf([second]);
    const found = await among(first, failure);
    if (unopened === undefined) return [...found, ...(await refusedOf([second]))];
    unopened.push(...second);
    return found;
  };

  const refusedOf = async (groups: readonly (readonly Subject[])[]): Promise<readonly Subject[]> => {
    const found: Subject[] = [];
    for (const group of groups) {
      const again = group.length === 0 ? undefined : await counted(group);
      if (again !== undefined) found.push(...(await among(group, again)));
    }
    return found;
  };
  const aloneOf = async (some: readonly Subject[]): Promise<readonly Subject[]> =>
    await refusedOf(some.map((subject) => [subject]));

  const first = await among(subjects, refused);
  const rest = unopened;
  unopened = undefined;
  const found = new Set([...first, ...(await refusedOf([rest]))]);
  return subjects.filter((subject) => found.has(subject));
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
