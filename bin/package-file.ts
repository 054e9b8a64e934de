import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The program runs from dist/, one level below the package root. The single executable uses another function; see
 * binary.config.ts.
 */
export const readPackageFile = (name: string): string =>
  readFileSync(join(import.meta.dirname, "..", name), "utf8");
