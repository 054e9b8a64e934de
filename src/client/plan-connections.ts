import { type AddressOf, damageFault } from "../api/known-networks.ts";
import { fail, type Failure } from "../base/failure.ts";
import { counted, someOf } from "../base/text/words.ts";
import { assetsPerPost, type Feed } from "../api/feed.ts";
import { distinctSubjects, nameOf, type Subject, subjectKey } from "./subject.ts";

/** The limits for the assets of a stream. */
export interface Room {
  /** Maximum number of assets per connection. */
  readonly perConnection: number;
  /** Maximum number of simultaneous connections. */
  readonly cap: number;
}

/** Uses one asset per connection if possible: only the price feed is certain to accept several. */
export function roomFor(feed: Feed, assets: number, cap: number): Room {
  const isMany = feed.batches === "always" || (feed.batches === "perhaps" && assets > cap);
  return { perConnection: isMany ? assetsPerPost : 1, cap };
}

/**
 * Uses as few connections as possible. If the assets do not fit, all are rejected, because dexdata cannot decide which
 * ones to skip.
 */
export function planConnections(subjects: readonly Subject[], room: Room): readonly (readonly Subject[])[] {
  const all = distinctSubjects(subjects);
  const connections = Math.ceil(all.length / room.perConnection);
  if (connections > room.cap) throw tooManyAssets(all, room);
  return Array.from({ length: connections }, (_, index) =>
    all.slice(
      Math.floor((index * all.length) / connections),
      Math.floor(((index + 1) * all.length) / connections),
    ),
  );
}

/**
 * Every connection keeps its assets that are still wanted. New assets first fill the connections that change anyway,
 * then those with the most room, and only then new ones, so that as few connections as possible are interrupted. `from`
 * is the index of the connection that is continued; undefined for a new one.
 */
export function replanConnections(
  before: readonly (readonly Subject[])[],
  subjects: readonly Subject[],
  room: Room,
): readonly { readonly from: number | undefined; readonly subjects: readonly Subject[] }[] {
  const all = distinctSubjects(subjects);
  if (all.length > room.perConnection * room.cap) throw tooManyAssets(all, room);
  const wanted = new Map(all.map((subject) => [subjectKey(subject), subject]));
  const kept = before.map((connection, from) => ({
    from,
    subjects: connection.filter((subject) => wanted.has(subjectKey(subject))),
  }));
  for (const subject of before.flat()) wanted.delete(subjectKey(subject));
  const fresh = [...wanted.values()];
  const rank = ({ from, subjects: left }: (typeof kept)[number]): number =>
    left.length === before[from]?.length ? room.perConnection + left.length : left.length;
  for (const connection of kept.toSorted((a, b) => rank(a) - rank(b)))
    connection.subjects.push(...fresh.splice(0, room.perConnection - connection.subjects.length));
  const alive = kept.filter((connection) => connection.subjects.length > 0);
  const more = planConnections(fresh, { ...room, cap: Number.POSITIVE_INFINITY });
  if (alive.length + more.length > room.cap) throw tooManyAssets(all, room);
  return [...alive, ...more.map((connection) => ({ from: undefined, subjects: connection }))];
}

export function tooManyAssets(all: readonly Subject[], room: Room): Failure {
  const fits = room.perConnection * room.cap;
  return doesNotFit(sizeProblem(all.length, room), fits, all.slice(fits));
}

function sizeProblem(assets: number, { perConnection, cap }: Room): string {
  const connections = `${counted(cap, "connection")}${perConnection === 1 ? "" : ` with ${perConnection} assets each`}`;
  return `too many assets: ${assets}, but ${connections} can hold only ${perConnection * cap}`;
}

/** Throws if more assets are wanted than fit. Neither looks at the others nor names them, because a list may be huge. */
export function checkSize(
  listed: readonly Subject[],
  room: Room,
  isWanted: (subject: Subject) => boolean,
): void {
  let wanted = 0;
  for (const subject of listed) {
    if (isWanted(subject)) wanted += 1;
    if (wanted > room.perConnection * room.cap)
      throw fail("too_many_assets", sizeProblem(listed.length, room));
  }
}

/** The JSON of a failure leaves out a longer list, because a part of it could be taken for all. */
const maxLeft = 1000;

/** The Failure has exit code 6. Its hint lists some of the assets that do not fit; the JSON form lists them all, or none. */
export function doesNotFit(
  message: string,
  fits: number,
  left: readonly Subject[],
  cause?: Failure,
): Failure {
  const names = left.map(nameOf);
  const body = new Map([["assets_fit", String(fits)]]);
  if (names.length <= maxLeft) body.set("assets_left", JSON.stringify(names));
  return fail("too_many_assets", message, {
    status: cause?.details.status,
    why: cause?.details.why,
    next: `assets that do not fit: ${someOf(names)}`,
    body,
  });
}

/**
 * The assets whose addresses can exist. The others are not sent, because the service would reject their batch. Throws
 * the failure that names them if `found` is `fail`, or if no asset would be left.
 */
export function withoutMalformed(
  subjects: readonly Subject[],
  by: AddressOf,
  found: "fail" | ((malformed: readonly Subject[], failure: Failure) => void),
): readonly Subject[] {
  const problems = new Map<Subject, string>();
  for (const subject of subjects) {
    const fault = damageFault(subject.network, subject.address, by);
    if (fault !== undefined) problems.set(subject, fault.problem);
  }
  if (problems.size === 0) return subjects;
  const failure = failureOf(problems, found === "fail" ? ", or skip invalid assets: --on-invalid drop" : "");
  if (found === "fail" || problems.size === subjects.length) throw failure;
  found([...problems.keys()], failure);
  return subjects.filter((subject) => !problems.has(subject));
}

function failureOf(problems: ReadonlyMap<Subject, string>, otherwise: string): Failure {
  const names = [...problems.keys()].map(nameOf);
  const problem = [...new Set(problems.values())].join("; ");
  const what = names.length === 1 ? "invalid asset" : `${names.length} invalid assets:`;
  return fail("usage", `${what} ${someOf(names)}: ${problem}`, {
    problem,
    next: `copy the complete address${otherwise}`,
  });
}
