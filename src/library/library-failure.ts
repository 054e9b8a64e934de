import { Failure } from "../base/failure.ts";
import { optionNames } from "./read-options.ts";

/** The next step is written for the command line. */
export function withOptions(cause: unknown, options = optionNames): unknown {
  if (!(cause instanceof Failure) || cause.next === undefined) return cause;
  const next = nameOptions(cause.next, options);
  return next === cause.next ? cause : new Failure(cause.message, { ...cause.details, next });
}

/** Names the option instead of the flag with the same meaning, but not in a command to type. */
export function nameOptions(text: string, options = optionNames): string {
  const named = (part: string): string =>
    part.replaceAll(/--([a-z-]+)/gu, (flag, name: string) => {
      const option = name.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase());
      return options.includes(option) ? option : flag;
    });
  return text
    .split("; ")
    .map((part) => (part.includes(": dexdata ") ? part : named(part)))
    .join("; ");
}
