import type { ExitCode } from "./exit-codes.ts";
import { isServiceCode, meaningOf, type ServiceCode, serviceErrors } from "./service-errors.ts";

/** The facts that all failures with one code share. */
export interface ErrorFacts {
  readonly exit: ExitCode;
  /** Whether the same command may succeed later without a change. */
  readonly retryable: boolean;
  readonly meaning: string;
  readonly next: string;
}

interface OwnError extends ErrorFacts {
  /** The exit code if the caller can correct the cause. */
  readonly otherExit?: ExitCode;
}

const lasting = (exit: ExitCode, meaning: string, next: string): ErrorFacts => ({
  exit,
  retryable: false,
  meaning,
  next,
});
const temporary: typeof lasting = (...facts) => ({ ...lasting(...facts), retryable: true });

/** The error codes that dexdata assigns. `fail` creates a failure by its code, so a new code needs only an entry here. */
const ownErrors = {
  usage: lasting(2, "the command line or a setting is wrong, and nothing was sent", "do as the message says"),
  timeout: temporary(
    7,
    "no answer in time: --timeout for one request, --deadline for the run",
    "try again later, or allow more time",
  ),
  network: temporary(
    7,
    "the host could not be reached, or the connection broke",
    "check the connection and the hosts",
  ),
  tls: lasting(
    7,
    "the certificate of the host was not accepted",
    "where the host uses an authority of its own, name its file in NODE_EXTRA_CA_CERTS",
  ),
  proxy: {
    ...lasting(
      7,
      "The proxy failed, does not connect to the host, or rejects its user name and password (exit 4)",
      "check the variable that the message names, or bypass the proxy: NO_PROXY=<host>",
    ),
    otherExit: 4,
  },
  untrusted_answer: lasting(
    1,
    "the answer is not JSON, not the shape, leaves a filter out, or repeats a cursor: what it says cannot be trusted",
    "if this stays so, report it with the output of the same command and -v",
  ),
  incomplete: temporary(
    8,
    "The service counts more rows than it returns, after several requests for the same page",
    "try again later, or accept the list as it is with --no-strict",
  ),
  bug: lasting(1, "a mistake in dexdata", "report it with the command that led to it"),
  max_credits: lasting(5, "the next request would pass --max-credits", "raise it, or ask for less"),
  daily_budget: lasting(
    5,
    "the next request would pass budget.daily of this machine",
    "wait for the next UTC day, or raise it: dexdata config set budget.daily <n>",
  ),
  budget_not_kept: lasting(
    2,
    "the count of budget.daily cannot be kept in the state folder",
    "make the file and its folder writable, name another folder with DEXDATA_STATE_DIR, or take the budget back: dexdata config unset budget.daily",
  ),
  other_plan: lasting(
    4,
    "the service counts the key under another plan than --require-plan",
    "see which key is used and what it is worth: dexdata auth status",
  ),
  wait_too_long: temporary(
    6,
    "The service requested a wait of more than 1h",
    "try again in 1h, use another key, or add --rpm unlimited",
  ),
  stream_limit: temporary(
    6,
    "More streams than the plan or the IP address can have open at once",
    "close other streams, also in other programs, or stream fewer assets",
  ),
  too_many_assets: lasting(6, "more assets than the plan has connections for", "ask for fewer, or upgrade"),
  not_read: temporary(
    8,
    "the last reads of a list that was followed failed",
    "start it again from there: --from",
  ),
  stream_ended: temporary(8, "the service ended the stream", "start it again"),
  stream_error: temporary(7, "the service ended the stream with an error event", "start it again"),
  clock_jump: temporary(
    7,
    "the machine slept or its clock was set: the stream was connected again",
    "nothing",
  ),
  idle: temporary(
    8,
    "nothing came for as long as --idle-exit allows",
    "check the assets, or allow more time",
  ),
  checkpoint: lasting(
    2,
    "the file of --out or its journal is not that of this pull",
    "give the same query, or name another file",
  ),
  unfinished: lasting(
    2,
    "an earlier run left an unfinished pull of the file of --out",
    "continue it with --resume, or start over with --force",
  ),
  busy: temporary(7, "another run writes the same file", "wait for it, or name another file"),
  output: {
    ...lasting(1, "the output could not be written", "check the disk and the rights of the folder"),
    otherExit: 2,
  },
  settings: lasting(
    2,
    "a file of the settings could not be written",
    "check the rights of the folder: dexdata config path",
  ),
  settings_locked: temporary(2, "another run holds the lock of the settings", "try again"),
} satisfies Readonly<Record<string, OwnError>>;

type OwnCode = keyof typeof ownErrors;

/** Every possible `code` of an error in JSON. */
export type ErrorCode = ServiceCode | OwnCode;

/** The alternative exit code of a failure with this code. */
export type OtherExit<Code extends ErrorCode> = Code extends OwnCode
  ? (typeof ownErrors)[Code] extends { readonly otherExit: infer Exit }
    ? Exit
    : never
  : never;

export const errorCodes: readonly ErrorCode[] = [
  ...Object.keys(serviceErrors),
  ...Object.keys(ownErrors),
].filter(isErrorCode);

export function isErrorCode(word: string): word is ErrorCode {
  return isServiceCode(word) || Object.hasOwn(ownErrors, word);
}

/** The possible exit codes of an error with this code, the usual one first. */
export function exitsOf(code: ErrorCode): readonly ExitCode[] {
  if (isServiceCode(code)) return [factsOf(code).exit];
  const { exit, otherExit }: OwnError = ownErrors[code];
  return otherExit === undefined ? [exit] : [exit, otherExit];
}

export function factsOf(code: ErrorCode): ErrorFacts {
  if (!isServiceCode(code)) return ownErrors[code];
  const { status, meaning, next } = serviceErrors[code];
  const { exit, retried } = meaningOf(status);
  return { exit, retryable: retried, meaning, next };
}
