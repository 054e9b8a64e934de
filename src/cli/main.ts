import { CommanderError } from "commander";
import { endpoints } from "../contract/endpoints/all.ts";
import type { Context } from "../context/context.ts";
import { commandGroups } from "./asking/positionals.ts";
import { guarded } from "./guarded.ts";
import { type Chosen, createProgram, isNamed, quieten } from "./program.ts";

/** argv without node and script → exit code. */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  return await guarded(argv, context, async () => {
    const chosen = chooseOfService(argv);
    return chosen === undefined
      ? await (await import("./run-any.ts")).runAny(argv, context)
      : await chosen(context);
  });
}

/**
 * Most runs ask the service, and need none of the other commands: to load and describe those takes 8 ms before the
 * request can leave. Undefined for whatever is not plainly such a command.
 */
function chooseOfService(argv: readonly string[]): Chosen | undefined {
  const groups = commandGroups(endpoints).filter(([endpoint]) => isNamed(argv, endpoint?.command ?? ""));
  if (groups.length === 0) return undefined;
  let chosen: Chosen | undefined;
  const program = createProgram(
    argv,
    { groups, local: [] },
    (choice) => {
      chosen = choice;
    },
    () => undefined,
  );
  quieten(program, () => undefined);
  try {
    program.parse([...argv], { from: "user" });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
  }
  return chosen;
}
