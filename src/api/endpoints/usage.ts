import { defineEndpoint } from "../endpoint.ts";
import { anything, optional, text, time } from "../record.ts";

/** Specification, "Other endpoints". Only `plan` is documented; a paid key also gets its usage for this period. */
export const usage = defineEndpoint("usage", {
  command: "usage",
  path: "/usage",
  summary: "Show your plan and, with a key, credits used and left",
  examples: ["dexdata usage", "dexdata usage -o json"],
  params: [],
  reply: { kind: "single" },
  row: {
    name: "usage",
    record: {
      plan: optional(text),
      // All its members are numbers of credits.
      credits: { ...optional(anything), reads: "count" },
      overage: optional(anything),
      resets_at: optional(time),
    },
    identity: [],
    columns: [
      { field: "plan", title: "plan", priority: 1 },
      { field: "credits.limit", title: "credits", priority: 4 },
      { field: "credits.used", title: "used", priority: 3 },
      { field: "credits.remaining", title: "left", priority: 2 },
      { field: "resets_at", title: "resets", priority: 5 },
    ],
  },
});
