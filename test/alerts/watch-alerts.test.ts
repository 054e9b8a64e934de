import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Interruption } from "../../src/base/context/context.ts";
import { run } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { json, type Reply } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext, type TestContextOptions } from "../harness/test-context.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);
const address = `0x${"a".repeat(40)}`;
const low = ["--when", "price_usd < 3"];

/** The rows of one refresh, with these prices; `failed` is a refresh that fails. */
const replyOf = (prices: string): Reply =>
  prices === "failed"
    ? json({ message: "no" }, { status: 503 })
    : json(
        `{"results":[${prices
          .split(" ")
          .map((price, index) => `{"id":"${"abc"[index]}","chain":"base","price_usd":${price}}`)
          .join(",")}],"has_next_page":false}`,
      );

/** Watches a search, with one response for each refresh, and then ends the run. */
async function watched(
  rounds: readonly string[],
  words: readonly string[],
  { cause = "SIGINT", ...options }: TestContextOptions & Partial<Interruption> = {},
) {
  const server = await serveInTest((_, index) => {
    if (index === rounds.length) context.interrupt({ cause });
    return replyOf(rounds[Math.min(index, rounds.length - 1)] ?? "");
  });
  const env = { DEXDATA_BASE_URL: server.url, LANG: "C.UTF-8", TERM: "xterm" };
  const context = createTestContext({ flows: true, ...options, env: { ...env, ...options.env } });
  const command = "pools search base --watch 30s --retries 0 --error-format text".split(" ");
  const { exit, stdout, stderr } = await run([...command, ...words], context);
  return { exit, stdout, stderr, requests: server.requests.length };
}

const alertsOf = async (...given: Parameters<typeof watched>) => {
  const { exit, stdout } = await watched(...given);
  return { exit, alerts: rowsOf(stdout) };
};

describe("--watch --when", () => {
  test("compares the credits that usage shows", async () => {
    const server = await serveInTest((_, index) => {
      if (index === 2) context.interrupt({ cause: "SIGINT" });
      return json({ plan: "dev", credits: { limit: 9, used: index, remaining: 9 - index } });
    });
    const context = createTestContext({ flows: true, env: { DEXDATA_BASE_URL: server.url } });
    const words = "usage --watch 30s --when".split(" ");
    const { stdout } = await run([...words, "credits.remaining < 9"], context);
    expect(rowsOf(stdout)).toMatchObject([{ asset: "usage", value: "8" }]);
    expect((await run([...words, "credits.left < 9"], createTestContext())).exit).toBe(2);
  });

  test("each crossing of a row is one line, in the place of rows; --limit does not count them", async () => {
    const rounds = ["2.90 5", "2.8 5", "4 1", "2.70 1"];
    const { exit, alerts } = await alertsOf(rounds, [...low, "--cooldown", "0", "--limit", "2"]);
    expect(exit).toBe(130);
    expect(alerts.map(({ asset, value }) => [asset, value])).toEqual([
      ["base:a", "2.90"],
      ["base:b", "1"],
      ["base:a", "2.70"],
    ]);
    const row = { id: "a", chain: "base", price_usd: 2.9 };
    const at = "2026-11-21T08:54:00.000Z";
    expect(alerts[0]).toMatchObject({ alert: "match", condition: "price_usd < 3", at, row });
  });

  test.each([
    [
      ["age", "45"],
      ["2", "2"],
    ],
    // Without an age, only the longest one is known, and such a response may be new.
    [
      ["cache-control", "max-age=60"],
      ["2", "1", "2"],
    ],
  ])(
    "a copy that is older than the last response crosses nothing: %j",
    async ([name = "", value], values) => {
      const prices = ["5", "2", "4", "1", "4", "2"];
      const server = await serveInTest((_, index) => {
        if (index === prices.length) context.interrupt({ cause: "SIGINT" });
        const headers = index === 3 ? { [name]: value } : { age: "0" };
        return { ...replyOf(prices[index] ?? "5"), headers };
      });
      const context = createTestContext({ flows: true, env: { DEXDATA_BASE_URL: server.url } });
      const words = "pools search base --watch 30s --cooldown 0".split(" ");
      const { stdout } = await run([...words, ...low], context);
      expect(rowsOf(stdout).map((each) => each["value"])).toEqual(values);
    },
  );

  test("the same condition twice is one", async () => {
    const { alerts } = await alertsOf(["4", "2"], [...low, ...low]);
    expect(alerts).toHaveLength(1);
  });

  test("within the cooldown, a crossing fires at its end if it is still true", async () => {
    const rounds = ["2", "4", "1", "1", "1", "4", "1"];
    expect((await alertsOf(rounds, [...low, "--cooldown", "2m"])).alerts.map(({ value }) => value)).toEqual([
      "2",
      "1",
    ]);
  });

  test("within the cooldown, a row that is no longer listed fires no more, unless it returns", async () => {
    const rounds = ["5 2", "5 4", "5 1", "5", "5", "5"];
    const valuesOf = async (all: readonly string[]) =>
      (await alertsOf(all, [...low, "--cooldown", "2m"])).alerts.map(({ value }) => value);
    expect(await valuesOf(rounds)).toEqual(["2"]);
    expect(await valuesOf([...rounds, "5 1", "5"])).toEqual(["2", "1"]);
    expect(await valuesOf([...rounds, "5 4", "5"])).toEqual(["2"]);
  });

  test("failing refreshes: blind, and back with the time that the next one covers", async () => {
    const rounds = ["5", "failed", "failed", "5"];
    const words = ["--when", "price_usd < 3", "--blind", "45s", "--for", "2m"];
    const { exit, stdout, stderr } = await watched(rounds, words);
    expect(rowsOf(stdout).map(({ alert, from, to }) => [alert, from, to])).toEqual([
      ["blind", "2026-11-21T08:54:00.000Z", undefined],
      ["back", "2026-11-21T08:54:00.000Z", "2026-11-21T08:55:30.000Z"],
    ]);
    expect([exit, stderr]).toEqual([8, expect.stringContaining("retrying at the next refresh")]);
  });

  test("a refresh that succeeds after retries covers the time since the last of them", async () => {
    const server = await serveInTest((_, index) => {
      if (index === 5) context.interrupt({ cause: "SIGINT" });
      return replyOf(index > 0 && index < 4 ? "failed" : "5");
    });
    const context = createTestContext({ flows: true, env: { DEXDATA_BASE_URL: server.url } });
    const { stdout } = await run(["pools", "search", "--watch", "30s", "--blind", "31s", ...low], context);
    const [blind, back] = rowsOf(stdout);
    expect([blind?.["alert"], back?.["alert"]]).toEqual(["blind", "back"]);
    // Retries wait for 1, 2 and 4 seconds.
    expect(Date.parse(String(back?.["to"])) - Date.parse(String(back?.["from"]))).toBe(37_000);
  });

  test("the time in which the machine was suspended is blind", async () => {
    const server = await serveInTest((_, index) => {
      if (index === 1) context.clock.setNow(context.clock.now() + 3_600_000);
      if (index === 3) context.interrupt({ cause: "SIGINT" });
      return index === 1 ? json({ message: "no" }, { status: 503 }) : replyOf("5");
    });
    const context = createTestContext({ flows: true, env: { DEXDATA_BASE_URL: server.url } });
    const words = "pools search base --watch 30s --retries 0 --blind 2m".split(" ");
    const { stdout } = await run([...words, ...low], context);
    const [blind, back, ...others] = rowsOf(stdout);
    expect([blind?.["alert"], back?.["alert"], others]).toEqual(["blind", "back", []]);
    expect(back?.["from"]).toBe(blind?.["from"]);
    expect(Date.parse(String(back?.["to"])) - Date.parse(String(back?.["from"]))).toBe(3_660_000);
  });

  test("--blind names the assets of the list as it is now", async () => {
    const list = inFolder("LIST");
    const names = ["a", "b", "c"].map((digit) => `base:0x${digit.repeat(40)}`);
    writeFileSync(list, names.slice(0, 2).join("\n"));
    const server = await serveInTest(() => {
      writeFileSync(list, names.slice(1).join("\n"));
      return json({ message: "no" }, { status: 503 });
    });
    const words = `prices @${list} --watch 30s --retries 0 --blind 45s --for 2m`.split(" ");
    const context = createTestContext({ flows: true, env: { DEXDATA_BASE_URL: server.url } });
    const { stdout } = await run([...words, ...low], context);
    expect(rowsOf(stdout)).toMatchObject([{ alert: "blind", names: names.slice(1) }]);
  });

  test("--state: a restart reports only what has changed", async () => {
    const words = [...low, "--state", inFolder("watch.state")];
    expect((await alertsOf(["2 5"], words)).alerts).toMatchObject([{ asset: "base:a" }]);
    expect((await alertsOf(["1 2"], words)).alerts).toMatchObject([{ asset: "base:b" }]);
    expect((await alertsOf(["4 2", "2 2"], [...words, "--cooldown", "0"])).alerts).toMatchObject([
      { asset: "base:a" },
    ]);
  });

  test.each([
    [0, ["--for", "45s"], "2", undefined],
    [8, ["--for", "45s"], "5", undefined],
    [0, [], "2", "closed-pipe"],
    [8, [], "5", "closed-pipe"],
    [143, [], "2", "SIGTERM"],
  ] as const)("exit code %i: %j at price %s, %s", async (exit, words, price, cause) => {
    const rounds = [price, price];
    expect((await watched(rounds, [...low, ...words], { ...(cause && { cause }) })).exit).toBe(exit);
  });

  test("without --when, --for ends the run with 0", async () => {
    expect(await watched(["5", "5", "5"], ["--for", "45s"])).toMatchObject({ exit: 0, requests: 2 });
  });

  test.each([
    [["--when", "?"], "fields: id, chain, dex_id"],
    [["--when", "24h > 1"], '"24h" is not a field'],
    [["--when", "pric_usd < 3"], "did you mean price_usd?"],
    [["--when", "price_usd rises 5% in 1h"], '"rises" must be one of <=, >='],
    [[...low, "--blind", "30s"], "--blind 30s: must be longer than the time from one read to the next (30s)"],
    [[...low, "--"], "missing command after --"],
    [["--state", "x"], "--state requires --when"],
    [["--cooldown", "1m"], "--cooldown requires --when"],
  ])("%j ends the run before anything is sent", async (words, problem) => {
    const { exit, stderr, requests } = await watched(["5"], words);
    expect([exit, requests, stderr]).toEqual([2, 0, expect.stringContaining(problem)]);
  });

  test.each([
    [`txns base ${address}`, "--when requires --follow"],
    [`ohlcv base ${address}`, "unknown flag --when"],
  ])("%s: rows that are not assets have no crossings", async (words, problem) => {
    const argv = [...words.split(" "), "--watch", "1m", "--error-format", "text", "--when", "id = 1"];
    const { exit, stderr } = await run(argv, createTestContext());
    expect([exit, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});

describe("on a terminal, with a command", () => {
  const terminal = { isTerminal: { stdout: true } };
  const lastScreen = (text: string): string => text.split("\u001B[?2026h").at(-1) ?? "";

  test("marks the rows for which the condition is true, and counts them", async () => {
    const words = [...low, "--fields", "id,price_usd", "--color", "never", "--", "true"];
    const screen = lastScreen((await watched(["2 5", "2 5"], words, terminal)).stdout);
    expect(screen).toContain("◆ alert on: 1 row · ");
    expect(screen).toMatch(/◆ +a +2\.0000/u);
    expect(screen).not.toMatch(/◆ +b/u);
    const ascii = await watched(["2 5", "2 5"], words, { ...terminal, env: { LANG: "C" } });
    expect(lastScreen(ascii.stdout)).toMatch(/# +a +2\.0000/u);
  });

  test("the key q: exit 0 after an alert, otherwise 8", async () => {
    const quit = { ...terminal, cause: "quit" } as const;
    expect((await watched(["2"], [...low, "--", "true"], quit)).exit).toBe(0);
    expect((await watched(["5"], [...low, "--", "true"], quit)).exit).toBe(8);
  });
});
