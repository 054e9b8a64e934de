import type { ExitCode } from "./exit-codes.ts";
import { isServiceCode, meaningOf, type ServiceCode, serviceErrors } from "./service-errors.ts";

/** The properties that all failures with the same code share. */
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

/**
 * The error codes that dexdata itself assigns. `fail` looks up failures by code, so a new code needs only an entry
 * here.
 */
const ownErrors = {
  usage: lasting(
    2,
    "The command line or a setting is invalid; nothing was sent",
    "correct the input that the message names",
  ),
  timeout: temporary(
    7,
    "No response in time (--timeout for one request, --deadline for the run)",
    "try again later, or allow more time",
  ),
  network: temporary(
    7,
    "The host could not be reached, or the connection was lost",
    "check the network connection and the hosts",
  ),
  tls: lasting(
    7,
    "The certificate of the host could not be verified",
    "to trust the certificate authority of the host, set NODE_EXTRA_CA_CERTS to its certificate file",
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
    "Invalid response: not JSON, an unexpected structure, an ignored filter, or a repeated cursor",
    "if this persists, report it with the output of the same command and -v",
  ),
  incomplete: temporary(
    8,
    "The service counts more rows than it returns, after several requests for the same page",
    "try again later, or accept the list as it is with --no-strict",
  ),
  bug: lasting(1, "Internal error, which is a bug in dexdata", "report it with the command that caused it"),
  max_credits: lasting(5, "The next request would exceed --max-credits", "raise the limit, or request less"),
  daily_budget: lasting(
    5,
    "The next request would exceed budget.daily on this machine",
    "wait for the next UTC day, or raise it: dexdata config set budget.daily <n>",
  ),
  budget_not_kept: lasting(
    2,
    "The credits counted for budget.daily cannot be saved in the state directory",
    "make the file and its directory writable, use another directory with DEXDATA_STATE_DIR, or remove the budget: dexdata config unset budget.daily",
  ),
  other_plan: lasting(
    4,
    "The service applied another plan than --require-plan",
    "see the key in use and its plan: dexdata auth status",
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
  too_many_assets: lasting(6, "Too many assets for the connections of the plan", "request fewer, or upgrade"),
  not_read: temporary(8, "The last reads of a followed list failed", "restart from that time with --from"),
  stream_ended: temporary(8, "The service ended the stream", "restart the stream"),
  stream_error: temporary(7, "The service ended the stream with an error event", "restart the stream"),
  clock_jump: temporary(
    7,
    "The machine slept or its clock was changed, so the stream was reconnected",
    "no action is required",
  ),
  idle: temporary(
    8,
    "No event arrived within the time of --idle-exit",
    "check the assets, or allow more time",
  ),
  checkpoint: lasting(
    2,
    "The file of --out or its checkpoint belongs to another pull",
    "repeat the original query, or name another file",
  ),
  unfinished: lasting(
    2,
    "An earlier run left an unfinished pull of the --out file",
    "continue it with --resume, or start over with --force",
  ),
  busy: temporary(7, "Another run is writing the same file", "wait for it, or name another file"),
  output: {
    ...lasting(1, "The output could not be written", "check the disk and the permissions of the directory"),
    otherExit: 2,
  },
  settings: lasting(
    2,
    "A settings file could not be written",
    "check the permissions of the directory: dexdata config path",
  ),
  settings_locked: temporary(2, "The settings are locked by another run", "try again"),
} satisfies Readonly<Record<string, OwnError>>;

type OwnCode = keyof typeof ownErrors;

/** Every possible `code` of a JSON error. */
export type ErrorCode = ServiceCode | OwnCode;

/** The alternative exit code that a failure with this code can have. */
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

/** Returns the possible exit codes of an error with this code, starting with the most common one. */
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
