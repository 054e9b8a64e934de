import { endpoints } from "../../contract/endpoints/all.ts";
import { nearest } from "../../text/nearest.ts";
import { commandGroups } from "../asking/positionals.ts";

/** The words of the commands that are no endpoint's own, in the order of help. Beside their table, which few runs load. */
export const localWords = [
  "api",
  "stream",
  "auth login",
  "auth status",
  "auth list",
  "auth switch",
  "auth logout",
  "config get",
  "config set",
  "config unset",
  "config list",
  "config path",
  "doctor",
  "completion",
  "sandbox",
  "help",
  "explain",
  "migrate",
  "commands",
  "schema",
] as const;

export type LocalWords = (typeof localWords)[number];

/** The words of every command, in the order of help. */
export function commandWords(): readonly string[] {
  return [...commandGroups(endpoints).map(([endpoint]) => endpoint?.command ?? ""), ...localWords];
}

/** `pool search` is read as a pool on the network `search`: the two-word command that was meant. */
export function misreadCommand(command: string, words: readonly string[]): string | undefined {
  const [second] = words;
  return commandWords().find((known) => {
    const [first = "", ...rest] = known.split(" ");
    return rest.length === 1 && rest[0] === second && nearest(command, [first]) !== undefined;
  });
}
