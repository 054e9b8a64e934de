import { endOfValue, expectEnd, skipBlanks, walkArray, walkObject } from "./json-scan.ts";

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
