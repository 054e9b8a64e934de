/** Specification, "Authentication", rule 3: the header contains only the key, which has this prefix. */
const PREFIX = "api_";
const KEY_ALONE = "enter only the key; it starts with api_";
const COPY_AGAIN = "copy it again, without anything around it";
/** Real keys are much shorter. A longer string is not a key, so dexdata stops reading it and never sends it. */
export const MAX_KEY_BYTES = 4096;
const SCHEMES = ["Bearer", "ApiKey", "Api-Key", "Token", "Basic", "Authorization", "X-API-Key"];

/**
 * The most informative mistake comes first, because a string can contain several of them. In messages, `problem` follows
 * `the key from DEXDATA_API_KEY `, and `next` is on a separate line.
 */
const MISTAKES: readonly (readonly [form: RegExp, problem: string, next: string])[] = [
  [/^\s*$/u, "is empty", KEY_ALONE],
  [
    /^\s*["'`‘’“”«»]|["'`‘’“”«»]\s*$/u,
    "is enclosed in quotes",
    "remove the quotes; they would be sent as part of the key",
  ],
  ...SCHEMES.map(
    (word) =>
      [new RegExp(`^\\s*${word}\\s*(?:[\\s:=]|$)`, "iu"), `starts with "${word}"`, KEY_ALONE] as const,
  ),
  [/^\s*(?:export\s+|set\s+|\$env:)?\w+\s*=/u, "starts with a variable name", KEY_ALONE],
  [/^\s*(?:\$[\w{(]|<.*>\s*$|%\w+%|\{\{)/u, "is a placeholder that was not replaced", KEY_ALONE],
  [/…|\.{3}|[*•]{2}/u, "is shortened, as in lists", "copy the complete key from the console"],
  [/[\r\n]/u, "contains a line break", COPY_AGAIN],
  [/^[ \t]|[ \t]$/u, "starts or ends with a space", COPY_AGAIN],
  [/[ \t]/u, "contains a space", COPY_AGAIN],
  [/\p{Cc}/u, "contains a control character", COPY_AGAIN],
  [/[^\u0021-\u007e]/u, "contains a non-ASCII character, which may be invisible", COPY_AGAIN],
  [/["'`]/u, "contains a quotation mark", COPY_AGAIN],
  [/^(?!api_)/u, "does not start with api_", KEY_ALONE],
  [new RegExp(`^.{${MAX_KEY_BYTES + 1}}`, "su"), "is too long to be a key", COPY_AGAIN],
  [/^api_.{0,3}$/u, "is too short to be a complete key", COPY_AGAIN],
];

/**
 * Undefined if the string looks like a key. Only the service knows whether the key is valid. The result never quotes the
 * text, because even a mistyped key is a secret.
 */
export function checkKeyForm(text: string) {
  for (const [form, problem, next] of MISTAKES) if (form.test(text)) return { problem, next };
  return undefined;
}

/** A key starts with the prefix and is longer than any name. */
export function holdsKey(text: string): boolean {
  return /(?<![a-z\d])api_[\w-]{20,}/iu.test(text);
}

/** Returns `…` and the last four characters. At most a third of a short key is shown. */
export function maskKey(key: string): string {
  const shown = Math.min(4, Math.floor(key.length / 3));
  return `…${key.slice(key.length - shown)}`;
}

/** Removes everything that looks like a key, or like the user name and password in a URL. */
export function withoutSecrets(text: string): string {
  const safe = text
    .replace(/^([a-z][\w+.-]*:[/\\]*)?.*@/isu, "$1…@")
    .replaceAll(new RegExp(`${PREFIX}\\S{4,}`, "giu"), `${PREFIX}…`);
  return safe.length > 200 ? `${safe.slice(0, 200)}…` : safe;
}

/**
 * A key may have been typed as a flag, an argument or part of a URL. Codes such as `invalid_api_key` remain. A password
 * that should have been percent-encoded can contain slashes.
 */
export function hideSecrets(message: string): string {
  return message
    .replaceAll(/(?<![a-z\d_])api_[^\s"'\\]{4,}/giu, `${PREFIX}…`)
    .replaceAll(/:\/\/(?:[^\s/?#:"\\]+:[^\s"]*|[^\s/"'\\]*)@/gu, "://…@");
}
