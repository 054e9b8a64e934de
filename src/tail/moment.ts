import type { Clock } from "../context/context.ts";

/** Instants of both clocks: the wall's for showing, the one that cannot jump for measuring; milliseconds. */
export interface Moment {
  readonly now: number;
  readonly elapsed: number;
}

export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), elapsed: clock.elapsed() };
}
