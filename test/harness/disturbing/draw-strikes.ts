import type { Dialect } from "../../../src/sandbox/sandbox-exchange.ts";
import { type DisturbedList, type Verdict, verdictOf } from "../disturbed-lists.ts";
import type { Exchange, Strike } from "../disturbing-proxy.ts";
import { type DisturbanceKind, disturbanceKinds, randomOf } from "./disturbances.ts";

/** The URLs of an undisturbed pull, in the order of the list whatever order they arrived in. */
export function traceOf(exchanges: readonly Exchange[]): readonly string[] {
  const urls = [...new Set(exchanges.map(({ url }) => url))];
  // The first page of transactions is requested before the window is frozen to a time.
  const windows = [...new Set(urls.flatMap((url) => paramsOf(url).get("to") ?? []))];
  const keyed = urls.map((url, arrival) => ({
    url,
    window: Math.max(0, windows.indexOf(paramsOf(url).get("to") ?? "")),
    place: arrival === 0 ? 0 : placeOf(paramsOf(url)),
  }));
  return keyed.toSorted((a, b) => a.window - b.window || a.place - b.place).map(({ url }) => url);
}

function paramsOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split("?", 2)[1]);
}

/** Pages with a number arrive in any order, and so do slices of candles; pages by cursor follow them, one by one. */
function placeOf(params: URLSearchParams): number {
  const start = params.get("start");
  if (start !== null) return Number.isNaN(Number(start)) ? Date.parse(start) / 1000 : Number(start);
  return params.has("cursor") ? Number.MAX_SAFE_INTEGER : Number(params.get("page") ?? 1);
}

export interface PlannedStrike extends Strike {
  /** The position in the trace, from 0. */
  readonly at: number;
  readonly verdict: Verdict;
}

interface Drawing {
  readonly list: DisturbedList;
  readonly dialect: Dialect;
  readonly trace: readonly string[];
}

/** One disturbance of the response at this position; undefined if it does not apply there. */
export function strikeAt(
  { list, dialect, trace }: Drawing,
  at: number,
  { kind, times, seed }: { readonly kind: DisturbanceKind; readonly times: number; readonly seed: number },
): PlannedStrike | undefined {
  const url = trace[at];
  const verdict = verdictOf(list, dialect, kind, { isFirst: at === 0, isLast: at === trace.length - 1 });
  if (url === undefined || verdict === "none") return undefined;
  const random = randomOf(seed);
  const before = trace[at - 1];
  const stale = trace[Math.floor(random() * at)];
  if (at === 0 && (kind === "stale" || kind.startsWith("overlap"))) return undefined;
  const [own, other] = list.foreign;
  return {
    url,
    at,
    kind,
    times,
    verdict: verdict === "once" && times > 1 ? "never" : verdict,
    overlap: 1 + Math.floor(random() * 3),
    seed,
    ...(before !== undefined && { before: { url: before } }),
    ...(stale !== undefined && at > 0 && { stale: { url: stale } }),
    foreign: { url: foreignUrl(url.replace(own, other)) },
  };
}

/** The ID of a transaction is a cursor of its own pool only. */
export function foreignUrl(url: string): string {
  return url.includes("/transactions?") ? url.replace(/(?<=[?&])cursor=[^&]*&?/u, "") : url;
}

/** One to three disturbed responses, or a run of up to eight, once or each time. The same seed draws the same. */
export function drawStrikes(drawing: Drawing, seed: number): readonly PlannedStrike[] {
  const random = randomOf(seed);
  const below = (count: number): number => Math.floor(random() * count);
  for (let tries = 0; tries < 20; tries += 1) {
    const isRun = random() < 0.35;
    const first = below(drawing.trace.length);
    const positions = isRun
      ? Array.from({ length: 1 + below(8) }, (_, index) => first + index)
      : Array.from({ length: 1 + below(3) }, (_, index) =>
          index === 0 ? first : below(drawing.trace.length),
        );
    // Half of the runs have one kind of bad page, the others are mixed.
    const only = random() < 0.5 ? disturbanceKinds[below(disturbanceKinds.length)] : undefined;
    const times = random() < 0.6 ? 1 : Number.POSITIVE_INFINITY;
    const strikes = [...new Set(positions)].flatMap((at) => {
      const kind = only ?? disturbanceKinds[below(disturbanceKinds.length)];
      if (kind === undefined) return [];
      const strike = strikeAt(drawing, at, { kind, times, seed: seed * 100 + at + 1 });
      return strike === undefined ? [] : [strike];
    });
    if (strikes.length > 0) return strikes;
  }
  return [];
}
