import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { allSettings } from "../../src/cli/settings/edit-config.ts";
import { allCommands } from "../../src/cli/all-commands.ts";

/** Accepted somewhere, or close to it. */
const typed: Readonly<Record<string, readonly string[]>> = {
  base_url: ["https://a.invalid/v1/", "https://a.invalid?x", "a.invalid", "http://a.invalid", "https://a@b"],
  streaming_url: ["https://a.invalid", "https://a.invalid/#x", "ftp://a.invalid"],
  output: ["json", "JSON", "jsonl", "wide", "csv ", "xml"],
  color: ["always", "never", "auto", "on", "Always"],
  retries: ["100", "101", "-1", "1.5", "04", "1e1", " 4", "99999999999999999999"],
  timeout: ["1.5s", "24h", "25h", "30", "0s", "0.4ms", "1e3s", "-1s", "30 s", "1d", "30S"],
  page_size: ["1", "100", "0", "101", "1.5", "007", "1e20"],
  rpm: ["100000", "100001", "0", "unlimited", "Unlimited", "1.5"],
  retry_on: ["502,503", "200", "502,", "600", "5e2"],
  profile: ["a b", "api_free_x", "-x"],
};

/** The name of a setting's flag. DEXDATA_TIER is the plan of a key, and --tier a plan to simulate; two flags take no value. */
const flagOf = (name: string): string => name.replaceAll("_", "-");
const hasFlag = (name: string): boolean =>
  !["tier", "sandbox", "no_input"].includes(name) &&
  allCommands.some(({ flags, shared }) => flagOf(name) in flags || flagOf(name) in shared);

test("the table has every setting that has a flag", () => {
  const names = allSettings.map(({ name }) => name).filter(hasFlag);
  expect(Object.keys(typed).toSorted()).toEqual(names.toSorted());
});

/** Returns the reason without the place where the value was typed, or undefined if it is accepted. */
async function problemOf(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const { exit, stderr } = await dexdata(words, {
    env: { DEXDATA_BASE_URL: "http://127.0.0.1:1", DEXDATA_RETRIES: "0", DEXDATA_TIMEOUT: "1s", ...env },
  });
  if (exit !== 2) return undefined;
  const message = /"message":("(?:[^"\\]|\\.)*")/u.exec(stderr)?.[1]?.replaceAll(String.raw`\"`, '"') ?? "";
  return message.slice(message.lastIndexOf('": '));
}

describe.each(Object.entries(typed))("%s", (name, values) => {
  test.each(values)(
    "%j is accepted or rejected alike as a variable, in the config file and as a flag",
    async (value) => {
      const command =
        name === "streaming_url"
          ? ["stream", "ethereum:0x0000000000000000000000000000000000000001"]
          : ["tokens", "search", "ethereum"];
      const words = [...command, "--error-format", "json"];
      const folder = temporaryFolder();
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, "config.json"), JSON.stringify({ [name]: value }));
      const variable = `DEXDATA_${name.toUpperCase()}`;
      const found = await problemOf(words, { [variable]: value });
      expect(await problemOf(words, { [variable]: "", DEXDATA_CONFIG_DIR: folder })).toBe(found);
      const saved = await problemOf(["config", "set", name, "--", value]);
      expect(saved).toBe(found);
      const asFlag = await problemOf([...words, `--${flagOf(name)}=${value}`]);
      // The flag only looks the profile up, and no profile has such a name.
      if (name === "profile") expect(asFlag).toBeDefined();
      else expect(asFlag?.replace(", parquet", "")).toBe(found);
    },
  );
});

test("a duration without a unit is rejected with the unit it may have meant", async () => {
  const { exit, stderr } = await dexdata("networks --error-format text", { env: { DEXDATA_TIMEOUT: "30" } });
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr:
      'error: invalid DEXDATA_TIMEOUT "30": must be a duration such as 500ms, 30s, 5m or 1h, more than 0 and up to 24h\n' +
      "  hint: did you mean 30s?\n",
  });
});

test("every flag for a duration states the limits, and suggests a unit", () => {
  const flags = allCommands.flatMap(({ words, flags: own, shared }) =>
    Object.entries({ ...own, ...shared }).flatMap(([name, { type }]) =>
      type.name === "duration" && type.placeholder === "duration" ? [{ words, name, type }] : [],
    ),
  );
  const lazy = new Set(["every"]);
  expect(flags.length).toBeGreaterThan(50);
  for (const { words, name, type } of flags.filter((each) => !lazy.has(each.name)))
    expect(
      problemWith(() => type.read(name, ["5"])),
      `${words} --${name}`,
    ).toMatch(
      /^invalid --[\w-]+ "5": must be a duration (?:such as 500ms, 30s, 5m or 1h, (?:more than 0(?: and up to 24h)?|or 0)|of \d+s or more(?: \(.+\))?, such as 30s, 5m or 1h)$/u,
    );
});

function problemWith(read: () => unknown): string {
  try {
    read();
    return "accepted";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
