import { describe, expect, test } from "vitest";
import { findProxy } from "../../src/client/connection/proxy.ts";

const proxy = "http://proxy.example:3128";

/** Returns the proxy for a host, as messages show it. */
function shown(host: string, env: Readonly<Record<string, string>>): string | undefined {
  return findProxy(new URL(host), env)?.shown;
}

describe("variables that set the proxy", () => {
  test.each([
    [{ HTTPS_PROXY: proxy }, proxy],
    [{ https_proxy: proxy, HTTPS_PROXY: "http://other.example" }, proxy],
    [{ all_proxy: "http://other.example", HTTPS_PROXY: proxy }, proxy],
    [{ ALL_PROXY: proxy }, proxy],
    [{ https_proxy: "", HTTPS_PROXY: proxy }, proxy],
    [{ HTTP_PROXY: proxy, http_proxy: proxy }, undefined],
    [{ HTTPS_PROXY: "" }, undefined],
    [{ HTTPS_PROXY: "proxy.example:3128" }, proxy],
    [{ HTTPS_PROXY: "me:pass@proxy.example:3128" }, "http://…@proxy.example:3128"],
    [{ HTTPS_PROXY: "https://me@proxy.example/" }, "https://…@proxy.example"],
    [{ HTTPS_PROXY: "http://[::1]:3128" }, "http://[::1]:3128"],
  ])("%o: %s", (env, expected) => {
    expect(shown("https://api.example", env)).toBe(expected);
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
  ])("%j is rejected, without its password", (text) => {
    const read = (): unknown => shown("https://api.example", { HTTPS_PROXY: text });
    expect(read).toThrow(/^(?:invalid )?HTTPS_PROXY ".*": (?!.*word)/su);
    expect(read).toThrow(expect.objectContaining({ exit: 2 }));
  });

  test.each([
    ["me:pa%20ss", "me:pa ss"],
    ["me", "me:"],
    ["100%", "100%:"],
    ["me:%zz", "me:%zz"],
  ])("%s@ is sent as Basic %j", (text, expected) => {
    const found = findProxy(new URL("https://api.example"), { HTTPS_PROXY: `http://${text}@proxy.example` });
    const [scheme, encoded = ""] = (found?.authorization ?? "").split(" ");
    expect([scheme, Buffer.from(encoded, "base64").toString()]).toEqual(["Basic", expected]);
  });
});

describe("hosts that use the proxy", () => {
  test.each([
    "http://127.0.0.1:1",
    "http://localhost",
    "https://localhost:8443",
    "https://127.9.9.9",
    "https://[::1]",
  ])("never %s", (host) => {
    expect(shown(host, { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, ALL_PROXY: proxy })).toBeUndefined();
  });

  const cases: readonly (readonly [noProxy: string, host: string, isProxied: boolean])[] = [
    ["*", "https://api.example", false],
    [" * ", "https://api.example", false],
    ["", "https://api.example", true],
    ["api.example", "https://api.example", false],
    ["API.Example", "https://api.example", false],
    ["example", "https://api.example", false],
    [".example", "https://api.example", false],
    ["*.example", "https://api.example", false],
    [".api.example", "https://api.example", false],
    ["pi.example", "https://api.example", true],
    ["other, api.example", "https://api.example", false],
    ["other api.example", "https://api.example", false],
    ["other,,", "https://api.example", true],
    ["api.example.", "https://api.example", false],
    ["api.example", "https://api.example.", false],
    ["api.example:443", "https://api.example", false],
    ["api.example:8443", "https://api.example:8443", false],
    ["api.example:8443", "https://api.example", true],
    ["10.1.2.3", "https://10.1.2.3", false],
    ["10.1.2.3:8443", "https://10.1.2.3:8443", false],
    ["10.1.2.3:8443", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://10.1.2.3", false],
    ["10.0.0.0/8", "https://11.1.2.3", true],
    ["10.0.0.0/33", "https://10.1.2.3", true],
    ["10.0.0.0/x", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://api.example", true],
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
  test.each(cases)("NO_PROXY=%j, %s: uses the proxy: %s", (noProxy, host, isProxied) => {
    const env = { HTTPS_PROXY: proxy, NO_PROXY: noProxy };
    expect(shown(host, env)).toBe(isProxied ? proxy : undefined);
  });

  test("no_proxy takes precedence over NO_PROXY, unless it is empty", () => {
    const env = { HTTPS_PROXY: proxy, no_proxy: "other.example", NO_PROXY: "*" };
    expect(shown("https://api.example", env)).toBe(proxy);
    expect(shown("https://api.example", { ...env, no_proxy: "" })).toBeUndefined();
  });
});
