import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HelpForm } from "../src/cli/help/command-help.ts";
import type { Block } from "../src/cli/help/page.ts";
import { preparedFile } from "../src/cli/help/prepared-file.ts";

/**
 * The page of help that these words ask for and nothing else, as the build prepared it in that folder. Undefined for
 * whatever is not as plain as `pools search --help`: main() knows what is meant then.
 */
export function findPreparedHelp(argv: readonly string[], folder: string): readonly Block[] | undefined {
  const asked = askedHelp(argv);
  if (asked === undefined || !asked.words.every((word) => /^[a-z]+(?:-[a-z]+)*$/u.test(word)))
    return undefined;
  try {
    const page: unknown = JSON.parse(readFileSync(join(folder, preparedFile(asked.words)), "utf8"));
    return isPage(page) ? page[asked.form] : undefined;
  } catch {
    return undefined;
  }
}

interface AskedHelp {
  readonly words: readonly string[];
  readonly form: HelpForm;
}

function askedHelp(argv: readonly string[]): AskedHelp | undefined {
  if (argv[0] === "help") return { words: argv.slice(1), form: "full" };
  const last = argv.at(-1);
  if (last === undefined || last === "-h") return { words: argv.slice(0, -1), form: "brief" };
  return last === "--help" ? { words: argv.slice(0, -1), form: "full" } : undefined;
}

function isPage(value: unknown): value is Readonly<Record<HelpForm, readonly Block[]>> {
  return typeof value === "object" && value !== null && "brief" in value && "full" in value;
}
