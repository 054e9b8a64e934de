import { disturbanceKinds, randomOf } from "./disturbances.ts";
import { type PlannedStrike, strikeAt } from "./draw-strikes.ts";

/** A run of 1 to 8 pages of mixed kinds, all of which the list can prove, once or each time. */
export function badPages(drawing: Parameters<typeof strikeAt>[0], seed: number): readonly PlannedStrike[] {
  const random = randomOf(seed * 31);
  const below = (count: number): number => Math.floor(random() * count);
  const first = below(drawing.trace.length);
  const times = random() < 0.3 ? 1 : Number.POSITIVE_INFINITY;
  return Array.from({ length: 1 + below(8) }, (_, index) => first + index).flatMap((at) => {
    const kind = disturbanceKinds[below(disturbanceKinds.length)] ?? "empty";
    const strike = strikeAt(drawing, at, { kind, times, seed: seed * 100 + at });
    return strike?.verdict === "always" ? [strike] : [];
  });
}
