import type { Reply, SeenRequest } from "../scripted-server.ts";
import { isLong } from "../long.ts";
import type { HostileCommand } from "./commands.ts";

/** One hostile behavior, and the expected outcome of the client. */
export interface Mode {
  readonly name: string;
  readonly reply: (command: HostileCommand, request: SeenRequest, index: number) => Reply;
  readonly ends: Ending;
  /** One command of each kind of reply by default. */
  readonly isFor?: (command: HostileCommand) => boolean;
  /** Added to the command's words. */
  readonly flags?: string;
  /** The client's waits between its requests in milliseconds, if the mode tests them. */
  readonly waits?: readonly number[];
}

export interface Ending {
  readonly exit: number;
  /** The first line of stderr, without `error: `; undefined if stderr is empty. */
  readonly says: RegExp | undefined;
  /** The exact number of requests at the server. */
  readonly requests: number;
  /** Rows precede the failure. Otherwise there are rows only if the exit code is 0. */
  readonly hasRows?: boolean;
}

/** The response is invalid, and a retry would return the same. */
export const untrusted = (says: RegExp): Ending => ({ exit: 1, says, requests: 1 });
/** Retried four times without success. */
export const givenUp = (says: RegExp, exit: 6 | 7 = 7): Ending => ({ exit, says, requests: 5 });
export const refused = (exit: number, says: RegExp): Ending => ({ exit, says, requests: 1 });
/** The mode has no effect. */
export const fine: Ending = { exit: 0, says: undefined, requests: 1 };

/** Returns the first mode of each way to end; all modes in the long form. */
export function oneOfEachEnding(
  modes: readonly Mode[],
  endOf: (mode: Mode) => Pick<Ending, "exit" | "says"> = ({ ends }) => ends,
): readonly Mode[] {
  const endingOf = (mode: Mode): string => {
    const { exit, says } = endOf(mode);
    return `${exit} ${String(says).replaceAll(/content-encoding .*?,|\d{3}/gu, "")}`;
  };
  return modes.filter(
    (mode, index) => isLong || modes.findIndex((each) => endingOf(each) === endingOf(mode)) === index,
  );
}
