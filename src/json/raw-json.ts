import { eachElement, eachMember } from "./json-scan.ts";

/**
 * The members of an object as the service wrote them: name → the text of its value, without blanks around it.
 * Of members with the same name the last counts, as for `JSON.parse`; a Map, so that `__proto__` is a name like
 * any other. Throws a SyntaxError when the text is not an object.
 */
export function rawMembers(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  eachMember(text, (keyStart, keyEnd, start, end) => {
    members.set(decodeName(text.slice(keyStart, keyEnd)), text.slice(start, end));
  });
  return members;
}

/** The elements of an array as the service wrote them. Throws a SyntaxError when the text is not an array. */
export function rawElements(text: string): readonly string[] {
  const elements: string[] = [];
  eachElement(text, (start, end) => elements.push(text.slice(start, end)));
  return elements;
}

/** Names seldom hold an escape, and cutting the quotes off is then all there is to do. */
export function decodeName(quoted: string): string {
  return quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

/** Whether the value is an object in JSON: not an array, not null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The member of a parsed answer, whatever its name; never one of Object.prototype. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
