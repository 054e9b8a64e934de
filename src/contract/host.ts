import { holdsKey } from "./key.ts";

/**
 * Returns the base URL in its canonical form (origin and path, no trailing slash), or why it is rejected; `problem` goes
 * after `DEXDATA_BASE_URL "…": `. The key is sent to these hosts, so they must use https, or be localhost.
 */
export function checkHost(text: string): string | { readonly problem: string } {
  if (text === "") return { problem: "must not be empty; a URL such as https://host.example is needed" };
  // A URL parser drops tabs and line breaks and reads a backslash as a slash: messages would show another URL.
  if (/[\s\p{Cc}\\]/u.test(text)) return { problem: "must be a URL without blanks and backslashes" };
  const authority = /^https?:\/\/([^/?#]+)/iu.exec(text)?.[1];
  if (authority === undefined)
    return { problem: "must begin with https:// and a host (http:// on loopback)" };
  if (authority.includes("@")) return { problem: "must not hold a user name or password" };
  if (/[?#]/u.test(text)) return { problem: "must not have a query or a fragment" };
  if (holdsKey(text)) return { problem: "must not hold a key" };
  if (!URL.canParse(text)) return { problem: "is not a URL" };
  const url = new URL(text);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return { problem: "must be https: http is accepted on loopback only (127.0.0.1, [::1], localhost)" };
  }
  return url.origin + url.pathname.replace(/\/+$/u, "");
}

/** Whether the host name of a URL is loopback. Plain http is accepted there and nowhere else. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}
