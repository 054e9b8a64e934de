import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type OutputFormat, outputFormats } from "../../src/api/output-format.ts";
import { allCommands } from "../../src/cli/all-commands.ts";
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

/** These commands print one value or nothing to stdout, the same for every format. */
const ofOneValue = [
  "auth login",
  "config get",
  "config set",
  "config unset",
  "config path",
  "name add",
  "name remove",
];

const commands = allCommands.filter(
  ({ words, flags, shared }) => ("output" in flags || "output" in shared) && !ofOneValue.includes(words),
);

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
          new RegExp(
            `--output (?:${format}(?:: | cannot be used with stream: )|"${format}": must be one of)`,
            "u",
          ),
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
    const { ending, columns, canGrow, isClosed } = formats[format];
    if (ending !== undefined) expect(formatByName(`x.${ending}`)).toBe(format);
    const env = sandbox.env();
    const search = ["tokens", "search", "base", "--limit", "2", "-o", format];
    const named = await dexdata([...search, "--columns", "price-usd"], { env });
    expect(named.exit).toBe(columns === undefined ? 2 : 0);
    const watched = await dexdata([...search, "--watch", "5s", "--deadline", "7s"], { env });
    expect(watched.stderr.includes("output is complete only when the run ends")).toBe(isClosed);
    const out = `${watched.context.home}/rows`;
    const resumed = await dexdata([...search, "--resume", "--out", out], { env });
    expect(resumed.exit).toBe(canGrow ? 0 : 2);
  });
});

test("every format has its own summary and file extension", () => {
  const summaries = outputFormats.map((format) => formats[format].summary);
  expect(new Set(summaries).size).toBe(outputFormats.length);
  const endings = outputFormats.flatMap((format) => formats[format].ending ?? []);
  expect(new Set(endings).size).toBe(endings.length);
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
