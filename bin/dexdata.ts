#!/usr/bin/env node
import { writeSync } from "node:fs";
import { readPackageFile } from "./package-file.ts";
import type { Entry } from "./process-context.ts";
import { versionLine } from "../src/base/version.ts";
import { type Block, type HelpForm, type PreparedPage, preparedFile } from "../src/cli/help-page.ts";

// Scripts often request the version, and people often request help. Both load almost nothing besides Node itself.
const argv = process.argv.slice(2);
const [first, ...rest] = argv;
const isVersion = rest.length === 0 && (first === "--version" || first === "-V" || first === "version");
const isPrinted = isVersion && printVersion();
if (first === "__complete") {
  void import("./complete-words.ts").then(({ completeWords }) => completeWords(rest));
} else if (!isPrinted) {
  const entry = { early: awaitEarlyReload(), readPackageFile };
  const page = findPreparedHelp();
  const run =
    page === undefined
      ? import("./run-command.ts").then(async ({ runCommand }) => await runCommand(argv, entry))
      : import("./run-help.ts").then(async ({ runHelp }) => await runHelp(page, entry));
  run.catch(reportStart);
}

/** Nothing that could describe the error may be loaded, because files cannot be opened. */
function reportStart(cause: unknown): void {
  const code =
    cause instanceof Error && "syscall" in cause && "code" in cause ? String(cause.code) : undefined;
  if (code === undefined) throw cause;
  const [why, next] =
    code === "EMFILE" || code === "ENFILE"
      ? ["too many open files", "raise the limit of open files (ulimit -n), or close other programs"]
      : [code, "check the installation of dexdata"];
  process.exitCode = 1;
  writeSync(2, `error: cannot start: ${why}\n  hint: ${next}\n`);
}

/** Does not use process.stdout, because loading its streams takes 3 ms. If this fails, the full program tries again. */
function printVersion(): boolean {
  try {
    writeSync(1, `${versionLine}\n`);
    return true;
  } catch {
    return false;
  }
}

/** Returns undefined unless the command line is as simple as `pools search --help`; main() parses everything else. */
function findPreparedHelp(): readonly Block[] | undefined {
  const request = requestedHelp();
  if (!request?.words.every((word) => /^[a-z]+(?:-[a-z]+)*$/u.test(word))) return undefined;
  try {
    const page: unknown = JSON.parse(readPackageFile(`dist/${preparedFile(request.words)}`));
    return isPage(page) ? page[request.form] : undefined;
  } catch {
    return undefined;
  }
}

function requestedHelp(): { readonly words: readonly string[]; readonly form: HelpForm } | undefined {
  if (first === "help") return { words: rest, form: "full" };
  const [words, last] = [argv.slice(0, -1), argv.at(-1)];
  if (last === undefined || last === "-h") return { words, form: "brief" };
  return last === "--help" ? { words, form: "full" } : undefined;
}

function isPage(value: unknown): value is PreparedPage {
  return typeof value === "object" && value !== null && "brief" in value && "full" in value;
}

/**
 * Remembers a SIGHUP that arrives before the run can handle it, because it would end the process while the program is
 * loading. Only streams and followed lists from an `@file` reload on SIGHUP.
 */
function awaitEarlyReload(): Entry["early"] {
  let hasArrived = false;
  const remember = (): void => {
    hasArrived = true;
  };
  const isLasting = first === "stream" || rest.includes("--follow");
  let isAwaited = process.platform !== "win32" && isLasting && rest.some((word) => word.startsWith("@"));
  if (isAwaited) process.on("SIGHUP", remember);
  return {
    isAwaited: () => isAwaited,
    take: () => {
      isAwaited = false;
      process.off("SIGHUP", remember);
      return hasArrived;
    },
  };
}
