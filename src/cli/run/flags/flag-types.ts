import { formatDuration, parseDuration, readDuration, unitHint } from "../../../api/duration.ts";
import { invalidInput } from "../../../base/failure.ts";
import { entryOf } from "../../../base/json/json-scan.ts";
import type { Setting } from "../../../client/settings.ts";
import { expanded, readInteger } from "../../../api/read-param.ts";
import { readChoice } from "../../../api/read-choice.ts";
import { checkHost } from "../../../api/host.ts";
import { withoutSecrets } from "../../../base/key.ts";

/** How values are displayed in help, named in `commands -o json`, and parsed. */
export interface FlagType<Value> {
  readonly name:
    | "switch"
    | "choice"
    | "integer"
    | "integer or unlimited"
    | "number"
    | "duration"
    | "time"
    | "text"
    | "list"
    | "pair"
    | "file"
    | "url"
    | "address";
  /** Undefined for a boolean flag. */
  readonly placeholder: string | undefined;
  readonly choices: readonly string[] | undefined;
  /** The flag can be repeated, and every value counts. Any other flag can be repeated only with the same value. */
  readonly isRepeatable: boolean;
  /** A comma-separated list of words that completion can suggest. */
  readonly isList: boolean;
  /** Throws an error that names the flag if one of the values is invalid. */
  readonly read: (name: string, texts: readonly (string | undefined)[]) => Value;
}

type Named = FlagType<unknown>["name"];

const single = { placeholder: undefined, choices: undefined, isRepeatable: false, isList: false };

/** All texts of a flag that is not repeatable are the same. */
export function readBy<Value>(
  name: Named,
  placeholder: string,
  read: (label: string, text: string, flag: string) => Value,
): FlagType<Value> {
  const readOne: FlagType<Value>["read"] = (flag, texts) => {
    const [text = ""] = texts;
    return read(`--${flag} "${text}"`, text, flag);
  };
  return { ...single, name, placeholder, read: readOne };
}

export const toggle: FlagType<true> = { ...single, name: "switch", read: () => true };

/** As in `-vv`. */
export const counting: FlagType<number> = {
  ...single,
  name: "switch",
  isRepeatable: true,
  read: (_, texts) => texts.length,
};

/** The command parses the string later. `name` describes the value for programs. */
export const text = (placeholder: string, name: Named = "text"): FlagType<string> =>
  readBy(name, placeholder, (_, typed) => typed);

/** An empty text is probably an unset variable. */
export const filledText = (placeholder: string, name: Named = "text"): FlagType<string> =>
  readBy(name, placeholder, (label, typed) => {
    if (typed.trim() === "") throw invalidInput(label, "must not be empty");
    return typed;
  });

export const texts = (placeholder: string): FlagType<readonly string[]> => ({
  ...single,
  name: "pair",
  placeholder,
  isRepeatable: true,
  read: (_, typed) => typed.map((each) => each ?? ""),
});

/** Without an upper bound, `10k` is accepted. */
export function wholeNumber(
  bounds: { readonly min: number; readonly max?: number },
  placeholder = "n",
): FlagType<number> {
  return readBy("integer", placeholder, (label, typed) =>
    Number(readInteger(label, bounds.max === undefined ? expanded(typed) : typed, bounds)),
  );
}

/** Accepts and rejects the same values as the variable and the config file. */
export function ofSetting<Value>(
  { check }: Setting<Value>,
  name: Named,
  placeholder: string,
): FlagType<Exclude<Value, undefined>> {
  return readBy(name, placeholder, (label, typed) => {
    const checked = check(typed);
    if ("problem" in checked) throw invalidInput(label, checked.problem, checked.next);
    return checked.value;
  });
}

/** In milliseconds. */
export const duration: FlagType<number> = readBy("duration", "duration", (label, typed) =>
  readDuration(label, typed),
);

export const durationOrZero: FlagType<number> = readBy("duration", "duration", (label, typed) =>
  /^0[a-z]*$/u.test(typed) ? 0 : readDuration(label, typed, "or 0"),
);

/** The minimum is in milliseconds, too. `next` is the hint for shorter durations, and `others` an exception. */
export function durationFrom(shortest: number, next: string, others = ""): FlagType<number> {
  return readBy("duration", "duration", (label, typed) => {
    const milliseconds = parseDuration(typed) ?? 0;
    if (milliseconds >= shortest) return milliseconds;
    const accepted = `must be a duration of ${formatDuration(shortest)} or more${others}, such as 30s, 5m or 1h`;
    throw invalidInput(label, accepted, Number(typed) * 1000 >= shortest ? unitHint(typed) : next);
  });
}

/** `also` has other names of choices. */
export function choice<const Word extends string>(
  choices: readonly Word[],
  placeholder: string,
  also: Readonly<Record<string, Word>> = {},
): FlagType<Word> {
  const type = readBy("choice", placeholder, (label, typed) =>
    readChoice(label, entryOf(also, typed) ?? typed, choices),
  );
  return { ...type, choices };
}

/** Comma-separated. */
export const list = <Value>(
  placeholder: string,
  read: (label: string, items: readonly string[], flag: string) => Value,
): FlagType<Value> => ({
  ...readBy("list", placeholder, (label, typed, flag) => {
    const items = typed.split(",").map((item) => item.trim());
    return read(label, items, flag);
  }),
  isList: true,
});

/** Elsewhere, `-` means stdout, but here it would create a file named "-". */
export const outputFile: FlagType<string> = readBy("file", "file", (label, typed, flag) => {
  if (typed !== "" && typed !== "-") return typed;
  const next = `${flag === "out" ? "leave it out to write to stdout, or " : ""}use ./- for a file named -`;
  throw invalidInput(label, "must be a file name", typed === "-" ? next : undefined);
});

export const host: FlagType<string> = readBy("url", "url", (_, typed, flag) => {
  const checked = checkHost(typed);
  if (typeof checked === "string") return checked;
  throw invalidInput(`--${flag} "${withoutSecrets(typed)}"`, checked.problem);
});
