import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { binaryEnv, ended, program } from "./binary.ts";
import type { Step } from "./readme.ts";

/** A directory in which commands are typed, with `dexdata` on the path. */
export interface Desk {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Typed {
  readonly command: string;
  readonly exit: number;
  readonly screen: string;
}

export function openDesk(folder: string): Desk {
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  addProgram(folder, "dexdata", `exec "${process.execPath}" "${program}" "$@"`);
  return {
    folder,
    env: {
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
      HOME: folder,
      TERM: "xterm",
      NO_COLOR: "1",
      TZ: "UTC",
    },
  };
}

export function addProgram(folder: string, name: string, text: string): void {
  writeFileSync(path.join(folder, "bin", name), `#!/bin/sh\n${text}\n`);
  chmodSync(path.join(folder, "bin", name), 0o755);
}

/** `script` of util-linux gives a command its own terminal. */
export const hasTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes(
  "util-linux",
);

const [begins, ends] = ["\u001E", "\u001F"];

/** Types the commands in one bash on a terminal of 100 columns; `before` is typed first, and its output is discarded. */
export async function typeInConsole(
  { folder, env }: Desk,
  steps: readonly Step[],
  before: readonly Step[] = [],
): Promise<readonly Typed[]> {
  const script = [
    "stty cols 100 rows 24",
    ...before.map(({ command }) => command),
    ...steps.map(({ command }) => `printf '${begins}'\n${command}\nprintf '${ends}%s\\n' $?`),
  ];
  writeFileSync(path.join(folder, "typed.sh"), `${script.join("\n")}\n`);
  const child = spawn("script", ["-qec", "bash typed.sh", "/dev/null"], {
    cwd: folder,
    env: binaryEnv({ ...env, DEXDATA_CONFIG_DIR: path.join(folder, "config") }),
    stdio: "pipe",
  });
  const { stdout, stderr } = await ended(child, 50_000);
  const [first = "", ...parts] = withoutMotion(stdout.toString("utf8")).split(begins);
  if (parts.length < steps.length && first + stderr !== "")
    throw new Error(`before the first: ${first}${stderr}`);
  return steps.map(({ command }, index) => {
    const [screen = "", exit = ""] = (parts[index] ?? "").split(ends);
    return { command, exit: exit === "" ? -1 : Number.parseInt(exit, 10), screen };
  });
}

/** Returns the final visible text: the live line is drawn between two marks and cleared, and jq adds color. */
function withoutMotion(text: string): string {
  const [first = "", ...parts] = text.replaceAll("\r\n", "\n").split("\u001B");
  let isDrawing = false;
  const kept = parts.map((part) => {
    const command = /^\[[?\d;]*[A-Za-z]/u.exec(part)?.[0] ?? "";
    if (command.startsWith("[?2026")) isDrawing = command.endsWith("h");
    return isDrawing ? "" : part.slice(command.length);
  });
  return first + kept.join("");
}
