import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Frees what earlier tests of this process have left, so that a measurement does not include it. */
export const collectGarbage: () => void = runInNewContext("gc");
