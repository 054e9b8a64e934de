import { flag } from "../../run/flags/flag.ts";
import type { sharedFlags } from "../../run/flags/shared-flags.ts";
import { texts, toggle, wholeNumber } from "../../run/flags/flag-types.ts";
import { strictFlag } from "../flags/endpoint-flags.ts";
import type { Block } from "../../help-page.ts";

export const apiFlags = {
  field: flag(texts("name=value"), "Parameters", {
    short: "f",
    suggests: "parameters",
    summary: "Set a query parameter by its API name; the value is sent as is",
    details: "; repeatable",
    default: [],
  }),
  paginate: flag(toggle, "Rows", { summary: "Fetch every row of a list, across all pages" }),
  limit: flag(wholeNumber({ min: 1 }), "Rows", {
    with: "paginate",
    needs: { flag: "paginate", next: "to set the page size, use --field limit=N" },
    summary: "Maximum number of rows",
    defaultSaid: "default: all",
  }),
  "no-strict": strictFlag(
    "If the service ignored a parameter or counts more rows than it sent, print a warning instead of failing",
  ),
};

export type ApiFlags = typeof sharedFlags & typeof apiFlags;

export const apiNotes: readonly Block[] = [
  {
    prose:
      "The path is relative to the configured host. Its leading slash is optional. A query string may follow the " +
      "path. Full URLs are rejected; otherwise, the key would be sent to any host that a URL names. The service " +
      "silently ignores unknown parameters. If the response to a search shows that the service ignored a parameter, the " +
      "command fails before the first row, unless --no-strict is given.",
  },
  {
    prose:
      "Without --paginate, dexdata sends one request and prints the response as received. With -o ndjson, each element of " +
      "an array is one line, and any other response is a single line. With -o json, the response is one document. With " +
      "-o table, it is the table that the command for that endpoint prints, or JSON if dexdata does not know the path.",
  },
  {
    prose:
      "With --paginate, the rows are the same as in the command for that endpoint. The page size is set by " +
      "-f limit=N, the total by --limit, and the start by -f cursor=C or -f page=N. Values are sent as " +
      "is, except relative times such as -f from=-24h: they are converted once, so that all pages cover the same range.",
  },
];
