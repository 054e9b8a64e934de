import { partialExits } from "../../base/exit-codes.ts";
import { serviceErrors } from "../../api/service-errors.ts";
import { documentFlags, explainFlags, textFlags } from "../run/flags/shared-flags.ts";
import { pick } from "../run/flags/flag.ts";
import { apiFlags } from "./api/api-flags.ts";
import { command, reference } from "./command.ts";
import { schemaFlags } from "./schema/known-records.ts";

export const apiCommand = command({
  ...reference,
  words: "api",
  positionals: [{ name: "path" }],
  summary: "Call any API path; --paginate fetches every row",
  credits: {
    full: "1 credit per request; /multi/prices costs 1 credit per address",
    brief: "1 per request",
  },
  plan: { full: "depends on the endpoint", brief: "depends on the endpoint", isBounded: false },
  examples: [
    "dexdata api /networks",
    "dexdata api /networks/ethereum/pools/search -f order_by=liquidity_usd -f limit=5",
    "dexdata api networks/base/dexes --paginate -o ndjson",
    "dexdata api '/search?query=weth' -o json --fields pools.0.id",
  ],
  exits: partialExits,
  flags: apiFlags,
  shared: textFlags,
  notes: [
    "The path is relative to the configured host. Its leading slash is optional. A query string may follow the " +
      "path. Full URLs are rejected; otherwise, the key would be sent to any host that a URL names. The service " +
      "silently ignores unknown parameters. If the response to a search shows that the service ignored a parameter, the " +
      "command fails before the first row, unless --no-strict is given.",
    "Without --paginate, dexdata sends one request and prints the response as received. With -o ndjson, each element of " +
      "an array is one line, and any other response is a single line. With -o json, the response is one document. With " +
      "-o table, it is the table that the command for that endpoint prints, or JSON if dexdata does not know the path.",
    "With --paginate, the rows are the same as in the command for that endpoint. The page size is set by " +
      "-f limit=N, the total by --limit, and the start by -f cursor=C or -f page=N. Values are sent as " +
      "is, except relative times such as -f from=-24h: they are converted once, so that all pages cover the same range.",
  ],
  run: async (input, context) => await (await import("./api/api.ts")).api(input, context),
});

export const explainCommand = command({
  ...reference,
  words: "explain",
  positionals: [{ name: "error code|status|exit code", suggests: Object.keys(serviceErrors) }],
  otherForm: [{ name: "old URL or path", isQuoted: true }],
  summary: "Explain an error code, HTTP status, exit code or old API URL",
  examples: [
    "dexdata explain plan_required",
    "dexdata explain 429",
    "dexdata explain 8 -o json",
    "dexdata explain '/networks/ethereum/pools?order_by=volume_usd&limit=5'",
    "dexdata explain 'https://api.dexpaprika.com/networks/base/tokens/top?page=2'",
  ],
  flags: explainFlags,
  shared: pick(textFlags, "error-format"),
  run: async (input, context) => await (await import("./explain/explain.ts")).explain(input, context),
});

export const schemaCommand = command({
  ...reference,
  words: "schema",
  positionals: [{ name: "record", isOptional: true, suggests: "records" }],
  summary: "Print the fields of a row as JSON Schema, SQL or TypeScript",
  examples: [
    "dexdata schema",
    "dexdata schema transaction --as sql",
    "dexdata schema pools search --as ts",
    "dexdata schema price-event --as sql --dialect duckdb",
  ],
  flags: schemaFlags,
  notes: [
    "The fields come from the API schema that dexdata itself uses. In PostgreSQL, numbers are NUMERIC, which keeps " +
      "every digit. SQLite and DuckDB have no type of unlimited precision, so numbers are stored as text. Nested values are JSON. The " +
      "service may add fields, so the JSON Schema allows additional ones.",
  ],
  shared: documentFlags,
  run: async (input, context) => await (await import("./schema/schema.ts")).schema(input, context),
});
