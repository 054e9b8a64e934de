import { plans } from "../../../contract/tier.ts";
import { connectionsOfPlan } from "../../../contract/feed.ts";
import type { Command } from "../../../commands/command.ts";
import { pick } from "../../../run/flags/flag.ts";
import { requestFlags } from "../../../run/flags/shared-flags.ts";
import { fullRows } from "../flag-rows.ts";
import type { Block } from "../../../render/page/help-page.ts";

const spending = pick(requestFlags, "estimate", "max-credits", "rpm", "parallel", "require-plan", "retries");

export function creditsTopic(entries: readonly Command[]): readonly Block[] {
  return [
    {
      prose:
        "Every request costs one credit, a batch of prices one an address, an event of a stream one. It also counts " +
        "against a rate a minute. Refusals for key, plan, rate and server errors cost none; 404 and 410 do. " +
        "dexdata usage says what is left. With --sandbox nothing is spent.",
    },
    {
      prose:
        "Credits of keyless and free return 30 days after they were spent, those of dev and pro when the billing period " +
        "ends. With overage enabled, a pro plan continues beyond its credits at 20 USD per million, up to its spend cap.",
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
      rows: entries.filter(({ plan }) => plan.isBounded).map(({ words, plan }) => [words, plan.full]),
    },
    { heading: "Flags", rows: fullRows(spending) },
    {
      heading: "Bounds",
      rows: [
        [
          "--estimate",
          "asks one request at most, and is exact, at most, or about with credits_at_most; retried answers come on top",
        ],
        [
          "budget.daily",
          "dexdata config set budget.daily 5000 bounds a UTC day over all processes of this machine with the same key on " +
            "the same service. It and --max-credits count an answer that was cut off, as the service may have charged for it",
        ],
      ],
    },
    {
      heading: "Pace",
      rows: [
        [
          "the plan's",
          "as many requests as a minute allows, then none until the first is a minute old. Processes of this machine with " +
            "the same key (or none) take turns through a file in the state folder that holds no key; where it cannot be " +
            "written, one warning, and each keeps the pace alone. RateLimit-Limit and two 429s at one number of requests " +
            "lower it for ten minutes, never below a tenth; after a 429, no process sends a request before its Retry-After, up to 1h. " +
            "Streams reconnect within half of the rate",
        ],
        [
          "--rpm N",
          "a tenth of N in a tenth of the minute, never lowered; unlimited only obeys Retry-After, and takes no turns",
        ],
      ],
    },
    {
      heading: "Examples",
      commands: ["dexdata pools search ethereum --all --estimate --sandbox", "dexdata usage --sandbox"],
    },
  ];
}
