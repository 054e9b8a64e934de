import { hashText, unitAt } from "../market/hash.ts";
import type { Fault, Faults } from "./fault.ts";
import { traitsOf } from "./kinds.ts";

/** What happens to one request. */
export interface DueFaults {
  readonly answer: Fault | undefined;
  readonly delivery: Fault | undefined;
  readonly changes: Faults;
  readonly headers: Faults;
}

/**
 * Whether the fault strikes the number-th of the requests it can strike, from 1. Nothing but seed, fault and number
 * decides, so a second run fares like the first.
 */
export function isDue({ kind, amount, path, when }: Fault, number: number, seed: number): boolean {
  if (when.by === "range") return number >= when.from && number <= when.to;
  const key = hashText(seed, `fault ${kind} ${amount ?? ""} ${path ?? ""}`);
  const first = Math.max(1, number - when.length + 1);
  for (let begin = first; begin <= number; begin += 1) if (unitAt(key, begin) < when.share) return true;
  return false;
}

/** Of the faults that are due, what one request can suffer: the first named wins where only one can. */
export function chooseFaults(due: Faults): DueFaults | undefined {
  if (due.length === 0) return undefined;
  const of = (layer: string): Faults => due.filter(({ kind }) => traitsOf(kind).layer === layer);
  return {
    answer: of("answer")[0],
    delivery: of("delivery")[0],
    changes: of("change"),
    headers: of("header"),
  };
}
