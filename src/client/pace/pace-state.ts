import { member } from "../../json/own-member.ts";
import { minute, planAllowance } from "./pace.ts";
import { maxServiceWait } from "./retry-after.ts";

/** What all processes that use one key know of its rate. Every time is one of `Clock.elapsed`, in whole milliseconds. */
export interface PaceState {
  /** Requests sent, oldest first, of the longest window there is. */
  readonly sends: readonly Sends[];
  /** Those of them that were answered with 429, by the time they were sent. */
  readonly refused: readonly Sends[];
  /** Sends that opened a stream. */
  readonly openings: readonly Sends[];
  /** Nobody sends before it is over. */
  readonly hold: Hold | undefined;
  /** RateLimit-Limit of the service. */
  readonly told: Learned | undefined;
  /** The limit that two 429s showed. */
  readonly learned: Learned | undefined;
  /** The first 429 of two. */
  readonly suspect: Suspect | undefined;
  /** The most that was accepted in a minute. */
  readonly peak: Peak | undefined;
}

export interface Sends {
  readonly at: number;
  readonly count: number;
}

export interface Hold {
  readonly heard: number;
  readonly until: number;
}

export interface Learned {
  readonly perMinute: number;
  readonly at: number;
}

export interface Suspect {
  readonly at: number;
  /** Requests accepted in the minute before the one that was refused. */
  readonly accepted: number;
  /** When the oldest of them was sent. */
  readonly oldest: number;
}

export interface Peak {
  readonly accepted: number;
  readonly at: number;
}

export const noState: PaceState = {
  sends: [],
  refused: [],
  openings: [],
  hold: undefined,
  told: undefined,
  learned: undefined,
  suspect: undefined,
  peak: undefined,
};

/** What was learned is forgotten after ten minutes: plans change, and so do those who share an address. */
const memory = 10 * minute;
/** The longest window is 61.3 s, one request a minute; the minute that `withPeak` looks at begins before. */
const kept = 63_000;
/** Sends closer together are one entry, so that a fast pace does not make a large file. */
const together = 25;

/**
 * Without what is over. Times to come are of another clock: one that began anew with the machine, or another
 * machine's in a shared folder. What was sent then counts as sent now, and a hold lasts a window at most.
 */
export function current(state: PaceState, now: number): PaceState {
  return {
    sends: recent(state.sends, now),
    refused: recent(state.refused, now),
    openings: recent(state.openings, now),
    hold: currentHold(state.hold, now),
    told: remembered(state.told, now),
    learned: remembered(state.learned, now),
    suspect: remembered(state.suspect, now),
    peak: remembered(state.peak, now),
  };
}

function recent(all: readonly Sends[], now: number): readonly Sends[] {
  if (all.length === 0) return all;
  return all
    .filter(({ at }) => at > now - kept)
    .map((sends) => (sends.at > now ? { ...sends, at: now } : sends))
    .toSorted((one, other) => one.at - other.at);
}

function currentHold(hold: Hold | undefined, now: number): Hold | undefined {
  if (hold === undefined) return undefined;
  const isForeign = hold.heard > now;
  const heard = isForeign ? now : hold.heard;
  const longest = isForeign ? planAllowance(1).window : maxServiceWait;
  const until = Math.min(hold.until, heard + longest);
  return until > now ? { heard, until } : undefined;
}

function remembered<T extends { readonly at: number }>(entry: T | undefined, now: number): T | undefined {
  return entry !== undefined && entry.at <= now && now - entry.at < memory ? entry : undefined;
}

/** Another request at that time, which is the latest of all. */
export function withSend(all: readonly Sends[], at: number): readonly Sends[] {
  const last = all.at(-1);
  if (last === undefined || Math.floor(last.at / together) !== Math.floor(at / together))
    return [...all, { at, count: 1 }];
  return [...all.slice(0, -1), { at: Math.max(at, last.at), count: last.count + 1 }];
}

/** How many were sent after the one instant and until the other. */
export function countBetween(all: readonly Sends[], after: number, until: number): number {
  return all.reduce((sum, { at, count }) => (at > after && at <= until ? sum + count : sum), 0);
}

/** What stands in the file, as far as it is what this program writes: the rest counts as not there. */
export function readPaceState(value: unknown): PaceState {
  const entry = <T extends string>(name: string, ...names: readonly T[]): Record<T, number> | undefined =>
    readNumbers(member(value, name), names);
  return {
    sends: readSends(member(value, "sends")),
    refused: readSends(member(value, "refused")),
    openings: readSends(member(value, "openings")),
    hold: entry("hold", "heard", "until"),
    told: entry("told", "perMinute", "at"),
    learned: entry("learned", "perMinute", "at"),
    suspect: entry("suspect", "at", "accepted", "oldest"),
    peak: entry("peak", "accepted", "at"),
  };
}

function readSends(value: unknown): readonly Sends[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.map((each) => readNumbers(each, ["at", "count"])).filter((each) => each !== undefined);
}

function readNumbers<T extends string>(value: unknown, names: readonly T[]): Record<T, number> | undefined {
  const entries = names.map((name) => [name, member(value, name)] as const);
  if (!entries.every(([, number]) => Number.isSafeInteger(number) && Number(number) >= 0)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each of the names, each a number
  return Object.fromEntries(entries) as Record<T, number>;
}
