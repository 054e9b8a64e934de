import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { openLibrary } from "../library/open-library.ts";

/** Digits come first, because a URL parser takes them for a port, and the rest for a path, a query or a fragment. */
const userInfos = ["/", "?", "#", "\\", "@", "'", "%", ":", "/@", "?/#"].map(
  (sign) => `agent:40961${sign}zq7`,
);
const secret = /40961|zq7|agent/u;
const url = (userInfo: string, scheme = "https"): string => `${scheme}://${userInfo}@127.0.0.1:1/v1`;

interface Seen {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Everything that accepts a URL, and prints something about it. */
const places: Readonly<Record<string, (text: string) => Promise<Seen>>> = {
  ...Object.fromEntries(
    ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].map((name) => [
      name,
      async (text: string) => await seen("networks", { [name]: text, DEXDATA_BASE_URL: "https://a.invalid" }),
    ]),
  ),
  ...Object.fromEntries(
    ["DEXDATA_BASE_URL", "DEXDATA_PRO_BASE_URL", "DEXDATA_STREAMING_URL", "DEXDATA_STREAMING_PRO_URL"].map(
      (name) => [name, async (text: string) => await seen("networks", { [name]: text })],
    ),
  ),
  "--base-url": async (text) => await seen(["networks", "--base-url", text]),
  "--streaming-url": async (text) =>
    await seen(["stream", "ethereum:0x0000000000000000000000000000000000000001", "--streaming-url", text]),
  "config set": async (text) => await seen(["config", "set", "base_url", text]),
  "config.json": async (text) => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "config.json"), JSON.stringify({ base_url: text }));
    return await seen("networks", { DEXDATA_CONFIG_DIR: folder });
  },
};

async function seen(words: string | readonly string[], env: Readonly<Record<string, string>> = {}) {
  return await dexdata(words, { env: { DEXDATA_TIMEOUT: "5s", DEXDATA_RETRIES: "0", ...env } });
}

describe.each(Object.entries(places))("a URL in %s", (name, run) => {
  test.each(userInfos)("with %s as its user name and password never shows them", async (userInfo) => {
    const isProxy = name.toLowerCase().endsWith("proxy");
    const { exit, stdout, stderr } = await run(url(userInfo, isProxy ? "http" : "https"));
    expect(stdout + stderr).not.toMatch(secret);
    // A proxy may have a password, if it is encoded where a URL requires it.
    if (!isProxy || /[/?#\\]/u.test(userInfo)) expect({ exit, stderr }).toMatchObject({ exit: 2 });
  });
});

test.each(userInfos)("doctor never shows %s, whether or not the proxy applies", async (userInfo) => {
  for (const text of [url(userInfo, "http"), "agent:zq7"])
    for (const host of ["https://a.invalid", "http://127.0.0.1:1"]) {
      const env = { HTTPS_PROXY: text, DEXDATA_BASE_URL: host, DEXDATA_STREAMING_URL: host };
      const { stdout, stderr } = await seen("doctor --no-stream -o json", env);
      expect(stdout + stderr).not.toMatch(/zq7/u);
    }
});

test.each(["/", "?", "#", "\\"])("a proxy's password with %s has to be percent-encoded", async (sign) => {
  const env = {
    HTTPS_PROXY: `http://agent:40961${sign}zq7@127.0.0.1:1`,
    DEXDATA_BASE_URL: "https://a.invalid",
  };
  const { exit, stderr } = await seen("networks --error-format text", env);
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr:
      'error: invalid HTTPS_PROXY "http://…@127.0.0.1:1": must percent-encode / ? # and \\ in its user name and password\n' +
      "  hint: write / as %2F, ? as %3F, # as %23 and \\ as %5C\n",
  });
  const doctor = await seen("doctor --no-stream -o json", env);
  expect(doctor.exit).toBe(2);
  expect(doctor.stdout).toContain("percent-encode");
});

test.each(userInfos)("the library refuses %s in a base URL without showing it", (userInfo) => {
  const open = (): unknown => openLibrary({ baseUrl: url(userInfo) });
  expect(open).toThrow(/baseUrl/u);
  expect(open).not.toThrow(secret);
});
