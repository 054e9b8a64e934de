import { BlockList, isIP } from "node:net";
import { isLoopback } from "../api/host.ts";
import { invalidInput, usageFailure } from "../base/failure.ts";
import { withoutSecrets } from "../base/key.ts";

/** The environment variables, which name the proxy. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Opens a tunnel (CONNECT), so it sees the host name but none of the traffic. */
export type Proxy = ReturnType<typeof readProxy>;

/** As in curl, lowercase takes precedence. HTTP_PROXY applies to plain http, which only localhost uses. */
const variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/** The variable counts, whatever its value. */
export function proxyVariable(env: Environment): string | undefined {
  return variables.find((name) => (env[name] ?? "") !== "");
}

/**
 * Returns undefined for a direct connection. Throws a usage failure if the proxy type is not supported. Localhost
 * bypasses the proxy, so the sandbox does not require NO_PROXY. Plain http bypasses it too, because the proxy would see
 * the key.
 */
export function findProxy(url: URL, env: Environment): Proxy | undefined {
  const variable = proxyVariable(env);
  const mayBeProxied = url.protocol === "https:" && !isLoopback(url.hostname);
  if (variable === undefined || !mayBeProxied || isExcepted(url, env)) return undefined;
  return readProxy(variable, env[variable] ?? "");
}

/** `variable` is the environment variable that sets the proxy, exactly as spelled. */
function readProxy(variable: string, text: string) {
  const said = `${variable} "${shownProxy(text)}"`;
  const next = `use a URL such as http://proxy.example:3128, or unset ${variable}`;
  const scheme = /^([a-z][a-z\d+.-]*):\/\//iu.exec(text)?.[1]?.toLowerCase() ?? "http";
  if (scheme.startsWith("socks"))
    throw usageFailure(`${said}: SOCKS proxies are not supported; use an http:// or https:// proxy`, next);
  if (scheme !== "http" && scheme !== "https")
    throw invalidInput(said, "must be an http:// or https:// proxy", next);
  const whole = text.includes("://") ? text : `http://${text}`;
  // At one of these characters, a URL parser ends the host, so it would take the user name for the proxy.
  if (/[/?#\\].*@/u.test(whole.replace(/^[^:]*:\/\//u, "")))
    throw invalidInput(
      said,
      String.raw`must percent-encode / ? # and \ in its user name and password`,
      String.raw`write / as %2F, ? as %3F, # as %23 and \ as %5C`,
    );
  // A URL parser silently removes line breaks and surrounding spaces.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(whole))
    throw invalidInput(said, "must be the URL of a proxy", next);
  const url = new URL(whole);
  const { username, password, protocol, host } = url;
  const hasName = username !== "" || password !== "";
  return {
    url,
    variable,
    /** Without the user name and password. */
    shown: `${protocol}//${hasName ? "…@" : ""}${host}`,
    authorization: hasName ? basicCredentials(username, password) : undefined,
  };
}

/** Without the user name and password. If the `@` and the host are missing, the password is in the port's position. */
export function shownProxy(text: string): string {
  return withoutSecrets(text).replace(
    /^((?:[a-z][\w+.-]*:\/\/)?[^:/?#[\]@…]+:)(?!\d*(?:[/?#]|$)|\/\/).*$/isu,
    "$1…",
  );
}

function basicCredentials(...parts: readonly string[]): string {
  const decoded = parts.map((text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      // A percent sign that does not start an escape sequence is literal.
      return text;
    }
  });
  return `Basic ${Buffer.from(decoded.join(":")).toString("base64")}`;
}

/**
 * NO_PROXY lists names (including their subdomains), addresses and ranges such as `10.0.0.0/8`, each with an optional
 * `:port`. A single `*` matches every host.
 */
function isExcepted(url: URL, env: Environment): boolean {
  const listed = [env["no_proxy"], env["NO_PROXY"]].find((text) => (text ?? "") !== "") ?? "";
  if (listed.trim() === "*") return true;
  const host = unbracketed(url.hostname).replace(/\.$/u, "");
  const port = url.port === "" ? "443" : url.port;
  return listed
    .toLowerCase()
    .split(/[\s,]+/u)
    .filter((entry) => entry !== "")
    .some((entry) => {
      const { name, only } = splitPort(entry);
      return (only === undefined || only === port) && covers(name, host);
    });
}

/** With an IPv6 address, a colon starts a port only if the address is in brackets. */
function splitPort(entry: string): { readonly name: string; readonly only: string | undefined } {
  const [, name, only] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/u.exec(entry) ?? [];
  return name === undefined ? { name: entry, only: undefined } : { name: unbracketed(name), only };
}

function covers(entry: string, host: string): boolean {
  const [start = "", bits] = entry.split("/");
  const version = isIP(host);
  if (version !== 0) {
    if (isIP(start) !== version) return false;
    const width = version === 4 ? 32 : 128;
    const prefix = bits === undefined ? width : Number(bits);
    if (!/^\d*$/u.test(bits ?? "") || prefix > width) return false;
    const family = version === 4 ? "ipv4" : "ipv6";
    const range = new BlockList();
    range.addSubnet(start, prefix, family);
    return range.check(host, family);
  }
  const name = entry.replace(/^\*?\./u, "").replace(/\.$/u, "");
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}

export function unbracketed(name: string): string {
  return name.replace(/^\[(.*)\]$/u, "$1");
}
