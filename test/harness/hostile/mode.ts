import type { Reply, SeenRequest } from "../scripted-server.ts";
import { isLong } from "../long.ts";
import type { HostileCommand } from "./commands.ts";

/** One way to be hostile, and what a sound client makes of it. */
export interface Mode {
  readonly name: string;
  readonly reply: (command: HostileCommand, request: SeenRequest, index: number) => Reply;
  readonly ends: Ending;
  /** One command of each kind of reply where not given. */
  readonly isFor?: (command: HostileCommand) => boolean;
  /** Added to the command's words. */
  readonly flags?: string;
  /** What the client waits between its requests, where the mode is about that: milliseconds. */
  readonly waits?: readonly number[];
}

export interface Ending {
  readonly exit: number;
  /** The first line of stderr, without `error: `; undefined where there is nothing to say. */
  readonly says: RegExp | undefined;
  /** What the server sees, to the number. */
  readonly requests: number;
  /** Rows precede the failure. Otherwise there are rows only if the exit code is 0. */
  readonly hasRows?: boolean;
}

/** The answer cannot be trusted, and asking again would give the same. */
export const untrusted = (says: RegExp): Ending => ({ exit: 1, says, requests: 1 });
/** Worth four more tries, all of them in vain. */
export const givenUp = (says: RegExp, exit: 6 | 7 = 7): Ending => ({ exit, says, requests: 5 });
export const refused = (exit: number, says: RegExp): Ending => ({ exit, says, requests: 1 });
/** No harm is done. */
export const fine: Ending = { exit: 0, says: undefined, requests: 1 };

/** The first mode of each way to end; all of them in the long form. */
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
