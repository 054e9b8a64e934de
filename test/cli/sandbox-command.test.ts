import { existsSync, readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { dexdata, type Outcome, run } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { createTestContext, type TestContext, type TestContextOptions } from "../harness/test-context.ts";

/** Starting a sandbox loads its market, which takes long on a busy machine. */
const soon = { timeout: 15_000 };

interface Served {
  readonly context: TestContext;
  readonly ended: Promise<Outcome>;
  /** The text printed until the sandbox accepted requests. */
  readonly printed: string;
}

const running: Served[] = [];
const sockets: net.Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const { context, ended } of running.splice(0)) {
    context.interrupt({ cause: "SIGTERM" });
    await ended;
  }
});

/** Runs `dexdata sandbox` in this process until it has printed its addresses. */
async function serve(flags = "", options: TestContextOptions = {}): Promise<Served> {
  const context = createTestContext(options);
  const ended = run(["sandbox", "--port", "0", ...flags.split(" ").filter((word) => word !== "")], context);
  await Promise.race([expect.poll(context.stdoutText, soon).not.toBe(""), ended]);
  const served = { context, ended, printed: context.stdoutText() };
  running.push(served);
  return served;
}

/** Returns the settings in the last lines of the welcome text. */
function settingsOf({ printed }: Served): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...printed.matchAll(/(?<name>DEXDATA_\w+)=(?<value>\S+)/gu)].map(({ groups }) => [
      groups?.["name"] ?? "",
      groups?.["value"] ?? "",
    ]),
  );
}

async function planOf(env: Readonly<Record<string, string>>): Promise<unknown> {
  const { stdout } = await dexdata("usage -o json", { env });
  return JSON.parse(stdout).plan;
}

describe("dexdata sandbox", () => {
  test("prints both hosts and a key for each tier, and serves them", async () => {
    const served = await serve();
    const [free, paid] = served.printed.match(/http:\/\/127\.0\.0\.1:\d+/gu) ?? [];
    const keys = Object.fromEntries(
      [...served.printed.matchAll(/^ {2}(\w+) +(api_\S+)$/gmu)].map(([, tier, key]): [string, string] => [
        tier ?? "",
        key ?? "",
      ]),
    );
    expect(Object.keys(keys)).toEqual(["free", "dev", "pro", "enterprise"]);
    expect(served.printed).toContain("dexdata sandbox: simulated data, seed 1, from 2026-11-21T08:54:00Z\n");
    for (const [tier, key] of Object.entries(keys)) {
      const env = {
        DEXDATA_BASE_URL: free ?? "",
        DEXDATA_PRO_BASE_URL: paid ?? "",
        DEXDATA_API_KEY: key,
        DEXDATA_TIER: tier,
      };
      expect(await planOf(env)).toBe(tier);
    }
    expect(served.context.stderrText()).toBe("");
  });

  test("streams on the two addresses that it prints after the REST addresses", async () => {
    const served = await serve("--clock 2026-10-02T12:00:00Z --speed 600");
    const urls = served.printed.match(/http:\/\/127\.0\.0\.1:\d+/gu) ?? [];
    const wanted =
      "/sse/prices?method=token_price&chain=ethereum&address=0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
    const answers = [
      await fetch(`${urls[2]}${wanted}&limit=2`),
      await fetch(`${urls[3]}${wanted}&limit=2`, { headers: { authorization: "api_dev_x" } }),
    ];
    served.context.clock.advance(1000);
    for (const answer of answers) expect((await answer.text()).match(/event: token_price/gu)).toHaveLength(2);
    expect(answers.map(({ headers }) => headers.get("x-api-plan"))).toEqual(["keyless", "dev"]);
  });

  test("prints a command for another terminal that works unchanged", async () => {
    const served = await serve();
    expect(served.printed).toMatch(
      /in another terminal\n {2}(?:DEXDATA_\w+=\S+ )+dexdata pools search ethereum\n/u,
    );
    const { exit, stdout, stderr } = await dexdata("pools search ethereum --limit 2", {
      env: settingsOf(served),
    });
    expect({ exit, stderr, rows: rowsOf(stdout).length }).toEqual({ exit: 0, stderr: "", rows: 2 });
  });

  test("--env prints only lines that a shell can read", async () => {
    const served = await serve("--env");
    expect(served.printed).toMatch(/^(?:export DEXDATA_\w+=[\w:/.]+\n)+$/u);
    const settings = settingsOf(served);
    expect(Object.keys(settings)).toEqual([
      "DEXDATA_BASE_URL",
      "DEXDATA_PRO_BASE_URL",
      "DEXDATA_STREAMING_URL",
      "DEXDATA_STREAMING_PRO_URL",
      "DEXDATA_API_KEY",
      "DEXDATA_TIER",
    ]);
    expect(await planOf(settings)).toBe("pro");
    expect(await dexdata("sandbox --env -- true")).toMatchObject({ exit: 2, stdout: "" });
  });

  const candles = "ohlcv ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --interval 1h --from 2026-05-01";
  const fetchCandles = async (served: Served): Promise<string> => {
    const words = `${candles} --to 2026-05-02`;
    return (await dexdata(words, { env: settingsOf(served) })).stdout;
  };

  test("--seed creates another market, the same one each time", async () => {
    // A network with few pools, because its market is created quickly.
    const fetchToken = async (flags: string): Promise<string> =>
      (await dexdata("tokens search fantom --limit 1", { env: settingsOf(await serve(flags)) })).stdout;
    const first = await fetchToken("--seed 7");
    expect(first).toMatch(/^\{"chain":"fantom"/u);
    expect(await fetchToken("--seed 7")).toBe(first);
    expect(await fetchToken("--seed 8")).not.toBe(first);
  });

  test("--clock sets the start time; --speed 0 freezes the clock", async () => {
    const served = await serve("--clock 2026-05-01T12:00:00Z --speed 0");
    expect(served.printed).toContain("from 2026-05-01T12:00:00Z\n");
    const times = rowsOf(await fetchCandles(served)).map(({ time_open: time }) => String(time));
    expect(times.at(0)).toBe("2026-05-01T00:00:00Z");
    expect((times.at(-1) ?? "") <= "2026-05-01T12:00:00Z").toBe(true);
  });

  test("--log appends a line of JSON for each request, with the tier but never the key", async () => {
    const log = path.join(createTestContext().home, "requests.ndjson");
    writeFileSync(log, '{"before":true}\n');
    const served = await serve(`--log ${log}`);
    await dexdata("networks", { env: settingsOf(served) });
    await dexdata("pool ethereum 0x0000000000000000000000000000000000000001", {
      env: { DEXDATA_BASE_URL: settingsOf(served)["DEXDATA_BASE_URL"] },
    });
    const text = readFileSync(log, "utf8");
    expect(text).not.toContain("api_");
    const [before, first, second] = rowsOf(text);
    expect(before).toEqual({ before: true });
    expect(first).toMatchObject({
      host: "rest_paid",
      method: "GET",
      url: "/networks",
      status: 200,
      key: "pro",
    });
    expect(second).toMatchObject({ host: "rest_free", status: 404, plan: "keyless", key: "none" });
  });

  test.skipIf(!existsSync("/dev/full"))(
    "reports a log that fails later once, and keeps running",
    async () => {
      const served = await serve("--log /dev/full");
      for (let request = 0; request < 3; request += 1) {
        expect(await planOf(settingsOf(served))).toBe("pro");
      }
      expect(served.context.stderrText()).toMatch(
        /^warning: --log "\/dev\/full": cannot be written \(disk full\); the sandbox keeps running\n$/u,
      );
    },
  );
});

describe("a signal", () => {
  test.each([
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGQUIT", 131],
    ["SIGTERM", 143],
  ] as const)(
    "%s stops the sandbox immediately with exit %d, even with open connections",
    async (cause, exit) => {
      const served = await serve();
      const port = Number(new URL(settingsOf(served)["DEXDATA_BASE_URL"] ?? "").port);
      const [idle, half, kept] = [await connect(port), await connect(port), await connect(port)];
      half.write("GET /networks HTTP/1.1\r\nhos");
      kept.write("GET /networks HTTP/1.1\r\nhost: x\r\n\r\n");
      await new Promise((resolve) => {
        kept.once("data", resolve);
      });
      served.context.interrupt({ cause });
      expect(await served.ended).toMatchObject({ exit, stderr: "" });
      await expect.poll(() => [idle, half, kept].every(({ closed }) => closed), soon).toBe(true);
      await expect(connect(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
      expect(served.context.clock.pending()).toBe(0);
    },
  );
});

/** A program for `node -e` that writes its environment to a file, because the tests do not see its output. */
const report = (file: string, code: number): string =>
  `require("node:fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env)); process.exitCode = ${code};`;

describe("dexdata sandbox -- command", () => {
  const inside = async (words: readonly string[], options: TestContextOptions = {}): Promise<Outcome> =>
    await run(["sandbox", "--", ...words], createTestContext(options));

  test.each([0, 77])(
    "runs the command with the sandbox in its environment, and exits with its code %d",
    async (code) => {
      const file = path.join(createTestContext().home, "seen.json");
      const env = { DEXDATA_API_KEY: "api_dev_real", DEXDATA_SANDBOX: "1", OTHER: "kept" };
      const { exit, stdout, stderr } = await inside([process.execPath, "-e", report(file, code)], { env });
      expect({ exit, stdout, stderr }).toEqual({ exit: code, stdout: "", stderr: "" });
      const seen: unknown = JSON.parse(readFileSync(file, "utf8"));
      // Without --clock, the command has the real time.
      expect(seen).not.toHaveProperty("DEXDATA_NOW");
      expect(seen).toMatchObject({
        DEXDATA_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u),
        DEXDATA_PRO_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u),
        DEXDATA_STREAMING_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u),
        DEXDATA_STREAMING_PRO_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u),
        DEXDATA_API_KEY: "api_pro_sandbox",
        DEXDATA_TIER: "pro",
        // Otherwise dexdata in that command would start a second sandbox.
        DEXDATA_SANDBOX: "",
        OTHER: "kept",
      });
    },
  );

  test.each([
    ["--clock", ["--clock", "2026-10-02T12:00:00Z"], {}],
    ["DEXDATA_NOW", [], { DEXDATA_NOW: "2026-10-02T12:00:00Z" }],
  ])("gives the command the service's time, from %s", async (_, flags, env) => {
    const file = path.join(createTestContext().home, "seen.txt");
    const program =
      `fetch(process.env.DEXDATA_BASE_URL + "/networks").then((answer) => ` +
      `require("node:fs").writeFileSync(${JSON.stringify(file)}, process.env.DEXDATA_NOW + " " + answer.headers.get("x-dexdata-sandbox")))`;
    const words = ["sandbox", "--speed", "0", ...flags, "--", process.execPath, "-e", program];
    expect((await run(words, createTestContext({ env }))).exit).toBe(0);
    const [now, shown] = readFileSync(file, "utf8").split(" simulated data; ");
    expect([now, shown]).toEqual(["2026-10-02T12:00:00Z", "seed=1; at=2026-10-02T12:00:00Z"]);
  });

  test("serves while the command runs, and no longer", async () => {
    const file = path.join(createTestContext().home, "seen.txt");
    const program =
      `fetch(process.env.DEXDATA_BASE_URL + "/networks").then(async (answer) => ` +
      `require("node:fs").writeFileSync(${JSON.stringify(file)}, process.env.DEXDATA_BASE_URL + " " + answer.status))`;
    expect((await inside([process.execPath, "-e", program])).exit).toBe(0);
    const [url = "", status] = readFileSync(file, "utf8").split(" ");
    expect(status).toBe("200");
    // Without --port, several of them can run at the same time.
    expect(new URL(url).port).not.toBe("4747");
    await expect(connect(Number(new URL(url).port))).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test.each([
    ["SIGKILL", 137],
    ["SIGTERM", 143],
  ] as const)("exits like a shell if %s ends the command: exit %d", async (signal, exit) => {
    const program = `process.kill(process.pid, "${signal}"); setTimeout(() => {}, 30000)`;
    expect(await inside([process.execPath, "-e", program])).toMatchObject({ exit, stderr: "" });
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("passes %s on to the command, and exits with its code", async (cause, exit) => {
    const file = path.join(createTestContext().home, "started");
    const program = `require("node:fs").writeFileSync(${JSON.stringify(file)}, ""); setTimeout(() => {}, 30000)`;
    const context = createTestContext();
    const ended = run(["sandbox", "--", process.execPath, "-e", program], context);
    await expect.poll(() => existsSync(file), soon).toBe(true);
    context.interrupt({ cause });
    expect(await ended).toMatchObject({ exit, stderr: "" });
  });

  test.each([
    ["no-such-command-anywhere", '"no-such-command-anywhere" was not found'],
    ["", "missing command"],
  ])("prints one error for the command %j", async (command, problem) => {
    const { exit, stdout, stderr } = await run(
      ["sandbox", "--error-format", "text", "--", command],
      createTestContext(),
    );
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toBe(`error: ${problem}\n  hint: check the command after --\n`);
  });
});

describe("an invalid flag", () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ["--port 70000", /^error: invalid --port "70000": /u],
    ["--port x", /^error: invalid --port "x": /u],
    ["--clock someday", /^error: --clock "someday": /u],
    ["--speed fast", /^error: invalid --speed "fast": must be a number such as 0, 1 or 60/u],
    ["--log -", /^error: invalid --log "-": must be a file name\n {2}hint: use \.\/- /u],
    ["--seed -1", /^error: invalid --seed "-1": /u],
    [
      "--log /no/such/folder/log",
      /^error: --log "\/no\/such\/folder\/log": cannot be written \(no such directory\)\n {2}hint: create the directory first, or name another file\n$/u,
    ],
  ];
  test.each(refused)("%s is named in the error, and nothing is served", async (flags, message) => {
    const { exit, stdout, stderr } = await dexdata(`sandbox --error-format text ${flags}`);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test.each([0, 1])(
    "if a port (offset %d) is in use, prints one error and releases the other one",
    async (nth) => {
      const taken = net.createServer();
      await new Promise<void>((resolve) => {
        taken.listen(0, "127.0.0.1", resolve);
      });
      const bound = taken.address();
      if (bound === null || typeof bound === "string") throw new Error("no port");
      const port = bound.port - nth;
      const before = listening();
      const { exit, stdout, stderr } = await dexdata(`sandbox --port ${port} --error-format text`);
      expect({ exit, stdout, stderr }).toEqual({
        exit: 2,
        stdout: "",
        stderr:
          `error: cannot use ports ${port} to ${port + 3}: one is in use or not allowed\n` +
          "  hint: choose other ports with --port, or free ones with --port 0\n",
      });
      await expect.poll(listening, soon).toBeLessThanOrEqual(before);
      await new Promise((resolve) => {
        taken.close(resolve);
      });
    },
  );
});

/** Returns the number of ports on which this process listens. */
function listening(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
}

async function connect(port: number): Promise<net.Socket> {
  return await new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => resolve(socket));
    sockets.push(socket);
    socket.once("error", reject);
    socket.on("error", () => undefined);
  });
}
