import { expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { parseCommandLine } from "../../src/cli/program/parse-command-line.ts";

test.each(allCommands.map((command) => [command.words, command] as const))(
  "%s: a flag without its value leads to the help of this command, even if it is a shared flag",
  (words, { flags, shared }) => {
    const withValues = Object.entries({ ...flags, ...shared }).filter(
      ([, { type }]) => type.placeholder !== undefined,
    );
    for (const [name] of withValues) {
      const { asks } = parseCommandLine([...words.split(" "), `--${name}`], allCommands);
      expect(asks).toMatchObject({
        kind: "refused",
        failure: { message: `missing value for --${name}`, next: `see: dexdata ${words} --help` },
      });
    }
  },
);
