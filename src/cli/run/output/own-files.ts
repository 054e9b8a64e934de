import path from "node:path";
import { invalidInput } from "../../../base/failure.ts";
import { withoutSecrets } from "../../../base/key.ts";
import type { TypedFlags } from "../flags/flag.ts";

/** The flags that name a file that is written during the run. */
const written = ["out", "events", "state", "metrics"] as const;

export interface NamedFiles {
  readonly typed: TypedFlags;
  readonly words: readonly string[];
}

/** Throws if two of a run's files are the same one, because one would be lost in the other. */
export function checkOwnFiles({ typed, words }: NamedFiles): void {
  const lists = words.filter((word) => word.startsWith("@"));
  const taken = new Map(lists.map((list) => [path.resolve(list.slice(1)), "list that this run reads"]));
  for (const name of written) {
    const file = typed.get(name)?.at(-1);
    if (file === undefined) continue;
    const other = taken.get(path.resolve(file));
    if (other !== undefined)
      throw invalidInput(
        `--${name} "${withoutSecrets(file)}"`,
        `must not be the ${other}`,
        "use another file",
      );
    taken.set(path.resolve(file), `--${name} file`);
  }
}
