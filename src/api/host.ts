import { createHash } from "node:crypto";
import { holdsKey } from "../base/key.ts";

/**
 * Returns the origin and path without a trailing slash, or the reason for rejecting the URL. In messages, `problem`
 * follows `DEXDATA_BASE_URL "…": `. The API key is sent here, so only https or localhost is accepted.
 */
export function checkHost(text: string): string | { readonly problem: string } {
  if (text === "") return { problem: "must not be empty; enter a URL such as https://host.example" };
  // A URL parser drops tabs and line breaks and treats a backslash as a slash, so messages would show a different URL.
  if (/[\s\p{Cc}\\]/u.test(text)) return { problem: "must be a URL without spaces or backslashes" };
  const authority = /^https?:\/\/([^/?#]+)/iu.exec(text)?.[1];
  if (authority === undefined)
    return { problem: "must start with https:// and a host (http:// only for loopback addresses)" };
  // In `https://me:40961/word@host`, a URL parser takes `me` for the host: the key would be sent there.
  if (text.includes("@")) return { problem: "must not contain a user name or password" };
  if (/[?#]/u.test(text)) return { problem: "must not contain a query or a fragment" };
  if (holdsKey(text)) return { problem: "must not contain a key" };
  if (!URL.canParse(text)) return { problem: "must be a valid URL" };
  const url = new URL(text);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return {
      problem: "must use https; http is accepted only for loopback addresses (127.0.0.1, [::1], localhost)",
    };
  }
  return url.origin + url.pathname.replace(/\/+$/u, "");
}

/** Plain http is accepted only for loopback addresses. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}

/** The hint for a host that cannot be reached. */
export const checkNetwork = "check the host name and your network";

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
