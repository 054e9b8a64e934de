import net from "node:net";
import path from "node:path";
import { chmodSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { otherVariables, settings } from "../../src/client/settings.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { type Row, rowsOf } from "../harness/rows.ts";
import { hang, html, json, type Reply, type Script, slow } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { accountFile } from "../../src/cli/run/spending/shared-limits.ts";

const key = "api_pro_0123456789";
/** The time of the tests' clock. */
const now = Date.parse("2026-11-21T08:54:00Z");

const dated = (at: number): { headers: Record<string, string> } => ({
  headers: { date: new Date(at).toUTCString() },
});
const account = { plan: "pro", credits: { remaining: 1234567 } };
const healthy: Script = ({ path: asked }): Reply =>
  asked.startsWith("/sse/")
    ? slow({
        headers: { "content-type": "text/event-stream", ...dated(now).headers },
        chunks: [": hello\n\n"],
        stayOpen: true,
      })
    : json(account, dated(now));

interface Examined extends Outcome {
  /** Findings by name of the check. */
  readonly findings: ReadonlyMap<string, Row>;
  readonly requests: readonly string[];
}

interface Case {
  readonly script?: Script;
  readonly env?: (url: string) => Readonly<Record<string, string>>;
  readonly flags?: string;
}

/** Runs doctor with a pro key against one scripted service. */
async function examine({
  script = healthy,
  env = () => ({}),
  flags = "--no-stream",
}: Case): Promise<Examined> {
  const server = await serveInTest(script);
  const outcome = await dexdata(`doctor -o ndjson ${flags}`, {
    // A stream has 20 s for its first byte, which passes quickly at the usual speed of the tests.
    speed: flags === "" ? 1 : 1000,
    env: {
      DEXDATA_BASE_URL: server.url,
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_STREAMING_URL: server.url,
      DEXDATA_STREAMING_PRO_URL: server.url,
      DEXDATA_API_KEY: key,
      DEXDATA_TIER: "pro",
      DEXDATA_STATE_DIR: path.join(temporaryFolder(), "state"),
      ...env(server.url),
    },
  });
  expect(outcome.stdout + outcome.stderr).not.toContain(key.slice(4));
  const findings = new Map(rowsOf(outcome.stdout).map((row) => [String(row["check"]), row]));
  return { ...outcome, findings, requests: server.requests.map(({ method, url }) => `${method} ${url}`) };
}

const folderWith = (name: string, text: string, mode = 0o600): string => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, name), text, { mode });
  return folder;
};
const stored = JSON.stringify({
  version: 1,
  active: "default",
  profiles: { default: { key, tier: "pro", saved_at: "2026-11-21T08:54:00Z" } },
  remembered: {},
});

describe("doctor without a problem", () => {
  test("passes every check with one request and one stream, and reports the cost first", async () => {
    const { exit, stderr, findings, requests } = await examine({ flags: "" });
    expect({
      exit,
      stderr,
      checks: [...findings].map(([check, { result }]) => `${check} ${String(result)}`),
    }).toEqual({
      exit: 0,
      stderr: "checking the service: up to 2 credits\n",
      checks: [
        "version ok",
        "terminal ok",
        "config ok",
        "credentials ok",
        "state ok",
        "key ok",
        "pace ok",
        "proxy ok",
        "rest connection ok",
        "answer ok",
        "plan ok",
        "clock ok",
        "age ok",
        "streaming connection ok",
        "stream ok",
      ],
    });
    expect(findings.get("key")?.["found"]).toBe("…6789 from DEXDATA_API_KEY, pro");
    expect(findings.get("plan")?.["found"]).toBe("pro, as expected, 1,234,567 credits left");
    expect(requests).toEqual([
      "GET /usage",
      expect.stringMatching(/^GET \/sse\/prices\?method=token_price&chain=ethereum&address=0x/u),
    ]);
  });

  test("checks the sandbox without the network, and ignores the keys of this machine", async () => {
    const env = { DEXDATA_API_KEY: "Bearer nonsense", HTTPS_PROXY: "http://proxy.invalid:1" };
    const { exit, stdout, stderr } = await dexdata("doctor --sandbox --no-stream -o table", { env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toMatch(/^ok {4}key {19}…dbox from the sandbox, on the pro plan$/mu);
    expect(stdout).toMatch(/\n\nall \d+ checks passed\n$/u);
  });

  test("wraps lines at the terminal width, indented below the result", async () => {
    const { stdout } = await dexdata("doctor --sandbox --no-stream", {
      isTerminal: true,
      columns: 60,
      env: { NO_COLOR: "1" },
    });
    const lines = stdout.trimEnd().split("\n");
    // A path counts as one word, so it is not wrapped.
    expect(lines.filter((line) => line.length > 60 && line.slice(25).includes(" "))).toEqual([]);
    expect(lines.filter((line) => line.startsWith(" ".repeat(25))).length).toBeGreaterThan(2);
  });

  test("shows symbols on a terminal with UTF-8, with color if enabled, and words otherwise", async () => {
    const isTerminal = { stdout: true };
    const shown = async (env: Record<string, string>): Promise<string> =>
      (await dexdata("doctor --sandbox --no-stream", { isTerminal, env })).stdout.split("\n")[0] ?? "";
    expect(await shown({ NO_COLOR: "1" })).toMatch(/^✓ {2}version {15}dexdata /u);
    expect((await shown({})).startsWith("\u001b[32m✓\u001b[39m  version  ")).toBe(true);
    expect(await shown({ NO_COLOR: "1", LANG: "C" })).toMatch(/^ok {4}version {15}dexdata /u);
  });
});

test("doctor knows the variables that help lists", async () => {
  const { stdout } = await dexdata("help environment");
  const listed = new Set(stdout.match(/\bDEXDATA_[A-Z_]+\b/gu));
  expect(listed.size).toBeGreaterThan(20);
  const known = [...Object.values(settings).map(({ variable }) => variable), ...otherVariables];
  expect(known).toEqual(expect.arrayContaining([...listed]));
});

describe("doctor with a problem", () => {
  const cases: readonly (readonly [what: string, given: Case, exit: number, check: string, expected: Row])[] =
    [
      [
        "a port where nobody listens",
        { env: () => ({ DEXDATA_PRO_BASE_URL: "http://127.0.0.1:1" }) },
        7,
        "rest connection",
        {
          result: "fail",
          found: "connection to 127.0.0.1:1 refused",
          next: expect.stringContaining("port"),
        },
      ],
      [
        "a name that does not exist",
        { env: () => ({ DEXDATA_PRO_BASE_URL: "https://x.invalid" }) },
        7,
        "rest name",
        {
          result: "fail",
          found: "cannot resolve x.invalid",
          next: expect.stringContaining("pro_base_url"),
        },
      ],
      [
        "TLS to a port that speaks none",
        { env: (url) => ({ DEXDATA_PRO_BASE_URL: url.replace("http:", "https:") }) },
        7,
        "rest connection",
        {
          result: "fail",
          found: expect.stringContaining("does not use TLS"),
          next: expect.stringContaining("its port"),
        },
      ],
      [
        "an answer in HTML",
        { script: () => html(200) },
        1,
        "answer",
        { result: "fail", found: expect.stringMatching(/HTML|JSON/u), next: expect.any(String) },
      ],
      [
        "a key that the service refuses",
        { script: () => json({ error: "invalid_api_key" }, { status: 401, ...dated(now) }) },
        4,
        "answer",
        { result: "fail", found: expect.stringContaining("key"), next: expect.any(String) },
      ],
      [
        "a service that fails",
        { script: () => json({}, { status: 500, ...dated(now) }) },
        7,
        "answer",
        { result: "fail", found: "the service failed (HTTP 500)", next: "try again later" },
      ],
      [
        "a service that does not answer",
        { script: () => hang(), flags: "--no-stream --timeout 200s" },
        7,
        "answer",
        {
          result: "fail",
          found: expect.stringMatching(/^request to 127\.0\.0\.1:\d+ timed out after 3m20s$/u),
          next: expect.any(String),
        },
      ],
      [
        "another plan than expected",
        { script: () => json({ plan: "free" }, dated(now)) },
        0,
        "plan",
        {
          result: "warn",
          found: "the service applied the free plan, not pro",
          next: "unset DEXDATA_TIER, or set it to free",
        },
      ],
      [
        "a clock that is a day ahead",
        { script: () => json(account, dated(now - 86_400_000)) },
        2,
        "clock",
        {
          result: "fail",
          found: expect.stringContaining("ahead of"),
          next: expect.stringContaining("sync the clock, e.g. timedatectl set-ntp true"),
        },
      ],
      [
        "a clock that is ten seconds behind",
        { script: () => json(account, dated(now + 10_000)) },
        0,
        "clock",
        {
          result: "warn",
          found: expect.stringContaining("behind"),
          next: expect.stringContaining("sync the clock, e.g. timedatectl set-ntp true"),
        },
      ],
      [
        "a config file that is broken",
        { env: () => ({ DEXDATA_CONFIG_DIR: folderWith("config.json", "{") }) },
        2,
        "config",
        {
          result: "fail",
          found: expect.stringContaining("is not valid JSON"),
          next: "fix or move the file, then try again",
        },
      ],
      [
        "a setting that is refused",
        { env: () => ({ DEXDATA_RETRIES: "many" }) },
        2,
        "config",
        {
          result: "fail",
          found: expect.stringContaining('DEXDATA_RETRIES "many"'),
          next: "see: dexdata config list",
        },
      ],
      [
        "a misspelled variable, which no command reads",
        { env: () => ({ DEXDATA_APIKEY: key, DEXDATA_ALERT_ID: "1", DEXDATA_NO_INPUT: "1" }) },
        0,
        "config",
        {
          result: "warn",
          found: "unknown variable, which no command reads: DEXDATA_APIKEY",
          next: "did you mean DEXDATA_API_KEY?",
        },
      ],
      [
        "variables of a newer version",
        { env: () => ({ DEXDATA_LANGUAGE: "en", DEXDATA_COLOR: "never", DEXDATA_THEME: "dark" }) },
        0,
        "config",
        {
          result: "warn",
          found: "unknown variables, which no command reads: DEXDATA_LANGUAGE, DEXDATA_THEME",
          next: "see: dexdata help environment",
        },
      ],
      [
        "a key store that others can read",
        { env: () => ({ DEXDATA_CONFIG_DIR: folderWith("credentials.json", stored, 0o644) }) },
        0,
        "credentials",
        {
          result: "warn",
          found: expect.stringContaining("other users can read the key"),
          next: expect.stringContaining("chmod 600"),
        },
      ],
      [
        "a key store that is broken",
        { env: () => ({ DEXDATA_CONFIG_DIR: folderWith("credentials.json", "{}") }) },
        2,
        "credentials",
        {
          result: "fail",
          found: expect.stringContaining("credentials.json"),
          next: expect.stringContaining("auth login"),
        },
      ],
      [
        "a folder of the key store that others can write to",
        {
          env: () => {
            const folder = folderWith("credentials.json", stored);
            chmodSync(folder, 0o777);
            return { DEXDATA_CONFIG_DIR: folder };
          },
        },
        0,
        "credentials",
        {
          result: "warn",
          found: expect.stringContaining("other users can write to"),
          next: expect.stringContaining("chmod 700"),
        },
      ],
      [
        "a state folder that cannot be written",
        { env: () => ({ DEXDATA_STATE_DIR: path.join(folderWith("file", ""), "file", "state") }) },
        0,
        "state",
        {
          result: "warn",
          found: expect.stringContaining("cannot write"),
          next: expect.stringContaining("DEXDATA_STATE_DIR"),
        },
      ],
      [
        "a key that is none",
        { env: () => ({ DEXDATA_API_KEY: `Bearer ${key}` }) },
        2,
        "key",
        {
          result: "fail",
          found: expect.stringContaining('starts with "Bearer"'),
          next: expect.any(String),
        },
      ],
      [
        "a key whose tier nobody knows",
        { env: () => ({ DEXDATA_TIER: "" }) },
        2,
        "key",
        {
          result: "fail",
          found: expect.stringMatching(/^the plan of the key .* is unknown; /u),
          next: expect.stringContaining("DEXDATA_TIER"),
        },
      ],
      [
        "certificates that are none",
        { env: () => ({ NODE_EXTRA_CA_CERTS: path.resolve("package.json") }) },
        2,
        "certificates",
        {
          result: "fail",
          found: expect.stringContaining("package.json contains no readable certificate"),
          next: expect.any(String),
        },
      ],
      [
        "certificates that would never end",
        { env: () => ({ NODE_EXTRA_CA_CERTS: "/dev/zero" }) },
        2,
        "certificates",
        {
          result: "fail",
          found: "NODE_EXTRA_CA_CERTS: /dev/zero is not a file",
          next: expect.stringContaining("unset NODE_EXTRA_CA_CERTS"),
        },
      ],
      [
        "certificates that cannot be read",
        { env: () => ({ NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem" }) },
        2,
        "certificates",
        {
          result: "fail",
          found: expect.stringContaining("/nowhere/ca.pem cannot be read"),
          next: expect.any(String),
        },
      ],
      [
        "certificates that are not verified, whatever authorities are added",
        { env: () => ({ NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem" }) },
        0,
        "certificates",
        {
          result: "warn",
          found:
            "NODE_TLS_REJECT_UNAUTHORIZED is 0, so certificates are not verified: a server that poses as the service could receive your key",
          next: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
        },
      ],
      [
        "a proxy with a password that refuses connections",
        {
          env: () => ({
            HTTPS_PROXY: "http://me:secret@127.0.0.1:1",
            DEXDATA_PRO_BASE_URL: "https://x.invalid",
          }),
        },
        7,
        "proxy",
        {
          result: "ok",
          next: null,
          found: "x.invalid through http://…@127.0.0.1:1 (HTTPS_PROXY); 127.0.0.1 directly",
        },
      ],
      [
        "what is said of that host then",
        {
          env: () => ({
            HTTPS_PROXY: "http://me:secret@127.0.0.1:1",
            DEXDATA_PRO_BASE_URL: "https://x.invalid",
          }),
        },
        7,
        "rest connection",
        {
          result: "fail",
          found: "connection to proxy http://…@127.0.0.1:1 refused",
          next: "check HTTPS_PROXY, or bypass the proxy: NO_PROXY=x.invalid",
        },
      ],
      [
        "a proxy that is none for HTTP",
        {
          env: () => ({
            ALL_PROXY: "socks5://me:secret@proxy.invalid",
            DEXDATA_PRO_BASE_URL: "https://x.invalid",
          }),
        },
        2,
        "proxy",
        {
          result: "fail",
          found: expect.stringContaining('ALL_PROXY "socks5://…@proxy.invalid": SOCKS proxies are not'),
          next: expect.stringContaining("http://proxy.example:3128"),
        },
      ],
      [
        "a proxy for plain http alone",
        {
          env: () => ({
            HTTP_PROXY: "http://proxy.invalid:3128",
            DEXDATA_PRO_BASE_URL: "https://x.invalid",
          }),
        },
        7,
        "proxy",
        {
          result: "warn",
          found: "HTTP_PROXY applies only to http://, so x.invalid is contacted directly",
          next: expect.stringContaining("HTTPS_PROXY"),
        },
      ],
      [
        "a proxy that NO_PROXY keeps from these hosts",
        {
          env: () => ({
            HTTPS_PROXY: "http://me:secret@proxy.invalid:3128",
            NO_PROXY: "invalid",
            DEXDATA_PRO_BASE_URL: "https://x.invalid",
          }),
        },
        7,
        "proxy",
        {
          result: "ok",
          next: null,
          found: "HTTPS_PROXY is http://…@proxy.invalid:3128, which does not apply to these hosts",
        },
      ],
      [
        "a budget that is used up",
        { env: () => ({ DEXDATA_BUDGET_DAILY: "0" }) },
        5,
        "budget",
        {
          result: "fail",
          found: "0 of 0 credits spent today (UTC)",
          next: "wait until tomorrow (UTC), or change the budget with DEXDATA_BUDGET_DAILY",
        },
      ],
      [
        "K10: a damaged budget file, like a command",
        {
          env: (url) => {
            const env = { DEXDATA_BUDGET_DAILY: "10", DEXDATA_STATE_DIR: temporaryFolder() };
            const file = accountFile(createTestContext({ env }), "budget", { rest: url, key });
            writeFileSync(file, '{"day":"2026-11-21","credits":-5}');
            return env;
          },
        },
        2,
        "budget",
        {
          result: "fail",
          found: expect.stringMatching(
            /^cannot record the spending for budget\.daily in .*: unexpected content$/u,
          ),
          next: expect.stringMatching(/^to count from 0 again today, run: rm .*\.json$/u),
        },
      ],
      [
        "K10: a budget in a directory that is not writable",
        { env: () => ({ DEXDATA_BUDGET_DAILY: "10", DEXDATA_STATE_DIR: "/proc/self/state" }) },
        2,
        "budget",
        {
          result: "fail",
          found: expect.stringMatching(
            /^cannot record the spending for budget\.daily in \/proc\/self\/state/u,
          ),
          next: expect.any(String),
        },
      ],
      [
        "K10: a config directory that is not writable",
        { env: () => ({ DEXDATA_CONFIG_DIR: "/proc/self" }) },
        0,
        "config",
        {
          result: "warn",
          found: expect.stringMatching(/^keys and settings cannot be saved: /u),
          next: expect.any(String),
        },
      ],
      [
        "a stream that stays silent",
        {
          script: (request, index) =>
            request.path.startsWith("/sse/")
              ? slow({ headers: { "content-type": "text/event-stream" }, chunks: [], stayOpen: true })
              : healthy(request, index),
          flags: "--timeout 24h",
        },
        7,
        "stream",
        {
          result: "fail",
          found: expect.stringMatching(/^127\.0\.0\.1:\d+: no data within 20s$/u),
          next: expect.any(String),
        },
      ],
      [
        "a stream that is refused",
        {
          script: (request, index) =>
            request.path.startsWith("/sse/")
              ? json({ error: "unauthorized" }, { status: 401 })
              : healthy(request, index),
          flags: "",
        },
        4,
        "stream",
        { result: "fail", found: expect.any(String), next: expect.any(String) },
      ],
    ];
  test.each(cases)(
    "%s: prints what to do, and exits with the matching code",
    async (_, given, exit, check, expected) => {
      const examined = await examine(given);
      expect({ exit: examined.exit, finding: examined.findings.get(check) }).toEqual({
        exit,
        finding: { check, ...expected },
      });
    },
  );

  test("without a usable key, sends no request, but still connects to both hosts", async () => {
    const env = (url: string): Record<string, string> => ({
      DEXDATA_API_KEY: "nonsense",
      DEXDATA_BASE_URL: url,
    });
    const { findings, requests } = await examine({ env });
    expect(requests).toEqual([]);
    expect([...findings.keys()]).toContain("streaming connection");
  });

  test("does not connect to the hosts of other tiers", async () => {
    let connections = 0;
    const other = net.createServer(() => {
      connections += 1;
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const { exit } = await examine({
      env: () => ({ DEXDATA_BASE_URL: url, DEXDATA_STREAMING_URL: url }),
      flags: "",
    });
    await new Promise((resolve) => other.close(resolve));
    expect({ exit, connections }).toEqual({ exit: 0, connections: 0 });
  });

  test("rejects invalid flags and arguments like every other command", async () => {
    expect((await dexdata("doctor now")).exit).toBe(2);
    expect((await dexdata("doctor --sandbox --timeout soon")).stderr).toContain("must be a duration");
  });
});
