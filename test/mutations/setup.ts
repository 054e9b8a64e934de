import * as fc from "fast-check";

/** Whether a property fails is all that is asked: no time goes into making the example small, and no chance is in it. */
fc.configureGlobal({ endOnFailure: true, seed: 1 });
