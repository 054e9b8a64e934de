import { afterEach, expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { authorityFile } from "../harness/certificates.ts";
import { type ProxyOptions, startProxy, type TestProxy, wanted } from "../harness/proxy.ts";
import { json, type ScriptedServer, slow } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const key = "api_free_0123456789";
const host = "https://service.invalid";
const event =
  'event: token_price\ndata: {"address":"0x0000000000000000000000000000000000000001","chain":"ethereum","price":"1"}\n\n';
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Asked {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly proxy: TestProxy;
  readonly server: ScriptedServer;
}

/** One run of the program, whose service only the proxy can resolve. */
async function ask(
  options: ProxyOptions,
  {
    words = "networks --retries 0 --error-format text",
    env = (url: string) => ({ HTTPS_PROXY: url }),
  }: Case = {},
): Promise<Asked> {
  const server = await serveInTest(
    ({ path }) =>
      path.startsWith("/sse")
        ? slow({ headers: { "content-type": "text/event-stream" }, chunks: [event], stayOpen: true })
        : json('[{"id":"ethereum"}]'),
    { certificate: "sound" },
  );
  const proxy = await startProxy({ to: server.url, ...options });
  closing.push(proxy.close);
  const child = start(words.split(" "), {
    NODE_EXTRA_CA_CERTS: authorityFile,
    DEXDATA_BASE_URL: host,
    DEXDATA_STREAMING_URL: host,
    DEXDATA_API_KEY: key,
    DEXDATA_TIER: "free",
    ...env(proxy.url),
  });
  const { exit, stdout, stderr } = await ended(child);
  return { exit, stdout: String(stdout), stderr, proxy, server };
}

interface Case {
  readonly words?: string;
  readonly env?: (url: string) => Readonly<Record<string, string>>;
}

const through: readonly (readonly [what: string, ProxyOptions, Case])[] = [
  ["an http proxy", {}, {}],
  ["an https proxy", { certificate: "sound" }, {}],
  ["a proxy without a scheme, in lower case", {}, { env: (url) => ({ https_proxy: url.slice(7) }) }],
  ["an ALL_PROXY", {}, { env: (url) => ({ ALL_PROXY: url }) }],
  [
    "a proxy that requires a user name and password",
    { credentials: "me:se cret/1" },
    { env: (url) => ({ HTTPS_PROXY: url.replace("//", "//me:se%20cret%2F1@") }) },
  ],
];

test.each(through)("rows come through %s, which sees no key", async (_, options, given) => {
  const { exit, stdout, stderr, proxy, server } = await ask(options, given);
  expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '{"id":"ethereum"}\n', stderr: "" });
  expect(proxy.asked).toEqual(["CONNECT service.invalid:443"]);
  expect(proxy.heard()).not.toContain(key);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([key]);
  expect(server.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
});

test.each([
  ["an http proxy", {}],
  ["an https proxy", { certificate: "sound" }],
] as const)("a stream comes through %s", async (_, options) => {
  const { exit, stdout, proxy } = await ask(options, {
    words: "stream ethereum:0x0000000000000000000000000000000000000001 --limit 1 -q",
  });
  expect({ exit, stdout }).toEqual({
    exit: 0,
    stdout: '{"address":"0x0000000000000000000000000000000000000001","chain":"ethereum","price":"1"}\n',
  });
  expect(proxy.asked).toEqual(["CONNECT service.invalid:443"]);
  expect(proxy.heard()).not.toContain(key);
});

const address = "0x0000000000000000000000000000000000000001";
const none = { transactions: [], page_info: { limit: 100, page: 1, total_items: 0, total_pages: 0 } };

test.each([
  ["a stream", `stream ethereum:${address} -q`],
  ["a followed list", `txns ethereum ${address} --follow --poll 2s -q`],
])("%s outlasts a proxy that once asks for a password after it opened a tunnel", async (_, words) => {
  const server = await serveInTest(
    ({ path }) =>
      path.startsWith("/sse")
        ? slow({ headers: { "content-type": "text/event-stream" }, chunks: [event] })
        : json(JSON.stringify(none), { headers: { connection: "close" } }),
    { certificate: "sound" },
  );
  const proxy = await startProxy({ to: server.url, answerTo: (index) => (index === 1 ? wanted : undefined) });
  closing.push(proxy.close);
  const child = start(words.split(" "), {
    NODE_EXTRA_CA_CERTS: authorityFile,
    DEXDATA_PRO_BASE_URL: host,
    DEXDATA_STREAMING_PRO_URL: host,
    DEXDATA_API_KEY: key,
    DEXDATA_TIER: "pro",
    HTTPS_PROXY: proxy.url,
  });
  const end = ended(child);
  await expect.poll(() => proxy.asked.length, { timeout: 15_000 }).toBeGreaterThan(2);
  child.kill();
  expect(await end).toMatchObject({ exit: 143, stderr: expect.stringContaining("(HTTP 407)") });
});

test("doctor reaches the hosts as a request does, and shows the proxy without its password", async () => {
  const { exit, stdout, stderr, proxy } = await ask(
    { credentials: "me:secret" },
    {
      words: "doctor -o table",
      env: (url) => ({ HTTPS_PROXY: url.replace("//", "//me:secret@") }),
    },
  );
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: "checking the service: up to 2 credits\n",
  });
  const shown = proxy.url.replace("//", "//…@");
  expect(stdout).toContain(`service.invalid through ${shown} (HTTPS_PROXY)\n`);
  expect(stdout).toContain(`ok    rest connection       service.invalid through proxy ${shown} reached in`);
  expect(stdout).toContain("ok    stream                service.invalid: first byte after");
  expect(stdout + stderr).not.toContain("secret");
});

test.each([
  ["the sandbox", "networks --sandbox -o ndjson --limit 1", () => ({})],
  ["localhost", "networks", (base: string) => ({ DEXDATA_BASE_URL: base })],
])("requests to %s bypass every proxy", async (_, words, env) => {
  const server = await serveInTest(() => json('[{"id":"ethereum"}]'));
  const { exit, proxy } = await ask(
    {},
    {
      words,
      env: (url) => ({
        HTTPS_PROXY: url,
        HTTP_PROXY: url,
        ALL_PROXY: url,
        http_proxy: url,
        ...env(server.url),
      }),
    },
  );
  expect({ exit, asked: proxy.asked }).toEqual({ exit: 0, asked: [] });
});

test("the certificate of an https proxy must belong to the proxy, not the service", async () => {
  const env = (url: string): Record<string, string> => ({
    HTTPS_PROXY: url,
    DEXDATA_BASE_URL: "https://other.invalid",
  });
  const { exit, stdout, stderr, proxy } = await ask({ certificate: "other-name" }, { env });
  expect({ exit, stdout, stderr }).toEqual({
    exit: 7,
    stdout: "",
    stderr:
      `error: cannot verify the certificate of proxy ${proxy.url}: issued for another host (ERR_TLS_CERT_ALTNAME_INVALID)\n` +
      "  hint: check the host name: another server may be responding\n",
  });
});
