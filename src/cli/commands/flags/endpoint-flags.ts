import type { Endpoint } from "../../../api/endpoint.ts";
import { acceptedChoices, choiceFailure } from "../../../api/read-choice.ts";
import type { Param, ParamKind } from "../../../api/param.ts";
import { batchParam, continuesByTime, isMovingWindow, type Reply } from "../../../api/reply.ts";
import { followFlags, growthFlags, watchAlertFlags, watchFlags } from "./lasting-flags.ts";
import { intervals, sameIntervals } from "../../../api/endpoints/ohlcv.ts";
import { atRules } from "../../../api/endpoints/prices.ts";
import {
  type Exclusion,
  type Flag,
  type FlagGroup,
  type Flags,
  flag,
  type OfSomeCommands,
  type TypedFlags,
} from "../../run/flags/flag.ts";
import {
  choice,
  duration,
  filledText,
  type FlagType,
  list,
  text,
  texts,
  toggle,
  wholeNumber,
} from "../../run/flags/flag-types.ts";
import { chartFlag, prefixFlag, type sharedFlags, sparkFlag } from "../../run/flags/shared-flags.ts";
import { settings } from "../../../client/settings.ts";

/** In the order used in help, without the shared flags. */
export function endpointFlags(group: readonly Endpoint[]): Flags {
  const flags: Record<string, Flag> = {};
  for (const endpoint of group)
    if (endpoint.chosenBy !== undefined)
      flags[endpoint.chosenBy] = flag(toggle, groupOfParams(endpoint), {
        summary: `Treat the address as a ${endpoint.chosenBy}`,
        ...(endpoint.chosenByHelp !== undefined && { details: endpoint.chosenByHelp }),
      });
  for (const endpoint of group) {
    const heading = groupOfParams(endpoint);
    for (const param of endpoint.params) {
      if (param.flag !== undefined)
        flags[param.flag] = flagOfParam(param, ordering.has(param.name) ? "Rows" : heading);
      if (param.several !== undefined) flags["max-rows-read"] = maxRowsRead;
    }
    if (flags["from"] !== undefined) Object.assign(flags, { day: dayFlag(heading, endpoint.reply) });
    Object.assign(flags, flagsOfReply(endpoint.reply));
    if (endpoint.lists === "trades") Object.assign(flags, tradeFlags, followFlags);
    if (endpoint.lists === "pools") Object.assign(flags, growthFlags);
  }
  const hasCrossings = !group.some(({ reply }) => isMovingWindow(reply));
  const { watch, metrics } = watchFlags;
  const details = `${watch.details}; --when adds alerts (see: dexdata help alerts)`;
  return {
    ...(hasCrossings && watchAlertFlags),
    ...flags,
    watch: hasCrossings ? { ...watch, details } : watch,
    for: flags["for"] ?? watchFlags.for,
    metrics: { ...metrics, with: flags["follow"] === undefined ? ["watch"] : metrics.with },
    prefix: prefixFlag,
  };
}

/** Excludes the filters, which the endpoint parses. */
export type EndpointFlags = OfSomeCommands<
  ReturnType<typeof cursorPageFlags> &
    ReturnType<typeof numberedPageFlags> &
    typeof batchFlags &
    typeof candleFlags &
    ReturnType<typeof groupFlags> &
    typeof followFlags &
    typeof tradeFlags & {
      readonly day: ReturnType<typeof dayFlag>;
      readonly "max-rows-read": typeof maxRowsRead;
    }
> &
  typeof watchFlags &
  typeof sharedFlags & { readonly prefix: typeof prefixFlag };

export type FollowedFlags = EndpointFlags &
  typeof followFlags &
  OfSomeCommands<Pick<typeof growthFlags, "envelope">>;

/** Whether a command for prices has flags for prices in the past. */
export const isTimed = ({ reply }: Endpoint, typed: TypedFlags): boolean =>
  batchParam(reply) !== undefined && Object.keys(timedFlags).some((name) => typed.has(name));

/** Parameters of lists that do not filter. */
const ordering: ReadonlySet<string> = new Set(["order_by", "sort"]);

function groupOfParams({ reply: { kind } }: Endpoint): FlagGroup {
  if (kind === "candles") return "Candles";
  return kind === "single" ? "Parameters" : "Filters";
}

/** Accepts any text, because filters are parsed later, with the run's clock. */
function flagOfParam({ name, kind, help, details, several, default: usual }: Param, group: FlagGroup): Flag {
  const choices = kind.kind === "choice" && { choices: acceptedChoices(kind) };
  const type = { ...types[kind.kind], ...choices, ...special[name], isRepeatable: several !== undefined };
  return flag(type, group, {
    summary: help,
    details,
    ...(usual !== undefined && { paramDefault: kind.kind === "integer" ? Number(usual) : usual }),
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
const special: Readonly<Record<string, Partial<FlagType<unknown>>>> = {
  chains: { placeholder: "networks", isList: true },
  dex_name: { placeholder: "dex-id" },
  interval: { placeholder: "interval" },
  order_by: { placeholder: "field" },
  sort: { placeholder: "direction" },
};

type ReplyOf<Kind extends Reply["kind"]> = Extract<Reply, { kind: Kind }>;

const rows = wholeNumber({ min: 1 });

export const strictFlag = (summary: string): Flag<true> => flag(toggle, "Requests", { summary });

const maxRowsRead = flag(wholeNumber({ min: 1 }), "Pages", {
  summary: "With several --token flags, stop after reading this many rows",
  default: 2000,
});

const onlyOneOf = (other: string): Exclusion => ({
  flag: other,
  isMutual: true,
  next: "use only one of them",
});

/** After a cursor, such a list has only rows that are older than the one it names. */
const onlyPastRows = { flag: "watch", why: "past rows do not change", next: "remove --watch" };

const pagingFlags = (reply: ReplyOf<"cursor-pages" | "numbered-pages">) => ({
  limit: flag(rows, "Rows", { summary: "Maximum number of rows", default: 10 }),
  all: flag(toggle, "Rows", {
    summary: "Fetch every row, across all pages",
    excludes: [onlyOneOf("limit")],
  }),
  "page-size": flag(wholeNumber({ min: 1, max: reply.maxLimit }, `1..${reply.maxLimit}`), "Pages", {
    summary: "Rows per request",
    setting: settings.page_size,
  }),
  cursor: flag(text("cursor"), "Pages", {
    summary: "Continue from this cursor",
    excludes: [onlyOneOf("page"), ...(continuesByTime(reply) ? [onlyPastRows] : [])],
  }),
});

const cursorPageFlags = (reply: ReplyOf<"cursor-pages">) => ({
  ...pagingFlags(reply),
  "no-strict": strictFlag("If the service ignored a filter, print a warning instead of failing"),
  spark: sparkFlag,
});

/** For lists without a limit in the specification. */
const lastPage = 1000;

const numberedPageFlags = (reply: ReplyOf<"numbered-pages">) => ({
  ...pagingFlags(reply),
  page: flag(wholeNumber({ min: 1, max: reply.handOverAfter ?? lastPage }), "Pages", {
    summary: "Start at this page; the first is 1",
  }),
  "no-strict": strictFlag(
    "If the list is shorter than the service's count, print a warning instead of failing",
  ),
});

/** The text is parsed later, with the run's clock. */
const dayFlag = (heading: FlagGroup, { kind }: Pick<Reply, "kind">): Flag<string> =>
  flag(text("day"), heading, {
    summary: "Only these UTC days: yesterday, today, 2026-11-20 or a range such as 2026-11-18..2026-11-20",
    suggests: ["yesterday", "today"],
    excludes: ["from", "to", kind === "candles" ? "count-back" : "follow"].map(onlyOneOf),
  });

const tradeFlags = {
  amounts: flag(choice(["raw", "tokens"], "unit"), "Rows", {
    summary:
      "Unit of amounts, raw (default) or tokens; tokens adds exact amounts in tokens, size in USD and type",
    default: "raw",
  }),
};

const pricesAtTime = "Prices at a time";
const timeFlags = ["at", "at-field"];
const pastIsFixed = { flag: "watch", why: "prices in the past do not change", next: "remove --watch" };

const atTimes: FlagType<readonly string[]> = { ...texts("time"), name: "time" };

/** Prices at times in the past, which are read from candles. */
const timedFlags = {
  at: flag(atTimes, pricesAtTime, {
    summary: "Get the price at this time; repeatable",
    details:
      "; read from candles, which require a dev plan for tokens (any plan with --pool); a line of a list can have its own time, e.g. weth 2026-11-01",
    excludes: [pastIsFixed],
  }),
  "at-field": flag(filledText("field"), pricesAtTime, {
    summary: "Get a price for each input row, at the time in this field",
    details:
      "; the input is NDJSON or CSV with network and one of token, asset, address or pool, or NDJSON of other commands; a row of txns gets a price for each of its tokens",
    excludes: [pastIsFixed, onlyOneOf("at")],
  }),
  interval: flag(choice(intervals, "interval", sameIntervals), pricesAtTime, {
    summary: "Length of the candles that past prices are taken from",
    default: "1h",
    with: timeFlags,
  }),
  "max-age": flag(duration, pricesAtTime, {
    summary: "Maximum time from the close of the candle to the requested time",
    default: 86_400_000,
    with: timeFlags,
  }),
  "at-rule": flag(choice(atRules, "rule"), pricesAtTime, {
    summary:
      "Which candle sets the price: before (default; the newest that had closed by then), open (the one that contains the time)",
    default: "before",
    with: timeFlags,
  }),
  in: flag(filledText("asset", "address"), pricesAtTime, {
    summary: "Add the price in this token at the same time",
    with: timeFlags,
  }),
  pool: flag(toggle, pricesAtTime, {
    summary: "Treat the addresses as pools",
    details: ", each priced in one of its tokens",
    with: timeFlags,
  }),
  lake: flag(filledText("directory", "file"), pricesAtTime, {
    summary: "Use complete candles from this directory of dexdata sync",
    details: "; requests only the others",
    with: timeFlags,
  }),
};

const batchFlags = {
  missing: flag(choice(["skip", "null", "fail"], "action"), "Rows", {
    summary: "What to do with tokens without a price",
    default: "skip",
    details:
      ": skip (default; lists them on stderr), null (prints a row for each; the default with --at), fail (lists them, exits 8)",
  }),
  ...timedFlags,
};

const candleFlags = {
  fill: flag(choice(["null", "previous"], "price"), "Rows", {
    summary:
      "Add rows for intervals without trades, as null or previous; null: without prices, previous: with the previous close",
  }),
  chart: chartFlag,
};

const groupFlags = ({ groups }: ReplyOf<"groups">) => ({
  limit: flag(rows, "Rows", {
    summary: "Maximum number of rows in each group",
    defaultSaid: "default: all that the service returns",
  }),
  type: flag(
    list("groups", (_, typed, name) => {
      const unknown = typed.find((word) => !groups.includes(word));
      if (unknown !== undefined) throw choiceFailure(`--${name} "${unknown}"`, unknown, groups);
      return typed;
    }),
    "Rows",
    { suggests: groups, summary: `Search only these groups, separated by commas: ${groups.join(", ")}` },
  ),
});

function flagsOfReply(reply: Reply): Flags {
  switch (reply.kind) {
    case "single":
      return {};
    case "list":
      return {
        limit: flag(rows, "Rows", { summary: "Maximum number of rows", defaultSaid: "default: all" }),
      };
    case "cursor-pages":
      return cursorPageFlags(reply);
    case "numbered-pages":
      return numberedPageFlags(reply);
    case "batch":
      return batchFlags;
    case "candles":
      return candleFlags;
    case "groups":
      return groupFlags(reply);
  }
}
