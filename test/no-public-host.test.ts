import dns, { lookup } from "node:dns";
import { readdirSync, readFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import tls from "node:tls";
import { fileURLToPath } from "node:url";
import { request } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { isLoopback, takeRefused } from "./harness/no-public-host.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

// If the guard were broken, these tests would open connections, so they use an address of RFC 5737 and a name
// of RFC 2606.
const ADDRESS = "192.0.2.1";
const NAME = "example.com";

const servers: net.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(): Promise<number> {
  const server = net.createServer((socket) => socket.end("here"));
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server has no port");
  return bound.port;
}

describe("network guard", () => {
  const ways: readonly [string, string, () => unknown][] = [
    ["net.connect with options", ADDRESS, () => net.connect({ host: ADDRESS, port: 443 })],
    ["net.connect with port and host", NAME, () => net.connect(443, NAME)],
    ["a socket's own connect", ADDRESS, () => new net.Socket().connect(443, ADDRESS)],
    ["a socket's own connect with options", NAME, () => new net.Socket().connect({ port: 443, host: NAME })],
    ["an IPv6 address", "2001:db8::1", () => net.connect(443, "2001:db8::1")],
    ["tls.connect", NAME, () => tls.connect({ host: NAME, port: 443 })],
    ["dns.lookup", NAME, () => dns.lookup(NAME, () => {})],
    ["lookup imported by name", NAME, () => lookup(NAME, () => {})],
    ["dns.promises.lookup", NAME, () => dns.promises.lookup(NAME)],
  ];

  test.each(ways)("throws on %s", (_way, destination, leave) => {
    expect(leave).toThrow(`tests stay on this machine: ${destination} is not loopback`);
    expect(takeRefused()).toEqual([destination]);
  });

  test("stops fetch and remembers it, although fetch wraps the error in its own", async () => {
    await expect(fetch(`http://${ADDRESS}/networks`)).rejects.toThrow("fetch failed");
    expect(takeRefused()).toEqual([ADDRESS]);
  });

  test("stops the undici package of the program", async () => {
    await expect(request(`http://${NAME}/networks`)).rejects.toThrow("is not loopback");
    expect(takeRefused()).toEqual([NAME]);
  });

  // No error is collected here, so the guard's own afterEach must fail the test, as expected.
  test.fails("fails a test that swallowed the error", async () => {
    await fetch(`http://${ADDRESS}/`).catch(() => {});
  });

  test("allows loopback by address and by name", async () => {
    const port = await listen();
    for (const host of ["127.0.0.1", "localhost"]) {
      const heard = await new Promise<string>((resolve, reject) => {
        const socket = net.connect({ host, port, family: 4 });
        socket.on("data", (chunk) => resolve(chunk.toString()));
        socket.on("error", reject);
      });
      expect(heard).toBe("here");
    }
    expect(takeRefused()).toEqual([]);
  });

  test("reports a name that cannot exist as unknown, without a resolver", async () => {
    const socket = net.connect(443, "nowhere.invalid");
    const error = await new Promise((resolve) => {
      socket.on("error", resolve);
    });
    expect(error).toMatchObject({ code: "ENOTFOUND", hostname: "nowhere.invalid" });
    await expect(fetch("http://nowhere.invalid/")).rejects.toMatchObject({ cause: { code: "ENOTFOUND" } });
    expect(takeRefused()).toEqual([]);
  });
});

test.each([
  ["127.0.0.1", true],
  ["127.255.0.9", true],
  ["::1", true],
  ["[::1]", true],
  ["::ffff:127.0.0.1", true],
  ["localhost", true],
  ["LOCALHOST", true],
  ["127.0.0.1.example.com", false],
  ["localhost.example.com", false],
  ["0.0.0.0", false],
  ["10.0.0.1", false],
  ["::ffff:10.0.0.1", false],
  ["::2", false],
  ["", false],
])("%s is loopback: %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

describe("tests contain no public host", () => {
  /** Written so that this file does not match itself. */
  const publicHost = /\b(?:api|streaming)(?:-pro)?\.dexpaprika\.com\b/gi;

  /**
   * Files that may contain one, because they check the default: path and reason. An entry that is no longer
   * needed fails.
   */
  const allowed: ReadonlyMap<string, string> = new Map([]);

  const naming = (file: string): string[] =>
    readFileSync(path.join(root, file), "latin1").match(publicHost) ?? [];

  test("the pattern finds each of the four hosts", () => {
    const four = ["api", "api-pro", "streaming", "streaming-pro"].map((host) => `${host}.dexpaprika.com`);
    expect(`https://${four.join("/ https://")}/`.match(publicHost)).toEqual(four);
  });

  test("in test/ and bin/, only the allowed files contain one", () => {
    const files = [...filesUnder("test"), ...filesUnder("bin")];
    expect(files).toContain("test/no-public-host.test.ts");
    expect(files.filter((file) => naming(file).length > 0).toSorted()).toEqual(
      [...allowed.keys()].toSorted(),
    );
  });

  test("the scripts of package.json contain none", () => {
    const manifest: unknown = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    if (typeof manifest !== "object" || manifest === null || !("scripts" in manifest)) {
      throw new Error("package.json has no scripts");
    }
    expect(JSON.stringify(manifest.scripts).match(publicHost)).toBeNull();
  });
});

/** Paths from the root, with slashes. */
function filesUnder(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
}
