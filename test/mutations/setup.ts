import * as fc from "fast-check";

/** Whether a property fails is all that is asked: no time goes into making the example small, and no chance is in it. */
fc.configureGlobal({ endOnFailure: true, seed: 1 });
// Changes are made to modules, which the bundle of the program would not see.
process.env["DEXDATA_TEST_SOURCES"] = "1";
