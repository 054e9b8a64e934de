/** The program as one bundle; see dexdata.ts. */
export { allCommands } from "../../src/program/all-commands.ts";
export { main } from "../../src/program/main.ts";
export { parseCommandLine } from "../../src/program/parse-command-line.ts";
