import type { Args } from "../../api/args.ts";
import type { Endpoint } from "../../api/endpoint.ts";
import { fail, type Failure } from "../../base/failure.ts";
import type { Param } from "../../api/param.ts";
import { isObject, member } from "../../base/json/json-scan.ts";
import { comparableAddress } from "../subject.ts";

/** Returns the different values of a field in the rows of a response; rows without the field have none. */
export type ValuesOf = (field: string) => readonly unknown[];

/** A response about another asset or network than requested, for example because a cache confused two requests. */
export interface Foreign {
  readonly problem: string;
  /**
   * Set if all rows and the echo name the same other network. The service may then know the requested network by that
   * name, so `--no-strict` accepts the rows.
   */
  readonly only: string | undefined;
}

/** A function that checks responses; undefined if neither the rows nor the echo can show what they are about. */
export type OwnershipCheck = (values: ValuesOf, echo?: unknown) => Foreign | undefined;

interface Owner {
  readonly field: string;
  readonly param: Param;
  readonly sent: string;
}

/**
 * The row fields that name the asset or network are part of the contract (`owned` of a row shape). Responses of 2025
 * have no `chain`, and the echo may be missing, so only values that are present are compared. Candles name neither
 * their asset nor their network, so a foreign response with candles cannot be recognized.
 */
export function createOwnershipCheck(
  { params, rows }: Endpoint,
  args: Args,
  group: string,
): OwnershipCheck | undefined {
  const owners = Object.entries(rows[group]?.owned ?? {}).flatMap(([field, name]): readonly Owner[] => {
    const param = params.find((each) => each.name === name);
    const sent = args.get(name);
    return param === undefined || sent === undefined || sent === "" ? [] : [{ field, param, sent }];
  });
  if (owners.length === 0) return undefined;
  return (values, echo) => {
    for (const owner of owners) {
      const named = [...new Set([...values(owner.field), ...echoed(owner, echo)])].filter(isName);
      const others = named.filter((value) => !isOwn(owner, value));
      const [first] = others;
      if (first === undefined) continue;
      const what = `the service returned rows of ${first} instead of ${owner.sent}`;
      const isOnly = named.length === 1 && owner.param.kind.kind === "network";
      return { problem: what, only: isOnly ? first : undefined };
    }
    return undefined;
  };
}

/** Ends a pull after all retries have failed. None of the response's rows are returned. */
export function foreignFailure({ problem, only }: Foreign): Failure {
  const next = only === undefined ? undefined : `if ${only} is what you want, use --no-strict`;
  return fail("untrusted_answer", problem, next === undefined ? {} : { next });
}

/** A search echoes the network of its path as `network`; the search for tokens may echo it as `chains`. */
function echoed({ param }: Owner, echo: unknown): readonly unknown[] {
  if (!isObject(echo) || param.kind.kind !== "network") return [];
  const chains = member(echo, "chains");
  return [member(echo, "network"), ...(Array.isArray(chains) && chains.length === 1 ? chains : [])];
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isOwn({ param, sent }: Owner, value: string): boolean {
  if (param.kind.kind === "list") return sent.split(",").some((each) => each.trim() === value);
  if (param.kind.kind !== "address") return sent === value;
  return comparableAddress(sent) === comparableAddress(value);
}
