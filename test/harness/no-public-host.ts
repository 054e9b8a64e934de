import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

/**
 * Applies to every test: a connection or a DNS lookup that would leave this machine throws, and fails the test even
 * if the code under test hides it as a network error. Otherwise a forgotten `--base-url` would send requests to the
 * public service from a test run, slowly and for real credits.
 *
 * It affects only this process. The settings of a test keep child processes on the machine, and `no-public-host.test.ts`
 * searches the texts of all tests for public hosts.
 */
const refused: string[] = [];

/** Whether a host name or address stays on this machine. */
export function isLoopback(host: string): boolean {
  const address = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  if (address === "localhost") return true;
  const version = net.isIP(address);
  if (version === 4) return address.startsWith("127.");
  // `::ffff:127.0.0.1` is an IPv4 address in IPv6 notation.
  return version === 6 && (address === "::1" || /^::ffff:127\.\d+\.\d+\.\d+$/.test(address));
}

/** Returns and clears the hosts rejected since the last call: a test that rejects one on purpose calls it. */
export function takeRefused(): readonly string[] {
  return refused.splice(0);
}

/** Call this after each test. */
export function failWhenRefused(): void {
  const destinations = takeRefused();
  if (destinations.length > 0) {
    throw new Error(`this test tried to leave the machine: ${destinations.join(", ")}`);
  }
}

function refuse(destination: string): never {
  refused.push(destination);
  throw new Error(`tests stay on this machine: ${destination} is not loopback`);
}

/** RFC 6761: `.invalid` never exists, so a test of an unknown host may use it without a DNS lookup. */
function neverExists(host: string): boolean {
  return /(?:^|\.)invalid\.?$/i.test(host);
}

/**
 * Returns the target of `Socket.prototype.connect`; undefined for a path on this machine. The arguments have four forms:
 * (options), (port, host), (path), and the normalized array that `net.connect` passes on.
 */
function hostOf(connectArguments: readonly unknown[]): string | undefined {
  const [first, second] = connectArguments;
  if (Array.isArray(first)) return hostOf(first);
  if (typeof first === "object" && first !== null) {
    if ("path" in first && typeof first.path === "string") return undefined;
    return "host" in first && typeof first.host === "string" && first.host !== "" ? first.host : "localhost";
  }
  if (typeof first === "string" && !/^\d+$/.test(first)) return undefined;
  return typeof second === "string" ? second : "localhost";
}

/** Runs `guard` before a method that other modules have already imported, so it must change the object itself. */
function guardMethod(owner: object, name: string, guard: (given: readonly unknown[]) => boolean): void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== "function") throw new Error(`${name} is no method`);
  Object.defineProperty(owner, name, {
    configurable: true,
    writable: true,
    value: function guarded(this: unknown, ...given: unknown[]): unknown {
      return guard(given) ? Reflect.apply(original, this, given) : undefined;
    },
  });
}

function notFound(host: string): Error {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
    code: "ENOTFOUND",
    errno: -3008,
    syscall: "getaddrinfo",
    hostname: host,
  });
}

guardMethod(net.Socket.prototype, "connect", (given) => {
  const host = hostOf(given);
  if (host !== undefined && !isLoopback(host) && !neverExists(host)) refuse(host);
  return true;
});

guardMethod(dns, "lookup", (given) => {
  const host = typeof given[0] === "string" ? given[0] : "";
  const callback = given.at(-1);
  if (neverExists(host) && typeof callback === "function") {
    process.nextTick(callback, notFound(host));
    return false;
  }
  if (host !== "" && !isLoopback(host)) refuse(host);
  return true;
});

guardMethod(dns.promises, "lookup", (given) => {
  const host = typeof given[0] === "string" ? given[0] : "";
  if (neverExists(host)) throw notFound(host);
  if (host !== "" && !isLoopback(host)) refuse(host);
  return true;
});

// `import { lookup } from "node:dns"` binds a copy, which only this call updates.
syncBuiltinESMExports();
