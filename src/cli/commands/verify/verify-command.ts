import { localExits } from "../../../base/exit-codes.ts";
import { flag, pick } from "../../run/flags/flag.ts";
import { choice } from "../../run/flags/flag-types.ts";
import { textFlags } from "../../run/flags/shared-flags.ts";
import { rules, wantedKinds } from "../../../rows/verify-rules.ts";
import { command } from "../command.ts";

export const verifyCommand = command({
  words: "verify",
  section: "Live data and files",
  positionals: [{ name: "file|directory", isRepeatable: true, suggests: "files" }],
  summary: "Check files for damage, missing rows and repeated rows",
  examples: [
    "dexdata verify swaps.receipt.json",
    "dexdata verify swaps.ndjson candles.csv.gz",
    "dexdata verify lake",
    "dexdata verify swaps.receipt.json -o ndjson | jq -r 'select(.level == \"finding\") | .file' | sort -u",
  ],
  /** 8: findings. */
  exits: [...localExits, 8],
  flags: {
    kind: flag(choice(wantedKinds, "kind"), "Rows", {
      summary: "Kind of rows, if it is not clear from the names of their fields",
    }),
  },
  shared: pick(textFlags, "output", "no-header", "quiet", "progress", "error-format"),
  notes: [
    "Files are NDJSON, JSON, CSV or TSV as --out writes them, also compressed by gzip, or Parquet. If you name a " +
      "receipt (--receipt), verify checks the file that the receipt names; if you also name exactly one data file, it checks " +
      "that file against the receipt. A directory must be one that dexdata sync created. " +
      "No request is sent, and no file is changed or deleted.",
    "Findings mean that a file is damaged or incomplete: the exit code is 8. Notes point out unusual values; the exit " +
      "code stays 0. The rules:",
    {
      rows: Object.entries(rules).map(([id, { level, statement }]) => [`${id} ${level}`, statement] as const),
    },
  ],
  run: async (input, context) => await (await import("./verify.ts")).verify(input, context),
});
