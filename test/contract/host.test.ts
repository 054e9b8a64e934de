import { isLong } from "../harness/long.ts";
import { fc } from "../harness/properties.ts";
import { expect, test } from "vitest";
import { checkHost } from "../../src/api/host.ts";

test.each([
  ["https://host.invalid", "https://host.invalid"],
  ["https://host.invalid/", "https://host.invalid"],
  ["https://host.invalid///", "https://host.invalid"],
  ["HTTPS://Host.Invalid:443/", "https://host.invalid"],
  ["https://host.invalid:8443/dex/v1/", "https://host.invalid:8443/dex/v1"],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["http://127.1:8080/", "http://127.0.0.1:8080"],
  ["http://localhost:8080", "http://localhost:8080"],
  ["http://[::1]:8080/", "http://[::1]:8080"],
])("%s is accepted as %s", (text, host) => {
  expect(checkHost(text)).toBe(host);
});

const SCHEME = "must start with https:// and a host (http:// only for loopback addresses)";
const PLAIN = "must use https; http is accepted only for loopback addresses (127.0.0.1, [::1], localhost)";
const USER = "must not contain a user name or password";
const QUERY = "must not contain a query or a fragment";
const BLANK = "must be a URL without spaces or backslashes";

test.each([
  ["", "must not be empty; enter a URL such as https://host.example"],
  ["host.invalid", SCHEME],
  ["ftp://host.invalid", SCHEME],
  ["ftp://https://host.invalid", SCHEME],
  ["https:host.invalid", SCHEME],
  ["https:///host.invalid", SCHEME],
  ["https://", SCHEME],
  ["file:///etc/passwd", SCHEME],
  ["http://host.invalid", PLAIN],
  ["http://10.0.0.1", PLAIN],
  ["http://0.0.0.0", PLAIN],
  ["http://127.0.0.1.host.invalid", PLAIN],
  ["http://localhost.host.invalid", PLAIN],
  ["https://user:pass@host.invalid", USER],
  ["https://@host.invalid", USER],
  ["http://127.0.0.1@host.invalid", USER],
  ["https://host.invalid?key=1", QUERY],
  ["https://host.invalid/#part", QUERY],
  [" https://host.invalid", BLANK],
  ["https://host.invalid\n", BLANK],
  ["https://ho\tst.invalid", BLANK],
  ["https:\\\\host.invalid", BLANK],
  ["https://host.invalid:99999", "must be a valid URL"],
  ["https://[::1", "must be a valid URL"],
])("%j is rejected: %s", (text, problem) => {
  expect(checkHost(text)).toEqual({ problem });
});

test("every accepted host is private or local, contains no secret, and is accepted again in its normal form", () => {
  const hostile = fc
    .tuple(
      fc.constantFrom("https://", "http://", "http://127.0.0.1", "https://a", ""),
      fc.string({ unit: fc.constantFrom(...Array.from("ab.:/@?#[]%\\ \t-_127é\u200b")) }),
    )
    .map((parts) => parts.join(""));
  // `fc.webUrl` needs two seconds to build its tables.
  const url = fc
    .tuple(
      fc.constantFrom("http://", "https://"),
      fc.constantFrom("", "", "user:key@"),
      fc.constantFrom("a.invalid", "xn--e1afmkfd.invalid", "LOCALHOST", "127.0.0.1", "[::1]", "10.0.0.1"),
      fc.constantFrom("", ":1", ":80", ":443"),
      fc.constantFrom("", "/", "/a/../b", "/%41"),
      fc.constantFrom("", "", "?a=b"),
      fc.constantFrom("", "", "#a"),
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(url, hostile), (text) => {
      const checked = checkHost(text);
      if (typeof checked !== "string") return;
      const { username, password, search, hash, hostname, protocol } = new URL(checked);
      expect([username, password, search, hash]).toEqual(["", "", "", ""]);
      const isLocal = ["localhost", "[::1]"].includes(hostname) || /^127\.[\d.]+$/u.test(hostname);
      expect(protocol === "https:" || isLocal).toBe(true);
      expect(checkHost(checked)).toBe(checked);
    }),
    { numRuns: isLong ? 20_000 : 600 },
  );
});
