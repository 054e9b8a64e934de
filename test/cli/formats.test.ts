import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type OutputFormat, outputFormats } from "../../src/api/output-format.ts";
import { allCommands } from "../../src/cli/all-commands.ts";
import { hasFlag } from "../../src/cli/commands/command.ts";
import { formatByName, formats } from "../../src/cli/render/formats/formats.ts";
import { dexdata } from "../harness/dexdata.ts";
import { exampleFiles, writeExampleFiles } from "../harness/example-files.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { parseCsv } from "../render/separated-values.ts";

/** Whether a text has the format. A new format does not compile until this table has a check for it. */
const isOf: Readonly<Record<OutputFormat, (text: string) => boolean>> = {
  table: (text) => !text.includes("\t"),
  wide: (text) => !text.includes("\t"),
  ndjson: (text) => text.split("\n").every((line) => line === "" || isJson(line)),
  json: isJson,
  csv: (text) => new Set(parseCsv(text).map((row) => row.length)).size <= 1,
  tsv: (text) =>
    new Set(
      text
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t").length),
    ).size <= 1,
  parquet: (text) => /^PAR1.+PAR1$/su.test(text),
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const sandbox = useSandbox();
const folder = temporaryFolder();
beforeAll(async () => await writeExampleFiles(folder, sandbox.env()));

const commands = allCommands.filter((command) => hasFlag(command, "output"));

describe.each(outputFormats)("-o %s", (format) => {
  test.each(commands.map((command) => [command.words, command] as const))(
    "is printed or rejected by %s",
    async (_, { examples, flags, shared }) => {
      const typed = (examples[0] ?? "").replaceAll("'", "").split(" ").slice(1);
      const words = typed.map((word) => (exampleFiles.includes(word) ? path.join(folder, word) : word));
      const env = words.includes("--sandbox") ? {} : sandbox.env();
      const { exit, stdout, stderr } = await dexdata([...words, "-o", format], { env });
      if (exit === 2) {
        expect(stderr).toMatch(
          new RegExp(String.raw`--output (?:${format}: |\\?"${format}\\?": must be )`, "u"),
        );
        expect(stdout).toBe("");
        // Help must not offer it, unless the hint says with which flag it works.
        const more = /hint: choose one: (\S+ \S+)\n/u.exec(stderr)?.[1]?.split(" ");
        if (more === undefined) expect({ ...shared, ...flags }["output"]?.type.choices).not.toContain(format);
        else expect((await dexdata([...words, ...more, "-o", format], { env })).exit).toBe(0);
        return;
      }
      expect(isOf[format](stdout) || stdout).toBe(true);
      // The exit code of doctor depends on its findings.
      if (words[0] !== "doctor") expect(exit).toBe(0);
    },
  );

  test("has the properties that it declares", async () => {
    const { columns, isClosed } = formats[format];
    const canGrow = columns !== "guessed";
    expect(formatByName(`x.${format}`)).toBe(canGrow ? format : undefined);
    const env = sandbox.env();
    const search = ["tokens", "search", "base", "--limit", "2", "-o", format];
    const named = await dexdata([...search, "--columns", "price-usd"], { env });
    expect(named.exit).toBe(columns === undefined ? 2 : 0);
    const watched = await dexdata([...search, "--watch", "5s", "--deadline", "7s"], { env });
    expect(watched.stderr.includes("it is complete only when the run ends")).toBe(isClosed);
    const out = `${watched.context.home}/rows`;
    const resumed = await dexdata([...search, "--resume", "--out", out], { env });
    expect(resumed.exit).toBe(canGrow ? 0 : 2);
  });
});

test("every format has its own summary", () => {
  const summaries = outputFormats.map((format) => formats[format].summary);
  expect(new Set(summaries).size).toBe(outputFormats.length);
});

test.each(commands.map((command) => [command.words, command] as const))(
  "%s names only formats that it accepts if a format is unknown",
  async (words, { flags, shared, positionals }) => {
    const values = positionals.filter(({ isOptional }) => isOptional !== true).map(() => "x");
    const { exit, stderr } = await dexdata([...words.split(" "), ...values, "-o", "fancy"]);
    const accepted = ({ ...shared, ...flags }["output"]?.type.choices ?? []).join(", ");
    expect(exit).toBe(2);
    expect(stderr).toMatch(new RegExp(`--output "fancy": must be (?:one of )?${accepted}(?:\n|", *)`, "u"));
  },
);

describe("the extension of --out", () => {
  let count = 0;
  const newFile = (extension: string): string => {
    count += 1;
    return path.join(folder, `out-${count}${extension}`);
  };
  const starts: Readonly<Record<string, RegExp>> = {
    csv: /^id,/u,
    json: /^\[\{/u,
    ndjson: /^\{.*\}\n\{/u,
    parquet: /^PAR1/u,
  };

  test.each([
    ["json", ".csv", "csv"],
    ["json", ".csv.gz", "csv"],
    ["csv", ".json", "json"],
    ["csv", ".parquet", "parquet"],
    ["csv", ".ndjson", "ndjson"],
    ["table", ".jsonl", "ndjson"],
    ["csv", ".txt", "csv"],
    ["csv", "", "csv"],
  ])("DEXDATA_OUTPUT=%s: --out x%s is %s", async (output, extension, expected) => {
    const [file, receipt] = [newFile(extension), newFile(".receipt")];
    const words = `networks --out ${file} --receipt ${receipt}`;
    const { exit } = await dexdata(words, { env: { ...sandbox.env(), DEXDATA_OUTPUT: output } });
    expect(exit).toBe(0);
    expect(JSON.parse(readFileSync(receipt, "utf8"))).toMatchObject({ output: { format: expected } });
    if (!extension.endsWith(".gz")) expect(readFileSync(file, "utf8")).toMatch(starts[expected] ?? /^$/u);
  });

  test("takes precedence over config.json, but not over -o", async () => {
    const home = temporaryFolder();
    mkdirSync(path.join(home, "config"));
    writeFileSync(path.join(home, "config", "config.json"), '{"output":"json"}');
    const env = { ...sandbox.env(), DEXDATA_CONFIG_DIR: path.join(home, "config") };
    const [plain, typed] = [newFile(".csv"), newFile(".csv")];
    expect((await dexdata(`networks --out ${plain}`, { env })).exit).toBe(0);
    expect(readFileSync(plain, "utf8")).toMatch(starts["csv"] ?? /^$/u);
    expect((await dexdata(`networks --out ${typed} -o tsv`, { env })).exit).toBe(0);
    expect(readFileSync(typed, "utf8")).toMatch(/^id\t/u);
  });

  test.each([
    ["--out x.csv", {}, "text"],
    ["--out x.csv.gz", {}, "text"],
    ["--out x.parquet", {}, "text"],
    ["--out x.ndjson", {}, "json"],
    ["--out x.json", { DEXDATA_OUTPUT: "csv" }, "json"],
    ["--out x.csv", { DEXDATA_OUTPUT: "json" }, "text"],
    ["--out x", {}, "json"],
    ["--out x", { DEXDATA_OUTPUT: "csv" }, "text"],
    ["--out x.csv -o json", {}, "json"],
    ["--out x.json -o csv", {}, "text"],
  ])("%s %j: errors are %s if stderr is not a terminal", async (flags, env, expected) => {
    const words = `txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --day 2026-12-01 ${flags}`;
    const { exit, stderr } = await dexdata(words, { env: { ...sandbox.env(), ...env } });
    expect(exit).toBe(2);
    expect(stderr).toMatch(expected === "json" ? /^\{"code":"usage"/u : /^error: invalid --day/u);
  });

  test("errors are text if config.json selects CSV", async () => {
    const home = temporaryFolder();
    writeFileSync(path.join(home, "config.json"), '{"output":"csv"}');
    const env = { ...sandbox.env(), DEXDATA_CONFIG_DIR: home };
    const { stderr } = await dexdata("networks --limit x", { env });
    expect(stderr).toMatch(/^error: /u);
  });

  test.each([
    ".xlsx",
    ".xlsx.gz",
    ...".zip .csv.zip .7z .rar .tar .tar.gz .tgz .bz2 .csv.bz2 .xz .tar.xz .lz4 .csv.Z".split(" "),
  ])("%s is rejected, because dexdata does not write this format", async (extension) => {
    const file = newFile(extension);
    for (const more of ["", " -o csv"]) {
      const words = `networks --out ${file}${more} --error-format text`;
      const { exit, stderr } = await dexdata(words, { env: sandbox.env() });
      expect({ exit, stderr }).toEqual({
        exit: 2,
        stderr:
          `error: --out "${file}": dexdata does not write this format\n` +
          "  hint: use .ndjson, .json, .csv, .tsv or .parquet; .gz compresses all but .parquet\n",
      });
    }
    expect(existsSync(file)).toBe(false);
  });
});
