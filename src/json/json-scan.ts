/**
 * Scans the text of a JSON document without building values, so that every digit stays as it was written. `JSON.parse`
 * has already checked the texts, so tokens are not checked again. The scan of any other text ends in linear time and
 * without recursion, possibly with a SyntaxError.
 */

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
export const OPEN_ARRAY = 91;
export const OPEN_OBJECT = 123;
export const CLOSE_ARRAY = 93;
export const CLOSE_OBJECT = 125;

/** The index of the first character at or after `at` that is not JSON white space. */
export function skipBlanks(text: string, at: number): number {
  let index = at;
  while (isBlank(text.charCodeAt(index))) index++;
  return index;
}

export function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** The index after the string whose opening quote is at `at`. */
export function endOfString(text: string, at: number): number {
  // `indexOf` skips the text of the string. A quote after an odd number of backslashes does not end it.
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let slash = quote;
    while (text.charCodeAt(slash - 1) === BACKSLASH) slash--;
    if ((quote - slash) % 2 === 0) return quote + 1;
  }
  throw new SyntaxError("unclosed JSON string");
}

/** The index after the value that starts at `at`, which must not be white space. */
export function endOfValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return endOfString(text, at);
  if (first === OPEN_ARRAY || first === OPEN_OBJECT) return endOfContainer(text, at);
  let index = at;
  while (index < text.length && !endsScalar(text.charCodeAt(index))) index++;
  if (index === at) throw new SyntaxError("missing JSON value");
  return index;
}

/**
 * The index after the object at `from`. `visit` receives the positions of a key and the start of its value, and returns
 * the end of the value. A caller that knows the key by its place passes `endOfKey`.
 */
export function walkObject(
  text: string,
  from: number,
  visit: (keyStart: number, keyEnd: number, start: number) => number,
  endOfKey = endOfString,
): number {
  let at = open(text, from, OPEN_OBJECT, "object");
  if (text.charCodeAt(at) === CLOSE_OBJECT) return at + 1;
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) throw new SyntaxError("missing member name in a JSON object");
    const keyEnd = endOfKey(text, at);
    const colon = skipBlanks(text, keyEnd);
    if (text.charCodeAt(colon) !== COLON) throw new SyntaxError("missing colon in a JSON object");
    const next = skipBlanks(text, visit(at, keyEnd, skipBlanks(text, colon + 1)));
    if (text.charCodeAt(next) === CLOSE_OBJECT) return next + 1;
    if (text.charCodeAt(next) !== COMMA) throw new SyntaxError("unclosed JSON object");
    at = skipBlanks(text, next + 1);
  }
}

/** The index after the array at `from`. `visit` receives the start of an element, and returns its end. */
export function walkArray(text: string, from: number, visit: (start: number) => number): number {
  let at = open(text, from, OPEN_ARRAY, "array");
  if (text.charCodeAt(at) === CLOSE_ARRAY) return at + 1;
  for (;;) {
    const next = skipBlanks(text, visit(at));
    if (text.charCodeAt(next) === CLOSE_ARRAY) return next + 1;
    if (text.charCodeAt(next) !== COMMA) throw new SyntaxError("unclosed JSON array");
    at = skipBlanks(text, next + 1);
  }
}

/** Calls `visit` with each character outside strings; it returns the last position that it has handled. */
export function eachOutsideStrings(text: string, visit: (code: number, at: number) => number): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    at = code === QUOTE ? endOfString(text, at) - 1 : visit(code, at);
  }
}

/** Whether the text starts with this character, after white space. */
export function beginsWith(text: string, code: number): boolean {
  return text.charCodeAt(skipBlanks(text, 0)) === code;
}

function endOfContainer(text: string, at: number): number {
  let depth = 0;
  for (let index = at; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index) - 1;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      depth--;
      if (depth === 0) return index + 1;
    }
  }
  throw new SyntaxError("unclosed JSON array or object");
}

/** Digits and letters, which are the most frequent, are greater than the comma. */
function endsScalar(code: number): boolean {
  if (code > COMMA) return code === CLOSE_ARRAY || code === CLOSE_OBJECT;
  return code === COMMA || isBlank(code);
}

function open(text: string, at: number, code: number, name: string): number {
  if (text.charCodeAt(at) !== code) throw new SyntaxError(`JSON text is not an ${name}`);
  return skipBlanks(text, at + 1);
}

/** Throws if the document does not end at `at`. */
export function expectEnd(text: string, at: number): void {
  if (skipBlanks(text, at) !== text.length) throw new SyntaxError("unexpected text after the JSON value");
}
