import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { rowsBelow, usdcWeth } from "../harness/lake.ts";
import { isLong } from "../harness/long.ts";
import { pullOfPages, servePages } from "../harness/paged-list.ts";
import { bytes, empty, html, json, type Reply } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** The gateways in front of the service send these. */
const statuses = [502, 503, 504] as const;
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

describe.each(statuses)("one %d", (status) => {
  const pages = 6;
  test("at any later position of a pull: the same rows, exit 0", async () => {
    const list = await servePages(pages);
    const sound = await dexdata([...pullOfPages, "--rpm", "unlimited"], { env: list.env });
    expect(sound.stdout.trim().split("\n")).toHaveLength(2 * pages);
    for (let position = 2; position <= pages; position += 1) {
      let isDue = true;
      list.interfere = (page) => {
        if (page !== position - 1 || !isDue) return undefined;
        isDue = false;
        return empty(status);
      };
      const { exit, stdout, stderr } = await dexdata([...pullOfPages, "--rpm", "unlimited"], {
        env: list.env,
      });
      expect({ position, exit, stderr, isDue, isEqual: stdout === sound.stdout }).toEqual({
        position,
        exit: 0,
        stderr: "",
        isDue: false,
        isEqual: true,
      });
    }
  });

  test("as the first response of a pull or a record: exit 7 after one request, with the way to retry", async () => {
    for (const words of [pullOfPages, ["pool", "ethereum", pool]]) {
      const server = await serveInTest(() => empty(status));
      const { exit, stdout, stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } });
      expect({ exit, stdout, requests: server.requests.length }).toEqual({
        exit: 7,
        stdout: "",
        requests: 1,
      });
      expect(JSON.parse(stderr)).toMatchObject({
        code: "unavailable",
        status,
        retryable: true,
        message: `the service failed (HTTP ${status})`,
        next: `try again later, or use --retry-on ${status}`,
      });
    }
  });

  test("of the second of two addresses: both records, exit 0", async () => {
    const server = await serveInTest((request, index) => {
      const id = request.path.split("/").at(-1);
      return index === 1 ? empty(status) : json({ id, chain: "ethereum", tokens: [] });
    });
    const { exit, stdout } = await dexdata(`pool ethereum ${pool} 0x${"2".repeat(40)} --parallel 1`, {
      env: { DEXDATA_BASE_URL: server.url },
    });
    expect({ exit, rows: stdout.trim().split("\n").length, requests: server.requests.length }).toEqual({
      exit: 0,
      rows: 2,
      requests: 3,
    });
  });

  test("when a stream opens: the events, exit 0", async () => {
    const words = "stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --limit 2 --sandbox -o ndjson";
    const { exit, stdout } = await dexdata(`${words} --faults ${status}@1/sse`);
    expect({ exit, events: stdout.trim().split("\n").length }).toEqual({ exit: 0, events: 2 });
  });

  test("in the first refresh of --watch is retried before the next refresh", async () => {
    const server = await serveInTest((_, index) =>
      index === 0 ? empty(status) : json({ error: "unauthorized" }, { status: 401 }),
    );
    const { exit, stderr } = await dexdata("networks --watch 5m -q", {
      env: { DEXDATA_BASE_URL: server.url },
    });
    expect([exit, server.requests.length]).toEqual([4, 2]);
    expect(stderr).not.toContain("next refresh");
  });
});

describe("one 502", () => {
  test("in the first or a later request of a sync: the same rows, exit 0", async () => {
    const rowsOf = async (name: string, faults: readonly string[]) => {
      const root = `${folder}/${name}`;
      const words = [
        "sync",
        root,
        `ethereum:${usdcWeth}`,
        "--kind",
        "ohlcv",
        "--interval",
        "1h",
        "--sandbox",
      ];
      const { exit, stderr } = await dexdata([...words, "-q", ...faults]);
      expect({ name, exit, stderr: stderr.replaceAll(/^note: .*\n/gmu, "") }).toEqual({
        name,
        exit: 0,
        stderr: "",
      });
      return await rowsBelow(root);
    };
    const sound = await rowsOf("sound", []);
    expect(sound.length).toBeGreaterThan(0);
    for (const position of isLong ? [1, 2, 3, 4, 5] : [1, 2])
      expect(await rowsOf(`${position}`, ["--faults", `502@${position}`])).toEqual(sound);
  });

  test("in the first or a later request of a follow: the same rows, exit 0", async () => {
    const follow = `txns ethereum ${pool} --follow --poll 10s --from -20m --limit 12 --page-size 5 --sandbox -o ndjson`;
    const sound = await dexdata(follow);
    expect(sound.stdout.trim().split("\n")).toHaveLength(12);
    for (const position of [1, 2, 3]) {
      const { exit, stdout } = await dexdata(`${follow} --faults 502@${position}/transactions`);
      expect({ position, exit, isEqual: stdout === sound.stdout }).toEqual({
        position,
        exit: 0,
        isEqual: true,
      });
    }
  });
});

const damages: readonly (readonly [string, Reply, RegExp])[] = [
  ["HTML", html(200), /HTML instead of JSON/u],
  ["an empty body", empty(200), /empty body/u],
  ["truncated JSON", bytes(Buffer.from('{"results":[{"id":"0x1"')), /malformed or truncated JSON/u],
  [
    "JSON truncated after a row",
    bytes(Buffer.from('{"results":[{"id":"0x1"}')),
    /malformed or truncated JSON/u,
  ],
  [
    "JSON truncated after a list in a row",
    bytes(Buffer.from('{"results":[{"id":"0x1","tokens":["0x2"]')),
    /malformed or truncated JSON/u,
  ],
  [
    "JSON truncated in a character",
    bytes(Buffer.from('{"name":"größer').subarray(0, 12)),
    /not valid UTF-8/u,
  ],
  ["an invalid byte", bytes(Buffer.from('{"name":"ö"}', "latin1")), /not valid UTF-8/u],
  ["corrupt gzip", bytes(Buffer.from("[]"), { "content-encoding": "gzip" }), /corrupt gzip data/u],
];

const ofOther = /127\.0\.0\.1:\d+ responded with an HTML page \(HTTP \d+\) instead of JSON/u;
const pages = [400, 401, 402, 404, 410].map(
  (status) => [`HTML (${status})`, html(status), ofOther, 7] as const,
);

describe.each([...damages.map((each) => [...each, 1] as const), ...pages])(
  "%s",
  (_, damaged, message, code) => {
    const answered = async (isDamaged: (page: number) => boolean) => {
      const list = await servePages(4);
      list.interfere = (page) => (isDamaged(page) ? damaged : undefined);
      const { exit, stdout, stderr } = await dexdata([...pullOfPages, "--rpm", "unlimited"], {
        env: list.env,
      });
      const rows = stdout.split("\n").filter(Boolean).length;
      return { exit, rows, stderr, requests: list.server.requests.length };
    };

    test("once at a later position of a pull: the same rows, exit 0", async () => {
      for (const position of [1, 2, 3]) {
        let isDue = true;
        const isDamaged = (page: number): boolean => {
          const isHit = page === position && isDue;
          isDue &&= !isHit;
          return isHit;
        };
        expect(await answered(isDamaged)).toEqual({ exit: 0, rows: 8, stderr: "", requests: 5 });
      }
    });

    test("always: an error after all retries, or after one request if it is the first response", async () => {
      const later = await answered((page) => page >= 1);
      expect(later).toMatchObject({ exit: code, stderr: expect.stringMatching(message) });
      expect(later.requests).toBe(1 + 5);
      expect(await answered(() => true)).toMatchObject({ exit: code, rows: 0, requests: 1 });
    });
  },
);

test.each(["invalid-json", "empty"])("%s in a follow: the same rows, exit 0", async (fault) => {
  const follow = `txns ethereum ${pool} --follow --poll 10s --from -20m --limit 12 --page-size 5 --sandbox -o ndjson`;
  const sound = await dexdata(follow);
  const { exit, stdout } = await dexdata(`${follow} --faults ${fault}@2/transactions`);
  expect({ exit, isEqual: stdout === sound.stdout }).toEqual({ exit: 0, isEqual: true });
});

describe("the retries of an outage", () => {
  const broken = async (words: string) => {
    const list = await servePages(3);
    list.interfere = (page) => (page === 1 ? empty(503) : undefined);
    const { exit, stderr } = await dexdata(`${pullOfPages.join(" ")} --error-format text ${words}`, {
      env: list.env,
    });
    return { exit, stderr, requests: list.server.requests.length };
  };

  test("are limited by --retries and --retry-max-time", async () => {
    expect(await broken("--retries 2")).toMatchObject({ exit: 7, requests: 4 });
    expect(await broken("--retries 0")).toMatchObject({ exit: 7, requests: 2 });
    expect(await broken("--retry-max-time 4s")).toMatchObject({ exit: 7, requests: 4 });
  });

  test("do not include other statuses, unless retry_on or --retry-on names them", async () => {
    const server = async () => await serveInTest((_, index) => (index === 0 ? empty(503) : json([])));
    const run = async (words: string, env: Readonly<Record<string, string>> = {}) => {
      const { url, requests } = await server();
      const { exit } = await dexdata(`networks ${words}`, { env: { DEXDATA_BASE_URL: url, ...env } });
      return [exit, requests.length];
    };
    expect(await run("")).toEqual([7, 1]);
    expect(await run("--retry-on 502")).toEqual([7, 1]);
    expect(await run("--retry-on 502,503")).toEqual([0, 2]);
    expect(await run("", { DEXDATA_RETRY_ON: "503" })).toEqual([0, 2]);
    expect(await run("--retry-on 502", { DEXDATA_RETRY_ON: "503" })).toEqual([7, 1]);
    const { exit, stderr } = await dexdata("networks --error-format text", {
      env: { DEXDATA_RETRY_ON: "5xx" },
    });
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr:
        'error: invalid DEXDATA_RETRY_ON "5xx": must be HTTP statuses from 400 to 599, separated by commas, e.g. 502,503,504\n',
    });
  });

  test("a host name that does not exist is one attempt, and a later run may succeed", async () => {
    const { exit, stderr, context } = await dexdata("networks", {
      env: { DEXDATA_BASE_URL: "https://nowhere.invalid" },
    });
    expect(exit).toBe(7);
    expect(JSON.parse(stderr)).toMatchObject({
      code: "network",
      message: "cannot resolve nowhere.invalid",
      retryable: true,
    });
    expect(context.clock.asked.filter((each) => each !== 86_400_000)).toEqual([]);
  });
});
