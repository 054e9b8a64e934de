import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The program runs from dist/, one level below the package. A single executable has a copy of this function. */
export const readPackageFile = (name: string): string =>
  readFileSync(join(import.meta.dirname, "..", name), "utf8");
