import { createHash } from "node:crypto";

/**
 * The name of a service in files that are kept and passed on: its origin, and a hash of its path, because a path can
 * contain a secret.
 */
export function serviceName(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return url;
  const { origin, pathname, search } = parsed;
  const rest = `${pathname.replace(/\/+$/u, "")}${search}`;
  if (rest === "") return origin;
  return `${origin}/#${createHash("sha256").update(rest).digest("hex").slice(0, 12)}`;
}

/** The name in a file of this version or of an earlier one, which stored the URLs themselves. */
export function isSameService(stored: string, name: string): boolean {
  return stored === name || namesIn(stored) === name;
}

/** `text` has one or more URLs, or is not about URLs. */
export function namesIn(text: string): string {
  return text
    .split(" ")
    .map((part) => (part.includes("/#") || !/^https?:/u.test(part) ? part : serviceName(part)))
    .join(" ");
}
