import { textFormats } from "../../src/api/output-format.ts";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { answerShell } from "../../src/cli/complete.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { findForbidden, forbidden, forbiddenHeaders as headers } from "../harness/hostile/forbidden.ts";
import { json, type Script, slow } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import type { TestContextOptions } from "../harness/test-context.ts";

const key = "api_pro_0123456789";

/** Runs as a pro caller against the script, on a terminal and in a pipe. */
async function runAgainst(script: Script, words: string, options: TestContextOptions = {}): Promise<Outcome> {
  const { url } = await serveInTest(script);
  const format = words.includes("--error-format") ? "" : " --error-format text";
  return await dexdata(`${words}${format}`, {
    ...options,
    env: {
      DEXDATA_BASE_URL: url,
      DEXDATA_PRO_BASE_URL: url,
      DEXDATA_STREAMING_URL: url,
      DEXDATA_STREAMING_PRO_URL: url,
      NO_COLOR: "1",
      ...options.env,
    },
  });
}

const keyed = { DEXDATA_API_KEY: key, DEXDATA_TIER: "pro" };
/** Numbers sent as strings, and an unknown plan. */
const account = (plan: string): object => ({ plan, credits: { remaining: forbidden, limit: forbidden } });
const spaced = (document: object): string => JSON.stringify(document, null, 1).replaceAll("\n", "\r\n\t");

interface Heard {
  readonly name: string;
  readonly words: string;
  readonly script: Script;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly exit: number;
}

/** The tests' own time: a wrong clock would be reported. */
const dated = { ...headers, date: "Sat, 21 Nov 2026 08:54:00 GMT" };
const formats = textFormats.filter((format) => format !== "wide");
const usage: Script = ({ path: asked }) =>
  asked.startsWith("/sse/")
    ? slow({ headers: { ...headers, "content-type": "text/event-stream" }, chunks: [": x\n\n"] })
    : json(spaced(account(forbidden)), { headers: dated });
const refusal: Script = () =>
  json(
    { error: forbidden, message: forbidden, links: { register: forbidden }, [forbidden]: forbidden },
    { status: 403, headers },
  );
/** Serves lists of the service in addition to the response that they explain. */
const networks: Script = ({ path: asked }) =>
  asked === "/networks"
    ? json([{ id: `ethereu${forbidden}`, display_name: forbidden }])
    : json({}, { status: 404, headers });
const dexes: Script = ({ path: asked }) =>
  asked.endsWith("/dexes")
    ? json({
        dexes: [{ dex_id: forbidden, dex_name: "Uniswap V3" }],
        page_info: { limit: 1, page: 1, total_items: 1, total_pages: 1 },
      })
    : json({ results: [], has_next_page: false }, { headers });
const unknownPath: Script = () =>
  json({ [forbidden]: forbidden, list: [{ [forbidden]: forbidden }], id: forbidden }, { headers });

const messages: readonly Heard[] = [
  ...formats.flatMap((format): readonly Heard[] => [
    {
      name: `auth status -o ${format}`,
      words: `auth status -o ${format} -vv`,
      script: usage,
      env: keyed,
      exit: 0,
    },
    {
      name: `auth status -o ${format}, of a key that is refused`,
      words: `auth status -o ${format}`,
      script: refusal,
      env: keyed,
      exit: 4,
    },
    {
      name: `auth status -o ${format}, of a key without a tier`,
      words: `auth status -o ${format}`,
      script: () => json(spaced(account("pro")), { headers }),
      env: { DEXDATA_API_KEY: key },
      exit: 0,
    },
    { name: `doctor -o ${format}`, words: `doctor -o ${format} -vv`, script: usage, env: keyed, exit: 0 },
    {
      name: `doctor -o ${format}, refused`,
      words: `doctor -o ${format}`,
      script: refusal,
      env: keyed,
      exit: 4,
    },
    {
      name: `api of a path that nobody knows -o ${format}`,
      words: `api /made/up -o ${format}${["csv", "tsv"].includes(format) ? " --fields id" : ""}`,
      script: unknownPath,
      exit: 0,
    },
  ]),
  {
    name: "auth login",
    words: "auth login -vv",
    script: () => json(spaced(account("pro")), { headers }),
    stdin: key,
    exit: 0,
  },
  { name: "auth login, refused", words: "auth login", script: refusal, stdin: key, exit: 4 },
  { name: "a network that may be meant", words: "pools search ethereum0", script: networks, exit: 3 },
  {
    name: "a DEX that may be meant",
    words: "pools search ethereum --dex uniswap-v3",
    script: dexes,
    exit: 0,
  },
  {
    name: "the command that goes on",
    words: "pools search ethereum -o table --limit 1",
    script: () =>
      json({
        results: [{ id: "x", chain: "ethereum", [forbidden]: forbidden }],
        has_next_page: true,
        next_cursor: forbidden,
      }),
    exit: 0,
  },
  {
    name: "a refusal for programs",
    words: "networks --error-format json",
    script: refusal,
    exit: 4,
  },
  {
    name: "addresses that another program wrote",
    words: "prices ethereum -",
    script: networks,
    stdin: JSON.stringify({ chain: forbidden, address: forbidden }),
    exit: 2,
  },
];

describe.each([
  ["a terminal", true],
  ["a pipe", false],
])("promise 2: text from the service on %s cannot control it", (_, isTerminal) => {
  // Machine formats are the same bytes on both, except for the whitespace of json.
  const shown = messages.filter(({ name }) => !isTerminal || !/-o (?:ndjson|csv|tsv)/u.test(name));
  test.each(shown.map((each) => [each.name, each] as const))("%s", async (_name, heard) => {
    const { words, script, stdin = "", env = {} } = heard;
    const { exit, stdout, stderr } = await runAgainst(script, words, {
      stdin,
      env,
      isTerminal: { stdout: isTerminal, stderr: isTerminal },
    });
    const seen = words.includes("tsv") ? (stdout + stderr).replaceAll("\t", " ") : stdout + stderr;
    expect({ exit, found: findForbidden(seen), isForged: /^\{"id":"forged"/mu.test(seen) }).toEqual({
      exit: heard.exit,
      found: undefined,
      isForged: false,
    });
    expect(seen).not.toBe("");
  });
});

test.each(formats)(
  "promise 2: files written as %s cannot control the terminal that displays them",
  async (format) => {
    const row = { id: forbidden, chain: "ethereum", name: forbidden, [forbidden]: forbidden };
    const folder = temporaryFolder();
    const [file, receipt] = ["rows.txt", "receipt.json"].map((name) => path.join(folder, name));
    const { exit } = await runAgainst(
      () => json({ results: [row], has_next_page: false }, { headers }),
      `tokens search ethereum -o ${format} --out ${file} --receipt ${receipt}`,
    );
    const written = [file, receipt].map((name) => readFileSync(String(name), "utf8")).join("");
    const seen = format === "tsv" ? written.replaceAll("\t", " ") : written;
    expect({ exit, found: findForbidden(seen) }).toEqual({ exit: 0, found: undefined });
    expect(seen).toMatch(/\]0;own/u);
  },
);

test("promise 2: shell completion offers a value from the service only if it is plain", async () => {
  const folder = temporaryFolder();
  const script: Script = () =>
    json([
      { id: forbidden, display_name: forbidden },
      { id: "plain", display_name: forbidden },
    ]);
  await runAgainst(script, "networks", { env: { DEXDATA_CACHE_DIR: folder } });
  for (const shell of ["bash", "zsh", "fish"]) {
    const context = { env: { DEXDATA_CACHE_DIR: folder }, platform: "linux" };
    const told = answerShell(context, allCommands, [shell, "pools", "search", ""]);
    expect(findForbidden(told.replaceAll("\t", " "))).toBeUndefined();
    expect(told.split("\n").map((line) => line.split("\t")[0])).toEqual(["words", "plain", ""]);
  }
});

test("promise 2: a long text is truncated between characters, and marked as such", async () => {
  const { stderr } = await runAgainst(
    () => json({ message: `${"x".repeat(499)}${"😀".repeat(50)}` }, { status: 503 }),
    "networks",
  );
  expect(stderr).toContain(`  service: ${"x".repeat(499)}…\n`);
});

test.each([
  ["auth status -o table", 2400, { plan: "x".repeat(20_000) }],
  ["auth status -o json", 2400, { plan: "x".repeat(20_000) }],
  ["usage -o table", 10_200, { plan: "x".repeat(20_000) }],
])("promise 5: %s shows only a readable part of a text: %i characters", async (words, most, said) => {
  const { exit, stdout } = await runAgainst(() => json(said), words);
  expect(exit).toBe(0);
  expect(stdout.length).toBeLessThan(most);
  expect(stdout).toContain("xxx…");
});

test("promise 5: a value longer than any name is neither suggested nor stored", async () => {
  const folder = temporaryFolder();
  const script: Script = ({ path: asked }) =>
    asked === "/networks"
      ? json([{ id: `ethereum0${"0".repeat(200)}`, display_name: "x" }])
      : json({}, { status: 404 });
  const { stderr } = await runAgainst(script, "pools search ethereum0", {
    env: { DEXDATA_CACHE_DIR: folder },
  });
  expect(stderr).toContain("hint: list all networks: dexdata networks");
  const [kept] = readdirSync(folder).filter((name) => name.startsWith("list-"));
  expect(readFileSync(path.join(folder, String(kept)), "utf8")).toContain('"texts":["\\tx"]');
});

test("promise 2: all messages go through one module", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" });
  const writers = sources.filter(
    (file) => file.endsWith(".ts") && /\bstderr\.write\(/u.test(readFileSync(path.join("src", file), "utf8")),
  );
  // The first two prompt for a key and for a choice: their lines stay open for the input. The third one writes a failure
  // if an update has removed the module for it.
  expect(writers.toSorted()).toEqual([
    "cli/commands/auth/auth.ts",
    "cli/commands/input/choose-asset.ts",
    "cli/guarded.ts",
    "cli/run/failure-text.ts",
    "cli/run/report.ts",
  ]);
});
