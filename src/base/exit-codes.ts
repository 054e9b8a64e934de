/** Scripts can branch on these exit codes. The README explains each one. */
export const exits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 129, 130, 131, 143] as const;

export type ExitCode = (typeof exits)[number];

/** Any command can end with these: success, failures on this machine, and signals. */
export const localExits: readonly ExitCode[] = [0, 1, 2, 129, 130, 131, 143];

/** A command that sends requests can also fail because of the service or the network. */
export const requestExits: readonly ExitCode[] = [0, 1, 2, 3, 4, 5, 6, 7, 129, 130, 131, 143];

/** It can also end with only a part of what was requested, so every exit code is possible. */
export const partialExits: readonly ExitCode[] = exits;

const afterSignal = "run it again, or resume the pull";

/** `next` is what a script should do next. */
export const exitCodes: Readonly<Record<ExitCode, { readonly when: string; readonly next: string }>> = {
  0: { when: "Success, including empty results and a closed pipe", next: "continue" },
  1: {
    when: "Internal or system error, invalid response, or output that could not be written",
    next: "read stderr, then free disk space or report the bug",
  },
  2: {
    when: "Invalid command line, setting or key format; HTTP 400 and other 4xx",
    next: "fix the command",
  },
  3: {
    when: "Not found (404) or endpoint removed (410)",
    next: "fix the network or address, or use the replacement",
  },
  4: {
    when: "Not authorized: wrong key, plan or host (401, 403), or wrong proxy login (407)",
    next: "fix the key, the plan or the proxy login",
  },
  5: {
    when: "Out of credits (402), or --max-credits or budget.daily reached",
    next: "wait, upgrade, or raise the limit",
  },
  6: {
    when: "Rate limited after all retries (429), a Retry-After that is too long, or too many assets for the plan",
    next: "retry later, or stream fewer assets",
  },
  7: {
    when: "Server error (5xx), network error, TLS error or timeout after any retries, or a file in use by another run",
    next: "retry later",
  },
  8: {
    when: "Incomplete: rows are missing, inputs failed, verify found damage, --when had no alert, or a stream was silent (--idle-exit) or lost",
    next: "read stderr",
  },
  129: { when: "Ended by SIGHUP (terminal closed); only complete lines were written", next: afterSignal },
  130: { when: "Interrupted by SIGINT (Ctrl-C); only complete lines were written", next: afterSignal },
  131: { when: "Ended by SIGQUIT (Ctrl-\\); only complete lines were written", next: afterSignal },
  143: { when: "Terminated by SIGTERM; only complete lines were written", next: afterSignal },
};
