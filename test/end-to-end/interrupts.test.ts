import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { endlessList } from "../harness/endless-list.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pull = ["pools", "search", "ethereum", "--all", "--rpm", "unlimited", "-o", "ndjson"];
const pause = async (milliseconds: number): Promise<void> =>
  await new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("promise 9: Ctrl-C within a second", () => {
  test.each([
    ["while paging", pull],
    ["while paging with progress in lines", [...pull, "--progress", "plain"]],
    ["between the rounds of --watch", ["pools", "search", "ethereum", "--watch", "1h", "-o", "ndjson"]],
    ["while the pace is waited for", [...pull.slice(0, 4), "--rpm", "1", "-o", "ndjson"]],
  ])("%s: exit 130, whole lines", async (_, words) => {
    const running = await serveInTest(endlessList);
    const child = start(words, { DEXDATA_BASE_URL: running.url });
    const ending = ended(child);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await pause(100);
    const sent = performance.now();
    child.kill("SIGINT");
    const { exit, stdout } = await ending;
    expect(performance.now() - sent).toBeLessThan(1000);
    expect(exit).toBe(130);
    expect(stdout.at(-1)).toBe(10);
  });

  test.each([
    ["the key", (pipe: string): readonly string[] => ["networks", "--key-file", pipe]],
    ["the assets", (pipe: string): readonly string[] => ["stream", `@${pipe}`]],
  ])("while a pipe that nobody writes to should give %s: exit 130", async (_, words) => {
    const pipe = path.join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [pipe]);
    const child = start(words(pipe));
    const ending = ended(child, 5000);
    const opened = openSync(pipe, "w");
    await pause(50);
    const sent = performance.now();
    child.kill("SIGINT");
    const { exit, stderr } = await ending;
    closeSync(opened);
    expect(performance.now() - sent).toBeLessThan(1000);
    expect([exit, stderr]).toEqual([130, ""]);
  });

  test.each([
    ["a terminal that is closed", "SIGHUP", 129],
    ["Ctrl-\\", "SIGQUIT", 131],
    ["kill", "SIGTERM", 143],
  ] as const)(
    "%s ends a pull in order: nothing is left, how to continue is told, and the exit code is the shell's",
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
      // Without the table, which --resume refuses.
      expect(stderr).toMatch(
        new RegExp(
          `for a resumable pull: dexdata pools search ethereum --all --out ${out} --rpm unlimited --resume\n$`,
          "u",
        ),
      );
    },
  );

  test("a second one is immediate, also where nobody reads what is still to be written", async () => {
    const row = { id: "0x1", chain: "ethereum", name: "x".repeat(2_000_000) };
    const server = await serveInTest(() => json([row, row, row, row]));
    const child = start(["networks", "-o", "ndjson"], { DEXDATA_BASE_URL: server.url });
    child.stdout.pause();
    const ending = new Promise((resolve) => child.once("exit", resolve));
    while (server.requests.length === 0) await pause(10);
    await pause(300);
    child.kill("SIGINT");
    await pause(20);
    const sent = performance.now();
    // A process that is busy sees two signals as one.
    const repeating = setInterval(() => child.kill("SIGINT"), 20);
    const exit = await ending;
    clearInterval(repeating);
    expect(performance.now() - sent).toBeLessThan(1000);
    expect(exit).toBe(130);
    child.stdout.destroy();
  });
});
