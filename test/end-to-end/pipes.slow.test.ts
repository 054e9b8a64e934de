import { spawn } from "node:child_process";
import { existsSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { binaryEnv, ended, program, start } from "../harness/binary.ts";
import { inTime } from "../harness/in-time.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { hang, json, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

/** An endless search: page after page of 100 new rows. All pages but the first wait until that one is due. */
const endless = async (padding = 0, isDue = (): boolean => true): Promise<ScriptedServer> =>
  await serveInTest(async (_, index) => {
    if (index > 0) while (!isDue()) await new Promise((resolve) => setTimeout(resolve, 10));
    const results = Array.from({ length: 100 }, (_row, row) => ({
      id: `0x${index}x${row}`,
      chain: "ethereum",
      padding: "p".repeat(padding),
    }));
    return json({ results, has_next_page: true, next_cursor: `cursor ${index}` });
  });

const all = ["pools", "search", "ethereum", "--all", "-o", "ndjson"];

describe("a reader that closes its pipe", () => {
  test.each([0, 400])(
    "`| head -1` ends with exit 0 and an empty stderr, and the requests stop (rows of %i more bytes)",
    async (padding) => {
      const gone = path.join(temporaryFolder(), "gone");
      const server = await endless(padding, () => existsSync(gone));
      const reader = '(head -1; exec <&-; touch "$GONE")';
      const command = `"$NODE" "$PROGRAM" ${all.join(" ")} | ${reader}; echo "exit \${PIPESTATUS[0]}" >&2`;
      const env = {
        ...binaryEnv({ DEXDATA_BASE_URL: server.url }),
        NODE: process.execPath,
        PROGRAM: program,
        GONE: gone,
      };
      const { stdout, stderr } = await ended(spawn("bash", ["-c", command], { env, stdio: "pipe" }));
      expect(stdout.toString("utf8").split("\n").length).toBe(2);
      expect(stderr).toBe("exit 0\n");
      // While the first page is written, the second is requested; once it arrives, the third. Writing the
      // second meets the closed pipe, because its reader ended before.
      expect(server.requests.length).toBeLessThanOrEqual(3);
      const before = server.requests.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(server.requests.length).toBe(before);
    },
  );

  test("at most one request is in flight after the pipe has closed", async () => {
    const server = await endless(700);
    const child = start(all, { DEXDATA_BASE_URL: server.url });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    // Until the pipe is full: the server must also have received the requests sent by then.
    child.stdout.pause();
    for (let seen = 0; seen < server.requests.length;) {
      seen = server.requests.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    child.stdout.destroy();
    const atClosing = server.requests.length;
    const { exit, stderr } = await ended(child);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(server.requests.length - atClosing).toBeLessThanOrEqual(1);
  });
});

describe("pipes", () => {
  test("Node itself prints no warnings on stderr, however many requests and waits are pending", async () => {
    const running = await serveInTest(({ path: asked }) => json({ id: asked.split("/").at(-1) }));
    const inputs = Array.from({ length: 40 }, (_, index) => `0x${String(index).padStart(40, "0")}`);
    const words = ["token", "ethereum", ...inputs, "--parallel", "30", "--rpm", "12000", "-o", "ndjson"];
    const { exit, stdout, stderr } = await ended(start(words, { DEXDATA_BASE_URL: running.url }));
    expect([exit, stdout.toString("utf8").trimEnd().split("\n").length, stderr]).toEqual([0, 40, ""]);
  });

  test("3 MB arrive completely", async () => {
    const row = (index: number): string =>
      JSON.stringify({ id: `0x${index}`, chain: "ethereum", text: "é".repeat(4000) });
    const pages = Array.from({ length: 4 }, (_, page) =>
      Array.from({ length: 100 }, (_row, index) => row(page * 100 + index)),
    );
    const server = await serveInTest((_, index) =>
      json(`{"results":[${pages[index]?.join(",")}],"has_next_page":${index < 3},"next_cursor":"${index}"}`),
    );
    const { exit, stdout } = await ended(start(all, { DEXDATA_BASE_URL: server.url }));
    expect(exit).toBe(0);
    expect(stdout.length).toBeGreaterThan(3_000_000);
    expect(stdout.toString("utf8")).toBe(
      pages
        .flat()
        .map((line) => `${line}\n`)
        .join(""),
    );
  });

  test("with 2>&1, messages are between the rows", async () => {
    const pages = Array.from({ length: 60 }, (_page, page) =>
      Array.from({ length: 100 }, (_row, row) => ({ id: `0x${page}x${row}`, text: "x".repeat(1500) })),
    );
    const { url } = await serveInTest((_, index) =>
      json({ results: pages[index], has_next_page: index < 59, next_cursor: `cursor ${index}` }),
    );
    const env = { ...binaryEnv({ DEXDATA_BASE_URL: url }), NODE: process.execPath, PROGRAM: program };
    const command = `"$NODE" "$PROGRAM" ${all.join(" ")} -v --rpm unlimited 2>&1 | cat`;
    const { stdout } = await ended(spawn("bash", ["-c", command], { env, stdio: "pipe" }));
    const lines = stdout.toString("utf8").trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("GET "))).toHaveLength(60);
    expect(lines.filter((line) => !line.startsWith("GET "))).toEqual(
      pages.flat().map((row) => JSON.stringify(row)),
    );
  });

  test("a slow reader slows the requests", async () => {
    const server = await endless(2000);
    const child = start(all, { DEXDATA_BASE_URL: server.url });
    child.stdout.pause();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    // A page has 200 kB: the buffers between two processes hold a few pages, not the complete list.
    expect(server.requests.length).toBeLessThan(8);
    child.kill("SIGKILL");
    await ended(child);
  });
});

describe("signals", () => {
  test.each([
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGQUIT", 131],
    ["SIGTERM", 143],
  ] as const)(
    "%s ends a run that waits for a response within a second, exit %i, empty stderr",
    async (signal, exit) => {
      const server = await serveInTest(() => hang());
      const child = start(["networks", "-o", "ndjson"], { DEXDATA_BASE_URL: server.url });
      while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      child.kill(signal);
      const outcome = await inTime(1000, ended(child));
      expect({ exit: outcome.exit, stderr: outcome.stderr, stdout: outcome.stdout.length }).toEqual({
        exit,
        stderr: "",
        stdout: 0,
      });
    },
  );

  test("SIGINT ends a wait before a retry", async () => {
    const server = await serveInTest(() =>
      json({ error: "rate_limited" }, { status: 429, headers: { "retry-after": "60" } }),
    );
    const child = start(["networks", "-o", "ndjson"], { DEXDATA_BASE_URL: server.url });
    await new Promise((resolve) => child.stderr.once("data", resolve));
    child.kill("SIGINT");
    expect((await ended(child)).exit).toBe(130);
    expect(server.requests.length).toBe(1);
  });

  test("SIGTERM ends a run that waits for stdin, and so does --deadline", async () => {
    const killed = start(["prices", "ethereum", "-", "--sandbox"]);
    // More comments than a pipe holds: once all are written, the program is reading.
    await new Promise((resolve) => killed.stdin.write("#\n".repeat(500_000), resolve));
    killed.kill("SIGTERM");
    expect((await ended(killed, 3000)).exit).toBe(143);
    const late = await ended(
      start(["prices", "ethereum", "-", "--sandbox", "--deadline", "300ms", "-o", "table"]),
      5000,
    );
    expect({ exit: late.exit, stderr: late.stderr }).toEqual({
      exit: 7,
      stderr: "error: --deadline of 300ms reached\n  hint: raise --deadline, or reduce the request\n",
    });
  });

  test("stdin of more than 256 MiB is not read to its end", async () => {
    const file = path.join(temporaryFolder(), "zeros");
    writeFileSync(file, "");
    // A sparse file, which uses no disk space.
    truncateSync(file, 257 * 1024 * 1024);
    const line = `"$NODE" "$PROGRAM" prices ethereum - --sandbox --error-format text < ${file}`;
    const env = { ...binaryEnv(), NODE: process.execPath, PROGRAM: program };
    const { exit, stdout, stderr } = await ended(spawn("bash", ["-c", line], { env, stdio: "pipe" }));
    // The files that a test leaves are searched for keys.
    rmSync(file);
    expect({ exit, stdout: String(stdout), stderr }).toEqual({
      exit: 2,
      stdout: "",
      stderr: "error: stdin: larger than 256 MiB, the limit for this input\n",
    });
  });

  test("a directory as stdin is not an empty list", async () => {
    const line = `"$NODE" "$PROGRAM" prices ethereum - --sandbox --error-format text < /`;
    const env = { ...binaryEnv(), NODE: process.execPath, PROGRAM: program };
    const { exit, stderr } = await ended(spawn("bash", ["-c", line], { env, stdio: "pipe" }));
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: "error: stdin cannot be read (is a directory)\n" });
  });

  test("SIGINT leaves complete lines", async () => {
    const server = await endless(300);
    const child = start(all, { DEXDATA_BASE_URL: server.url });
    child.stdout.once("data", () => child.kill("SIGINT"));
    const { exit, stdout } = await ended(child);
    expect(exit).toBe(130);
    expect(stdout.at(-1)).toBe(10);
  });
});
