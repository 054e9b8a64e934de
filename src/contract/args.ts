import type { Endpoint } from "./endpoint.ts";
import { usageFailure } from "./failure.ts";
import { inputName, readParam } from "./read-param.ts";
import { compareInstants, formatInstant, fromWire } from "../time/time.ts";

/** The parameters of a request: wire name → wire text. */
export type Args = ReadonlyMap<string, string>;

/** One request to one endpoint. Errors and hints take the names of the input from it. */
export interface Question {
  readonly endpoint: Endpoint;
  readonly args: Args;
}

/** Joins repeated arguments by commas, for everything except the URL, which repeats them. */
export function withRepeated({ repeated = new Map() }: Endpoint, args: Args): Args {
  const joined = [...repeated].map(
    ([name, values]) => [name, [args.get(name), ...values].join(",")] as const,
  );
  return new Map([...args, ...joined]);
}

/** The input for the parameters of one endpoint, by wire name. */
export type Typed = ReadonlyMap<string, string>;

/**
 * Checks all input against the endpoint before anything is sent. `now`: milliseconds since the epoch, the one clock
 * reading of the run, so that a time range does not move between pages or retries.
 */
export function readArgs(endpoint: Endpoint, typed: Typed, now: number): Args {
  const args = new Map<string, string>();
  for (const param of endpoint.params) {
    const text = typed.get(param.name);
    if (text !== undefined) args.set(param.name, readParam(param, text, now));
  }
  /** A bound as it was typed, with its value if it has one. */
  const nameOf = (wire: string): string => {
    const param = endpoint.params.find(({ name }) => name === wire);
    const shown = param === undefined ? wire : inputName(param);
    return typed.has(wire) ? `${shown} "${typed.get(wire)}"` : shown;
  };
  for (const [lower, upper, isOpen] of timeRanges) {
    const [from, to] = [args.get(lower), args.get(upper)];
    if (from === undefined || to === undefined) continue;
    const [first, last] = [fromWire(from), fromWire(to)];
    const order = compareInstants(first, last);
    if (order < 0 || (order === 0 && !isOpen)) continue;
    throw usageFailure(
      `${nameOf(lower)} is ${formatInstant(first)}, ${nameOf(upper)} is ${formatInstant(last)}: ${order === 0 ? "the window is empty" : "the window ends before it begins"}`,
      order === 0 ? undefined : "exchange the two bounds",
    );
  }
  for (const { name } of endpoint.params) {
    if (!name.endsWith("_min")) continue;
    const upper = name.replace(/_min$/u, "_max");
    const [least, most] = [args.get(name), args.get(upper)];
    // No row is in such a range, but a request for it would cost a credit.
    if (least !== undefined && most !== undefined && Number(least) > Number(most))
      throw usageFailure(
        `${nameOf(name)} is more than ${nameOf(upper)}: nothing lies between them`,
        "exchange the two bounds",
      );
  }
  return args;
}

/** Pairs of bounds. A range with an open end is empty if both times are equal. */
const timeRanges = [
  ["from", "to", false],
  ["start", "end", true],
  ["created_after", "created_before", false],
] as const;
