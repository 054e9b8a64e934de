import type { ContractEndpoint } from "../model/endpoint.ts";
import { anything, optional, text, time } from "../model/record.ts";

/** Specification, "Other endpoints": the plan, and with a paid key the period's use; only `plan` is publicly known. */
export const usage: ContractEndpoint = {
  id: "usage",
  command: "usage",
  method: "GET",
  path: "/usage",
  summary: "the plan you are counted under, and credits used and left",
  examples: ["dexdata usage", "dexdata usage -o json"],
  plan: "keyless",
  params: [],
  reply: { kind: "single" },
  rows: {
    rows: {
      record: {
        plan: optional(text),
        credits: optional(anything),
        overage: optional(anything),
        resets_at: optional(time),
      },
      identity: [],
      columns: [
        { field: "plan", title: "plan" },
        { field: "credits.limit", title: "credits" },
        { field: "credits.used", title: "used" },
        { field: "credits.remaining", title: "left" },
        { field: "resets_at", title: "resets" },
      ],
    },
  },
};
