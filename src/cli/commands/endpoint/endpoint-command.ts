import { batchParam } from "../../../api/reply.ts";
import { type Endpoint, takesAddress } from "../../../api/endpoint.ts";
import { partialExits } from "../../../base/exit-codes.ts";
import { plans, type Tier } from "../../../api/tier.ts";
import {
  addressesWithNetworks,
  anyPlan,
  type Command,
  type EndpointGroup,
  type PlanInWords,
  positionalsOf,
} from "../command.ts";
import { type EndpointFlags, endpointFlags } from "../flags/endpoint-flags.ts";
import { type Flags, readValues } from "../../run/flags/flag.ts";
import { sharedFlags } from "../../run/flags/shared-flags.ts";

/** What the commands for market data accept, and the user's account. */
const lookups: ReadonlySet<string> = new Set(["networks", "dexes", "usage"]);

export function endpointCommand(group: EndpointGroup): Command {
  const [endpoint] = group;
  const isBatch = batchParam(endpoint.reply) !== undefined;
  const unit = isBatch ? "address" : "request";
  // Past prices are made from candles, and only by the command.
  const [past, pastPrices] = isBatch
    ? [", now or at times in the past", "; with --at, 1 per request"]
    : ["", ""];
  // Creating the flags for all commands would add a millisecond to each startup.
  let made: Flags | undefined;
  const flags = (): Flags => (made ??= endpointFlags(group));
  return {
    words: endpoint.command,
    section: lookups.has(endpoint.command) ? "Reference" : "Market data",
    positionals: positionalsOf(group),
    otherForm: takesAddress(endpoint) ? addressesWithNetworks : undefined,
    summary: `${endpoint.summary}${past}`,
    examples: endpoint.examples,
    passesExit: false,
    notes: endpoint.note === undefined ? [] : [endpoint.note],
    get flags() {
      return flags();
    },
    shared: sharedFlags,
    credits: { full: `1 credit per ${unit}${pastPrices}`, brief: `1 per ${unit}` },
    plan: planOf(group),
    // Several addresses can fail one by one, pages can be missing from a list, and an alert may not have come.
    exits: partialExits,
    endpoints: group,
    run: async (words, typed, context) => {
      const all = { ...sharedFlags, ...flags() };
      const input = { words, typed, flags: readValues<EndpointFlags>(all, typed), spent: undefined };
      const asked = (["fields", "columns"] as const).find((name) => typed.get(name)?.at(-1) === "?");
      if (asked !== undefined) {
        const { listNamesOf } = await import("../pull/list-fields.ts");
        return await listNamesOf(asked, group, input, context);
      }
      const { runEndpoint } = await import("./run-endpoint.ts");
      return await runEndpoint(group, input, context);
    },
  };
}

/** If a flag selects the endpoint, the text names that flag. */
function planOf(group: readonly Endpoint[]): PlanInWords {
  const needed = group.map(({ chosenBy, plan, reply }) => {
    if (batchParam(reply) !== undefined) return planOfPrices;
    const who = planName(plan);
    if (chosenBy === undefined) return who;
    const brief = `${who.brief} with --${chosenBy}`;
    return { ...who, full: `${brief}${who.full.slice(who.brief.length)}`, brief };
  });
  const said = [...new Map(needed.map((each) => [each.full, each])).values()];
  return {
    full: said.map(({ full }) => full).join("; "),
    brief: said.map(({ brief }) => brief).join("; "),
    isBounded: said.some(({ isBounded }) => isBounded),
  };
}

/** Prices in the past are read from candles. */
const planOfPrices: PlanInWords = {
  full: `${anyPlan.full}; dev or higher with --at, except with --pool`,
  brief: "any",
  isBounded: true,
};

function planName(tier: Tier): PlanInWords {
  const name = `${tier} or higher`;
  return plans[tier].hosts === "paid" ? { full: name, brief: name, isBounded: true } : anyPlan;
}
