/** Scripts can branch on these; the README explains each. */
export const exits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 129, 130, 131, 143] as const;

export type ExitCode = (typeof exits)[number];

export interface ExitMeaning {
  readonly when: string;
  /** The next step for a script. */
  readonly next: string;
}

const linesOnly = "only complete lines were written";

/** Every way in which a run can end. */
export const exitCodes: Readonly<Record<ExitCode, ExitMeaning>> = {
  0: { when: "done; also nothing found, also a reader that closed the pipe", next: "go on" },
  1: {
    when: "a bug, an answer that cannot be trusted, or output that could not be written (a full disk)",
    next: "look at stderr: make room, or report it",
  },
  2: {
    when: "the command line, a setting or the key's form is wrong, or the service answered 400",
    next: "fix the command",
  },
  3: { when: "404, 410", next: "fix the address, or use the replacement named" },
  4: {
    when: "401, 403: key, host or plan; 407: the proxy's password",
    next: "fix the key, the plan or the password",
  },
  5: {
    when: "402: credits used up; or --max-credits or budget.daily reached",
    next: "wait, pay, or raise the bound",
  },
  6: {
    when: "429 after all retries, a wait of more than 1h, or more assets than the plan streams",
    next: "later, or ask for fewer",
  },
  7: {
    when: "5xx after all retries, network, TLS, time-out, or a file that another run writes",
    next: "later",
  },
  8: {
    when: "Incomplete: rows are missing, some inputs failed, or a stream ended or was not connected",
    next: "read stderr",
  },
  129: { when: "Ended by SIGHUP (terminal closed)", next: linesOnly },
  130: { when: "Interrupted by SIGINT (Ctrl-C)", next: linesOnly },
  131: { when: "Ended by SIGQUIT (Ctrl-\\)", next: linesOnly },
  143: { when: "Terminated by SIGTERM", next: linesOnly },
};
