import type { Clock } from "../context/context.ts";

/** A clock for each of those that something is to come from. */
export interface QuietWatch<Key> {
  /** From now on something is expected of it. */
  readonly expect: (key: Key) => void;
  /** Something came, and our own reader takes it: until `resume` silence is ours. */
  readonly pause: (key: Key) => void;
  readonly resume: (key: Key) => void;
  readonly forget: (key: Key) => void;
}

interface Quiet {
  ticks: number;
  isHeard: boolean;
  /** So much is on its way to our own reader. */
  underWay: number;
}

/**
 * Tells once of those that nothing came from for so many milliseconds, and ends with the signal. Counted in ticks, a
 * tenth each: what came at any moment of the last ones counts, so that nobody is found quiet too early.
 */
export function createQuietWatch<Key>(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
  tell: (quiet: readonly Key[]) => void,
): QuietWatch<Key> {
  const watched = new Map<Key, Quiet>();

  const watch = async (): Promise<void> => {
    for (let quiet: readonly Key[] = []; quiet.length === 0;) {
      await clock.sleep(milliseconds / 10, signal);
      for (const each of watched.values()) {
        each.ticks = each.isHeard || each.underWay > 0 ? 0 : each.ticks + 1;
        each.isHeard = false;
      }
      quiet = [...watched].filter(([, { ticks }]) => ticks >= 10).map(([key]) => key);
      if (quiet.length > 0) tell(quiet);
    }
  };
  watch().catch(() => undefined);

  const change = (key: Key, underWay: number): void => {
    const each = watched.get(key);
    if (each === undefined) return;
    each.isHeard = true;
    each.underWay += underWay;
  };
  return {
    expect: (key) => watched.set(key, { ticks: 0, isHeard: true, underWay: 0 }),
    pause: (key) => change(key, 1),
    resume: (key) => change(key, -1),
    forget: (key) => watched.delete(key),
  };
}
