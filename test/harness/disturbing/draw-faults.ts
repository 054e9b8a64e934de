import type { Dialect } from "../../../src/sandbox/sandbox-exchange.ts";
import { type DisturbedList, type Verdict, verdictOf } from "../disturbed-lists.ts";
import { disturbanceKinds, randomOf } from "./disturbances.ts";
import { type Fault, type FaultKind, faultKinds } from "./faults.ts";

/** Faults that no response shows, apart from those in `provable`. */
const unnoticed: readonly {
  readonly list: RegExp;
  readonly kinds: readonly FaultKind[];
  readonly why: string;
}[] = [{ list: /^ohlcv/u, kinds: ["another size"], why: "an interval without trades has no candle" }];

interface Pull {
  readonly list: DisturbedList;
  readonly dialect: Dialect;
  /** The URLs of an undisturbed pull, in the order of the list. */
  readonly trace: readonly string[];
  /** Whether a response that looks unusual is requested again often enough. */
  readonly isPatient: boolean;
  /** Whether the pull ends at a limit, possibly within a page. */
  readonly isLimited: boolean;
}

function verdictAt({ list, dialect, trace, isLimited }: Pull, at: number, kind: FaultKind): Verdict {
  // The first rows of a page in another order are other rows.
  if (isLimited && kind === "reordered") return "never";
  if (unnoticed.some((each) => each.list.test(list.name) && each.kinds.includes(kind))) return "never";
  const disturbance = disturbanceKinds.find((each) => each === kind);
  const position = { isFirst: at === 0, isLast: at === trace.length - 1 };
  return disturbance === undefined ? "always" : verdictOf(list, dialect, disturbance, position);
}

/** For up to three URLs, the faults of the first responses to each: only those that the program can notice. */
export function drawFaults(pull: Pull, seed: number): ReadonlyMap<string, readonly Fault[]> {
  const random = randomOf(seed);
  const below = (count: number): number => Math.floor(random() * count);
  // Few kinds, so that some responses have the same fault again.
  const kinds = Array.from({ length: 3 }, () => faultKinds[below(faultKinds.length)] ?? "empty");
  const places = Array.from({ length: 1 + below(3) }, () => below(pull.trace.length));
  return new Map(
    places.map((at): readonly [string, readonly Fault[]] => {
      const faults: Fault[] = [];
      for (let index = below(5); index >= 0; index -= 1) {
        const kind = kinds[below(kinds.length)] ?? "empty";
        const verdict = verdictAt(pull, at, kind);
        const isFirst = faults.every((fault) => fault.kind !== kind);
        const isNoticed = verdict === "always" || (verdict === "once" && isFirst && pull.isPatient);
        if (isNoticed) faults.push({ kind, seed: seed * 100 + at * 10 + index });
      }
      return [pull.trace[at] ?? "", faults];
    }),
  );
}
