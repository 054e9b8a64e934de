import * as fc from "fast-check";

/**
 * The check only needs to know whether a property fails, so it neither shrinks examples nor uses random
 * seeds.
 */
fc.configureGlobal({ endOnFailure: true, seed: 1 });
// Changes are made to modules, which do not affect the bundled program.
process.env["DEXDATA_TEST_SOURCES"] = "1";
