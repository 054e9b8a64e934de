/**
 * Scans JSON text without building values, so that numbers keep their exact digits. Expects text that `JSON.parse` has
 * accepted. Other text may cause a SyntaxError, but is still scanned in linear time and without recursion.
 */

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
export const OPEN_ARRAY = 91;
export const OPEN_OBJECT = 123;
export const CLOSE_ARRAY = 93;
export const CLOSE_OBJECT = 125;

export function skipBlanks(text: string, at: number): number {
  let index = at;
  while (isBlank(text.charCodeAt(index))) index++;
  return index;
}

export function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

function endOfString(text: string, at: number): number {
  // A quote after an odd number of backslashes is escaped.
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let slash = quote;
    while (text.charCodeAt(slash - 1) === BACKSLASH) slash--;
    if ((quote - slash) % 2 === 0) return quote + 1;
  }
  throw new SyntaxError("unclosed JSON string");
}

/** There must be no white space at `at`. */
export function endOfValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return endOfString(text, at);
  if (first === OPEN_ARRAY || first === OPEN_OBJECT) return endOfContainer(text, at);
  let index = at;
  while (index < text.length && !endsScalar(text.charCodeAt(index))) index++;
  if (index === at) throw new SyntaxError("missing JSON value");
  return index;
}

/** `visit` receives the start and end of each key and the start of its value, and returns the end of the value. */
export function walkObject(
  text: string,
  from: number,
  visit: (keyStart: number, keyEnd: number, start: number) => number,
): number {
  return walkContainer(text, from, "object", (at) => {
    if (text.charCodeAt(at) !== QUOTE) throw new SyntaxError("missing member name in a JSON object");
    const keyEnd = endOfString(text, at);
    const colon = skipBlanks(text, keyEnd);
    if (text.charCodeAt(colon) !== COLON) throw new SyntaxError("missing colon in a JSON object");
    return visit(at, keyEnd, skipBlanks(text, colon + 1));
  });
}

/** `visit` receives the start of each element and returns its end. */
export function walkArray(text: string, from: number, visit: (start: number) => number): number {
  return walkContainer(text, from, "array", visit);
}

function walkContainer(
  text: string,
  from: number,
  kind: "array" | "object",
  visit: (start: number) => number,
): number {
  const [opening, closing] = kind === "array" ? [OPEN_ARRAY, CLOSE_ARRAY] : [OPEN_OBJECT, CLOSE_OBJECT];
  if (text.charCodeAt(from) !== opening) throw new SyntaxError(`JSON text is not an ${kind}`);
  let at = skipBlanks(text, from + 1);
  if (text.charCodeAt(at) === closing) return at + 1;
  for (;;) {
    const next = skipBlanks(text, visit(at));
    if (text.charCodeAt(next) === closing) return next + 1;
    if (text.charCodeAt(next) !== COMMA) throw new SyntaxError(`unclosed JSON ${kind}`);
    at = skipBlanks(text, next + 1);
  }
}

/** `visit` returns the index of the last character it consumed. */
export function eachOutsideStrings(text: string, visit: (code: number, at: number) => number): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    at = code === QUOTE ? endOfString(text, at) - 1 : visit(code, at);
  }
}

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

/** The comma comes first, because digits and letters, the most frequent characters, are all greater. */
function endsScalar(code: number): boolean {
  if (code > COMMA) return code === CLOSE_ARRAY || code === CLOSE_OBJECT;
  return code === COMMA || isBlank(code);
}

export function expectEnd(text: string, at: number): void {
  if (skipBlanks(text, at) !== text.length) throw new SyntaxError("unexpected text after the JSON value");
}

/**
 * Returns the text of each member exactly as the service wrote it. If a name is repeated, the last member counts, as in
 * `JSON.parse`. In a Map, `__proto__` is a name like any other. Throws a SyntaxError if the text is not an object.
 */
export function rawMembers(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  const end = walkObject(text, skipBlanks(text, 0), (keyStart, keyEnd, start) => {
    const valueEnd = endOfValue(text, start);
    members.set(decodeName(text.slice(keyStart, keyEnd)), text.slice(start, valueEnd));
    return valueEnd;
  });
  expectEnd(text, end);
  return members;
}

/** Returns the elements exactly as the service wrote them. Throws a SyntaxError if the text is not an array. */
export function rawElements(text: string): readonly string[] {
  const elements: string[] = [];
  const end = walkArray(text, skipBlanks(text, 0), (start) => {
    const valueEnd = endOfValue(text, start);
    elements.push(text.slice(start, valueEnd));
    return valueEnd;
  });
  expectEnd(text, end);
  return elements;
}

/** Decodes a name or any other string. Few contain an escape. */
export function decodeName(quoted: string): string {
  return quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

const maxRemembered = 100;

/**
 * Returns a function that finds what belongs to the member whose name is at this range of the text. Most rows have the
 * same members in the same order, so those of the previous row are remembered by their position. Only the first few are,
 * because a hostile object may have millions.
 */
export function createMemberLookup<T>(find: (name: string) => T) {
  const remembered: { readonly key: string; readonly found: T }[] = [];
  return (text: string, start: number, end: number, position: number): T => {
    const before = remembered[position];
    if (before?.key.length === end - start && text.startsWith(before.key, start)) return before.found;
    const key = text.slice(start, end);
    const found = find(decodeName(key));
    if (position < maxRemembered) remembered[position] = { key, found };
    return found;
  };
}

/** Undefined if the text is not JSON, because no JSON stands for undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the value is a JSON object, that is, neither an array nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Never returns a property inherited from Object.prototype. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** The same for a table of dexdata that is read by a name from outside. */
export function entryOf<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
