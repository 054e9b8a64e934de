import { describe, expect, test } from "vitest";
import { allCommands } from "../../../src/cli/all-commands.ts";
import { flagsOnPage, fullFlagHelp } from "../../../src/cli/program/help/flag-rows.ts";
import { topicNames } from "../../../src/cli/program/help/overview.ts";
import { exitCodes } from "../../../src/base/exit-codes.ts";
import { timeForms } from "../../../src/cli/program/help/table-topics.ts";
import { parseTimeBound } from "../../../src/base/time/time.ts";
import { settings } from "../../../src/client/settings.ts";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { simulationFlags } from "../../../src/cli/run/flags/shared-flags.ts";
import { dexdata } from "../../harness/dexdata.ts";
import { pages } from "../../harness/readme.ts";

const commands = allCommands.map(({ words }) => words);

const linesOf = (text: string): readonly string[] => text.replace(/\n$/u, "").split("\n");

/** Joins lines that end with a backslash, as a shell does. */
const unbroken = (text: string): string => text.replaceAll(/ \\\n +/gu, " ");

test("a summary has at most 60 characters", () => {
  const long = allCommands.filter(({ summary }) => summary.length > 60);
  expect(long.map(({ words }) => words)).toEqual([]);
});

describe("-h", () => {
  test.each(commands)(
    "%s -h fits on a screen of 24 lines, and names every flag of its own that needs no other flag",
    async (command) => {
      const terminal = { isTerminal: true, columns: 80, env: { NO_COLOR: "1" } };
      const [onTerminal, { exit, stdout, stderr }] = [
        await dexdata(`${command} -h`, terminal),
        await dexdata(`${command} -h`),
      ];
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      for (const shown of [stdout, onTerminal.stdout]) expect(linesOf(shown).length).toBeLessThanOrEqual(24);
      const entry = allCommands.find(({ words }) => words === command);
      // Families of flags are one row: --volume-usd-{24h,7d,30d}-{min,max}
      const patterns = [...stdout.matchAll(/--[a-z0-9{},-]+/gu)].map(
        ([shown]) =>
          new RegExp(
            `^${shown.replaceAll(/\{([^}]*)\}/gu, (_, words: string) => `(?:${words.replaceAll(",", "|")})`)}$`,
            "u",
          ),
      );
      const unnamed = Object.entries(flagsOnPage(entry?.flags ?? {})).flatMap(([name, flag]) =>
        flag.with.length > 0 || patterns.some((pattern) => pattern.test(`--${name}`)) ? [] : [name],
      );
      expect(unnamed).toEqual([]);
      const sandbox = "Sandbox: --sandbox uses simulated data; see: dexdata help sandbox\n";
      expect(stdout.includes(sandbox)).toBe(Object.hasOwn(entry?.shared ?? {}, "sandbox"));
    },
  );

  test("a row has its text on one line if the text can be shortened", async () => {
    expect((await dexdata("ohlcv -h")).stdout).toContain(
      "  --interval <interval>  Candle length (default 1h)\n",
    );
    expect((await dexdata("txns -h")).stdout).not.toContain("With --follow");
  });
});

describe("--help", () => {
  test.each(commands)("%s --help explains every flag, and lists the topics", async (command) => {
    const { stdout } = await dexdata(`${command} --help`);
    const helpText = stdout.replaceAll(/\s+/gu, " ");
    const entry = allCommands.find(({ words }) => words === command);
    expect(helpText).toContain(entry?.summary);
    const shared = Object.entries(entry?.shared ?? {}).filter(([, { group }]) => group !== "Sandbox");
    for (const [name, flag] of [...Object.entries(flagsOnPage(entry?.flags ?? {})), ...shared]) {
      expect(helpText).toContain(`--${name}`);
      expect(helpText).toContain(fullFlagHelp(flag));
    }
    expect((await dexdata(["help", ...command.split(" ")])).stdout).toBe(stdout);
  });

  test("a flag that is not on the pages of its commands is on the page of its topic", async () => {
    const flags = allCommands.flatMap((entry) => Object.entries(entry.flags));
    const elsewhere = flags.filter(([, { topic }]) => topic !== undefined);
    expect(new Set(elsewhere.map(([name]) => name)).size).toBe(4);
    for (const [name, { topic = "" }] of elsewhere)
      expect((await dexdata(`help ${topic}`)).stdout).toContain(`  --${name} `);
  });

  test("a flag that requires another one starts with it, except on a page that has no such flag", async () => {
    const rows = (text: string): string => text.replaceAll(/\s+/gu, " ");
    expect(rows((await dexdata("txns --help")).stdout)).toContain(
      "--speed <n> With --follow and --sandbox: speed of the simulated clock (default 1)",
    );
  });

  test("help sandbox describes the flags that other commands have for the sandbox", async () => {
    const text = (await dexdata("help sandbox")).stdout.replaceAll(/\s+/gu, " ");
    for (const [name, { summary }] of Object.entries(simulationFlags)) {
      expect(text).toContain(`--${name}`);
      expect(text).toContain(summary);
      expect((await dexdata("pool --help")).stdout.includes(`  --${name} `)).toBe(false);
    }
  });

  test("flags come before the command of a sandbox, and a list of addresses has two forms", async () => {
    expect((await dexdata("sandbox -h")).stdout).toContain("Usage: dexdata sandbox [flags] [-- command…]\n");
    const usage =
      "Usage: dexdata prices <network> <address…|@file|-> [flags]\n   or: dexdata prices <network:address…|@file|-> [flags]\n";
    expect((await dexdata("prices -h")).stdout).toContain(usage);
    expect((await dexdata("prices --help")).stdout).toContain(usage);
  });

  test("login and logout describe the profile as theirs, and login has no flag of the sandbox", async () => {
    const login = (await dexdata("auth login --help")).stdout;
    expect(login).toMatch(/--profile <name> +Store the key under this name\n/u);
    expect(login).not.toMatch(/--(?:sandbox|tier|seed)\b/u);
    expect((await dexdata("auth logout --help")).stdout).toMatch(
      /--profile <name> +Remove the key stored under this name\n/u,
    );
  });

  test.each([60, 80])("no line is wider than a window of %i columns but a word is", async (columns) => {
    const helpPages = [
      ...commands.flatMap((each) => [`${each} -h`, `${each} --help`]),
      ...topicNames.map((each) => `help ${each}`),
      "",
    ];
    for (const page of helpPages) {
      const { stdout } = await dexdata(page, { isTerminal: true, columns, env: { NO_COLOR: "1" } });
      const wide = linesOf(stdout).filter(
        (line) => line.length > columns && line.trim().replace(/ \\$/u, "").includes(" "),
      );
      expect(wide.filter((line) => !line.includes("'") && !line.includes("{"))).toEqual([]);
    }
  });

  test("an example wider than the terminal is still one command to a shell", async () => {
    const { stdout } = await dexdata("txns --help", {
      isTerminal: true,
      columns: 60,
      env: { NO_COLOR: "1" },
    });
    expect(stdout).toContain(" \\\n");
    const entry = allCommands.find(({ words }) => words === "txns");
    for (const example of entry?.examples ?? []) expect(unbroken(stdout)).toContain(`  ${example}\n`);
  });

  test("headings are bold if color is enabled, and only then", async () => {
    const terminal = { isTerminal: true, env: { TERM: "xterm" } };
    expect((await dexdata("help time", terminal)).stdout).toContain("\u001b[1mExamples:\u001b[22m");
    expect((await dexdata("help time", { ...terminal, env: { NO_COLOR: "1" } })).stdout).not.toContain(
      "\u001b",
    );
    expect((await dexdata("help time")).stdout).not.toContain("\u001b");
  });
});

test("help time shows times at DEXDATA_NOW, or at the clock if it is invalid", async () => {
  const shownAt = async (now: string) =>
    (await dexdata("help time", { env: { DEXDATA_NOW: now }, now: Date.parse("2026-01-01T00:00:00Z") }))
      .stdout;
  const page = await shownAt("2026-11-21T08:54:00Z");
  expect(page).toContain("Forms, and their values at 2026-11-21T08:54:00Z:");
  expect(page).toMatch(/^ {2}-24h +2026-11-20T08:54:00Z/mu);
  for (const other of ["", "soon"])
    expect(await shownAt(other)).toContain("Forms, and their values at 2026-01-01T00:00:00Z:");
});

describe("the overview", () => {
  test("fits 80 columns and 24 lines, without an argument and as --help", async () => {
    const { exit, stdout, stderr } = await dexdata([]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(linesOf(stdout).length).toBeLessThanOrEqual(24);
    expect(linesOf(stdout).filter((line) => line.length > 80)).toEqual([]);
    for (const words of ["--help", "-h", "help"]) expect((await dexdata(words)).stdout).toBe(stdout);
  });

  test("names every command and every topic", async () => {
    const { stdout } = await dexdata([]);
    for (const command of commands) {
      const group = new RegExp(`(?:^  |: |, )(?:${command}(?: |,|$)|${command.split(" ")[0]}(?:,|$))`, "mu");
      expect([command, stdout]).toEqual([command, expect.stringMatching(group)]);
    }
    for (const topic of topicNames) expect(stdout).toContain(topic);
  });
});

describe("topics", () => {
  test.each(topicNames)(
    "%s has at most 40 lines, on stdout only, and ends with the name of its document",
    async (topic) => {
      const { exit, stdout, stderr } = await dexdata(`help ${topic}`);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect(linesOf(stdout).length).toBeLessThanOrEqual(40);
      expect(
        linesOf(stdout).filter(
          (line) => line.length > 80 && /^ +\S+ \S/u.test(line) && !line.startsWith("  dexdata "),
        ),
      ).toEqual([]);
      const document = /^More: (docs\/\w+\.md) in the dexdata package\.$/u.exec(
        linesOf(stdout).at(-1) ?? "",
      )?.[1];
      expect(pages.has(document ?? "")).toBe(true);
    },
  );

  test("exit-codes has the same meanings as the reference", async () => {
    const text = (await dexdata("help exit-codes")).stdout.replaceAll(/\s+/gu, " ");
    for (const [code, { when, next }] of Object.entries(exitCodes)) {
      expect(text).toContain(`${code} ${when} → ${next}`);
      expect(pages.get("docs/reference.md")).toContain(`| ${code} | ${when} | ${next} |`);
    }
  });

  test.each(timeForms)("time: %s is accepted", (example) => {
    expect(parseTimeBound(example, Date.parse("2026-11-21T08:54:00Z"))).not.toHaveProperty("problem");
  });

  test("environment names every variable that the program reads", async () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts"),
    );
    const source = files.map((file) => readFileSync(path.join("src", file), "utf8")).join("\n");
    const read = [...source.matchAll(/\benv\["([A-Z_]+)"\]/gu)].map(([, name]) => name ?? "");
    const { stdout } = await dexdata("help environment");
    const folders = ["DEXDATA_CONFIG_DIR", "DEXDATA_STATE_DIR", "DEXDATA_CACHE_DIR"];
    const variables = Object.values(settings).flatMap(({ variable, only }) =>
      only === "file" ? [] : [variable],
    );
    for (const name of [...read, ...folders, ...variables]) expect(stdout).toContain(name);
  });

  test("suggests the closest topic for an unknown one", async () => {
    const { exit, stderr } = await dexdata("help exit-code");
    expect({ exit, stderr: JSON.parse(stderr) }).toMatchObject({
      exit: 2,
      stderr: { next: "did you mean exit-codes?" },
    });
  });
});
