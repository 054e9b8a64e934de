/**
 * Characters that could affect a terminal or deceive a reader, for a regular expression with the `u` flag. Anyone can
 * name a token, so a name can contain any of them. Classes such as `\p{Cf}` depend on the runtime's Unicode version,
 * and they also match visible Arabic signs and the variation selectors in emoji and Chinese names. JSON allows line
 * breaks, so control characters below U+0020 are not among them.
 */
export const UNSAFE_IN_JSON = [
  "\\u007f-\\u009f", // DEL and C1: some terminals read U+009B as ESC [
  "\\u00ad\\u034f\\u061c", // soft hyphen, grapheme joiner, Arabic letter mark
  "\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0", // fillers: a name made only of these looks empty
  "\\u180e\\u200b-\\u200f", // zero-width spaces, joiners, direction marks
  "\\u2028-\\u202e", // line and paragraph separators, bidi embeddings and overrides
  "\\u2060-\\u206f\\ufeff\\ufff0-\\ufffb", // invisible operators, bidi isolates, BOM, interlinear marks
  "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}", // shorthand and music controls
  "\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}", // tags, which can encode an entire hidden text
  "\\ud800-\\udfff", // lone surrogates, which UTF-8 would turn into U+FFFD
].join("");

export const UNSAFE_IN_LINE = `\\u0000-\\u001f${UNSAFE_IN_JSON}`;

/** Joins pieces in batches, because a hostile document can contain millions. */
export function collectText(): { add: (piece: string) => void; end: () => string } {
  let whole = "";
  const pieces: string[] = [];
  const flush = (): void => {
    whole += pieces.join("");
    pieces.length = 0;
  };
  return {
    add: (piece) => {
      if (pieces.push(piece) === 4096) flush();
    },
    end: () => {
      flush();
      return whole;
    },
  };
}

/**
 * Like `text.replaceAll(every, write)`, but without holding all matches at once, which can be tens of millions in a
 * hostile text. `every` needs the `g` flag and must match at least one character.
 */
export function replaceEach(text: string, every: RegExp, write: (match: string) => string): string {
  const replaced = collectText();
  let kept = 0;
  every.lastIndex = 0;
  for (let match = every.exec(text); match !== null; match = every.exec(text)) {
    if (match.index > kept) replaced.add(text.slice(kept, match.index));
    replaced.add(write(match[0]));
    kept = every.lastIndex;
  }
  if (kept === 0) return text;
  replaced.add(text.slice(kept));
  return replaced.end();
}

/**
 * Escapes characters that could affect a terminal, break the line or hide text: as `\n`, `\r` or `\t`, and all others
 * like `\u{202e}`. An emoji joined by U+200D is shown as its parts, because a zero-width joiner can also hide in names.
 * A backslash is doubled only where it would look like the start of an escape, so different texts always look
 * different, and `C:\pool` stays unchanged.
 */
export const visibleText = createEscape(UNSAFE_IN_LINE);

/** Like `visibleText`, for a locale that is not UTF-8, where bytes beyond ASCII would show up as other letters. */
export const asciiText = createEscape(`${UNSAFE_IN_LINE}\\u0080-\\u{10ffff}`);

export function shownText(text: string, { isUnicode }: { readonly isUnicode: boolean }): string {
  return isUnicode ? visibleText(text) : asciiText(text);
}

/** `unsafe` is a set of character ranges for a regular expression with the `u` flag. */
function createEscape(unsafe: string): (text: string) => string {
  const suspect = new RegExp(`[\\\\${unsafe}]`, "u");
  const every = new RegExp(`\\\\(?=[\\\\nrt]|u\\{|[${unsafe}])|[${unsafe}]`, "gu");
  return (text) => (suspect.test(text) ? replaceEach(text, every, writeEscape) : text);
}

export const ESCAPES = /\\(?:[\\nrt]|u\{[\da-f]+\})/gu;

export const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
]);

function writeEscape(character: string): string {
  return NAMED_ESCAPES.get(character) ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
