import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseHttpDate } from "../../src/client/http-times.ts";
import { type Outcome, run } from "../harness/dexdata.ts";
import { json, raw, type Reply, reset, slow } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext, type TestContextOptions } from "../harness/test-context.ts";

interface Watched extends Pick<Outcome, "exit" | "stdout" | "stderr"> {
  readonly requests: number;
  /** Milliseconds of the test clock between the arrivals of consecutive requests at the server. */
  readonly gaps: readonly number[];
  /** Every wait of the program, without request timeouts. */
  readonly waits: readonly number[];
}

/** A timeout that never occurs and that equals no wait. */
const timeout = 77_777_777;

/** Runs `networks` once against the script; the last reply is repeated for all later requests. */
async function ask(
  replies: readonly Reply[],
  flags = "",
  options: TestContextOptions & { words?: string } = {},
): Promise<Watched> {
  const arrivals: number[] = [];
  const server = await serveInTest((_request, index) => {
    arrivals.push(context.clock.elapsed());
    return replies[index] ?? replies.at(-1) ?? rows;
  });
  const env = { DEXDATA_BASE_URL: server.url, LANG: "C.UTF-8" };
  const context = createTestContext({ ...options, env });
  const words = `${options.words ?? "networks"} --error-format text --timeout ${timeout}ms ${flags}`;
  const { exit, stdout, stderr } = await run(
    words.split(" ").filter((word) => word !== ""),
    context,
  );
  return {
    exit,
    stdout,
    stderr,
    requests: server.requests.length,
    gaps: arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0)),
    waits: context.clock.asked.filter((each) => each !== timeout),
  };
}

/** Not the port of a server that was closed, which the system may give to another test's server at once. */
const refusing = "http://127.0.0.1:1";

const rows = json('[{"id":"ethereum"}]');
const printed = '{"id":"ethereum"}\n';

const fault = (status: number, headers: Record<string, string> = {}, body: object = {}): Reply =>
  json(body, { status, headers });

const whole = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/** Transient errors: the request was a GET, so a retry is safe. */
const passing: readonly (readonly [string, Reply])[] = [
  ["429", fault(429)],
  ["500", fault(500)],
  ["a reset before any byte", reset("before")],
  ["a reset after the headers", reset("headers")],
  ["a reset in the body", reset("body")],
  ["a connection closed before any byte", raw([])],
  ["a connection closed in the headers", raw(["HTTP/1.1 200 OK\r\ncontent-ty"])],
  ["a body shorter than it says", raw([`${whole}content-length: 1000\r\n\r\n[{"id":"eth`])],
  ["a chunked body without its end", raw([`${whole}transfer-encoding: chunked\r\n\r\n5\r\n[{"id\r\n`])],
];

describe("retried errors", () => {
  test.each(passing)(
    "rules 196, 198: %s is retried after 1 s, 2 s, 4 s and 8 s, and no more",
    async (_, reply) => {
      const watched = await ask([reply]);
      expect(watched).toMatchObject({ requests: 5, waits: [1000, 2000, 4000, 8000], stdout: "" });
      expect(watched.gaps).toEqual(watched.waits);
      expect(watched.exit).toBe(_ === "429" ? 6 : 7);
    },
  );

  test.each(passing)("%s, once: the next response is the result", async (_, reply) => {
    const watched = await ask([reply, rows]);
    expect(watched).toEqual({
      exit: 0,
      stdout: printed,
      stderr: "",
      requests: 2,
      gaps: [1000],
      waits: [1000],
    });
  });

  test("jitter only adds to a wait, by half at most", async () => {
    const { waits } = await ask([fault(500)], "--retries 7", { random: 0.999_999 });
    expect(waits).toEqual([1500, 3000, 6000, 12_000, 24_000, 48_000, 64_000 * 1.5].slice(0, waits.length));
    expect(waits.length).toBe(6);
  });

  test("a host that refuses connections is retried", async () => {
    const context = createTestContext({
      env: { DEXDATA_BASE_URL: refusing, DEXDATA_TIMEOUT: `${timeout}ms` },
    });
    const { exit, stderr } = await run(["networks", "--retries", "2", "-o", "table"], context);
    expect(exit).toBe(7);
    expect(stderr).toBe(
      "error: connection to 127.0.0.1:1 refused\n  hint: check the host name and your network\n",
    );
    expect(context.clock.asked.filter((each) => each !== timeout)).toEqual([1000, 2000]);
  });
});

describe("errors that are not retried", () => {
  const final = [400, 401, 402, 403, 404, 405, 408, 410, 413, 418, 501, 502, 503, 504, 599, 301, 302];
  test.each(final)("rules 189, 192, 194, 199: %d is one request, with any Retry-After", async (status) => {
    const watched = await ask([fault(status, { "retry-after": "1" }, { retry_after: 1 })]);
    expect(watched).toMatchObject({ requests: 1, waits: [], stdout: "" });
    expect(watched.exit).not.toBe(0);
  });

  test.each([
    ["200 with a body that is not JSON", json("[1,")],
    ["200 without a body", json("")],
    ["an encoding nobody asked for", json("[]", { headers: { "content-encoding": "br" } })],
  ])("%s is a response, so there is only one request", async (_, reply) => {
    expect(await ask([reply])).toMatchObject({ exit: 1, requests: 1, waits: [] });
  });

  test("a host without TLS, which a retry would not change", async () => {
    const server = await serveInTest(() => rows);
    const url = server.url.replace("http:", "https:");
    const context = createTestContext({ env: { DEXDATA_BASE_URL: url, DEXDATA_TIMEOUT: `${timeout}ms` } });
    const { exit, stdout, stderr } = await run(["networks", "-o", "table"], context);
    expect({ exit, stdout, waits: context.clock.asked }).toEqual({ exit: 7, stdout: "", waits: [timeout] });
    expect(stderr).toMatch(
      /^error: 127\.0\.0\.1:\d+ does not use TLS on this port; is it http\?\n {2}hint: check the host/u,
    );
  });

  test("rule 199: --retry-on adds other statuses, and only those", async () => {
    const flags = "--retry-on 503,408 --retries 1";
    for (const status of [503, 408]) {
      expect((await ask([fault(status), rows], flags)).requests).toBe(2);
    }
    expect((await ask([fault(502), rows], flags)).requests).toBe(1);
  });

  test("a status of --retry-on also waits for its Retry-After", async () => {
    const { waits } = await ask([fault(503, { "retry-after": "9" }), rows], "--retry-on 503");
    expect(waits).toEqual([9020]);
  });
});

describe("wait times", () => {
  const server21 = "Sat, 21 Nov 2026 08:54:00 GMT";
  const said: readonly (readonly [string, Reply, number])[] = [
    ["seconds in the header", fault(429, { "retry-after": "7" }), 7000],
    [
      "a date, from the answer's own Date",
      fault(429, { date: server21, "retry-after": "Sat, 21 Nov 2026 08:54:11 GMT" }),
      11_000,
    ],
    [
      "a date of RFC 850",
      fault(429, { date: server21, "retry-after": "Saturday, 21-Nov-26 08:54:11 GMT" }),
      11_000,
    ],
    ["a date of asctime", fault(429, { date: server21, "retry-after": "Sat Nov 21 08:54:11 2026" }), 11_000],
    ["rule 180: seconds in the body", fault(429, {}, { error: "rate_limited", retry_after: 5 }), 5000],
    ["the header before the body", fault(429, { "retry-after": "7" }, { retry_after: 3 }), 7000],
    [
      "the header before the body, also where it says less",
      fault(429, { "retry-after": "3" }, { retry_after: 7 }),
      3000,
    ],
    ["the body where the header is no time", fault(429, { "retry-after": "soon" }, { retry_after: 6 }), 6000],
    ["500 with Retry-After", fault(500, { "retry-after": "5" }), 5000],
  ];

  test.each(said)("promise 4: never before %s", async (_, reply, least) => {
    for (const random of [0, 0.999]) {
      const { requests, gaps, exit } = await ask([reply, rows], "", { random });
      expect({ requests, exit }).toEqual({ requests: 2, exit: 0 });
      expect(gaps[0]).toBeGreaterThanOrEqual(least);
      expect(gaps[0]).toBeLessThan(least + 300);
    }
  });

  const now = Date.parse("2026-11-21T08:54:00Z");
  test.each([-86_400_000, 0, 86_400_000])(
    "promise 4: a local clock %d ms off changes nothing",
    async (off) => {
      const reply = fault(429, { date: server21, "retry-after": "Sat, 21 Nov 2026 08:54:11 GMT" });
      expect((await ask([reply, rows], "", { now: now + off })).waits).toEqual([11_020]);
    },
  );

  test("a Retry-After date without a Date header is compared with the local clock", async () => {
    const head = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n";
    const reply = raw([`${head}retry-after: Sat, 21 Nov 2026 08:54:11 GMT\r\n\r\n{}`]);
    expect((await ask([reply, rows])).waits).toEqual([11_020]);
  });

  test("the backoff applies if Retry-After is shorter", async () => {
    const { waits } = await ask([fault(429, { "retry-after": "1" })], "--retries 3");
    expect(waits).toEqual([1020, 2000, 4000]);
  });

  test("--retries 0 sends one request, and DEXDATA_RETRIES applies without the flag", async () => {
    expect(await ask([fault(500)], "--retries 0")).toMatchObject({ requests: 1, waits: [] });
    const server = await serveInTest(() => fault(500));
    const env = { DEXDATA_BASE_URL: server.url, DEXDATA_RETRIES: "2" };
    expect((await run(["networks"], createTestContext({ env }))).exit).toBe(7);
    expect(server.requests.length).toBe(3);
  });

  test("a wait that would exceed --retry-max-time ends the run with a message", async () => {
    const watched = await ask([fault(429, { "retry-after": "200" })], "--retry-max-time 10s");
    expect(watched).toEqual({
      exit: 6,
      stdout: "",
      stderr:
        "error: rate limit of the keyless plan exceeded\n" +
        "  hint: waiting 3m21s would exceed --retry-max-time; try again later, or raise it\n",
      requests: 1,
      gaps: [],
      waits: [],
    });
  });

  test("--retry-max-time limits the sum of all waits for a request", async () => {
    const watched = await ask([fault(500)], "--retry-max-time 6s");
    expect(watched).toMatchObject({ exit: 7, requests: 3, waits: [1000, 2000] });
    expect(watched.stderr).toContain("after 3s, waiting 4s more would exceed --retry-max-time");
  });

  test("each page of a list has its own limit", async () => {
    const page = (id: string, next: string | null): Reply =>
      json({ results: [{ id, chain: "ethereum" }], has_next_page: next !== null, next_cursor: next });
    const replies = [fault(500), fault(500), page("a", "2"), fault(429), page("b", null)];
    const watched = await ask(replies, "--all --page-size 1 --retry-max-time 3s", {
      words: "pools search ethereum",
    });
    expect(watched).toMatchObject({ exit: 0, requests: 5, waits: [1000, 2000, 1000], stderr: "" });
    expect(watched.stdout.match(/"id":"\w"/gu)).toEqual(['"id":"a"', '"id":"b"']);
  });
});

describe("messages", () => {
  test("each wait of more than 2 s is reported once on stderr, shorter waits are not", async () => {
    const { stderr } = await ask([
      fault(500),
      fault(500),
      fault(500),
      fault(429, { "retry-after": "30" }),
      rows,
    ]);
    expect(stderr).toBe(
      "note: the service failed (HTTP 500); retrying in 4s\nnote: rate limited (HTTP 429); retrying in 31s\n",
    );
  });

  test("a connection error is reported in its own words", async () => {
    const { stderr } = await ask([reset("before"), reset("before"), reset("before"), rows]);
    expect(stderr).toMatch(/^note: connection to 127\.0\.0\.1:\d+ reset; retrying in 4s\n$/u);
  });

  test("rule 197: 429 and 500 are free, and each counts as a request in the summary", async () => {
    const { stderr } = await ask([fault(429), fault(500), rows], "--stats");
    expect(stderr).toBe("3 requests, 1 credit, 3s\n");
  });

  test("400, 404 and 410 cost a credit; 401, 402, 403 and 503 do not", async () => {
    for (const [status, credits] of [
      [400, "1 credit"],
      [404, "1 credit"],
      [410, "1 credit"],
      [401, "0 credits"],
      [402, "0 credits"],
      [403, "0 credits"],
      [503, "0 credits"],
    ] as const) {
      const { stderr } = await ask([fault(status)], "--stats");
      expect(`${status}: ${/1 request, \d credits?/u.exec(stderr)?.[0]}`).toBe(
        `${status}: 1 request, ${credits}`,
      );
    }
  });
});

describe("an end during a wait", () => {
  test("an interrupt ends the wait, and no more requests are sent", async () => {
    const server = await serveInTest(() => fault(429, { "retry-after": "100" }));
    const context = createTestContext({ env: { DEXDATA_BASE_URL: server.url }, speed: 0.001 });
    const running = run(["networks"], context);
    await expect.poll(context.stderrText).toBe("note: rate limited (HTTP 429); retrying in 1m41s\n");
    context.interrupt({ cause: "SIGINT" });
    expect(await running).toMatchObject({ exit: 130, stdout: "" });
    expect({ requests: server.requests.length, sleeping: context.clock.pending() }).toEqual({
      requests: 1,
      sleeping: 0,
    });
  });

  test("--deadline ends it too, and is reported", async () => {
    const watched = await ask([fault(429, { "retry-after": "100" })], "--deadline 20s");
    expect(watched).toMatchObject({ exit: 7, requests: 1 });
    expect(watched.stderr).toContain("error: --deadline of 20s reached\n");
  });

  test("--deadline during a request starts no wait", async () => {
    const reply = slow({ chunks: ["["], stayOpen: true });
    const watched = await ask([reply], "--deadline 20s --retry-max-time 500ms");
    expect(watched).toEqual({
      exit: 7,
      stdout: "",
      stderr: "error: --deadline of 20s reached\n  hint: raise --deadline, or reduce the request\n",
      requests: 1,
      gaps: [],
      waits: [20_000],
    });
  });
});

const folder = fileURLToPath(new URL("../../../shared/vectors/", import.meta.url));
const areThere = existsSync(folder);
if (!areThere)
  console.warn(`LEFT OUT: the vectors of Retry-After and HTTP dates, for ${folder} is not there`);

interface Vector {
  readonly value: string;
  readonly min_ms?: number;
  readonly max_ms?: number;
  readonly expect?: string;
  readonly max_total_ms?: number;
}

describe.skipIf(!areThere)("the Retry-After vectors", () => {
  const server21 = Date.parse("2026-11-21T08:54:00Z");
  const dated = (text: string): string =>
    text.replace(/\{?(?:IMF )?NOW([+-]\d+)\}?/u, (_, seconds: string) =>
      new Date(server21 + Number(seconds) * 1000).toUTCString(),
    );

  const { cases: vectors }: { cases: readonly Vector[] } = JSON.parse(textOf("retry-after.json"));

  test.each(vectors)("$value", async (vector) => {
    const headers = { date: new Date(server21).toUTCString(), "retry-after": dated(vector.value) };
    const total = vector.max_total_ms === undefined ? "" : `--retry-max-time ${vector.max_total_ms}ms`;
    const { waits, requests, stderr } = await ask([fault(429, headers), rows], total);
    if (vector.expect === "give_up") {
      expect({ requests, waits }).toEqual({ requests: 1, waits: [] });
      expect(stderr).toMatch(
        /waiting .* would exceed --retry-max-time|the service requested a wait of .*, longer than the limit of 1h/u,
      );
      expect(stderr).not.toMatch(/e\+|NaN|Infinity/u);
      return;
    }
    expect(requests).toBe(2);
    // "own": the client's own backoff, one second at first.
    const [least, most] = [vector.min_ms ?? 500, vector.max_ms ?? 1500];
    expect(waits[0]).toBeGreaterThanOrEqual(least);
    expect(waits[0]).toBeLessThanOrEqual(most);
  });
});

interface DateVector {
  readonly input: string;
  readonly curl_epoch: number | null;
  readonly http_form: string | null;
}

describe.skipIf(!areThere)("the HTTP date vectors", () => {
  const { cases: vectors }: { cases: readonly DateVector[] } = JSON.parse(textOf("http-date.json"));

  test("the three formats of RFC 9110 are accepted, except for impossible times", () => {
    const forms = vectors.filter(({ http_form: form }) => form !== null);
    expect(forms.length).toBeGreaterThan(10);
    for (const { input, curl_epoch: epoch } of forms) {
      // One line expects the result of curl with 32-bit seconds.
      const isOfOldMachine = epoch === null && input.includes("2044");
      if (!isOfOldMachine)
        expect([input, parseHttpDate(input)]).toEqual([input, epoch === null ? undefined : epoch * 1000]);
    }
  });

  test("all others are rejected, so that no wait uses a wrong time", () => {
    const others = vectors.filter(({ http_form: form }) => form === null);
    expect(others.length).toBeGreaterThan(100);
    const accepted = others.filter(({ input }) => parseHttpDate(input) !== undefined);
    expect(
      accepted.filter(({ input, curl_epoch: epoch }) => parseHttpDate(input) !== (epoch ?? NaN) * 1000),
    ).toEqual([]);
  });
});

/** Returns the text of a file, or an empty list if the directory is missing and the tests below are skipped. */
function textOf(file: string): string {
  return areThere ? readFileSync(folder + file, "utf8") : '{"cases":[]}';
}
