import type { Context } from "../base/context/context.ts";
import { versionLine } from "../base/version.ts";
import type { TypedFlags } from "./run/flags/flag.ts";
import { allCommands } from "./all-commands.ts";
import { guarded } from "./guarded.ts";
import { type CommandLine, parseCommandLine } from "./program/parse-command-line.ts";

/** `argv` excludes the paths of Node and the script. */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  let typed: TypedFlags = new Map();
  return await guarded(
    context,
    () => typed,
    async () => {
      const line = parseCommandLine(argv, allCommands);
      typed = line.typed;
      return await run(line, context);
    },
  );
}

async function run({ asks, typed }: CommandLine, context: Context): Promise<number> {
  switch (asks.kind) {
    case "command":
      return await asks.command.run(asks.words, typed, context);
    case "help": {
      const { printHelp } = await import("./program/help/print-help.ts");
      return await printHelp(allCommands, asks.words, asks.form, context);
    }
    case "version":
      await context.stdout.write(`${versionLine}\n`);
      return 0;
    case "refused":
      throw asks.failure;
  }
}
