/** Why a text is no API key. Neither line ever quotes it: what is almost a key is still a secret. */
export interface RefusedKey {
  /** Goes after `the key from DEXDATA_API_KEY `. */
  readonly problem: string;
  /** What to do, on a line of its own. */
  readonly next: string;
}

/** Specification, Authentication 3: the whole value, with nothing in front, and how it begins. */
const PREFIX = "api_";
const KEY_ALONE = "give the key alone, as the console shows it: it begins with api_";
const COPY_AGAIN = "copy it again, without anything around it";
/** No key is near it: what is longer is something else, and is neither read to its end nor sent. */
export const MAX_KEY_BYTES = 4096;
const SCHEMES = ["Bearer", "ApiKey", "Api-Key", "Token", "Basic", "Authorization", "X-API-Key"];

/** The mistakes people make, the most telling first: a text may have several. */
const MISTAKES: readonly { readonly form: RegExp; readonly problem: string; readonly next: string }[] = [
  { form: /^\s*$/u, problem: "is empty", next: KEY_ALONE },
  {
    form: /^\s*["'`‘’“”«»]|["'`‘’“”«»]\s*$/u,
    problem: "stands in quotes",
    next: "leave the quotes out: they are sent as part of the key",
  },
  ...SCHEMES.map((word) => ({
    form: new RegExp(`^\\s*${word}\\s*(?:[\\s:=]|$)`, "iu"),
    problem: `begins with the word ${word}`,
    next: KEY_ALONE,
  })),
  {
    form: /^\s*(?:export\s+|set\s+|\$env:)?\w+\s*=/u,
    problem: "begins with the name of a variable",
    next: KEY_ALONE,
  },
  {
    form: /^\s*(?:\$[\w{(]|<.*>\s*$|%\w+%|\{\{)/u,
    problem: "is a placeholder that nothing was put in for",
    next: KEY_ALONE,
  },
  {
    form: /…|\.{3}|[*•]{2}/u,
    problem: "is a shortened one, as lists show it",
    next: "copy it whole from the console",
  },
  { form: /[\r\n]/u, problem: "has a line break in it or after it", next: COPY_AGAIN },
  { form: /^[ \t]|[ \t]$/u, problem: "has a blank before or after it", next: COPY_AGAIN },
  { form: /[ \t]/u, problem: "has a blank inside", next: COPY_AGAIN },
  { form: /\p{Cc}/u, problem: "has a control character in it", next: COPY_AGAIN },
  {
    form: /[^\u0021-\u007e]/u,
    problem: "has a character outside ASCII in it, perhaps an invisible one",
    next: COPY_AGAIN,
  },
  { form: /["'`]/u, problem: "has a quotation mark in it", next: COPY_AGAIN },
  { form: /^(?!api_)/u, problem: "does not begin with api_", next: KEY_ALONE },
  {
    form: new RegExp(`^.{${MAX_KEY_BYTES + 1}}`, "su"),
    problem: "is far too long to be a key",
    next: COPY_AGAIN,
  },
  { form: /^api_.{0,3}$/u, problem: "is too short to be a whole key", next: COPY_AGAIN },
];

/** Undefined when the text has the form of a key; whether it is one, only the service knows. */
export function checkKeyForm(text: string): RefusedKey | undefined {
  const mistake = MISTAKES.find(({ form }) => form.test(text));
  return mistake === undefined ? undefined : { problem: mistake.problem, next: mistake.next };
}

/** Whether something in the text must be a key: what begins like one and is longer than names are. */
export function holdsKey(text: string): boolean {
  return /(?<![a-z\d])api_[\w-]{20,}/iu.test(text);
}

/** `…` and the last four characters, fewer of a short key: never more than a third of it is shown. */
export function maskKey(key: string): string {
  const shown = Math.min(4, Math.floor(key.length / 3));
  return `…${key.slice(key.length - shown)}`;
}

/**
 * A text that was typed where no key belongs, for a message: whatever looks like a key in it, or like a name and
 * a password of a URL, is left out.
 */
export function withoutSecrets(text: string): string {
  const safe = text
    .replace(/^([a-z][\w+.-]*:[/\\]*)?.*@/isu, "$1…@")
    .replaceAll(new RegExp(`${PREFIX}\\S{4,}`, "giu"), `${PREFIX}…`);
  return safe.length > 200 ? `${safe.slice(0, 200)}…` : safe;
}

/**
 * The same for a whole message or JSON text, wherever in it: a key typed as a flag, a word or a URL would otherwise
 * be repeated by the refusal. Codes such as `invalid_api_key` stay.
 */
export function hideSecrets(message: string): string {
  return message
    .replaceAll(/(?<![a-z\d_])api_[^\s"'\\]{4,}/giu, `${PREFIX}…`)
    .replaceAll(/:\/\/[^\s/"'\\]*@/gu, "://…@");
}
