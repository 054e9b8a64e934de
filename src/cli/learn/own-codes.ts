import type { ExitCode } from "../../model/failure.ts";

export interface OwnCode {
  readonly exit: ExitCode;
  readonly meaning: string;
  readonly next: string;
  /** Whether the same command may succeed later without a change. */
  readonly retryable: boolean;
}

const own = (exit: ExitCode, meaning: string, next: string, retryable = false): OwnCode => ({
  exit,
  meaning,
  next,
  retryable,
});

/** What `code` of an error in JSON can be when the service did not say it. */
export const ownCodes: Readonly<Record<string, OwnCode>> = {
  usage: own(2, "the command line or a setting is wrong, and nothing was sent", "do as the message says"),
  timeout: own(
    7,
    "no answer in time: --timeout for one request, --deadline for the run",
    "try again later, or allow more time",
    true,
  ),
  network: own(
    7,
    "the host could not be reached, or the connection broke",
    "check the connection and the hosts",
    true,
  ),
  tls: own(
    7,
    "the certificate of the host was not accepted",
    "where the host uses an authority of its own, name its file in NODE_EXTRA_CA_CERTS",
  ),
  proxy: own(
    7,
    "The proxy failed, does not connect to the host, or rejects its user name and password (exit 4)",
    "check the variable that the message names, or bypass the proxy: NO_PROXY=<host>",
  ),
  untrusted_answer: own(
    1,
    "the answer is not JSON, not the shape, leaves a filter out, or repeats a cursor: what it says cannot be trusted",
    "report it; -v shows the requests",
  ),
  incomplete: own(
    8,
    "The service counts more rows than it returns, after several requests for the same page",
    "try again later, or accept the list as it is with --no-strict",
    true,
  ),
  bug: own(1, "a mistake in dexdata", "report it with the command that led to it"),
  failure: own(1, "a failure that has no code of its own", "read the message"),
  max_credits: own(5, "the next request would pass --max-credits", "raise it, or ask for less"),
  daily_budget: own(
    5,
    "the next request would pass budget.daily of this machine",
    "wait for the next UTC day, or raise it: dexdata config set budget.daily <n>",
  ),
  budget_not_kept: own(
    2,
    "the count of budget.daily cannot be kept in the state folder",
    "make the folder writable: dexdata help environment",
  ),
  other_plan: own(
    4,
    "the service counts the key under another plan than --require-plan",
    "see which plan it is: dexdata auth status",
  ),
  wait_too_long: own(
    6,
    "The service requested a wait of more than 1h",
    "try again in 1h, use another key, or add --rpm unlimited",
    true,
  ),
  stream_limit: own(
    6,
    "More streams than the plan or the IP address can have open at once",
    "close other streams, also in other programs, or stream fewer assets",
    true,
  ),
  too_many_assets: own(6, "more assets than the plan has connections for", "ask for fewer, or upgrade"),
  not_read: own(8, "the last reads of a list that was followed failed", "start it again from there", true),
  stream_ended: own(8, "the service ended the stream", "start it again", true),
  stream_error: own(7, "the service ended the stream with an error event", "start it again", true),
  clock_jump: own(
    7,
    "the machine slept or its clock was set: the stream was connected again",
    "nothing",
    true,
  ),
  idle: own(
    8,
    "nothing came for as long as --idle-exit allows",
    "check the assets, or allow more time",
    true,
  ),
  checkpoint: own(
    2,
    "the file of --out or its journal is not that of this pull",
    "give the same query, or name another file",
  ),
  unfinished: own(
    2,
    "an earlier run left an unfinished pull of the file of --out",
    "continue it with --resume, or start over with --force",
  ),
  busy: own(2, "another run writes the same file", "wait for it, or name another file", true),
  output: own(1, "the output could not be written", "check the disk and the rights of the folder"),
  settings: own(
    2,
    "a file of the settings could not be written",
    "check the rights of the folder: dexdata config path",
  ),
  settings_locked: own(2, "another run holds the lock of the settings", "try again", true),
};
