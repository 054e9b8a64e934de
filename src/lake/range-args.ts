import { wireOf } from "../base/time/time.ts";
import type { Args } from "../api/args.ts";
import { type Dataset, factsOfKind } from "./dataset.ts";

interface Range {
  readonly dataset: Dataset;
  /** In Unix seconds. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Candles need an end, so `present` is used if there is none. */
export function argsOf({ dataset, from, to }: Range, present: number): Args {
  const { bounds, asset } = factsOfKind(dataset.kind);
  const args = new Map([
    ["network", dataset.network],
    [`${asset}_address`, dataset.address],
  ]);
  if (dataset.interval !== undefined) args.set("interval", dataset.interval);
  if (from !== undefined) args.set(bounds.from, wireOf(from));
  const end = to ?? (dataset.interval === undefined ? undefined : present);
  if (end !== undefined) args.set(bounds.to, wireOf(end));
  return args;
}
