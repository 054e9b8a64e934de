import { choiceFailure } from "../../contract/read-param.ts";
import type { Reply } from "../../contract/reply.ts";
import { type Flags, type Flag, flag } from "../../run/flags/flag.ts";
import { choice, list, text, toggle, wholeNumber } from "../../run/flags/flag-types.ts";
import { chartFlag, sparkFlag } from "../../run/flags/picture-flags.ts";

type ReplyOf<Kind extends Reply["kind"]> = Extract<Reply, { kind: Kind }>;

const rows = wholeNumber({ min: 1 });

/** The limit for lists that are complete by default. */
const limitOfAll = flag(rows, "Rows", {
  summary: "Maximum number of rows",
  default: "all",
  defaultSaid: "default: all",
});

export const strictFlag = (summary: string): Flag<true> => flag(toggle, "Requests", { summary });

const pagingFlags = ({ maxLimit }: { readonly maxLimit: number }) => ({
  limit: flag(rows, "Rows", { summary: "Maximum number of rows", default: "10" }),
  all: flag(toggle, "Rows", {
    summary: "Fetch every row, across all pages",
    excludes: [{ flag: "limit", isMutual: true, next: "use only one of them" }],
  }),
  "page-size": flag(wholeNumber({ min: 1, max: maxLimit }, `1..${maxLimit}`), "Pages", {
    summary: "Rows per request",
  }),
  cursor: flag(text("cursor"), "Pages", {
    summary: "Continue from this cursor",
    excludes: [{ flag: "page", isMutual: true, next: "use only one of them" }],
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

const batchFlags = {
  missing: flag(choice(["skip", "null", "fail"], "action"), "Rows", {
    summary: "What to do with tokens without a price",
    default: "skip",
    details:
      ": skip (default; lists them on stderr), null (prints a row for each), fail (lists them, exits 8)",
    choicesIn: "details",
  }),
};

const candleFlags = {
  fill: flag(choice(["null", "previous"], "price"), "Rows", {
    summary:
      "Add a row for each interval without trades; its prices are null or previous (the previous close)",
    choicesIn: "summary",
  }),
  chart: chartFlag,
};

const groupFlags = ({ groups }: ReplyOf<"groups">) => ({
  limit: flag(rows, "Rows", {
    summary: "Maximum number of rows in each group",
    default: "all",
    defaultSaid: "default: all",
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

export function flagsOfReply(reply: Reply): Flags {
  switch (reply.kind) {
    case "single":
      return {};
    case "list":
      return { limit: limitOfAll };
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

/** Each endpoint has only some of these flags. */
export type ReplyFlags = ReturnType<typeof cursorPageFlags> &
  ReturnType<typeof numberedPageFlags> &
  typeof batchFlags &
  typeof candleFlags &
  ReturnType<typeof groupFlags>;
