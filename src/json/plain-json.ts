const [QUOTE, COMMA, COLON, BACKSLASH, MINUS, PLUS, POINT] = [0x22, 0x2c, 0x3a, 0x5c, 0x2d, 0x2b, 0x2e];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [ZERO, ONE, NINE, LOWER_E, UPPER_E, LOWER_U] = [48, 49, 57, 101, 69, 117];
const [SPACE, DEL] = [0x20, 0x7f];
/** What may stand behind a backslash, but for `u` and its digits. */
const escapable: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const [LOWER_T, LOWER_F, LOWER_N] = [0x74, 0x66, 0x6e];
const [trueWord, falseWord, nullWord] = [Buffer.from("true"), Buffer.from("false"), Buffer.from("null")];
/** By the byte: 1 where it is itself inside a string, and printable ASCII. */
const isOrdinary = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte < DEL && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
/** Levels that fit into the bits of one number. */
const deepest = 30;
export const WRONG = -1;

/**
 * Whether the bytes are a JSON text of printable ASCII without white space between its tokens: one that can be written
 * as a line as it came. `false` says nothing: such a text may be JSON all the same, and takes the longer way through
 * `JSON.parse`. This look takes a third of the time of that, and leaves nothing behind to collect. Where each value
 * that holds no others begins and ends goes into `scalars`.
 */
export function isPlainJson(bytes: Uint8Array, start = 0, end = bytes.length, scalars?: number[]): boolean {
  let at = start;
  let depth = 0;
  /** A bit a level, the innermost last: 1 in an object, 0 in a list. */
  let levels = 0;
  for (;;) {
    const first = byteAt(bytes, at);
    if (first === OPEN_OBJECT || first === OPEN_LIST) {
      const close = first === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST;
      if (byteAt(bytes, at + 1) !== close) {
        if (depth === deepest) return false;
        depth += 1;
        levels = (levels << 1) | (first === OPEN_OBJECT ? 1 : 0);
        at = first === OPEN_OBJECT ? endOfName(bytes, at + 1) : at + 1;
        if (at === WRONG) return false;
        continue;
      }
      at += 2;
    } else {
      scalars?.push(at);
      at = endOfScalar(bytes, at);
      scalars?.push(at);
    }
    if (at === WRONG) return false;

    // Behind a value: a comma and the next one, or the ends of what it stands in.
    for (;;) {
      if (depth === 0) return at === end;
      const isObject = (levels & 1) === 1;
      const next = byteAt(bytes, at);
      at += 1;
      if (next === COMMA) {
        if (isObject) at = endOfName(bytes, at);
        if (at === WRONG) return false;
        break;
      }
      if (next !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) return false;
      depth -= 1;
      levels >>= 1;
    }
  }
}

/** Behind `"name":`. */
function endOfName(bytes: Uint8Array, at: number): number {
  const end = byteAt(bytes, at) === QUOTE ? endOfString(bytes, at + 1) : WRONG;
  return end !== WRONG && byteAt(bytes, end) === COLON ? end + 1 : WRONG;
}

/** Behind the value that begins there and holds no others; `WRONG` where none does. */
export function endOfScalar(bytes: Uint8Array, at: number): number {
  const first = byteAt(bytes, at);
  if (first === QUOTE) return endOfString(bytes, at + 1);
  if (first === MINUS || isDigit(first)) return endOfNumber(bytes, at);
  if (first === LOWER_N) return endOfWord(bytes, at, nullWord);
  if (first === LOWER_T) return endOfWord(bytes, at, trueWord);
  return first === LOWER_F ? endOfWord(bytes, at, falseWord) : WRONG;
}

function endOfWord(bytes: Uint8Array, at: number, word: Uint8Array): number {
  const { length } = word;
  for (let index = 1; index < length; index += 1) {
    if (byteAt(bytes, at + index) !== word[index]) return WRONG;
  }
  return at + length;
}

/** Behind the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let at = start;
  for (;;) {
    while (at < length && isOrdinary[bytes[at] ?? 0] === 1) at += 1;
    const byte = byteAt(bytes, at);
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH) return WRONG;
    at = endOfEscape(bytes, at + 1);
    if (at === WRONG) return WRONG;
  }
}

function endOfEscape(bytes: Uint8Array, at: number): number {
  const escaped = byteAt(bytes, at);
  if (escaped !== LOWER_U) return escapable.has(escaped) ? at + 1 : WRONG;
  for (let digit = 1; digit <= 4; digit += 1) if (!isHexDigit(byteAt(bytes, at + digit))) return WRONG;
  return at + 5;
}

function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = byteAt(bytes, start) === MINUS ? start + 1 : start;
  const first = byteAt(bytes, at);
  if (first === ZERO) at += 1;
  else if (first >= ONE && first <= NINE) at = endOfDigits(bytes, at);
  else return WRONG;
  if (byteAt(bytes, at) === POINT) {
    const end = endOfDigits(bytes, at + 1);
    if (end === at + 1) return WRONG;
    at = end;
  }
  const mark = byteAt(bytes, at);
  if (mark !== LOWER_E && mark !== UPPER_E) return at;
  const sign = byteAt(bytes, at + 1);
  const digits = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
  const end = endOfDigits(bytes, digits);
  return end === digits ? WRONG : end;
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let at = start;
  while (at < length && isDigit(bytes[at] ?? 0)) at += 1;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102);
}

/** 0, which nothing here takes for a token, behind the end. */
function byteAt(bytes: Uint8Array, at: number): number {
  return at < bytes.length ? (bytes[at] ?? 0) : 0;
}
