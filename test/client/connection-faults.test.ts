import { lookup } from "node:dns/promises";
import net from "node:net";
import { networkInterfaces } from "node:os";
import tls from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { connectionFailure } from "../../src/client/connection/connection-failure.ts";
import { Failure } from "../../src/base/failure.ts";
import { type CertificateName, certificateOptions } from "../harness/certificates.ts";
import { dexdata } from "../harness/dexdata.ts";
import { json, raw, type Reply, reset, slow } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const listening: net.Server[] = [];

afterEach(() => {
  for (const server of listening.splice(0)) server.close();
});

/** Returns the URL of a Node server that is closed after the test and speaks or should speak TLS. */
async function listen(server: net.Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  listening.push(server);
  const address = server.address();
  return `https://127.0.0.1:${typeof address === "object" ? address?.port : undefined}`;
}

/** Starts a TLS server with custom options that never responds. */
async function listenTls(options: tls.TlsOptions): Promise<string> {
  const server = tls.createServer({ ...certificateOptions("sound"), ...options });
  server.on("tlsClientError", () => undefined);
  return await listen(server);
}

/** Sends one request to a host and returns the outcome, with `HOST` in place of the host. */
async function ask(base: string, flags = "--retries 0"): Promise<{ exit: number; stderr: string }> {
  const { exit, stdout, stderr } = await dexdata(`networks --error-format text ${flags}`, {
    env: { DEXDATA_BASE_URL: base },
  });
  expect(stdout).toBe("");
  return { exit, stderr: stderr.replaceAll(new URL(base).host, "HOST") };
}

const network = "check the host name and your network";
const authority = "to trust this authority, set NODE_EXTRA_CA_CERTS to its certificate file";
const clock = "check this machine's clock; if it is correct, contact the operator of the host";

describe("a response that", () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  const faults: readonly (readonly [string, Reply, exit: number, said: string])[] = [
    ["is a reset", reset("before"), 7, "connection to HOST reset"],
    ["is reset in the headers", reset("headers"), 7, "connection to HOST reset"],
    ["is reset in the body", reset("body"), 7, "connection to HOST reset"],
    ["never begins", raw([]), 7, "HOST closed the connection before the response was complete"],
    [
      "ends in the headers",
      raw(["HTTP/1.1 200 OK\r\ncont"]),
      7,
      "HOST closed the connection before the response was complete",
    ],
    [
      "is shorter than it says",
      raw([`${head}content-length: 1000\r\n\r\n[{"id":"eth`]),
      7,
      "HOST closed the connection before the response was complete",
    ],
    [
      "lacks its last chunk",
      raw([`${head}transfer-encoding: chunked\r\n\r\n5\r\n[{"id\r\n`]),
      7,
      "HOST closed the connection before the response was complete",
    ],
    ["is none of HTTP", raw(["SSH-2.0-OpenSSH_9.9\r\n"]), 1, "HOST did not send an HTTP response"],
  ];
  test.each(faults)("%s is reported", async (_, reply, exit, said) => {
    const server = await serveInTest(() => reply);
    const outcome = await ask(server.url);
    expect({ exit: outcome.exit, said: outcome.stderr.split("\n")[0] }).toEqual({
      exit,
      said: `error: ${said}`,
    });
  });
});

describe("an unreachable host", () => {
  test.each([
    ["http://127.0.0.1:1", "connection to HOST refused"],
    ["http://[::1]:1", "connection to HOST refused"],
    ["http://localhost:1", "connection to HOST refused"],
    ["https://nowhere.invalid", "cannot resolve HOST"],
    ["https://nowhere.invalid:8443", "cannot resolve HOST"],
  ])("%s: %s", async (base, said) => {
    expect(await ask(base)).toEqual({ exit: 7, stderr: `error: ${said}\n  hint: ${network}\n` });
  });
});

describe("a certificate", () => {
  const faults: readonly (readonly [CertificateName, said: string, next: string])[] = [
    ["sound", "unknown certificate authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE)", authority],
    ["self-signed", "self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)", authority],
  ];
  test.each(faults)("that is %s", async (certificate, said, next) => {
    const server = await serveInTest(() => json("[]"), { certificate });
    const stderr = `error: cannot verify the certificate of HOST: ${said}\n  hint: ${next}\n`;
    // It is not retried either: another attempt would fail the same way.
    expect(await ask(server.url, "--retries 3")).toEqual({ exit: 7, stderr });
    expect(server.requests).toEqual([]);
  });
});

describe("http and https used for each other", () => {
  const plain = {
    exit: 7,
    stderr:
      "error: HOST does not use TLS on this port; is it http?\n  hint: check the host, its port, and any proxy in between\n",
  };

  test("TLS to a port that responds in plain HTTP", async () => {
    const server = await serveInTest(() => json("[]"));
    expect(await ask(server.url.replace("http:", "https:"), "--retries 3")).toEqual(plain);
  });

  test("TLS to a port that closes the connection", async () => {
    const server = net.createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end());
    });
    const stderr = `error: HOST closed the connection during the TLS handshake\n  hint: ${network}\n`;
    expect(await ask(await listen(server), "--retries 2")).toEqual({ exit: 7, stderr });
  });

  test("plain HTTP to a port that speaks TLS", async () => {
    const server = await serveInTest(() => json("[]"), { certificate: "sound" });
    const outcome = await ask(server.url.replace("https:", "http:"));
    expect(outcome.exit).toBe(7);
    expect(outcome.stderr).toMatch(/^error: (?:HOST closed the connection|connection to HOST reset)/u);
  });

  test("a host that closes the connection instead of speaking TLS", async () => {
    const base = await listen(net.createServer((socket) => socket.destroy()));
    const { exit, stderr } = await ask(base);
    expect(exit).toBe(7);
    expect(stderr).toMatch(
      /^error: (?:HOST closed the connection during the TLS handshake|connection to HOST reset)\n/u,
    );
  });
});

describe("system errors of a connection", () => {
  const peer = { name: () => "api.example", hasConnected: () => false };
  const fault = (code: string, message = code): Error => Object.assign(new Error(message), { code });

  test.each([
    ["ENOTFOUND", "cannot resolve api.example", true],
    ["EAI_AGAIN", "cannot resolve api.example: no response from the name server", true],
    ["ECONNREFUSED", "connection to api.example refused", true],
    ["ECONNRESET", "connection to api.example reset", true],
    ["EPIPE", "api.example closed the connection during the request", true],
    ["EHOSTUNREACH", "cannot reach api.example", true],
    ["ENETUNREACH", "cannot reach api.example: network unreachable", true],
    ["ENETDOWN", "connection to api.example failed (ENETDOWN)", true],
    ["EADDRNOTAVAIL", "cannot reach api.example: this machine has no suitable address", true],
    ["ETIMEDOUT", "connection to api.example timed out", true],
    [
      "EMFILE",
      "connection to api.example failed (too many open files)",
      true,
      "raise the limit of open files (ulimit -n), or close other programs",
    ],
  ])("%s: %s", (code, said, retryable, next = network) => {
    const failure = connectionFailure(fault(code), peer);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({
      message: said,
      exit: 7,
      details: { code: "network", retryable, isUnsent: true, next },
    });
  });

  test.each([
    ["CERT_HAS_EXPIRED", "expired", clock],
    ["CERT_NOT_YET_VALID", "not valid yet", clock],
    [
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "issued for another host",
      expect.stringContaining("check the host name"),
    ],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate", authority],
    ["SELF_SIGNED_CERT_IN_CHAIN", "self-signed certificate in the chain", authority],
    ["UNABLE_TO_GET_ISSUER_CERT", "unknown certificate authority", authority],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "unknown certificate authority", authority],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unknown certificate authority", authority],
    ["CERT_SIGNATURE_FAILURE", "not accepted", authority],
  ])("%s: the certificate %s", (code, said, next) => {
    expect(connectionFailure(fault(code), peer)).toMatchObject({
      message: `cannot verify the certificate of api.example: ${said} (${code})`,
      exit: 7,
      details: { code: "tls", retryable: false, isUnsent: true, next },
    });
  });

  test("if several addresses fail, the error of a reachable one is reported", () => {
    const both = new AggregateError([fault("ENETUNREACH"), fault("ECONNREFUSED")]);
    const none = new AggregateError([fault("ENETUNREACH"), fault("EHOSTUNREACH")]);
    expect(connectionFailure(both, peer).message).toBe("connection to api.example refused");
    expect(connectionFailure(none, peer).message).toBe("cannot reach api.example: network unreachable");
  });

  test("an error without a code is a bug and is not changed", () => {
    const bug = new TypeError("a bug");
    expect(connectionFailure(bug, peer)).toBe(bug);
  });
});

test("a host that supports only old TLS versions", async () => {
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" } as const;
  expect(await ask(await listenTls(old))).toEqual({
    exit: 7,
    stderr:
      "error: HOST supports only outdated TLS versions (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)\n" +
      "  hint: contact the operator of the host: TLS 1.2 or newer is required\n",
  });
});

test.each([
  "networks --retries 0",
  "stream ethereum:0x0000000000000000000000000000000000000001 --max-reconnects 0",
])("%s offers only HTTP/1.1", async (words) => {
  const offered: unknown[] = [];
  const base = await listenTls({
    ALPNCallback: ({ protocols }) => {
      offered.push(protocols);
      return undefined;
    },
  });
  const env = { DEXDATA_BASE_URL: base, DEXDATA_STREAMING_URL: base };
  expect((await dexdata(words, { env })).exit).toBe(7);
  expect(offered).toEqual([["http/1.1"]]);
});

/** Local addresses, by the host name that resolves to them. */
const addresses = new Map<string, readonly string[]>([
  ["[::1]", Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))],
  ["localhost", (await lookup("localhost", { all: true })).map(({ address }) => address)],
]);

describe("a host on IPv6, and a name that resolves to both IPv4 and IPv6", () => {
  const event =
    'event: token_price\ndata: {"address":"0x0000000000000000000000000000000000000001","chain":"ethereum","price":"1"}\n\n';
  const stream = slow({ headers: { "content-type": "text/event-stream" }, chunks: [event], stayOpen: true });
  const named: readonly (readonly [what: string, host: "127.0.0.1" | "::1", name: string])[] = [
    ["[::1]", "::1", "[::1]"],
    ["localhost, which is there on IPv6 alone", "::1", "localhost"],
    ["localhost, which is there on IPv4 alone", "127.0.0.1", "localhost"],
  ];
  // Addresses that this machine does not have cannot be tested.
  const hosts = named.filter(([, host, name]) => addresses.get(name)?.includes(host));
  for (const [what] of named.filter((each) => !hosts.includes(each))) console.warn(`LEFT OUT: ${what}`);

  test.each(hosts)("%s receives the request for each way to set a host", async (_, host, name) => {
    const server = await serveInTest(
      ({ path }) => (path.startsWith("/sse") ? stream : json('[{"id":"a"}]')),
      {
        host,
      },
    );
    const base = `http://${name}:${new URL(server.url).port}`;
    const rows = { exit: 0, stdout: '{"id":"a"}\n', stderr: "" };
    const paid = { DEXDATA_API_KEY: "api_pro_0123456789", DEXDATA_TIER: "pro" };
    expect(await dexdata(`networks --base-url ${base}`)).toMatchObject(rows);
    expect(await dexdata("networks", { env: { DEXDATA_BASE_URL: base } })).toMatchObject(rows);
    expect(await dexdata("networks", { env: { DEXDATA_PRO_BASE_URL: base, ...paid } })).toMatchObject(rows);
    const events = {
      exit: 0,
      stdout: '{"address":"0x0000000000000000000000000000000000000001","chain":"ethereum","price":"1"}\n',
    };
    const words = "stream ethereum:0x0000000000000000000000000000000000000001 --limit 1";
    expect(await dexdata(`${words} --streaming-url ${base}`)).toMatchObject(events);
    expect(await dexdata(words, { env: { DEXDATA_STREAMING_URL: base } })).toMatchObject(events);
    expect(await dexdata(words, { env: { DEXDATA_STREAMING_PRO_URL: base, ...paid } })).toMatchObject(events);
    expect(server.requests).toHaveLength(6);
  });
});
