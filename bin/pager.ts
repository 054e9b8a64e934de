import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";

/** Resolves when the user closes the pager, to false if the program does not exist and nothing was shown. */
type Pager = (text: string) => Promise<boolean>;

/**
 * DEXDATA_PAGER or PAGER, otherwise `less`, as for git. An empty value or `cat` means none. On Windows, only a program
 * that a variable names is started.
 */
export function findPager(env: NodeJS.ProcessEnv): Pager | undefined {
  const chosen = env["DEXDATA_PAGER"] ?? env["PAGER"];
  if (chosen === "" || chosen === "cat" || env["TERM"] === "dumb") return undefined;
  if (chosen === undefined && process.platform === "win32") return undefined;
  return async (text) => {
    const child = start(chosen, { LESS: "FRX", LV: "-c", ...env });
    // A pager that is closed early does not read everything.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(text);
    const code: unknown = await once(child, "exit").then(
      ([exit]) => exit,
      () => noProgram,
    );
    return code !== noProgram;
  };
}

/** The exit code of a shell that cannot find a program. */
const noProgram = 127;

function start(chosen: string | undefined, env: NodeJS.ProcessEnv): ChildProcess {
  const options: SpawnOptions = { env, stdio: ["pipe", "inherit", "inherit"] };
  return chosen === undefined ? spawn("less", [], options) : spawn(chosen, [], { ...options, shell: true });
}
