import { outputFormats } from "../../../contract/output-format.ts";
import { formats } from "../../../render/formats/formats.ts";
import { outputFlags } from "../../../run/flags/shared-flags.ts";
import { fullRows } from "../flag-rows.ts";
import type { Block } from "../../../render/page/help-page.ts";

export function outputTopic(): readonly Block[] {
  return [
    { prose: "stdout holds data only, in every format, also on failure. Everything else goes to stderr." },
    { heading: "Formats of -o", rows: outputFormats.map((format) => [format, formats[format].summary]) },
    {
      heading: "Paths of --fields",
      rows: [
        ["id", "a field of the row"],
        ["24h.volume_usd", "a field inside another"],
        ["tokens.0.symbol", "of the first of a list, counted from 0; * takes all"],
      ],
    },
    {
      prose:
        "Rows are objects with the paths as names, in the order given; what a row does not have is null. Without -o, " +
        "--out x.csv is csv, x.tsv tsv, x.json one json document; a stream and --follow add lines, and refuse these " +
        "names. In csv and tsv a search of several groups has group as its first column, " +
        "values keep every digit, nested ones are compact JSON, and a row is one line: \\n and what could act or hide is " +
        "escaped. Text of strangers (anyone can name a token) never reaches a terminal with control, bidi or zero-width " +
        "characters unescaped.",
    },
    { heading: "Flags", rows: fullRows(outputFlags) },
    {
      heading: "Examples",
      commands: [
        "dexdata pools search base --fields id,price_usd -o ndjson --sandbox",
        "dexdata networks -o json --sandbox",
      ],
    },
  ];
}
