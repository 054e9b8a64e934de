import { BlockList, isIP } from "node:net";
import { isLoopback } from "../../contract/host.ts";
import { invalidInput, usageFailure } from "../../contract/failure.ts";
import { withoutSecrets } from "../../contract/key.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** An HTTP proxy that opens a tunnel (CONNECT): it sees the name of the host and nothing of the traffic. */
export interface Proxy {
  readonly url: URL;
  /** The variable that names it, as it is spelled. */
  readonly variable: string;
  /** For messages: without its name and password. */
  readonly shown: string;
  /** The header `Proxy-Authorization`. */
  readonly authorization: string | undefined;
}

/** Lower case first, as in curl. HTTP_PROXY is missing: it is for plain http, which is used on localhost only. */
const variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/** The variable that names a proxy for https, whatever its value. */
export function proxyVariable(env: Environment): string | undefined {
  return variables.find((name) => (env[name] ?? "") !== "");
}

/**
 * Whether a host may be behind a proxy. Localhost never is, so that the sandbox needs no NO_PROXY, nor is plain http, whose
 * key a proxy would see.
 */
export function mayBeProxied(url: URL, env: Environment): boolean {
  return url.protocol === "https:" && !isLoopback(url.hostname) && proxyVariable(env) !== undefined;
}

/** The proxy for this host; undefined for a direct connection. Throws a usage failure for other kinds of proxies. */
export function findProxy(url: URL, env: Environment): Proxy | undefined {
  const variable = proxyVariable(env);
  if (variable === undefined || !mayBeProxied(url, env) || isExcepted(url, env)) return undefined;
  return readProxy(variable, env[variable] ?? "");
}

function readProxy(variable: string, text: string): Proxy {
  const said = `${variable} "${withoutPassword(text)}"`;
  const next = `use a URL such as http://proxy.example:3128, or unset ${variable}`;
  const scheme = /^([a-z][a-z\d+.-]*):\/\//iu.exec(text)?.[1]?.toLowerCase() ?? "http";
  if (scheme.startsWith("socks"))
    throw usageFailure(`${said}: SOCKS proxies are not supported; use an http:// or https:// proxy`, next);
  if (scheme !== "http" && scheme !== "https")
    throw invalidInput(said, "must be an http:// or https:// proxy", next);
  const whole = text.includes("://") ? text : `http://${text}`;
  // A URL parser drops spaces and line breaks silently.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(whole))
    throw invalidInput(said, "must be the URL of a proxy", next);
  const url = new URL(whole);
  const { username, password, protocol, host } = url;
  const hasName = username !== "" || password !== "";
  return {
    url,
    variable,
    shown: `${protocol}//${hasName ? "…@" : ""}${host}`,
    authorization: hasName ? basicCredentials(username, password) : undefined,
  };
}

/** Where the `@` and the host are missing, the password is in the place of the port. */
function withoutPassword(text: string): string {
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
      // A percent sign that encodes nothing is literal.
      return text;
    }
  });
  return `Basic ${Buffer.from(decoded.join(":")).toString("base64")}`;
}

/**
 * NO_PROXY: names (which include their subdomains), addresses, ranges such as `10.0.0.0/8`, each with an optional `:port`;
 * `*` alone is every host.
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

/** The colons of an IPv6 address do not begin a port, unless the address is in brackets. */
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

/** An IPv6 address without the brackets it has in a URL. */
export function unbracketed(name: string): string {
  return name.replace(/^\[(.*)\]$/u, "$1");
}
