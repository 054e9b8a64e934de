import * as fc from "fast-check";
import { isLong } from "./long.ts";

// Uses the same cases in each run, so that a run fails because of a change and not by chance. The long form uses random
// ones.
if (!isLong) fc.configureGlobal({ seed: 20_261_121, ...fc.readConfigureGlobal() });

export { fc };
