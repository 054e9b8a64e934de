import { flag } from "../../run/flags/flag.ts";
import type { sharedFlags } from "../../run/flags/shared-flags.ts";
import { texts, toggle, wholeNumber } from "../../run/flags/flag-types.ts";
import { strictFlag } from "../endpoint/reply-flags.ts";
import type { Block } from "../../render/page/help-page.ts";

/** The flags of `dexdata api` in addition to the shared ones. */
export const apiFlags = {
  field: flag(texts("name=value"), "Filters", {
    short: "f",
    suggests: "parameters",
    summary: "a parameter of the query, by its wire name, sent as typed",
    details: "; once for each",
  }),
  paginate: flag(toggle, "Rows", { summary: "every row of a list, page after page" }),
  limit: flag(wholeNumber({ min: 1 }), "Rows", {
    with: "paginate",
    needs: { flag: "paginate", next: "the size of one page is --field limit=N" },
    summary: "rows in all",
    default: "all",
    defaultSaid: "default: all",
  }),
  "no-strict": strictFlag("Accept rows even if the service ignored a parameter or counts more of them"),
};

export type ApiFlags = typeof sharedFlags & typeof apiFlags;

/** The text that full help shows below the flags. */
export const apiNotes: readonly Block[] = [
  {
    prose:
      "The path is one of the configured service, with or without the slash in front, and may have a query of its own; " +
      "a URL is refused, because the key would leave with it. Values are sent as typed. The service drops a name that " +
      "it does not know without a word; where a search shows that it did, the command ends before a row, unless " +
      "--no-strict is given.",
  },
  {
    prose:
      "Without --paginate one request is sent and the answer shown as it came: as ndjson an array is one line an " +
      "element and anything else one line; as json one document; as a table what the endpoint's own command shows, " +
      "and JSON where the path is none that dexdata knows. With --paginate the rows are shown as by the endpoint's " +
      "own command; the parameters limit, cursor and page then say how large a page is and where to begin, and times " +
      "are resolved once.",
  },
];
