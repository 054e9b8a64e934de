/** The program as one bundle; see dexdata.ts. */
export { main } from "../../src/program/main.ts";
