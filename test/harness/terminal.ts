import { execFileSync, spawnSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { binaryEnv, program } from "./binary.ts";

/** A shell in a real terminal (tmux), to test what only a terminal shows: keys, the cursor, leftover output. */
export interface Terminal {
  /** Types a shell command; `dexdata` is the built program. */
  readonly enter: (line: string) => void;
  /** Presses a key by tmux's name for it: `C-c`. */
  readonly press: (key: string) => void;
  /** Waits until the screen matches, and returns its lines without empty ones at the end. */
  readonly until: (shown: RegExp) => Promise<readonly string[]>;
  readonly state: () => {
    readonly isCursorVisible: boolean;
    readonly column: number;
    readonly isAlternate: boolean;
  };
  readonly close: () => void;
}

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

let opened = 0;

export function openTerminal(columns = 100, rows = 24): Terminal {
  opened += 1;
  const socket = `dexdata-test-${process.pid}-${opened}`;
  const tmux = (...words: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...words], {
      encoding: "utf8",
      env: {
        ...binaryEnv({ DEXDATA_PAGER: "" }),
        SHELL: "/bin/sh",
        NODE: process.execPath,
        PROGRAM: program,
      },
    });
  const shell = "env PS1='$ ' bash --norc --noprofile";
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), shell);
  const type = (line: string): string => tmux("send-keys", "-t", "0", "-l", line);
  // The shell prints a stopped job as typed: paths would take more than a line.
  type('dexdata() { "$NODE" "$PROGRAM" "$@"; }; clear');
  tmux("send-keys", "-t", "0", "Enter");
  const shown = (): readonly string[] => tmux("capture-pane", "-p", "-t", "0").trimEnd().split("\n");
  return {
    enter: (line) => {
      type(line);
      tmux("send-keys", "-t", "0", "Enter");
    },
    press: (key) => {
      tmux("send-keys", "-t", "0", key);
    },
    until: async (pattern) => {
      for (let tries = 0; tries < 200; tries += 1) {
        const lines = shown();
        if (pattern.test(lines.join("\n"))) return lines;
        await wait(100);
      }
      throw new Error(`${String(pattern)} did not come; shown is:\n${shown().join("\n")}`);
    },
    state: () => {
      const format = "#{cursor_flag} #{cursor_x} #{alternate_on}";
      const [flag, column, alternate] = tmux("display", "-p", "-t", "0", format).trim().split(" ");
      return { isCursorVisible: flag === "1", column: Number(column), isAlternate: alternate === "1" };
    },
    close: () => {
      spawnSync("tmux", ["-L", socket, "kill-server"]);
    },
  };
}
