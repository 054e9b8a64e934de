import fs from "node:fs";
import path from "node:path";

/**
 * A kill at a request or at a renaming, without a process: what was on the disk at this moment is copied, and takes the
 * place of the directory after the run.
 */
export interface Kill {
  readonly by: "request" | "rename" | "renamed";
  /** From 1. */
  readonly number: number;
}

export function prepareKill(root: string, { by, number }: Kill) {
  const copy = `${root}.killed`;
  const renameSync = fs.renameSync;
  let [renames, isKilled] = [0, false];
  const strike = (): void => {
    if (isKilled || !fs.existsSync(root)) return;
    isKilled = true;
    fs.cpSync(root, copy, { recursive: true, preserveTimestamps: true });
    for (const name of ["lock", "lock.break"]) fs.rmSync(path.join(copy, ".dexdata", name), { force: true });
  };
  if (by !== "request")
    fs.renameSync = (from, to) => {
      renames += 1;
      if (by === "rename" && renames === number) strike();
      // What the run would do now is lost anyway.
      if (isKilled) throw new Error("killed");
      renameSync(from, to);
      if (by === "renamed" && renames === number) strike();
    };
  return {
    arrived: (request: number): void => {
      if (by === "request" && request === number) strike();
    },
    /** Returns whether the run was killed. */
    end: (): boolean => {
      fs.renameSync = renameSync;
      if (!isKilled) return false;
      fs.rmSync(root, { recursive: true });
      renameSync(copy, root);
      return true;
    },
  };
}
