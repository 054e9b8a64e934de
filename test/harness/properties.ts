import * as fc from "fast-check";
import { isLong } from "./long.ts";

// The same cases in each run: a run is red because of the change it judges, not by chance. The long form looks for others.
if (!isLong) fc.configureGlobal({ seed: 20_261_121, ...fc.readConfigureGlobal() });

export { fc };
