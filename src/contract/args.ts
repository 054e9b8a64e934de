import type { Endpoint } from "./endpoint.ts";
import { usageFailure } from "./failure.ts";
import type { Param } from "./param.ts";
import { inputName, readParam } from "./read-param.ts";
import { compareInstants, formatInstant, fromWire } from "../time/time.ts";

/** Wire name → wire text. What a request is made of. */
export type Args = ReadonlyMap<string, string>;

/** One thing asked of one endpoint; refusals and hints name what the user typed by it. */
export interface Question {
  readonly endpoint: Endpoint;
  readonly args: Args;
}

/** The arguments with repeated ones joined by commas, for everything except the URL, which repeats them. */
export function withRepeated({ repeated = new Map() }: Endpoint, args: Args): Args {
  const joined = [...repeated].map(
    ([name, values]) => [name, [args.get(name), ...values].join(",")] as const,
  );
  return new Map([...args, ...joined]);
}

/** What the user typed for the parameters of one endpoint, by wire name. */
export type Typed = ReadonlyMap<string, string>;

/**
 * Checks everything typed against the endpoint before anything is sent. `now`: milliseconds since the epoch, the
 * run's one clock reading, so that a window does not move between pages or retries.
 */
export function readArgs(endpoint: Endpoint, typed: Typed, now: number): Args {
  const args = new Map<string, string>();
  for (const param of endpoint.params) {
    const text = typed.get(param.name);
    if (text !== undefined) args.set(param.name, readParam(param, text, now));
  }
  for (const [lower, upper, isOpen] of timeWindows)
    refuseEmptyWindow(endpoint, args, typed, lower, upper, isOpen);
  for (const { name } of endpoint.params)
    if (name.endsWith("_min")) refuseEmptyRange(endpoint, args, typed, name);
  return args;
}

/** Pairs of bounds; with an open end the window of two equal instants holds nothing. */
const timeWindows = [
  ["from", "to", false],
  ["start", "end", true],
  ["created_after", "created_before", false],
] as const;

function refuseEmptyWindow(
  endpoint: Endpoint,
  args: Args,
  typed: Typed,
  lower: string,
  upper: string,
  isOpen: boolean,
): void {
  const [from, to] = [args.get(lower), args.get(upper)];
  if (from === undefined || to === undefined) return;
  const [first, last] = [fromWire(from), fromWire(to)];
  const order = compareInstants(first, last);
  if (order < 0 || (order === 0 && !isOpen)) return;
  const name = (wire: string): string => boundName(endpoint, typed, wire);
  throw usageFailure(
    `${name(lower)} is ${formatInstant(first)}, ${name(upper)} is ${formatInstant(last)}: ${order === 0 ? "the window is empty" : "the window ends before it begins"}`,
    order === 0 ? undefined : "exchange the two bounds",
  );
}

/** Nothing lies between a least and a most that are the wrong way round; a request for it would cost a credit. */
function refuseEmptyRange(endpoint: Endpoint, args: Args, typed: Typed, lower: string): void {
  const upper = lower.replace(/_min$/u, "_max");
  const [least, most] = [args.get(lower), args.get(upper)];
  if (least === undefined || most === undefined || Number(least) <= Number(most)) return;
  throw usageFailure(
    `${boundName(endpoint, typed, lower)} is more than ${boundName(endpoint, typed, upper)}: nothing lies between them`,
    "exchange the two bounds",
  );
}

/** As typed, with its value where there is one. */
function boundName(endpoint: Endpoint, typed: Typed, wire: string): string {
  const param = endpoint.params.find((each: Param) => each.name === wire);
  const shown = param === undefined ? wire : inputName(param);
  return typed.has(wire) ? `${shown} "${typed.get(wire)}"` : shown;
}
