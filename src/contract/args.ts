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
  const nameOf = (wire: string): string => {
    const param = endpoint.params.find(({ name }) => name === wire);
    return param === undefined ? wire : inputName(param);
  };
  /** An input with its value as typed, if it has one. */
  const quoted = (wire: string): string =>
    typed.has(wire) ? `${nameOf(wire)} "${typed.get(wire)}"` : nameOf(wire);
  for (const [lower, upper, isOpen] of timeRanges) {
    const [from, to] = [args.get(lower), args.get(upper)];
    if (from === undefined || to === undefined) continue;
    const [first, last] = [fromWire(from), fromWire(to)];
    const order = compareInstants(first, last);
    if (order < 0 || (order === 0 && !isOpen)) continue;
    throw usageFailure(
      `${quoted(lower)} (${formatInstant(first)}) ${order === 0 ? "is equal to" : "is after"} ${quoted(upper)} (${formatInstant(last)})${order === 0 ? ", so the time range is empty" : ""}`,
      order === 0 ? undefined : `swap ${nameOf(lower)} and ${nameOf(upper)}`,
    );
  }
  for (const { name } of endpoint.params) {
    if (!name.endsWith("_min")) continue;
    const upper = name.replace(/_min$/u, "_max");
    const [least, most] = [args.get(name), args.get(upper)];
    // No row is in such a range, but a request for it would cost a credit.
    if (least !== undefined && most !== undefined && Number(least) > Number(most))
      throw usageFailure(
        `${quoted(name)} is greater than ${quoted(upper)}, so no row can match`,
        `swap ${nameOf(name)} and ${nameOf(upper)}`,
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
