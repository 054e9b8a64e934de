import { expect, test } from "vitest";
import type { Command } from "../../src/cli/commands/command.ts";
import { allCommands } from "../../src/cli/all-commands.ts";
import { dexdata } from "../harness/dexdata.ts";
import { json } from "../harness/scripted-server.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const sandbox = useSandbox();

/** Flags that each flag requires, so that its empty value is the only possible error. */
const companions: Readonly<Record<string, readonly string[]>> = {
  columns: ["-o", "table"],
  tier: ["--sandbox"],
  seed: ["--sandbox"],
  faults: ["--sandbox"],
  speed: ["--sandbox"],
  events: ["--follow"],
  "streaming-url": ["--follow"],
  since: ["--feed", "ohlcv"],
  when: ["--watch", "1m"],
};

const ownCompanions: Readonly<Record<string, readonly string[]>> = {
  "api limit": ["--paginate"],
  "pools search token": ["ethereum"],
  "stream events": [],
  "stream when": [],
  "stream streaming-url": [],
  "stream interval": ["--feed", "ohlcv"],
  "stream speed": ["--sandbox"],
  "txns speed": ["--follow", "--sandbox"],
  "txns when": ["--follow"],
  "pools search when": ["--follow"],
  "sync list": ["--search", "ethereum --limit 5"],
  "sync every": ["--search", "ethereum --limit 5"],
  "sandbox speed": [],
  "sandbox seed": [],
  "sandbox faults": [],
};

function wordsOf({ words, positionals }: Command): readonly string[] {
  const named =
    positionals.length === 2 && positionals[0]?.name === "network"
      ? ["ethereum", "0x0000000000000000000000000000000000000001"]
      : [];
  const others: Readonly<Record<string, readonly string[]>> = {
    api: ["/networks/ethereum/dexes"],
    dexes: ["ethereum"],
    schema: ["pool"],
    search: ["weth"],
    stream: ["ethereum:0x0000000000000000000000000000000000000001"],
    sync: ["lake", "ethereum:0x0000000000000000000000000000000000000001"],
  };
  return [...words.split(" "), ...(others[words] ?? named)];
}

const typed = allCommands.flatMap((entry) =>
  Object.entries({ ...entry.flags, ...(entry.words === "txns" && entry.shared) })
    // An empty cursor means the first page; see below.
    .filter(([name, { type }]) => name !== "cursor" && type.placeholder !== undefined)
    .map(([name]) => ({ entry, name })),
);

test.each(typed.map(({ entry, name }) => [`${entry.words} --${name}`, entry, name] as const))(
  'rejects %s "", as from an unset variable, before sending anything',
  async (_, entry, name) => {
    const server = await serveInTest(() => json([]));
    const companionFlags = ownCompanions[`${entry.words} ${name}`] ?? companions[name] ?? [];
    const format = name === "error-format" ? [] : ["--error-format", "text"];
    const { exit, stdout, stderr } = await dexdata(
      [...wordsOf(entry), ...companionFlags, ...format, `--${name}`, ""],
      { env: { DEXDATA_BASE_URL: server.url, DEXDATA_STREAMING_URL: server.url }, stdin: "" },
    );
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    // Without a format, the error on a pipe is JSON.
    expect(stderr.replaceAll(String.raw`\"`, '"')).toContain(`--${name} ""`);
    expect(server.requests.length).toBe(0);
  },
);

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

test.each([
  ["txns", `txns ethereum ${pool} --limit 3`],
  ["tokens search", "tokens search base --limit 3"],
  ["pools search", "pools search --limit 3"],
  ["dexes", "dexes ethereum --limit 3"],
])('rule 65: %s --cursor "" starts at the first page, with a warning', async (words, command) => {
  expect(typedCursors).toContain(words);
  const runCommand = async (more: readonly string[]) => {
    const outcome = await dexdata([...command.split(" "), ...more], { env: sandbox.env(), now: sandboxNow });
    return { exit: outcome.exit, stdout: outcome.stdout, stderr: outcome.stderr };
  };
  const first = await runCommand([]);
  expect(await runCommand(["--cursor", ""])).toEqual({
    ...first,
    exit: 0,
    stderr: "warning: --cursor is empty; starting at the first page\n",
  });
});

/** The commands that accept a cursor. */
const typedCursors = allCommands.filter(({ flags }) => "cursor" in flags).map(({ words }) => words);

test("the list above contains every command that accepts a cursor", () => {
  expect(typedCursors.toSorted()).toEqual(["dexes", "pools search", "tokens search", "txns"]);
});
