import { describe, expect, test } from "vitest";
import { dexdata, run } from "../harness/dexdata.ts";
import { bodyModes, encodingModes } from "../harness/hostile/body-modes.ts";
import { commands, type HostileCommand } from "../harness/hostile/commands.ts";
import { connectionModes } from "../harness/hostile/connection-modes.ts";
import { findForbidden } from "../harness/hostile/forbidden.ts";
import { type Mode, oneOfEachEnding } from "../harness/hostile/mode.ts";
import { pagingModes } from "../harness/hostile/paging-modes.ts";
import { refusalModes } from "../harness/hostile/refusal-modes.ts";
import { shapeModes } from "../harness/hostile/shape-modes.ts";
import { isLong } from "../harness/long.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext } from "../harness/test-context.ts";

const [command] = commands.filter(({ endpoint }) => endpoint.id === "pool_transactions");
const flags =
  "--follow --poll 15s --from 2026-11-21T07:00:00Z --limit 1 --rpm unlimited --retries 0 --error-format text";
/** The number of consecutive failed reads after which an invalid response counts as permanent. */
const reads = 5;
/** Statuses that the service returns on purpose, and would return again. */
const lasting = /\b(?:400|401|402|403|404|405|410)\b/u;

interface Ended {
  readonly exit: number;
  readonly requests: number;
  readonly rows: number;
}

/**
 * Returns the expected outcome of a follow: transient errors are retried until it is interrupted, here at the fifth
 * request.
 */
function endOf({ name, ends, flags: more = "" }: Mode): Ended {
  if (ends.exit === 0) return { exit: 0, requests: 2, rows: 1 };
  if (ends.exit === 1) {
    // Each read fetches several pages before it reports that they repeat.
    const pages = more.includes("--all") ? ends.requests : 1;
    return { exit: 1, requests: reads * pages, rows: 0 };
  }
  // A follow compares the count itself. The row of an incomplete list is a row, and ends it with --limit 1.
  if (ends.exit === 8) return { exit: 0, requests: 5, rows: 1 };
  if (lasting.test(name)) return { exit: ends.exit, requests: 1, rows: 0 };
  return { exit: 143, requests: reads, rows: 0 };
}

async function follow(mode: Mode, asked: HostileCommand, stopAt: number) {
  const server = await serveInTest((request, index) => {
    if (index + 1 === stopAt) context.interrupt({ cause: "SIGTERM" });
    return mode.reply(asked, request, index);
  });
  const context = createTestContext({
    flows: true,
    env: {
      LANG: "C.UTF-8",
      DEXDATA_TIMEOUT: mode.flags?.includes("--timeout") === true ? "30s" : "24h",
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_API_KEY: "api_pro_0123456789",
      DEXDATA_TIER: "pro",
    },
  });
  const { exit, stdout, stderr } = await run(`${asked.words} ${flags}`.split(" "), context);
  const [, first, ...more] = stderr.split("\n").filter((line) => /^(?:error|warning|note): /u.test(line));
  return {
    ended: { exit, requests: server.requests.length, rows: stdout.split("\n").length - 1 },
    says: first?.replace(/^\w+: /u, "").replace("; retrying in 1s", ""),
    linesAfter: more.length,
    forbidden: findForbidden(stdout + stderr),
    hasStack: /\n\s+at |a bug in dexdata/u.test(stderr),
  };
}

const isOfTransactions = (mode: Mode): boolean => command !== undefined && mode.isFor?.(command) !== false;
const kinds: readonly (readonly [string, readonly Mode[]])[] = [
  ["connection", connectionModes],
  // Five decompression bombs in a row are slow, and end like the others.
  ["encoding", encodingModes.filter(({ name }) => isLong || !/bomb|million/u.test(name))],
  ["body", bodyModes.filter((mode) => isLong || isOfTransactions(mode))],
  ["shape", shapeModes.filter(isOfTransactions)],
  ["list", pagingModes.filter(isOfTransactions)],
  // The waits of a follow after Retry-After are tested with the waits of streams.
  ["refusal", refusalModes.filter(({ waits }) => waits === undefined)],
];

describe.each(kinds)("a follow with a hostile %s", (_, modes) => {
  test.each(oneOfEachEnding(modes).map((mode) => [mode.name, mode] as const))("%s", async (_name, mode) => {
    if (command === undefined) throw new Error("no command asks for transactions");
    const ended = endOf(mode);
    const outcome = await follow(mode, command, ended.exit === 143 ? reads : Number.POSITIVE_INFINITY);
    const says = mode.ends.exit === 8 ? undefined : mode.ends.says;
    expect(outcome).toEqual({
      ended,
      says: says === undefined ? undefined : expect.stringMatching(says),
      // A repeated failure is reported once, and again at the end if it is the reason.
      linesAfter: ended.exit === 1 ? 1 : 0,
      forbidden: undefined,
      hasStack: false,
    });
  });
});

const search = "pools search solana --follow --poll 5s --error-format text --for 2m";

test.each([
  ["the first", 0, undefined, "", "--from"],
  ["one that succeeded", 1, undefined, "", "--from"],
  ["the first of a search", 0, search, "pools search: ", "--created-after"],
])("--for ends with 8 if every read from %s on failed, and reports since when", async (...given) => {
  const [, sound, searched, title, startFlag] = given;
  if (command === undefined) throw new Error("no command asks for transactions");
  const server = await serveInTest((_request, index) =>
    index < sound ? json(command.sound) : json({}, { status: 501 }),
  );
  const words = searched ?? `${command.words} ${flags.replace("--limit 1", "--for 2m")}`;
  const { exit, stderr } = await dexdata(words, {
    flows: true,
    env: {
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_API_KEY: "api_pro_0123456789",
      DEXDATA_TIER: "pro",
    },
  });
  expect(exit).toBe(8);
  expect(stderr.replaceAll(/2026-11-21T08:5\d:\S+Z/gu, "TIME")).toContain(
    `error: ${title}all reads failed from TIME to TIME; the last rows may be missing\n  hint: run it again with ${startFlag} TIME\n`,
  );
});

test("--for ends with 8 while a read still waits to be sent again", async () => {
  if (command === undefined) throw new Error("no command asks for transactions");
  const wait = { status: 429, headers: { "retry-after": "120" } };
  const server = await serveInTest((_request, index) => (index < 1 ? json(command.sound) : json({}, wait)));
  const patient = flags.replace("--limit 1", "--for 1m").replace("--retries 0", "--retries 9");
  const { exit, stderr } = await dexdata(`${command.words} ${patient}`, {
    flows: true,
    env: {
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_API_KEY: "api_pro_0123456789",
      DEXDATA_TIER: "pro",
    },
  });
  expect({ exit, stderr }).toMatchObject({
    exit: 8,
    stderr: expect.stringContaining("all reads failed from"),
  });
});
