import { plans } from "../../../model/tier.ts";
import { connectionsOfPlan } from "../../../tail/feeds.ts";
import type { CatalogueEntry } from "../../catalogue.ts";
import { requestFlags } from "../../flags/request-flags.ts";
import { fullRows } from "../flag-rows.ts";
import type { Block } from "../page.ts";

const spending = ["estimate", "max-credits", "rpm", "parallel", "require-plan", "retries"];

export function creditsTopic(entries: readonly CatalogueEntry[]): readonly Block[] {
  return [
    {
      prose:
        "Every request costs one credit, a batch of prices one an address, an event of a stream one. It also counts " +
        "against a rate a minute. Refusals for key, plan, rate and server errors cost none; 404 and 410 do. " +
        "dexdata usage says what is left.",
    },
    {
      heading: "Plans",
      rows: Object.values(plans).map(({ tier, hosts, requestsPerMinute }) => [
        tier,
        `${requestsPerMinute === undefined ? "rate as agreed" : `${requestsPerMinute} requests a minute`}, ` +
          `${connectionsOfPlan[tier]} streams, ${hosts} hosts`,
      ]),
    },
    {
      heading: "Commands that not every plan may run",
      rows: entries.filter(({ plan }) => plan.includes("higher")).map(({ words, plan }) => [words, plan]),
    },
    { heading: "Flags", rows: fullRows(requestFlags.filter(({ name }) => spending.includes(name))) },
    {
      prose:
        "dexdata config set budget.daily 5000 bounds a UTC day over all processes of this machine with the same key. " +
        "With --sandbox nothing is spent.",
    },
    {
      heading: "Examples",
      commands: ["dexdata pools search ethereum --all --estimate --sandbox", "dexdata usage --sandbox"],
    },
  ];
}
