import type { ExitCode } from "./exit-codes.ts";

export interface ErrorFacts {
  readonly exit: ExitCode;
  /** Whether the same command may succeed later without changes. */
  readonly retryable: boolean;
  readonly meaning: string;
  readonly next: string;
}

interface OwnError extends ErrorFacts {
  /** The exit code if the caller can fix the cause. */
  readonly otherExit?: ExitCode;
}

const lasting = (exit: ExitCode, meaning: string, next: string): ErrorFacts => ({
  exit,
  retryable: false,
  meaning,
  next,
});
const temporary: typeof lasting = (...facts) => ({ ...lasting(...facts), retryable: true });

/** The codes that dexdata itself assigns. `fail` looks them up, so a new code needs only an entry here. */
const all = {
  usage: lasting(
    2,
    "The command line or a setting is invalid; no request was sent",
    "correct the input named in the message",
  ),
  unknown_name: lasting(
    2,
    "An argument is neither an address nor a known name; no request was sent",
    "find the asset with dexdata search, and name it with dexdata name add",
  ),
  timeout: temporary(
    7,
    "The response did not arrive in time (see --timeout for one request, --deadline for the run)",
    "try again later, or allow more time",
  ),
  network: temporary(
    7,
    "The host could not be reached, or the connection was lost",
    "check the network connection and the host settings",
  ),
  tls: lasting(
    7,
    "The host's certificate could not be verified",
    "to trust the host's certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file",
  ),
  proxy: {
    ...lasting(
      7,
      "The proxy failed, could not connect to the host, or rejected the user name and password (exit 4)",
      "check the variable named in the message, or bypass the proxy: NO_PROXY=<host>",
    ),
    otherExit: 4,
  },
  untrusted_answer: lasting(
    1,
    "The response is invalid: it is not JSON, has an unexpected structure, ignores a filter, or repeats a cursor",
    "if this persists, run the same command with -v, and report the output",
  ),
  incomplete: temporary(
    8,
    "The service reports more rows than it returns, even after several requests for the same page",
    "try again later, or accept the list as it is with --no-strict",
  ),
  no_price: lasting(
    8,
    "A token has no price, and --missing fail is set",
    "check the address; for a pool: dexdata pool <network> <address>",
  ),
  bug: lasting(1, "Internal error, which is a bug in dexdata", "report it with the command that caused it"),
  max_credits: lasting(
    5,
    "The next request would exceed --max-credits",
    "raise the limit, or reduce the request",
  ),
  daily_budget: lasting(
    5,
    "The next request would exceed budget.daily on this machine",
    "wait for the next UTC day, or raise the budget: dexdata config set budget.daily <n>",
  ),
  budget_not_kept: lasting(
    2,
    "The spending for budget.daily could not be recorded in the state directory",
    "make the file and its directory writable, use another directory with DEXDATA_STATE_DIR, or remove the budget: dexdata config unset budget.daily",
  ),
  other_plan: lasting(
    4,
    "The service applied a different plan than the one set with --require-plan",
    "see the key in use and its plan: dexdata auth status",
  ),
  wait_too_long: temporary(
    6,
    "The service requested a wait of more than 1h",
    "wait for the time in the message, or use another key (--profile)",
  ),
  stream_limit: temporary(
    6,
    "Too many streams are open for the plan or the IP address",
    "close other streams, including those in other programs, or stream fewer assets",
  ),
  too_many_assets: lasting(
    6,
    "There are more assets than the plan's connections can stream",
    "request fewer assets, or upgrade",
  ),
  not_read: temporary(
    8,
    "The last reads of --follow or --watch failed, so the newest rows or changes may be missing",
    "run it again; --follow can start at the time in the message, as the hint shows",
  ),
  stream_ended: temporary(8, "The service ended the stream", "restart the stream"),
  stream_error: temporary(7, "The service ended the stream with an error event", "restart the stream"),
  clock_jump: temporary(
    7,
    "The machine was suspended, or its clock was changed. The stream reconnects; the command ends only if --max-reconnects is reached",
    "none if the command continues; otherwise, run it again",
  ),
  idle: temporary(8, "No event arrived within the --idle-exit time", "check the assets, or allow more time"),
  checkpoint: lasting(
    2,
    "The --out file or its checkpoint belongs to a different pull",
    "repeat the original command, or name another file",
  ),
  unfinished: lasting(
    2,
    "An earlier run left an unfinished pull for the --out file",
    "continue it with --resume, or start over with --force",
  ),
  busy: temporary(7, "Another run is writing the same file", "wait for it to finish, or name another file"),
  output: {
    ...lasting(1, "The output could not be written", "check the disk and the permissions of the directory"),
    otherExit: 2,
  },
  system: lasting(
    1,
    "The operating system rejected an operation, e.g. because too many files are open",
    "correct the cause named in the message, then run the command again",
  ),
  settings: lasting(
    2,
    "A settings file could not be written",
    "check the permissions of the directory: dexdata config path",
  ),
  settings_locked: temporary(2, "The settings are locked by another run", "try again"),
} satisfies Readonly<Record<string, OwnError>>;

export type OwnCode = keyof typeof all;

export const ownErrors: Readonly<Record<OwnCode, OwnError>> = all;

export type OtherExit<Code extends OwnCode> = (typeof all)[Code] extends {
  readonly otherExit: infer Exit extends ExitCode;
}
  ? Exit
  : never;
