import { serviceErrors } from "../../contract/service-errors.ts";
import type { LocalCommand } from "../local-command.ts";
import { knownRecords } from "./known-records.ts";
import { schemaFlags } from "./schema-flags.ts";

const showing = ["output", "error-format"];

/** What explains the program and the service; nothing of it asks anybody. */
export const learnCommands: readonly LocalCommand[] = [
  {
    words: "help",
    positionals: "[command|topic]",
    summary: "a command in full, or a topic",
    section: "Learn",
    examples: ["dexdata help txns", "dexdata help exit-codes"],
    flags: [],
    shared: ["error-format"],
    run: async (words, _flags, context) =>
      await (await import("../help/print-help.ts")).printHelp(words, "full", context),
  },
  {
    words: "explain",
    positionals: "<error code|status|exit code>",
    choices: Object.keys(serviceErrors),
    summary: "what an error code, a status or an exit code means",
    section: "Learn",
    examples: ["dexdata explain plan_required", "dexdata explain 429", "dexdata explain 8 -o json"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./explain.ts")).explain(words, flags, context),
  },
  {
    words: "migrate",
    positionals: "'<old URL>'",
    summary: "the command that asks what the URL of a removed endpoint asked",
    section: "Learn",
    examples: [
      "dexdata migrate '/networks/ethereum/pools?order_by=volume_usd&limit=5'",
      "dexdata migrate 'https://api.dexpaprika.com/networks/base/tokens/top?page=2'",
    ],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./migrate.ts")).migrate(words, flags, context),
  },
  {
    words: "commands",
    positionals: "[command]",
    summary: "every command with flags, exit codes, plan and credits, as data",
    section: "Learn",
    examples: ["dexdata commands", "dexdata commands -o json", "dexdata commands pools search -o json"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) =>
      await (await import("./list-commands.ts")).listCommands(words, flags, context),
  },
  {
    words: "schema",
    positionals: "[record]",
    choices: knownRecords().map(({ name }) => name),
    summary: "the columns of a command's ndjson, for databases and programs",
    section: "Learn",
    examples: [
      "dexdata schema",
      "dexdata schema transaction --as sql",
      "dexdata schema pools search --as ts",
      "dexdata schema price-event --as sql --dialect duckdb",
    ],
    flags: schemaFlags,
    notes: () => [
      {
        prose:
          "It is of the same contract as the command itself. Of PostgreSQL numbers are NUMERIC, which keeps every digit; " +
          "SQLite and DuckDB have no such type, and there they are text. What has parts is JSON. The service may add " +
          "fields, so a JSON Schema lets further ones pass.",
      },
    ],
    shared: showing,
    run: async (words, flags, context) => await (await import("./schema.ts")).schema(words, flags, context),
  },
];
