/**
 * Evidence that the service still had a time when a period was read: a row at or before the start of the period, seen
 * after the last page of the period. How far a service reaches back does not depend on the pool, so a row of any
 * dataset of the run will do.
 */
export type Witnesses = ReturnType<typeof createWitnesses>;

export function createWitnesses() {
  let steps = 0;
  const seen: { readonly at: number; readonly step: number }[] = [];
  return {
    /** Call this when the last page of a list has arrived. */
    step: (): number => (steps += 1),
    /** `at` is the time of a row in Unix seconds. */
    add: (at: number, step: number): void => void seen.push({ at, step }),
    covers: (from: number, step: number): boolean =>
      seen.some((each) => each.at <= from && each.step >= step),
  };
}
