import { flag } from "../../run/flags/flag.ts";
import type { sharedFlags } from "../../run/flags/shared-flags.ts";
import { texts, toggle, wholeNumber } from "../../run/flags/flag-types.ts";
import { strictFlag } from "../endpoint/reply-flags.ts";
import type { Block } from "../../render/page/help-page.ts";

/** The flags that `dexdata api` has in addition to the shared ones. */
export const apiFlags = {
  field: flag(texts("name=value"), "Filters", {
    short: "f",
    suggests: "parameters",
    summary: "Query parameter by its API name, sent as is",
    details: "; repeatable",
  }),
  paginate: flag(toggle, "Rows", { summary: "Fetch every row of a list, across all pages" }),
  limit: flag(wholeNumber({ min: 1 }), "Rows", {
    with: "paginate",
    needs: { flag: "paginate", next: "to set the page size, use --field limit=N" },
    summary: "Maximum number of rows",
    default: "all",
    defaultSaid: "default: all",
  }),
  "no-strict": strictFlag("Accept rows even if the service ignored a parameter or reports more of them"),
};

export type ApiFlags = typeof sharedFlags & typeof apiFlags;

/** Text that the full help shows below the flags. */
export const apiNotes: readonly Block[] = [
  {
    prose:
      "The path is relative to the configured host; the leading slash is optional, and it may include a query. " +
      "Full URLs are rejected, because the key would be sent to that host. Values are sent as is. The service silently " +
      "ignores unknown parameters; if a search shows that it did, the command fails before the first row, unless " +
      "--no-strict is given.",
  },
  {
    prose:
      "Without --paginate, dexdata sends one request and prints the response as received: ndjson prints each element " +
      "of an array on a line, and anything else on one line; json prints one document; table prints what the command " +
      "of the endpoint prints, or JSON for a path that dexdata does not know. With --paginate, rows look like those " +
      "from that command. The parameters limit, cursor and page then set the page size and the first page, and times " +
      "are resolved once.",
  },
];
