import { holdsKey } from "../contract/key.ts";
import { isLoopback } from "../contract/loopback.ts";

/**
 * The base URL in the one form the program keeps (origin and path, no slash at the end), or why it is refused;
 * `problem` goes after `DEXDATA_BASE_URL "…": `. The key travels to these hosts, so they are https, or this
 * machine itself.
 */
export function checkHost(text: string): string | { readonly problem: string } {
  if (text === "") return { problem: "must not be empty; a URL such as https://host.example is needed" };
  // A URL parser drops tabs and line breaks and reads a backslash as a slash: what is shown would not be what is asked.
  if (/[\s\p{Cc}\\]/u.test(text)) return { problem: "must be a URL without blanks and backslashes" };
  const authority = /^https?:\/\/([^/?#]+)/iu.exec(text)?.[1];
  if (authority === undefined)
    return { problem: "must begin with https:// and a host (http:// on loopback)" };
  if (authority.includes("@")) return { problem: "must not hold a user name or password" };
  if (/[?#]/u.test(text)) return { problem: "must not have a query or a fragment" };
  if (holdsKey(text)) return { problem: "must not hold a key" };
  const url = parseUrl(text);
  if (url === undefined) return { problem: "is not a URL" };
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return { problem: "must be https: http is accepted on loopback only (127.0.0.1, [::1], localhost)" };
  }
  return url.origin + url.pathname.replace(/\/+$/u, "");
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
