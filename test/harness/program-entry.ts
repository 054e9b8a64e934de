/** The program as one bundle; see dexdata.ts. */
export { allCommands } from "../../src/cli/all-commands.ts";
export { main } from "../../src/cli/main.ts";
export { parseCommandLine } from "../../src/cli/program/parse-command-line.ts";
export { readRows } from "../../src/lake/files/lake-file.ts";
export { openParquet, rowRanges } from "../../src/rows/parquet-file.ts";
export { UnreadableParquet } from "../../src/rows/parquet-format.ts";
