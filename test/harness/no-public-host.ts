import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { afterEach } from "vitest";

/**
 * Setup file of every test: a connection or a look-up that would leave this machine throws, and fails the test
 * even where the code under test swallows the error as a network fault. Without it a forgotten `--base-url`
 * would ask the public service from a test run, slowly and on somebody's credits.
 *
 * It reaches this process only. A child process is kept on the machine by the settings its test hands it, and
 * `no-public-host.test.ts` looks for public hosts in the texts of all tests.
 */
const refused: string[] = [];

/** Whether a host name or address stays on this machine. */
export function isLoopback(host: string): boolean {
  const address = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  if (address === "localhost") return true;
  const version = net.isIP(address);
  if (version === 4) return address.startsWith("127.");
  // `::ffff:127.0.0.1` is an IPv4 address in IPv6 clothes.
  return version === 6 && (address === "::1" || /^::ffff:127\.\d+\.\d+\.\d+$/.test(address));
}

/** Hands over what was refused since the last call, and forgets it: a test that means it takes it. */
export function takeRefused(): readonly string[] {
  return refused.splice(0);
}

afterEach(() => {
  const destinations = takeRefused();
  if (destinations.length > 0) {
    throw new Error(`this test tried to leave the machine: ${destinations.join(", ")}`);
  }
});

function refuse(destination: string): never {
  refused.push(destination);
  throw new Error(`tests stay on this machine: ${destination} is not loopback`);
}

/** RFC 6761: `.invalid` never exists, so a test of an unknown host may name it; no resolver is asked. */
function neverExists(host: string): boolean {
  return /(?:^|\.)invalid\.?$/i.test(host);
}

/**
 * Where `Socket.prototype.connect` would go; undefined for a path on this machine. The arguments take four
 * forms: (options), (port, host), (path), and the array of them that `net.connect` has already put in order.
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

/** Puts `guard` before a method that others have already imported, so the object itself has to change. */
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

// `import { lookup } from "node:dns"` binds a copy, which only this refreshes.
syncBuiltinESMExports();
