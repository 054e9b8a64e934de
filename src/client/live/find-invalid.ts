import { EventStreamParser } from "../streams/event-stream.ts";
import { Failure } from "../../base/failure.ts";
import { createEnding } from "../ending.ts";
import { streamError } from "./listen.ts";
import { type ChunkStream, openerOf } from "./subscription.ts";
import { isData } from "../stream-event.ts";
import { addressKey, nameOf, type Subject } from "../subject.ts";
import { isOfIntermediary, reconnectWait } from "../retry.ts";
import { someOf } from "../../base/text/words.ts";
import type { LiveOptions } from "../stream-options.ts";

export interface Probing extends LiveOptions {
  readonly signal: AbortSignal;
  /** Whether the asset has had an event in this run. */
  readonly hasHeard: (subject: Subject) => boolean;
}

/**
 * Returns the invalid assets and the failure that names them, or none if the search found nothing, for example because
 * an intermediary answered it. Throws if the rejection was not caused by an asset.
 */
export async function findFault(
  probing: Probing,
  subjects: readonly Subject[],
  refused: Failure,
): Promise<{ readonly invalid: readonly Subject[]; readonly failure: Failure }> {
  if (!mayBeOfOneAsset(refused)) throw refused;
  const probe = probeOf(probing, refused.details.status === undefined);
  try {
    const found = await findInvalid(subjects, refused, probe, probing.suspects);
    const invalid: Subject[] = [];
    for (const subject of found)
      if (await isConfirmed(subject, refused, probe, probing)) invalid.push(subject);
    return { invalid, failure: invalid.length === 0 ? refused : invalidAssets(probing, invalid, refused) };
  } catch (cause) {
    if (!(cause instanceof Failure) || !probing.isHostKnown() || !isTransient(cause, true)) throw cause;
    return { invalid: [], failure: refused };
  }
}

/**
 * Tries assets on a separate connection, before a working connection is closed for them. Returns those that the
 * service rejects. Undefined if it accepts them, or if no connection is free for a trial.
 */
export async function refusedAlone(
  probing: Probing,
  subjects: readonly Subject[],
): Promise<{ readonly invalid: readonly Subject[]; readonly failure: Failure } | undefined> {
  if (subjects.length === 0) return undefined;
  try {
    const open = openerOf({ ...probing, subjects });
    (await open("", probing.signal)).close();
    return undefined;
  } catch (cause) {
    probing.signal.throwIfAborted();
    if (!(cause instanceof Failure)) throw cause;
    if (isTransient(cause, true) || [401, 402, 405].includes(cause.details.status ?? 0)) return undefined;
    if (!mayBeOfOneAsset(cause)) return { invalid: subjects, failure: cause };
    const fault = await findFault(probing, subjects, cause);
    return fault.invalid.length === 0 ? undefined : fault;
  }
}

/** In milliseconds. A mistake of the service does not last that long. */
const apart = 10_000;

/** An asset that had an event exists, unless a rejection names it, or it is rejected alone twice, some time apart. */
async function isConfirmed(
  subject: Subject,
  refused: Failure,
  probe: Probe,
  { hasHeard, context, signal }: Probing,
): Promise<boolean> {
  const isNamed = ({ details: { why = "" } }: Failure): boolean => namedIn(why, [subject]).isCertain;
  if (!hasHeard(subject) || isNamed(refused)) return true;
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    if (attempt > 1) await context.clock.sleep(apart, signal);
    const again = await probe([subject]);
    if (again === undefined) return false;
    if (isNamed(again)) return true;
  }
  return true;
}

/** Once the host was reached, only a rejection in the service's own form says something about the assets. */
function isTransient(failure: Failure, isHostKnown: boolean): boolean {
  if (failure.details.retryable === true) return true;
  const { status } = failure.details;
  return isHostKnown && (status === undefined ? failure.code !== "not_found" : isOfIntermediary(failure));
}

/** The status of the rejection determines the exit code. */
function invalidAssets(
  { feed, kind, onInvalid }: Probing,
  invalid: readonly Subject[],
  refused: Failure,
): Failure {
  const names = invalid.map(nameOf);
  const message =
    names.length === 1 ? `invalid asset ${names[0]}` : `${names.length} invalid assets: ${someOf(names)}`;
  const other = kind.by === "pool" ? "token" : "pool";
  const flag = feed.kinds.some(({ by }) => by === other) ? `--by ${other}` : "--feed transactions (dev plan)";
  const skip = onInvalid === "fail" ? "; skip invalid assets: --on-invalid drop" : "";
  return new Failure(message, {
    ...refused.details,
    next: `for a ${other}, use ${flag}; find an address: dexdata search <name>${skip}`,
    body: new Map([...(refused.details.body ?? []), ["assets_invalid", JSON.stringify(names)]]),
  });
}

/** Number of attempts if a probe fails for another reason. The last failure is thrown. */
const tries = 5;

/** Milliseconds to wait for an error event: the service may report an unknown asset inside the stream. */
const listening = 2000;

/**
 * Opens a stream only to find out whether it is accepted. `isSaidInStream` means that the rejection arrived in an open
 * stream, so a successful opening proves nothing.
 */
function probeOf(probing: Probing, isSaidInStream: boolean): Probe {
  const { context, signal, isHostKnown } = probing;
  return async (subjects) => {
    const open = openerOf({ ...probing, subjects });
    for (let attempt = 1; ; attempt += 1) {
      try {
        const connection = await open("", signal);
        if (isSaidInStream) return await errorInStream(connection, subjects.length === 1, probing);
        connection.close();
        return undefined;
      } catch (cause) {
        if (!(cause instanceof Failure) || signal.aborted) throw cause;
        if (!isTransient(cause, isHostKnown())) return cause;
        if (attempt === tries) throw cause;
        await context.clock.sleep(reconnectWait(attempt, cause, context.random()), signal);
      }
    }
  };
}

/** Undefined if no error arrives within the time limit, or if the only asset gets an event first. */
async function errorInStream(
  connection: ChunkStream,
  isSingle: boolean,
  { context, feed, signal, ledger }: Probing,
): Promise<Failure | undefined> {
  const ending = createEnding(context.clock, signal, listening);
  ending.signal.addEventListener("abort", connection.close, { once: true });
  const parser = new EventStreamParser();
  try {
    for await (const chunks of connection.chunks) {
      const events = chunks.flatMap((chunk) => parser.push(chunk));
      const data = events.filter((event) => isData(event, feed)).length;
      if (data > 0) ledger.delivered(data);
      const error = events.find(({ name }) => name === "error");
      if (error !== undefined) return streamError(error);
      if (data > 0 && isSingle) return undefined;
    }
    return undefined;
  } catch (cause) {
    signal.throwIfAborted();
    if (ending.signal.aborted) return undefined;
    throw cause;
  } finally {
    ending.end("received");
    ending.release();
  }
}

/** Opens a stream briefly, at no cost, and returns the failure if the service rejects it. */
type Probe = (subjects: readonly Subject[]) => Promise<Failure | undefined>;

/** The service rejects an entire batch because of one asset (rule 128). */
function mayBeOfOneAsset({ details: { status, code, body, isOutage } }: Failure): boolean {
  if (isOutage === true) return false;
  // An `error` event in an open stream has no status.
  if (status === undefined) return code === "not_found";
  if (status !== 400 && !(status === 404 && code !== "route_not_found")) return false;
  const param = body?.get("param");
  // Any other parameter is the same for all assets.
  return param === undefined || /address|asset|chain|network|pool|token/iu.test(param);
}

/** If halving takes more openings than one invalid asset out of 25 needs, several assets are invalid. */
const enough = 7;
/** For up to this many assets, halving is faster than REST. */
const few = 4;

/**
 * Finds the assets that caused a rejection: the one whose address the message contains, those that the message hints
 * at, or those found by halving the list. Returns none if the service accepts every half, or if no asset can be the
 * cause. Halving is tried first, and REST only if several assets are invalid: an opening costs no credits, but REST
 * costs 1 credit per token. Openings count toward the plan's rate limit, so an opening is skipped if its result follows
 * from others. After the first invalid asset is found, all assets not yet accepted are opened together. Finding one
 * invalid asset out of 25 takes at most seven openings, the last of which shows that no other asset is invalid.
 */
export async function findInvalid(
  subjects: readonly Subject[],
  refused: Failure,
  probe: Probe,
  suspects?: LiveOptions["suspects"],
): Promise<readonly Subject[]> {
  let openings = 0;
  /** Assets not opened during the search for the first invalid one; undefined once several are invalid. */
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

/** A host without the feed responds with `{"message":"Not Found"}` (wire-facts 5.7). */
function isOfPath({ details: { status, why } }: Failure): boolean {
  return status === 404 && !/\b(?:token|pool|asset)\b/iu.test(why ?? "");
}

/**
 * Looks for an address, an unknown network, or an index in the batch. `isCertain` is true only if a single address
 * matches: indexes may start at one, and a message may list every requested asset.
 */
function namedIn(why: string, subjects: readonly Subject[]) {
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
