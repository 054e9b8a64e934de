import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { EventStreamParser } from "../../src/client/streams/event-stream.ts";
import { createEventAmounts } from "../../src/cli/commands/stream/event-amounts.ts";
import { blocksOf } from "../harness/readme.ts";
import { rowsOf } from "../harness/rows.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { ping, price, stream } from "../tail/keeping.ts";
import { askedFor, listen } from "../tail/stream-run.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);
const asset = "ethereum:0x0000000000000000000000000000000000000abc";

/** At the real speed of the clock; elsewhere the time limit of a command would pass at once. */
const real = { speed: 1, flows: false };

/** Streams these prices, one event for each. */
async function streamed(prices: readonly string[], words: readonly string[], options = {}) {
  const server = await serveInTest(() => stream(prices.map((each) => price(each))));
  const { exit, stdout, stderr } = await listen([asset, ...words], server, options).outcome;
  const lines = stdout.split("\n").filter(Boolean);
  return { exit, stderr, alerts: lines.map((line): Record<string, unknown> => JSON.parse(line)), stdout };
}

describe("stream --when", () => {
  test("prints one line for each crossing, and for the first value if it is true", async () => {
    const prices = ["2999.5", "2998", "3001", "2900.10", "2800", "3000", "1"];
    const words = ["--when", "price < 3k", "--cooldown", "0", "--limit", "3"];
    const { exit, alerts, stdout } = await streamed(prices, words);
    expect(exit).toBe(0);
    expect(alerts.map(({ value }) => value)).toEqual(["2999.5", "2900.10", "1"]);
    expect(alerts[0]).toMatchObject({ alert: "match", condition: "price < 3k", asset, row: { p: "2999.5" } });
    expect(stdout).toContain('"row":{"p":"2900.10"}}');
    expect(new Set(alerts.map(({ id }) => id)).size).toBe(3);
  });

  test.each(["p", "price"])(
    "reads the price by either of its names, whichever an event has: %s",
    async (sent) => {
      const server = await serveInTest(() => stream([`event: token_price\ndata: {"${sent}":"2999.5"}\n\n`]));
      for (const asked of ["p", "price"]) {
        const words = [asset, "--when", `${asked} < 3k`, "--limit", "1", "--for", "30s"];
        expect(await listen(words, server).outcome).toMatchObject({ exit: 0 });
      }
    },
  );

  test("acts on an event before it is written, so that a killed run loses no alert", async () => {
    const out = inFolder("unwritten.ndjson");
    const server = await serveInTest(() => {
      rmSync(`${out}.lock`);
      return stream([price("1")]);
    });
    const words = [asset, "--when", "price < 3k", "--out", out];
    const { exit, stdout } = await listen(words, server).outcome;
    expect([exit, rowsOf(stdout).length, readFileSync(out, "utf8")]).toEqual([1, 1, ""]);
  });

  test("on a terminal, an alert is a short line", async () => {
    const words = [asset, "--when", "price < 3k", "--limit", "1"];
    const server = await serveInTest(() => stream([price("2999.5")]));
    const options = { isTerminal: true, columns: 80 };
    const { exit, stdout } = await listen(words, server, options).outcome;
    expect([exit, stdout.replace(/^\S+Z/u, "AT")]).toEqual([0, `AT  ${asset}  price < 3k  2999.5\n`]);
    const none = await listen([asset, "--when", "price < 1", "--for", "1s"], server, options).outcome;
    expect([none.exit, none.stderr]).toEqual([8, expect.stringMatching(/^no alerts$/mu)]);
  });

  test("within the cooldown, a crossing fires at its end if it is still true, and no event is needed to end the run", async () => {
    const words = [asset, "--when", "price < 3", "--cooldown", "20s", "--limit", "2"];
    const server = await serveInTest(() => stream(["2", "4", "1"].map((each) => price(each))));
    const { exit, stdout } = await listen(words, server).outcome;
    expect([exit, rowsOf(stdout).map(({ value }) => value)]).toEqual([0, ["2", "1"]]);
    // After a longer silence, a new connection would send the events again.
    expect(server.requests).toHaveLength(1);
  });

  test("within the cooldown, an asset that a reload removes fires no more", async () => {
    const [list, rows] = [inFolder("LIST"), inFolder("rows.ndjson")];
    const other = asset.replace("abc", "def");
    writeFileSync(list, `${asset}\n${other}\n`);
    const server = await serveInTest((request) =>
      stream(askedFor(request).length > 1 ? ["2", "4", "1"].map((each) => price(each)) : [ping]),
    );
    const words = ["--when", "price < 3", "--cooldown", "5m", "--out", rows];
    const running = listen([`@${list}`, ...words], server, { speed: 200 });
    await running.until(() => existsSync(rows) && readFileSync(rows, "utf8").split("\n").length === 4);
    writeFileSync(list, `${other}\n`);
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("reloaded: 1 asset"));
    const { elapsed } = running.context.clock;
    await running.until(() => elapsed() > 310_000);
    const { stdout } = await running.interrupted();
    expect(rowsOf(stdout)).toMatchObject([{ value: "2" }]);
  });

  test("a series is unknown after a gap as long as its window, until that is filled again", async () => {
    let isUp = true;
    const server = await serveInTest((_, index) =>
      isUp
        ? stream([price(index === 0 ? "100" : "200")], { stayOpen: index > 0 })
        : json({ message: "down" }, { status: 503 }),
    );
    const words = [asset, "--when", "price moves 5% in 1m", "--when", "price > 150", "--limit", "1"];
    const running = listen(words, server, { speed: 200 });
    await running.until(() => server.requests.length > 0);
    isUp = false;
    const { elapsed } = running.context.clock;
    await running.until(() => elapsed() > 70_000);
    isUp = true;
    const { stdout } = await running.outcome;
    expect(rowsOf(stdout)).toMatchObject([{ condition: "price > 150" }]);
  });

  test("exits 8 if nothing matched, and 0 if something did", async () => {
    const words = ["--when", "price > 3000.0000000001", "--for", "500ms"];
    expect(await streamed(["3000", "3000.0000000001"], words, real)).toMatchObject({ exit: 8, stdout: "" });
    expect(await streamed(["3000.00000000011"], words, real)).toMatchObject({ exit: 0 });
  });

  test("exits 8 if the reader of the alerts did not accept all of them", async () => {
    const server = await serveInTest(() => stream([price("1")]));
    const running = listen([asset, "--when", "price < 3", "--limit", "1"], server);
    running.context.stdout.stall();
    const { exit, stderr } = await running.outcome;
    expect([exit, stderr]).toEqual([8, expect.stringContaining("1 event may be missing at the end")]);
  });

  test.each([
    [["--when", "price > x"], 'column 9: "x" is not a number'],
    [["--when", "pric > 1"], "did you mean price?"],
    [["--when", "price > 1", "--"], "missing command after --"],
    [["--cooldown", "1s"], "--cooldown requires --when"],
  ])("%j ends the run before anything is sent", async (words, problem) => {
    const { exit, stderr } = await streamed([], words);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});

describe("stream --feed transactions --when", () => {
  const tokens = [
    { id: "0x00a", decimals: 6 },
    { id: "0x00b", decimals: 18 },
  ];
  const event = (facts: object) =>
    `event: pool\ndata: ${JSON.stringify({ token_0: "0x00a", token_1: "0x00b", ...facts })}\n\n`;
  const swap = { amount_0: -1500000, amount_1: 7, amount_0_usd: -10, amount_1_usd: 12, tx_hash: "swap" };
  const added = { ...swap, amount_1: -7, tx_hash: "added" };
  const env = { DEXDATA_API_KEY: "api_dev_1", DEXDATA_TIER: "dev" };

  /** The run ends at the last event. The service describes the pool after `failures` requests. */
  async function alertsOn(words: readonly string[], { failures = 0, token = "0x00a" } = {}) {
    let asked = 0;
    const facts = [added, swap, { tx_hash: "end" }];
    const server = await serveInTest(({ path: to }) => {
      if (to.startsWith("/sse/")) return stream(facts.map((each) => event({ ...each, token_0: token })));
      asked += 1;
      return asked <= failures ? json({ message: "later" }, { status: 503 }) : json({ id: "0xabc", tokens });
    });
    const options = { env: { ...env, DEXDATA_PRO_BASE_URL: server.url, DEXDATA_RETRIES: "0" } };
    const last = ["--when", "tx_hash = end"];
    const run = listen([asset, "--feed", "transactions", ...words, ...last], server, options);
    await run.until(() => run.lines().at(-1)?.includes('"end"') === true);
    const { stderr } = await run.interrupted();
    const rows = run.lines().map((line): Record<string, unknown> => JSON.parse(line)["row"]);
    return { asked, stderr, rows: rows.slice(0, -1) };
  }

  test("compares the size, the type and the amounts in tokens, and costs one request for each pool", async () => {
    const inTokens = { amount_0_tokens: "-1.5", size_usd: 11, type: "swap" };
    const row = { ...swap, ...inTokens, amount_1_tokens: "0.000000000000000007" };
    for (const condition of ["type = swap", "size_usd <= 11", "amount_0_tokens < -1.4 and type = swap"])
      expect(await alertsOn(["--when", condition])).toMatchObject({ asked: 1, rows: [row] });
    expect(await alertsOn(["--when", "size_usd = 22"])).toMatchObject({
      rows: [{ tx_hash: "added", type: "liquidity" }],
    });
    expect(await alertsOn(["--when", "amount_0 < 0"])).toMatchObject({ asked: 0, rows: [added, swap] });
  });

  test("reports amounts that it cannot know, and still compares the size and the type", async () => {
    const unknown = await alertsOn(["--when", "amount_0_tokens < 0"], { failures: 9 });
    expect(unknown).toMatchObject({ asked: 1, rows: [] });
    expect(unknown.stderr).toMatch(
      /unknown token decimals, so amounts in tokens are null: ethereum:0x0.*\(.*503.*; retrying in 1m\)/u,
    );
    const sizes = await alertsOn(["--when", "size_usd > 1 and type = swap"], { failures: 9 });
    expect(sizes).toMatchObject({ asked: 1, rows: [{ size_usd: 11, amount_0_tokens: null }] });
  });

  test("of many pools, events wait only once for a service that does not respond", async () => {
    const context = createTestContext({ speed: 1000 });
    const warned: string[] = [];
    const report = { warn: (text: string) => warned.push(text) };
    const requestPool = (): Promise<void> => new Promise(() => undefined);
    const known = { find: () => ({}), requestPool, save: () => undefined };
    const parts = [{ context, report, onClose: () => undefined }, {}, known] as const;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- events use only these parts
    const [run, client, assets] = parts as unknown as readonly [never, never, never];
    const complete = await createEventAmounts(run, client, assets, "pool");
    const sent = new EventStreamParser().push(Buffer.from(event(swap)));
    for (let pool = 1; pool <= 25; pool += 1)
      for (const each of sent)
        await complete(each, { network: "base", address: `0x${pool}`, label: undefined });
    expect(context.clock.elapsed()).toBe(10_000);
    expect(warned).toHaveLength(25);
  });

  test("of a token, compares only what needs no request for each of its pools", async () => {
    const by = ["--by", "token", "--when"];
    const sizes = await alertsOn([...by, "size_usd < 12"], { token: asset.slice("ethereum:".length) });
    expect(sizes).toMatchObject({ asked: 0, rows: [{ tx_hash: "swap" }] });
    const refused = await listen([asset, "--feed", "transactions", ...by, "amount_0_tokens > 1"], undefined)
      .outcome;
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining("is not a field")]);
  });
});

describe("a command", () => {
  test("gets the alert on stdin, and an environment without the key; events are printed as usual", async () => {
    const [file, environment] = [inFolder("alert.json"), inFolder("env")];
    const env = { DEXDATA_API_KEY: "api_pro_0123456789", DEXDATA_TIER: "pro", PATH: process.env["PATH"] };
    const script = `cat > "$0"; env > "$1"`;
    const command = ["--", "sh", "-c", script, file, environment];
    const words = ["--when", "price < 3", "--limit", "1", ...command];
    const { exit, stdout } = await streamed(["2.50"], words, { ...real, env });
    expect([exit, stdout]).toEqual([0, '{"p":"2.50"}\n']);
    const line = readFileSync(file, "utf8");
    expect(line).toMatch(/^\{"id":"[\da-f]{32}",.*"value":"2.50","row":\{"p":"2.50"\}\}\n$/u);
    const shown = readFileSync(environment, "utf8");
    expect(shown).toContain("DEXDATA_ALERT=match\n");
    expect(shown).toContain(`DEXDATA_ALERT_ID=${line.slice(7, 39)}\n`);
    expect(shown).not.toContain("0123456789");
  });

  test("notifies and sends a mail as the page shows, here by programs that write a file", async () => {
    const block = blocksOf("sh").find((each) => each.includes("notify-send")) ?? "";
    const sent = inFolder("sent");
    const programs = inFolder("programs");
    mkdirSync(programs);
    for (const name of ["notify-send", "mail"]) {
      const script = `#!/bin/sh\n(printf '[%s]' ${name} "$@"; cat) >> ${sent}\n`;
      writeFileSync(path.join(programs, name), script, { mode: 0o755 });
    }
    const env = { PATH: `${programs}:${process.env["PATH"]}` };
    for (const line of block.trim().split("\n")) {
      const list = execFileSync("bash", ["-c", `printf '%s\\n' ${line.split(" -- ")[1]}`], {
        encoding: "utf8",
      });
      const words = ["--when", "price < 3", "--limit", "1", "--", ...list.trim().split("\n")];
      expect((await streamed(["1"], words, { ...real, env })).exit).toBe(0);
    }
    const lines = readFileSync(sent, "utf8").split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^\[notify-send\]\[WETH is below 3000 USD\]\{"id":.*\}$/u),
      expect.stringMatching(/^\[mail\]\[-s\]\[Large swap\]\[you@example\.com\]\{"id":.*\}$/u),
      "",
    ]);
  });

  test("calls a webhook as the page shows", async () => {
    const script = blocksOf("sh").find((block) => block.includes("--data-binary @-")) ?? "";
    const line = /^exec (.*)$/mu.exec(script)?.[1] ?? "";
    const words = execFileSync("bash", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" });
    const hook = await serveInTest(() => json({}));
    const command = words
      .trim()
      .split("\n")
      .map((word) => word.replace("https://example.com", hook.url));
    const env = { PATH: process.env["PATH"] };
    const changed = ["--when", "price < 3", "--limit", "1", "--out", inFolder("hook"), "--", ...command];
    expect((await streamed(["1"], changed, { ...real, env })).exit).toBe(0);
    expect(hook.requests.map(({ method, path: to, body }) => [method, to, body])).toEqual([
      ["POST", "/hook", expect.stringMatching(/^\{"id":.*"row":\{"p":"1"\}\}\n$/u)],
    ]);
  });

  test("that fails, is missing, or reads nothing is reported once, and does not end the run", async () => {
    const prices = Array.from({ length: 20 }, (_, index) => String(index % 2));
    const words = ["--when", "price = 0", "--cooldown", "0", "--limit", "3", "--"];
    const failing = await streamed(prices, [...words, "sh", "-c", "exit 3"], real);
    expect(failing.exit).toBe(0);
    expect(failing.stderr.match(/alert command "sh" exited with code 3/gu)).toHaveLength(1);
    const ending = inFolder("ending.sh");
    writeFileSync(ending, '#!/bin/sh\nrm "$0"\n', { mode: 0o755 });
    const missing = await streamed(prices, [...words, ending], real);
    expect([missing.exit, missing.stderr.match(/was not found/gu)?.length]).toEqual([0, 1]);
    expect((await streamed(prices, [...words, "true"], real)).exit).toBe(0);
  });

  test("that is not there, or not executable, ends the run before anything is sent", async () => {
    writeFileSync(inFolder("plain.sh"), "");
    for (const [program, message] of [
      [inFolder("no-such-program"), "was not found"],
      [inFolder("plain.sh"), "is not executable"],
      [inFolder("."), "was not found"],
      // Of a variable that is not set.
      ["", "was not found"],
    ] as const) {
      const refused = await streamed(["1"], ["--when", "price > 0", "--", program], real);
      expect([refused.exit, refused.stdout]).toEqual([2, ""]);
      expect(refused.stderr).toContain(`alert command "${program}" ${message}`);
    }
  });

  test("hostile text in the row reaches the command only as data", async () => {
    const [file, planted] = [inFolder("hostile.json"), inFolder("planted")];
    const text = `$(touch ${planted}) \`touch ${planted}\`; touch ${planted} \\u001b[2J`;
    const event = `event: token_price\ndata: {"p":"1","name":"${text}"}\nrequest_id: 0\n\n`;
    const server = await serveInTest(() => stream([event]));
    const words = [asset, "--when", "price = 1", "--limit", "1", "--", "sh", "-c", `cat > "$0"`, file];
    expect((await listen(words, server, real).outcome).exit).toBe(0);
    const row: unknown = { p: "1", name: JSON.parse(`"${text}"`) };
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ row });
    expect(existsSync(planted)).toBe(false);
  });
});
