import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { binaryEnv, ended, program, start } from "../harness/binary.ts";
import { endlessList } from "../harness/endless-list.ts";
import { inTime } from "../harness/in-time.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pull = ["pools", "search", "ethereum", "--all", "--rpm", "unlimited", "-o", "ndjson"];
const pause = async (milliseconds: number): Promise<void> =>
  await new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Of a running process. `/proc` has hundredths of a second, in user and in kernel mode. */
function processorSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

describe("promise 9: Ctrl-C within a second", () => {
  test.each([
    ["while paging", pull],
    ["while paging with progress lines", [...pull, "--progress", "plain"]],
    ["between the refreshes of --watch", ["pools", "search", "ethereum", "--watch", "1h", "-o", "ndjson"]],
    ["during a wait for the rate limit", [...pull.slice(0, 4), "--rpm", "1", "-o", "ndjson"]],
  ])("%s: exit 130, complete lines", async (_, words) => {
    const running = await serveInTest(endlessList);
    const child = start(words, { DEXDATA_BASE_URL: running.url });
    const ending = ended(child);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await pause(100);
    child.kill("SIGINT");
    const { exit, stdout } = await inTime(1000, ending);
    expect(exit).toBe(130);
    expect(stdout.at(-1)).toBe(10);
  });

  test.runIf(process.platform === "linux")("during a cold search in the sandbox: exit 130", async () => {
    const child = start(
      [...pull, "--order-by", "volume_usd_30d", "--sandbox"].filter((word) => word !== "ethereum"),
    );
    const ending = ended(child);
    // By then, the program has started and the search is running.
    while (processorSeconds(child.pid) < 0.35) await pause(5);
    child.kill("SIGINT");
    expect((await inTime(1000, ending)).exit).toBe(130);
  });

  test.each([
    ["reading the key", (pipe: string): readonly string[] => ["networks", "--key-file", pipe]],
    ["reading the assets", (pipe: string): readonly string[] => ["stream", `@${pipe}`]],
  ])("Ctrl-C ends %s from a pipe without a writer: exit 130", async (_, words) => {
    const pipe = path.join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [pipe]);
    const child = start(words(pipe));
    const ending = ended(child, 5000);
    const opened = openSync(pipe, "w");
    await pause(50);
    child.kill("SIGINT");
    const { exit, stderr } = await inTime(1000, ending).finally(() => closeSync(opened));
    expect([exit, stderr]).toEqual([130, ""]);
  });

  // Only root can listen on port 53, and mount another list of name servers.
  const isRoot = process.getuid?.() === 0 && spawnSync("unshare", ["--mount", "true"]).status === 0;
  test.runIf(isRoot)("Ctrl-C does not wait for a name server that does not respond", async () => {
    const nameServer = createSocket("udp4").bind(53, "127.0.0.53");
    await once(nameServer, "listening");
    const asked = once(nameServer, "message");
    const servers = path.join(temporaryFolder(), "resolv.conf");
    writeFileSync(servers, "nameserver 127.0.0.53\n");
    const script = `mount --bind ${servers} /etc/resolv.conf && exec "$0" "$@"`;
    const words = ["--mount", "sh", "-c", script, process.execPath, program, "networks"];
    const env = binaryEnv({ DEXDATA_BASE_URL: "https://host.test" });
    const child = spawn("unshare", words, { env, stdio: "pipe" });
    const ending = ended(child);
    await asked;
    await pause(100);
    child.kill("SIGINT");
    const { signal, stderr } = await inTime(2000, ending).finally(() => nameServer.close());
    expect([signal, stderr]).toEqual(["SIGINT", ""]);
  });

  test("SIGHUP ends a search for the word stream", async () => {
    const running = await serveInTest(() => new Promise(() => undefined));
    const child = start(["search", "stream", "@x"], { DEXDATA_BASE_URL: running.url });
    const ending = ended(child);
    while (running.requests.length < 1) await pause(10);
    child.kill("SIGHUP");
    expect((await ending).exit).toBe(129);
  });

  test.each([
    ["a closed terminal", "SIGHUP", 129],
    ["Ctrl-\\", "SIGQUIT", 131],
    ["kill", "SIGTERM", 143],
  ] as const)(
    "%s ends a pull cleanly: no files remain, a hint shows how to continue, and the exit code follows the shell's convention",
    async (_, signal, expected) => {
      const running = await serveInTest(endlessList);
      const folder = temporaryFolder();
      const out = path.join(folder, "rows");
      const child = start([...pull.slice(0, -2), "-o", "table", "--out", out], {
        DEXDATA_BASE_URL: running.url,
      });
      const ending = ended(child);
      while (running.requests.length < 3) await pause(10);
      child.kill(signal);
      const { exit, stderr } = await ending;
      expect([exit, readdirSync(folder)]).toEqual([expected, []]);
      // The hint omits the table format, which --resume rejects.
      expect(stderr).toMatch(
        new RegExp(
          `for a resumable pull: dexdata pools search ethereum --all --out ${out} --rpm unlimited --resume\n$`,
          "u",
        ),
      );
    },
  );

  test("a second signal ends the process at once, even if pending output is not read", async () => {
    const row = { id: "0x1", chain: "ethereum", name: "x".repeat(2_000_000) };
    const server = await serveInTest(() => json([row, row, row, row]));
    const child = start(["networks", "-o", "ndjson"], { DEXDATA_BASE_URL: server.url });
    child.stdout.pause();
    const ending = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
    while (server.requests.length === 0) await pause(10);
    await pause(300);
    child.kill("SIGINT");
    await pause(20);
    // A busy process may receive two signals as one. A third one can end it while it exits, which shells show as 130, too.
    const repeating = setInterval(() => child.kill("SIGINT"), 20);
    const exit = await inTime(1000, ending).finally(() => clearInterval(repeating));
    expect([130, "SIGINT"]).toContain(exit);
    child.stdout.destroy();
  });
});
