import type { Args } from "../api/endpoint.ts";
import { plainList } from "../client/list-plan.ts";
import { networks } from "../api/endpoints/whole-service.ts";
import { Failure } from "../base/failure.ts";
import { member } from "../base/json/json-scan.ts";
import type { Client } from "../client/client.ts";
import { readPages } from "../client/read-pages.ts";
import { doubtfulNetworks, judgeNetworks } from "../client/unknown-network.ts";
import { optionNames } from "./read-options.ts";

/** What a program gets for a failed request with these arguments. */
export async function failureOfRequest(cause: unknown, client: Client, args: Args): Promise<unknown> {
  if (!(cause instanceof Failure)) return cause;
  const asked = doubtfulNetworks(cause, args);
  if (asked === undefined || cause.code === "unsupported_network") return withOptions(cause);
  let known = networksOf.get(client) ?? new Set();
  if (!asked.every((each) => known.has(each))) {
    known = await listNetworks(client);
    networksOf.set(client, known);
  }
  return withOptions(judgeNetworks(cause, asked, known, () => undefined));
}

/** As listed last. The service may have added others since. */
const networksOf = new WeakMap<Client, ReadonlySet<string>>();

/** Empty if they cannot be listed, because the failed look-up must not hide the failure. */
async function listNetworks(client: Client): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  try {
    for await (const { rows } of readPages(client, networks, new Map(), plainList(100)))
      for (const row of rows.values()) ids.add(String(member(row, "id")));
  } catch (cause) {
    if (cause instanceof Failure) return new Set();
    throw cause;
  }
  return ids;
}

/** The next step is written for the command line. */
export function withOptions(cause: unknown, options = optionNames): unknown {
  if (!(cause instanceof Failure) || cause.next === undefined) return cause;
  const next = nameOptions(cause.next, options);
  return next === cause.next ? cause : new Failure(cause.message, { ...cause.details, next });
}

/** Names the option instead of the flag with the same meaning, but not in a command to type. */
export function nameOptions(text: string, options = optionNames): string {
  const named = (part: string): string =>
    part.replaceAll(/--([a-z-]+)/gu, (flag, name: string) => {
      const option = name.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase());
      return options.includes(option) ? option : flag;
    });
  return text
    .split("; ")
    .map((part) => (part.includes(": dexdata ") ? part : named(part)))
    .join("; ");
}
