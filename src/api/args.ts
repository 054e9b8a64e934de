import type { Endpoint } from "./endpoint.ts";
import { damageFault } from "./known-networks.ts";
import { invalidInput, usageFailure } from "../base/failure.ts";
import { inputName, readParam } from "./read-param.ts";
import type { Param } from "./param.ts";
import { compareInstants, formatInstant, fromWire, wireOf } from "../base/time/time.ts";

/** Maps wire names to wire values. */
export type Args = ReadonlyMap<string, string>;

/** Errors and hints use the endpoint to name the inputs. */
export interface ApiRequest {
  readonly endpoint: Endpoint;
  readonly args: Args;
}

/** Everything except the URL uses repeated arguments joined with commas. */
export function withRepeated({ raw }: Endpoint, args: Args): Args {
  const joined = [...(raw?.repeated ?? [])].map(
    ([name, values]) => [name, [args.get(name), ...values].join(",")] as const,
  );
  return new Map([...args, ...joined]);
}

/** Equal for requests that an endpoint answers alike. */
export function keyOfArgs(args: Args): string {
  return JSON.stringify([...args]);
}

/** Typed values by wire name. */
export type Typed = ReadonlyMap<string, string>;

/**
 * Nothing has been sent yet. `now` is in milliseconds since the epoch and is read only once per run, so that a time
 * range does not shift between pages or retries.
 */
export function readArgs(endpoint: Endpoint, typed: Typed, now: number): Args {
  const args = new Map<string, string>();
  for (const param of endpoint.params) {
    const text = typed.get(param.name);
    if (text !== undefined) args.set(param.name, readParam(param, text, now));
  }
  checkAddresses(endpoint.params, args);
  const nameOf = (wire: string): string => {
    const param = endpoint.params.find(({ name }) => name === wire);
    return param === undefined ? wire : inputName(param);
  };
  const quoted = (wire: string): string =>
    typed.has(wire) ? `${nameOf(wire)} "${typed.get(wire)}"` : nameOf(wire);
  for (const [lower, upper, isOpen] of timeRanges) {
    const [from, to] = [args.get(lower), args.get(upper)];
    if (from === undefined || to === undefined) continue;
    const [first, last] = [fromWire(from), fromWire(to)];
    const order = compareInstants(first, last);
    if (order < 0 || (order === 0 && !isOpen)) continue;
    if (order > 0 && typed.get(upper) === "now")
      throw invalidInput(quoted(lower), "must not be in the future");
    throw usageFailure(
      `${quoted(lower)} (${formatInstant(first)}) ${order === 0 ? "is equal to" : "is after"} ${quoted(upper)} (${formatInstant(last)})${order === 0 ? ", so the time range is empty" : ""}`,
      order === 0 ? undefined : `swap ${nameOf(lower)} and ${nameOf(upper)}`,
    );
  }
  for (const name of ["to", "created_before"]) {
    const end = args.get(name);
    const { seconds, fraction } = fromWire(end ?? "0");
    // A service that ignores the fraction would leave out the rows of this second.
    if (fraction !== "") args.set(name, wireOf(seconds + 1));
  }
  for (const { name } of endpoint.params) {
    if (!name.endsWith("_min")) continue;
    const upper = name.replace(/_min$/u, "_max");
    const [least, most] = [args.get(name), args.get(upper)];
    // No row can match such a range, but the request would cost a credit.
    if (least !== undefined && most !== undefined && Number(least) > Number(most))
      throw usageFailure(
        `${quoted(name)} is greater than ${quoted(upper)}, so no row can match`,
        `swap ${nameOf(name)} and ${nameOf(upper)}`,
      );
  }
  return args;
}

/** A request for an address that the service cannot know would cost a credit. */
function checkAddresses(params: readonly Param[], args: Args): void {
  const network = args.get("network");
  if (network === undefined) return;
  for (const param of params) {
    const { kind, name } = param;
    if ((kind.kind !== "address" && kind.kind !== "list") || kind.of === undefined) continue;
    const text = args.get(name);
    const addresses = text === undefined ? [] : kind.kind === "list" ? text.split(",") : [text];
    for (const address of addresses) {
      const fault = damageFault(network, address, kind.of);
      if (fault !== undefined)
        throw invalidInput(`${inputName(param)} "${address}"`, fault.problem, fault.next);
    }
  }
}

/** Lower and upper bounds. In a range with an open end, equal times match nothing. */
const timeRanges = [
  ["from", "to", false],
  ["start", "end", true],
  ["created_after", "created_before", false],
] as const;
