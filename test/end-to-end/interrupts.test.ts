import { afterEach, describe, expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { endlessList } from "../harness/endless-list.ts";
import { json, type ScriptedServer, startScriptedServer } from "../harness/scripted-server.ts";

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

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
    const running = (server = await startScriptedServer(endlessList));
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

  test("a second one is immediate, also where nobody reads what is still to be written", async () => {
    const row = { id: "0x1", chain: "ethereum", name: "x".repeat(2_000_000) };
    server = await startScriptedServer(() => json([row, row, row, row]));
    const child = start(["networks", "-o", "ndjson"], { DEXDATA_BASE_URL: server.url });
    child.stdout.pause();
    while (server.requests.length === 0) await pause(10);
    await pause(300);
    child.kill("SIGINT");
    await pause(20);
    const sent = performance.now();
    child.kill("SIGINT");
    const exit = await new Promise((resolve) => child.once("exit", resolve));
    expect(performance.now() - sent).toBeLessThan(300);
    expect(exit).toBe(130);
    child.stdout.destroy();
  });
});
