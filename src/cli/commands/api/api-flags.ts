import { flag } from "../../run/flags/flag.ts";
import type { sharedFlags } from "../../run/flags/shared-flags.ts";
import { texts, toggle, wholeNumber } from "../../run/flags/flag-types.ts";
import { strictFlag } from "../flags/endpoint-flags.ts";

export const apiFlags = {
  field: flag(texts("name=value"), "Parameters", {
    short: "f",
    summary: "Set a query parameter by its API name; the value is sent as is",
    details: "; repeatable",
    default: [],
  }),
  paginate: flag(toggle, "Rows", { summary: "Fetch every row of a list, across all pages" }),
  limit: flag(wholeNumber({ min: 1 }), "Rows", {
    needs: { flag: "paginate", next: "to set the page size, use --field limit=N" },
    summary: "Maximum number of rows",
    defaultSaid: "default: all",
  }),
  "no-strict": strictFlag(
    "If the service ignored a parameter or counts more rows than it sent, print a warning instead of failing",
  ),
};

export type ApiFlags = typeof sharedFlags & typeof apiFlags;
