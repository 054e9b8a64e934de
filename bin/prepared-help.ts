import { readPackageFile } from "./package-file.ts";
import { type Block, type HelpForm, preparedFile } from "../src/cli/help-page.ts";

/** Returns undefined unless the command line is as simple as `pools search --help`; main() parses everything else. */
export function findPreparedHelp(argv: readonly string[]): readonly Block[] | undefined {
  const request = requestedHelp(argv);
  if (!request?.words.every((word) => /^[a-z]+(?:-[a-z]+)*$/u.test(word))) return undefined;
  try {
    const page: unknown = JSON.parse(readPackageFile(`dist/${preparedFile(request.words)}`));
    return isPage(page) ? page[request.form] : undefined;
  } catch {
    return undefined;
  }
}

function requestedHelp(
  argv: readonly string[],
): { readonly words: readonly string[]; readonly form: HelpForm } | undefined {
  if (argv[0] === "help") return { words: argv.slice(1), form: "full" };
  const last = argv.at(-1);
  if (last === undefined || last === "-h") return { words: argv.slice(0, -1), form: "brief" };
  return last === "--help" ? { words: argv.slice(0, -1), form: "full" } : undefined;
}

function isPage(value: unknown): value is Readonly<Record<HelpForm, readonly Block[]>> {
  return typeof value === "object" && value !== null && "brief" in value && "full" in value;
}
