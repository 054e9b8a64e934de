import type { Endpoint } from "../../contract/endpoint.ts";
import type { Param, ParamKind } from "../../contract/param.ts";
import { followFlags } from "../follow/follow-flags.ts";
import { watchFlags } from "../watch/watch-flags.ts";
import { type Flag, type FlagGroup, type Flags, flag } from "../../run/flags/flag.ts";
import { type FlagType, text, toggle } from "../../run/flags/flag-types.ts";
import { flagsOfReply, type ReplyFlags } from "./reply-flags.ts";
import type { sharedFlags } from "../../run/flags/shared-flags.ts";

/** In the order used in help, without the shared flags. */
export function endpointFlags(group: readonly Endpoint[]): Flags {
  const flags: Record<string, Flag> = {};
  for (const endpoint of group) {
    const { chosenBy } = endpoint;
    const heading = groupOfParams(endpoint);
    if (chosenBy !== undefined)
      flags[chosenBy] = flag(toggle, heading, {
        summary: `Treat the address as a ${chosenBy}`,
        ...(endpoint.chosenByHelp !== undefined && { details: endpoint.chosenByHelp }),
      });
    for (const param of endpoint.params)
      if (param.flag !== undefined) flags[param.flag] = flagOfParam(param, heading);
    Object.assign(flags, flagsOfReply(endpoint.reply));
    if (endpoint.feed !== undefined) Object.assign(flags, followFlags);
  }
  return { ...flags, ...watchFlags };
}

/** Excludes the filters, which the endpoint parses. */
export type EndpointFlags = ReplyFlags & typeof followFlags & typeof watchFlags & typeof sharedFlags;

function groupOfParams({ reply: { kind } }: Endpoint): FlagGroup {
  if (kind === "candles") return "Candles";
  return kind === "single" ? "Parameters" : "Filters";
}

/** Accepts any text, because filters are parsed later, with the run's clock. */
function flagOfParam({ name, kind, help, details, default: usual }: Param, group: FlagGroup): Flag {
  const choices = kind.kind === "choice" && { choices: kind.choices };
  return flag({ ...types[kind.kind], ...choices, ...special[name] }, group, {
    summary: help,
    ...(details !== undefined && { details }),
    ...(usual !== undefined && { default: usual }),
    ...suggested[name],
  });
}

const types: Readonly<Record<ParamKind["kind"], FlagType<string | true>>> = {
  text: text("text"),
  network: text("network"),
  address: text("address", "address"),
  list: text("a,b", "list"),
  integer: text("n", "integer"),
  amount: text("number", "number"),
  choice: text("value", "choice"),
  toggle,
  time: text("time", "time"),
};

/** Parameters whose values are listed by the service. */
const suggested: Readonly<Record<string, Pick<Flag, "suggests">>> = {
  dex_name: { suggests: "dexes" },
  chains: { suggests: "networks" },
};

/** Parameters whose value has a better name than its type. */
const special: Readonly<Record<string, Pick<FlagType<unknown>, "placeholder" | "isList">>> = {
  chains: { placeholder: "networks", isList: true },
  dex_name: { placeholder: "dex-id" },
  interval: { placeholder: "interval" },
  order_by: { placeholder: "field" },
  sort: { placeholder: "direction" },
};
