import { afterEach, expect, test } from "vitest";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { type ProxyOptions, startProxy, type TestProxy } from "../harness/proxy.ts";

const key = "api_free_0123456789";
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Env = (url: string) => Readonly<Record<string, string>>;

/** Sends one request through a proxy that does not forward it. */
async function ask(
  options: ProxyOptions,
  env: Env = (url) => ({ HTTPS_PROXY: url }),
  words = "networks --retries 0 --error-format text",
): Promise<Outcome & { readonly proxy: TestProxy }> {
  const proxy = await startProxy({ to: "http://127.0.0.1:1", ...options });
  closing.push(proxy.close);
  const outcome = await dexdata(words, {
    env: {
      DEXDATA_BASE_URL: "https://service.invalid",
      DEXDATA_API_KEY: key,
      DEXDATA_TIER: "free",
      ...env(proxy.url),
    },
  });
  expect(outcome.stdout).toBe("");
  expect(proxy.heard()).not.toContain(key);
  return { ...outcome, proxy };
}

const check = "check HTTPS_PROXY, or bypass the proxy: NO_PROXY=service.invalid";
const status = (line: string, body = ""): string =>
  `HTTP/1.1 ${line}\r\ncontent-type: text/html\r\n\r\n${body}`;

/** The behavior of the proxy, and the message after `error: `. */
const faults: readonly (readonly [
  does: string,
  ProxyOptions,
  Env | undefined,
  exit: number,
  said: string,
  next: string,
])[] = [
  [
    "wants a name and a password",
    { credentials: "me:secret" },
    undefined,
    4,
    "proxy http://PROXY requires a user name and password (HTTP 407)",
    "put them in HTTPS_PROXY, before the host, as user:password@",
  ],
  [
    "wants another password",
    { credentials: "me:secret" },
    (url) => ({ HTTPS_PROXY: url.replace("//", "//me:other@") }),
    4,
    "proxy http://…@PROXY rejected the user name and password (HTTP 407)",
    "put them in HTTPS_PROXY, before the host, as user:password@",
  ],
  [
    "refuses the host",
    { answer: status("403 Forbidden", "<html>") },
    undefined,
    7,
    "proxy http://PROXY refused to connect to service.invalid (HTTP 403)",
    check,
  ],
  [
    "cannot reach the host",
    { answer: status("502 Bad Gateway", "<html>") },
    undefined,
    7,
    "proxy http://PROXY could not reach service.invalid (HTTP 502)",
    check,
  ],
  [
    "answers with a page",
    { answer: status("200 OK", "<html>") },
    undefined,
    7,
    "proxy http://PROXY returned a web page instead of opening a tunnel",
    check,
  ],
  [
    "closes",
    { answer: "" },
    undefined,
    7,
    "proxy http://PROXY closed the connection without a response",
    check,
  ],
  [
    "is no proxy at all",
    { answer: "SSH-2.0-OpenSSH_9.9\r\n" },
    undefined,
    7,
    "proxy http://PROXY did not send an HTTP response",
    check,
  ],
  [
    "closes its tunnel",
    { answer: "HTTP/1.1 200 Connection established\r\n\r\n" },
    undefined,
    7,
    "service.invalid through proxy http://PROXY closed the connection during the TLS handshake",
    "check the host name and your network",
  ],
  [
    "speaks no TLS",
    {},
    (url) => ({ HTTPS_PROXY: url.replace("http:", "https:") }),
    7,
    "proxy https://PROXY does not use TLS on this port; is it http?",
    "check the host, its port, and any proxy in between",
  ],
  [
    "is not there",
    {},
    () => ({ HTTPS_PROXY: "http://me:secret@127.0.0.1:1" }),
    7,
    "connection to proxy http://…@127.0.0.1:1 refused",
    check,
  ],
  [
    "is not known",
    {},
    () => ({ HTTPS_PROXY: "http://me:secret@proxy.invalid:3128" }),
    7,
    "cannot resolve proxy http://…@proxy.invalid:3128",
    check,
  ],
  [
    "speaks SOCKS",
    {},
    () => ({ ALL_PROXY: "socks5h://me:secret@127.0.0.1:1080" }),
    2,
    'ALL_PROXY "socks5h://…@127.0.0.1:1080": SOCKS proxies are not supported; use an http:// or https:// proxy',
    "use a URL such as http://proxy.example:3128, or unset ALL_PROXY",
  ],
  [
    "is for other hosts than this",
    {},
    (url) => ({ HTTPS_PROXY: url, NO_PROXY: "127.0.0.1, .invalid" }),
    7,
    "cannot resolve service.invalid",
    "check the host name and your network",
  ],
];

test.each(faults)("a proxy that %s is reported", async (_, options, env, exit, said, next) => {
  const { proxy, ...outcome } = await ask(options, env);
  const stderr = outcome.stderr.replaceAll(new URL(proxy.url).host, "PROXY");
  expect({ exit: outcome.exit, stderr }).toEqual({ exit, stderr: `error: ${said}\n  hint: ${next}\n` });
});

test.each(["http://me:secret@127.0.0.1:1", "me:secret@127.0.0.1:1", "ftp://me:secret@127.0.0.1:1"])(
  "the password of %s is never shown, in JSON or with -vv",
  async (proxy) => {
    const words = "networks --retries 0 --error-format json -vv";
    const { exit, stderr } = await ask({}, () => ({ HTTPS_PROXY: proxy }), words);
    expect({ exit, isShown: stderr.includes("secret") }).toEqual({
      exit: proxy.startsWith("ftp") ? 2 : 7,
      isShown: false,
    });
    expect(stderr).toContain("…@127.0.0.1:1");
  },
);

test("a permanent proxy error ends a stream; a transient one is retried", async () => {
  const env: Env = (url) => ({ HTTPS_PROXY: url, DEXDATA_STREAMING_URL: "https://service.invalid" });
  const words =
    "stream ethereum:0x0000000000000000000000000000000000000001 --max-reconnects 2 --error-format text";
  const refused = await ask({ credentials: "me:secret" }, env, words);
  expect({ exit: refused.exit, asked: refused.proxy.asked.length }).toEqual({ exit: 4, asked: 1 });
  const passing = await ask({ answer: status("502 Bad Gateway") }, env, words);
  expect({ exit: passing.exit, asked: passing.proxy.asked.length }).toEqual({ exit: 7, asked: 3 });
});
