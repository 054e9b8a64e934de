import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTransport } from "../../src/client/connection/transport.ts";
import { Failure } from "../../src/base/failure.ts";
import { createClock } from "../../bin/process-clock.ts";
import { takeRefused } from "../harness/no-public-host.ts";
import { startProxy, type TestProxy } from "../harness/proxy.ts";

// These tests know nothing of how a connection is made: they see what a proxy receives and what a user reads.

type Env = Readonly<Record<string, string>>;

const service = "https://service.invalid";
const forbidden = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
let proxy: TestProxy;
let other: TestProxy;

beforeAll(async () => {
  [proxy, other] = await Promise.all([startProxy({ answer: forbidden }), startProxy({ answer: forbidden })]);
});
afterAll(async () => {
  await Promise.all([proxy.close(), other.close()]);
});

interface Sent {
  readonly exit: number | undefined;
  readonly message: string;
  /** What each proxy was asked for by this request. */
  readonly asked: readonly string[];
  readonly askedOther: readonly string[];
  /** What the first proxy received. */
  readonly heard: string;
  /** Addresses outside of this machine that were to be contacted; the guard of all tests prevents it. */
  readonly direct: readonly string[];
}

/** Sends one request, which never reaches a service. */
async function send(host: string, env: Env): Promise<Sent> {
  const before = { asked: proxy.asked.length, other: other.asked.length, heard: proxy.heard().length };
  const transport = createTransport({ clock: createClock(), env });
  const options = { timeout: 5000, signal: new AbortController().signal };
  try {
    const cause: unknown = await transport.get(new URL("/networks", host), {}, options).then(
      () => new Error("a response without a service"),
      (error: unknown) => error,
    );
    return {
      exit: cause instanceof Failure ? cause.exit : undefined,
      message: cause instanceof Error ? cause.message : String(cause),
      asked: proxy.asked.slice(before.asked),
      askedOther: other.asked.slice(before.other),
      heard: proxy.heard().slice(before.heard),
      direct: takeRefused(),
    };
  } finally {
    await transport.close();
  }
}

/** The form in which a proxy is asked for a host. */
function tunnelTo(host: string): string {
  const { hostname, port } = new URL(host);
  return `CONNECT ${hostname}:${port === "" ? "443" : port}`;
}

describe("variables that set the proxy", () => {
  const cases: readonly (readonly [what: string, env: () => Env, asked: "proxy" | "other" | "none"])[] = [
    ["HTTPS_PROXY", () => ({ HTTPS_PROXY: proxy.url }), "proxy"],
    ["https_proxy before HTTPS_PROXY", () => ({ https_proxy: proxy.url, HTTPS_PROXY: other.url }), "proxy"],
    ["HTTPS_PROXY before all_proxy", () => ({ all_proxy: other.url, HTTPS_PROXY: proxy.url }), "proxy"],
    ["all_proxy before ALL_PROXY", () => ({ all_proxy: proxy.url, ALL_PROXY: other.url }), "proxy"],
    ["ALL_PROXY", () => ({ ALL_PROXY: proxy.url }), "proxy"],
    ["HTTPS_PROXY if https_proxy is empty", () => ({ https_proxy: "", HTTPS_PROXY: proxy.url }), "proxy"],
    ["a proxy without a scheme", () => ({ HTTPS_PROXY: proxy.url.slice("http://".length) }), "proxy"],
    ["a proxy with a slash at its end", () => ({ HTTPS_PROXY: `${proxy.url}/` }), "proxy"],
    ["not HTTP_PROXY", () => ({ HTTP_PROXY: proxy.url, http_proxy: proxy.url }), "none"],
    ["not an empty HTTPS_PROXY", () => ({ HTTPS_PROXY: "" }), "none"],
  ];
  test.each(cases)("%s", async (_, env, expected) => {
    const { asked, askedOther, message } = await send(service, env());
    const tunnel = [tunnelTo(service)];
    expect({ asked, askedOther }).toEqual({
      asked: expected === "proxy" ? tunnel : [],
      askedOther: expected === "other" ? tunnel : [],
    });
    if (expected === "none") expect(message).toBe("cannot resolve service.invalid");
  });

  test.each([
    ["me:pass@127.0.0.1:1", "http://…@127.0.0.1:1"],
    ["https://me@127.0.0.1:1/", "https://…@127.0.0.1:1"],
    ["http://[::1]:1", "http://[::1]:1"],
    ["http://me:pass@proxy.invalid", "http://…@proxy.invalid"],
  ])("%s is shown as %s", async (text, shown) => {
    const { exit, message } = await send(service, { HTTPS_PROXY: text });
    expect(exit).toBe(7);
    expect(`${message} `).toContain(`proxy ${shown} `);
  });

  test.each([
    "socks://a",
    "socks5://me:word@a:1080",
    "ftp://me:word@a",
    "http://",
    "http://a b",
    "http://a:x",
    "http://me:word",
    "me:word",
    "https://me:word/",
    "a\nb",
  ])("%j is rejected, without its password", async (text) => {
    const { exit, message } = await send(service, { HTTPS_PROXY: text });
    expect(message).toMatch(/^(?:invalid )?HTTPS_PROXY ".*": (?!.*word)/su);
    expect(exit).toBe(2);
  });

  test.each([
    ["me:pa%20ss", "me:pa ss"],
    ["me", "me:"],
    ["100%", "100%:"],
    ["me:%zz", "me:%zz"],
  ])("%s@ is sent as Basic %j", async (text, expected) => {
    const { heard } = await send(service, { HTTPS_PROXY: proxy.url.replace("//", `//${text}@`) });
    const encoded = /^proxy-authorization: Basic (\S+)\r$/imu.exec(heard)?.[1] ?? "";
    expect(Buffer.from(encoded, "base64").toString()).toBe(expected);
  });
});

describe("hosts that use the proxy", () => {
  test.each([
    "http://127.0.0.1:1",
    "http://localhost:1",
    "https://localhost:1",
    "https://127.9.9.9:1",
    "https://[::1]:1",
  ])("never %s", async (host) => {
    const { url } = proxy;
    const env = { HTTPS_PROXY: url, HTTP_PROXY: url, ALL_PROXY: url, http_proxy: url };
    const { asked, message } = await send(host, env);
    expect(asked).toEqual([]);
    expect(message).toContain(new URL(host).host);
    expect(message).not.toContain("proxy");
  });

  // Names below .invalid are never looked up, and the guard of all tests stops requests to addresses.
  const cases: readonly (readonly [noProxy: string, host: string, isProxied: boolean])[] = [
    ["*", "https://api.invalid", false],
    [" * ", "https://api.invalid", false],
    ["", "https://api.invalid", true],
    ["api.invalid", "https://api.invalid", false],
    ["API.Invalid", "https://api.invalid", false],
    ["invalid", "https://api.invalid", false],
    [".invalid", "https://api.invalid", false],
    ["*.invalid", "https://api.invalid", false],
    [".api.invalid", "https://api.invalid", false],
    ["pi.invalid", "https://api.invalid", true],
    ["other, api.invalid", "https://api.invalid", false],
    ["other api.invalid", "https://api.invalid", false],
    ["other,,", "https://api.invalid", true],
    ["api.invalid.", "https://api.invalid", false],
    ["api.invalid", "https://api.invalid.", false],
    ["api.invalid:443", "https://api.invalid", false],
    ["api.invalid:8443", "https://api.invalid:8443", false],
    ["api.invalid:8443", "https://api.invalid", true],
    ["10.1.2.3", "https://10.1.2.3", false],
    ["10.1.2.3:8443", "https://10.1.2.3:8443", false],
    ["10.1.2.3:8443", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://10.1.2.3", false],
    ["10.0.0.0/8", "https://11.1.2.3", true],
    ["10.0.0.0/33", "https://10.1.2.3", true],
    ["10.0.0.0/x", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://api.invalid", true],
    [".2.3", "https://10.1.2.3", true],
    ["2001:db8::1", "https://[2001:db8::1]", false],
    ["[2001:db8::1]", "https://[2001:db8::1]", false],
    ["[2001:db8::1]:8443", "https://[2001:db8::1]:8443", false],
    ["[2001:db8::1]:8443", "https://[2001:db8::1]", true],
    ["2001:0db8:0::1", "https://[2001:db8::1]", false],
    ["2001:db8::/32", "https://[2001:db8::1]", false],
    ["2001:db8::/32", "https://[2001:db9::1]", true],
    ["fd00::/8", "https://10.1.2.3", true],
  ];
  test.each(cases)("NO_PROXY=%j, %s: uses the proxy: %s", async (noProxy, host, isProxied) => {
    const { asked, message, direct } = await send(host, { HTTPS_PROXY: proxy.url, NO_PROXY: noProxy });
    expect(asked).toEqual(isProxied ? [tunnelTo(host)] : []);
    const { hostname } = new URL(host);
    const isName = hostname.includes("invalid");
    expect(direct).toEqual(isProxied || isName ? [] : [hostname.replaceAll(/[[\]]/gu, "")]);
    if (isName && !isProxied) expect(message).toMatch(/^cannot resolve api\.invalid\.?(?::8443)?$/u);
  });

  test("no_proxy takes precedence over NO_PROXY, unless it is empty", async () => {
    const env = { HTTPS_PROXY: proxy.url, no_proxy: "other.invalid", NO_PROXY: "*" };
    expect((await send(service, env)).asked).toEqual([tunnelTo(service)]);
    expect((await send(service, { ...env, no_proxy: "" })).asked).toEqual([]);
  });
});
