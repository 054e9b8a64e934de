import type { Caller } from "./caller.ts";
import type { Dialect } from "./dialect.ts";

/** Wire-facts 1: what stands before the public service's paid hosts turns away whoever brings no key. */
export function blockedPage(caller: Caller, dialect: Dialect): string | undefined {
  if (dialect === "spec" || caller.kind !== "keyless") return undefined;
  return "<!DOCTYPE html><html><head><title>You have been blocked</title></head><body></body></html>";
}
