import type { Flag } from "./flags.ts";
import { chartFlag, sparkFlag } from "./picture-flags.ts";

const limitFlag: Flag = { name: "limit", value: "n", help: "rows in all (default 10)", group: "Rows" };

const pagingFlags: readonly Flag[] = [
  limitFlag,
  { name: "all", help: "every row, page after page", group: "Rows" },
  { name: "page-size", value: "1..100", help: "rows one request asks for", group: "Pages" },
  { name: "cursor", value: "cursor", help: "continue where an earlier call ended", group: "Pages" },
];

const pageFlag: Flag = { name: "page", value: "n", help: "begin with this page, from 1", group: "Pages" };

export const strictFlag = (help: string): Flag => ({ name: "no-strict", help, group: "Requests" });

/** The flags that follow from how an endpoint answers. */
export const flagsOfReply: Readonly<Record<string, readonly Flag[]>> = {
  single: [],
  list: [{ ...limitFlag, help: "rows in all (default: all)" }],
  "cursor-pages": [
    ...pagingFlags,
    strictFlag("Accept rows even if the service ignored a filter, with a warning"),
    sparkFlag,
  ],
  "numbered-pages": [
    ...pagingFlags,
    pageFlag,
    strictFlag("Accept a list that is shorter than the service's count, with a warning"),
  ],
  batch: [
    {
      name: "missing",
      value: "how",
      choices: ["skip", "null", "fail"],
      help: "tokens without a price (default skip); skip names them on stderr, null gives a line each, fail exits 8",
      group: "Rows",
    },
  ],
  candles: [
    {
      name: "fill",
      value: "how",
      choices: ["null", "previous"],
      help: "a row for each interval without a trade, its prices null or the close before",
      group: "Rows",
    },
    chartFlag,
  ],
  groups: [
    {
      name: "type",
      value: "groups",
      suggests: ["tokens", "pools", "dexes"],
      isList: true,
      help: "only these: tokens,pools,dexes",
      group: "Rows",
    },
  ],
};
