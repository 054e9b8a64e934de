import type { Endpoint } from "../../contract/endpoint.ts";
import type { Flag } from "./flags.ts";
import { flagsOfReply } from "./reply-flags.ts";
import { followFlags } from "../follow/follow-flags.ts";
import { watchFlag } from "../watch/watch-flags.ts";

/** Every flag of a command of the service, in the order of help. */
export function endpointFlags(group: readonly Endpoint[]): readonly Flag[] {
  const flags = new Map<string, Flag>();
  for (const endpoint of group) {
    if (endpoint.chosenBy !== undefined) {
      flags.set(endpoint.chosenBy, {
        name: endpoint.chosenBy,
        help: `the address is a ${endpoint.chosenBy}'s: ${endpoint.summary}`,
        group: "Filters",
      });
    }
    for (const { name, flag, kind, help } of endpoint.params) {
      if (flag === undefined) continue;
      const choices = kind.kind === "choice" ? { choices: kind.choices } : {};
      const value = kind.kind === "toggle" ? {} : { value: placeholders[kind.kind] };
      const lists = listsOf[name] ?? {};
      flags.set(flag, { name: flag, help, group: "Filters", ...value, ...choices, ...lists });
    }
    for (const flag of flagsOfReply[endpoint.reply.kind] ?? []) flags.set(flag.name, flag);
    if (endpoint.id === "pool_transactions") for (const flag of followFlags) flags.set(flag.name, flag);
  }
  return [...flags.values(), watchFlag];
}

/** Parameters whose values the service lists. */
const listsOf: Readonly<Record<string, Pick<Flag, "suggests" | "isList">>> = {
  dex_name: { suggests: "dexes" },
  chains: { suggests: "networks", isList: true },
};

const placeholders = {
  text: "text",
  network: "network",
  address: "address",
  list: "a,b",
  integer: "n",
  amount: "number",
  choice: "word",
  time: "time",
} as const;
